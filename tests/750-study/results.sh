#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# results.sh SOURCE WEIR rows FILE: a study's results file is what weir gives: every fingerprint is that of the row's contents,
# and of the rows a few, others with each commit, run again to the same counts. Of the files whose every row takes seconds
# (`dear` below) one, another with each commit, has rows run again. WEIR_RESULTS_SAMPLE=TEXT chooses others;
# WEIR_RESULTS_SAMPLE=all runs all.
#
# results.sh SOURCE WEIR fingerprints FILE: the fingerprints alone.
#
# results.sh SOURCE WEIR documents: every marked number and table of README.md and docs/ is what the results files give.
#
# results.sh SOURCE WEIR planted: both find a change of one digit, and name where it is.
set -uo pipefail
source=$1 weir=$2 what=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export WEIR_DATA=$source XDG_CACHE_HOME=$work

sample() {
  echo "${WEIR_RESULTS_SAMPLE:-$(git -C "$source" rev-parse HEAD 2>/dev/null || date +%F)}"
}

check() { # FILE
  local text study
  text=$(sample)
  study=$(sed -n '1s/^# \([^ ]*\) .*/\1/p' "$1")
  if [ "$text" = all ]; then "$weir" study "$study" --check "$1"; else "$weir" study "$study" --check "$1" --sample "$text" --jobs 1; fi
}

# rows FILE
rows() {
  local dear=(holey2014/1c4g holey2014/2c4g holey2014/open holey2014/former mokhtari2015/chip mokhtari2015/speed mokhtari2015/large mokhtari2015/former) text name i
  text=$(sample)
  name=${1##*studies/}
  name=${name%.csv}
  name=${name/results\//}
  i=$(($(cksum <<<"$text" | cut -d' ' -f1) % ${#dear[@]}))
  case " ${dear[*]} " in *" $name "*) [ "$text" = all ] || [ "$name" = "${dear[i]}" ] || WEIR_RESULTS_SAMPLE=none ;; esac
  check "$1"
}

# A tree of the documents and results files as differences.sh wants it.
copy_tree() {
  mkdir -p "$work/tree" && (cd "$source" && tar -c README.md docs studies/*/results) | tar -x -C "$work/tree"
}

documents() {
  "$source/scripts/differences.sh" "$weir" "$work/tree" || return 1
  diff -u "$source/README.md" "$work/tree/README.md" && diff -r -u "$source/docs" "$work/tree/docs" && return
  echo "The documents differ from the results files: scripts/differences.sh makes their numbers anew."
  return 1
}

fail() {
  echo "FAILED: $1"
  [ ! -e "$work/said" ] || cat "$work/said"
  exit 1
}

# More cycles in every row, one or so many more per row: whatever the sample, it meets one. The column of cycles is found by name; no cell before it
# holds a comma but the quoted scheme.
plant_in_rows() { # FROM TO [STEP]
  awk -F, -v step="${3:-0}" 'NR == 1 { print; next }
    NR == 2 { for (i = 1; i <= NF; i++) if ($i == "total.cycles") from_right = NF - i; print; next }
    { $(NF - from_right) += 1 + step * NR; print }' OFS=, "$1" >"$2"
}

planted() {
  local name=zhao2016 # whose figures are of cycles
  local file=$source/studies/$name/results/small.csv
  plant_in_rows "$file" "$work/rows.csv"
  check "$work/rows.csv" >"$work/said" 2>&1 && fail "a changed count passed"
  grep -q 'total.cycles is [0-9]*, and weir gives [0-9]*' "$work/said" || fail "the row and the counter are not named"
  sed '3s/[0-9a-f]\{32\}/00000000000000000000000000000000/' "$file" >"$work/print.csv"
  WEIR_RESULTS_SAMPLE=none check "$work/print.csv" >"$work/said" 2>&1 && fail "a changed fingerprint passed"
  grep -q 'rows are old' "$work/said" || fail "the old row is not told of"
  copy_tree
  plant_in_rows "$file" "$work/tree/studies/$name/results/small.csv" 100000
  "$source/scripts/differences.sh" "$weir" "$work/tree" >"$work/said" 2>&1 || fail "the documents cannot be made"
  diff -rq "$source/docs" "$work/tree/docs" >"$work/said" && fail "changed rows changed no number of the documents"
  rm -r "$work/tree"
  copy_tree
  sed -i 's/\(<!--=[^>]*-->[^<0-9]*\)[0-9]/\10/' "$work/tree/docs/DIFFERENCES.md"
  diff -rq "$source/docs" "$work/tree/docs" >"$work/said" && fail "no number of the documents was changed"
  "$source/scripts/differences.sh" "$weir" "$work/tree" >"$work/said" 2>&1 || fail "the documents cannot be made"
  diff -rq "$source/docs" "$work/tree/docs" >"$work/said" || fail "a number changed by hand was not made anew"
  return 0
}

case $what in
rows) rows "$4" ;;
fingerprints) WEIR_RESULTS_SAMPLE=none check "$4" ;;
documents) copy_tree && documents ;;
planted) planted ;;
esac
