#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# Each row of advice.csv with hints is a row of docs/ADVISE.md, and the cycles are those foretold: by --hints, by the hinted PTX, and by the
# patch within 2 points of its hints.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
awk -F, 'function f(x) { return x == "" ? "–" : sprintf("%.3f", x) }
  NR > 1 && $15 > 0 {
    printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", $1, $3, $15, f($10), f($11), f($12), $16, f($13), f($14)
  }
  NR > 1 && $15 > 0 && ($5 != $6 || $5 != $7 || $16 > 0 && ($14 - $13) ^ 2 > 0.02 ^ 2) { print $1 ": not as foretold"; bad = 1 }
  END { exit bad }' "$here/advice.csv" >"${TMPDIR:-/tmp}/advice.$$"
grep -E '^\| [a-z]+/[A-Za-z0-9_+-]+ \|' "$here/../../docs/ADVISE.md" | diff - "${TMPDIR:-/tmp}/advice.$$"
rm "${TMPDIR:-/tmp}/advice.$$"
