#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# The microbenchmark of an H200 (studies/silicon/probe):
#
# probe.sh SOURCE WEIR documents: its tables and numbers in docs/ are those of the committed files, and a changed digit shows.
#
# probe.sh SOURCE WEIR facts: what docs/differences/h200.md says that the board does is in the measured rows; and what weir had of
# it when this was written, it has in its own.
#
# probe.sh SOURCE WEIR models: what docs/VALIDATION.md says of models of the L1 apart from weir is what scripts/l1-models.py gives.
#
# probe.sh SOURCE WEIR rows PROGRAM: rows of h200-weir.csv are what weir gives. PROGRAM: where the built program is kept. Skipped
# (77) without nvcc or jq.
set -uo pipefail
source=$1 weir=$2 what=$3
folder=studies/silicon/probe
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $1"
  exit 1
}

documents() {
  mkdir -p "$work/tree/$folder"
  cp -r "$source/docs" "$work/tree"
  cp "$source/$folder/"*.csv "$work/tree/$folder"
  "$source/scripts/probe-tables.py" "$work/tree" || fail "the documents cannot be made"
  diff -r -u "$source/docs" "$work/tree/docs" ||
    fail "the documents differ from the measured and modelled rows: scripts/probe-tables.py makes them anew"
  sed -i 's/^\(strides,2,plain,.*\),.*/\1,4.006/' "$work/tree/$folder/h200-weir.csv" # twice what was measured
  "$source/scripts/probe-tables.py" "$work/tree" || fail "the documents cannot be made of a changed row"
  grep -q '^| 2 | 2.003 | 2 | 4.006 | +100.0 % |' "$work/tree/docs/differences/h200.md" || fail "a changed row changed nothing"
  sed -i 's/^\(strides,2,plain\),2.003/\1,2.004/' "$work/tree/$folder/h200-weir.csv"
  "$source/scripts/probe-tables.py" "$work/tree" 2>/dev/null && fail "a row that was not measured passed"
  return 0
}

facts() {
  local fact
  "$source/scripts/probe-tables.py" --facts "$source" >"$work/facts" || fail "the rows cannot be read"
  [ "$(grep -c , "$work/facts")" -ge 15 ] || fail "facts are missing"
  awk -F, '$2 != "yes"' "$work/facts" >"$work/not"
  [ ! -s "$work/not" ] || fail "the measured rows do not have what the page says: $(cat "$work/not")"
  for fact in pass no_allocate as_plain fits fits_216 first_more stream hot_last; do
    grep -qx "$fact,yes,yes" "$work/facts" || fail "weir lost what it had of the board: $fact"
  done
}

models() {
  local pool unused quarter
  python3 "$source/scripts/l1-models.py" >"$work/models" || fail "the models do not run"
  pool=$(sed -n '1s/.*: \([0-9.]*\) points of 49$/\1/p' "$work/models")
  unused=$(grep -m1 '^  hot set' "$work/models" | sed 's/.*: \([0-9.]*\) .*/\1/')
  quarter=$(sed -n 's/^h200, 32 sets.*: \([0-9.]*\) points.*/\1/p' "$work/models")
  tr -s ' \n' ' ' <"$source/docs/VALIDATION.md" >"$work/page"
  for said in "is $pool points off on average over the H200's 49 points" "sets, is $quarter points off" "($unused points; without that"; do
    grep -qF "$said" "$work/page" || fail "docs/VALIDATION.md does not say: $said"
  done
}

rows() { # PROGRAM
  local experiment=carveout # of all the cheapest
  for tool in nvcc jq; do command -v $tool >/dev/null || { echo "$tool is not there"; exit 77; }; done
  PROBE=$1 "$source/scripts/probe.sh" "$weir" $experiment >"$work/rows" || fail "the probe does not run"
  head -n 1 "$source/$folder/h200-weir.csv" >"$work/committed"
  grep "^$experiment-" "$source/$folder/h200-weir.csv" >>"$work/committed"
  diff "$work/committed" "$work/rows" || fail "weir gives other rows: scripts/probe.sh makes $folder/h200-weir.csv anew"
}

case $what in
documents) documents ;;
facts) facts ;;
models) models ;;
rows) rows "$4" ;;
esac
