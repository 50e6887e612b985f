#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# h200.sh SOURCE: the documents' tables and numbers of the comparison with an NVIDIA H200 are what the committed files give; a
# changed file changes them, and a number that was changed by hand is made anew.
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "FAILED: $1"; exit 1; }
tables() { "$source/scripts/gpu-h200-tables.sh" "$work"; }
differ() { ! { diff -u "$source/README.md" "$work/README.md" && diff -r -u "$source/docs" "$work/docs"; }; }

(cd "$source" && tar -c README.md docs studies/silicon/workloads) | tar -x -C "$work"
tables
differ && fail "the documents differ from the measurements: scripts/gpu-h200-tables.sh makes their numbers anew"

page=$work/docs/differences/h200-workloads.md
sed -i 's/\(<!--h200 l1.judged.measured-->\)[0-9.]*/\19.99/' "$page"
grep -q 9.99 "$page" || fail "no number was changed"
tables
differ && fail "a number changed by hand was not made anew"

file=$work/studies/silicon/workloads/hopper-h200.csv
awk -F, -v OFS=, 'NR > 1 && $2 == "hardware L1" { $5 *= 1.5 } { print }' "$file" >"$work/changed"
cp "$work/changed" "$file"
tables
differ >"$work/said" || fail "a changed file changed no number"
grep -q '^-.*l1.judged.weir' "$work/said" || fail "a changed file did not change the mean"
exit 0
