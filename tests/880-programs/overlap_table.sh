#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# Each row of overlap.csv is a row of docs/TIMELINE.md, and no sample took more than 1 % longer than it promises.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
awk -F, 'function ms(x) { return x > 0 ? x : "–" }
  NR > 1 { printf "| %s | %s | %s | %s |\n", $1, ms($3), ms($4), $5 }
  NR > 1 && $4 > 0 && $5 > 1.01 * $4 { print $1 ": not as promised"; bad = 1 }
  END { exit bad }' "$here/overlap.csv" >"$rows" || { cat "$rows"; exit 1; }
grep -E '^\| (simple|async|concurrent)[A-Za-z]+ \|' "$here/../../docs/TIMELINE.md" | diff - "$rows"
