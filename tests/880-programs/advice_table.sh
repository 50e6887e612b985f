#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# Each row of advice.csv with hints is a row of docs/ADVISE.md, and the cycles are those foretold: by --hints and by the hinted PTX.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
awk -F, 'function f(x) { return x == "" ? "–" : sprintf("%.3f", x) }
  NR > 1 && $17 > 0 {
    printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", $1, $3, $17, f($11), f($12), f($13), $18, f($14), f($15), f($16)
  }
  NR > 1 && $17 > 0 && ($5 != $6 || $5 != $7) { print $1 ": not as foretold"; bad = 1 }
  END { exit bad }' "$here/advice.csv" >"${TMPDIR:-/tmp}/advice.$$"
grep -E '^\| [a-z]+/[A-Za-z0-9_+-]+ \|' "$here/../../docs/ADVISE.md" | diff - "${TMPDIR:-/tmp}/advice.$$"
rm "${TMPDIR:-/tmp}/advice.$$"
