#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# run.sh BUILD NAME CHIP: runs programs/NAME.c, as built, under the launcher, and holds the run object to the facts in its source
# (tests/850-cudart/facts.c). The program checks its own results; a line `// options: …` in it is given to weir run,
# `// status: N` is the exit status (0 unless told), and `// says: TEXT` must be among what comes out on stderr. Skipped
# (77) where no compiler is there.
set -eu
build=$1 name=$2 chip=$3
source=$(dirname "$0")/programs/$name.c
program=$build/opencl-programs/opencl_$name
status=0
"$build/opencl-programs/opencl_probe" || status=$?
[ $status = 0 ] || exit $status

told() {
  sed -n "s|^// $1: ||p" "$source"
}
# Programs may end with objects that they have not released: that is no leak of ours.
# shellcheck disable=SC2046 # options are several words
ASAN_OPTIONS=detect_leaks=0 "$build/weir" run --chip="$chip" --json="$program-$chip.json" $(told options) -- "$program" \
  >"$program-$chip.out" 2>"$program-$chip.err" || status=$?
fail() {
  echo "$1"
  echo "--- its output"
  tail -n 30 "$program-$chip.out"
  echo "--- its errors"
  tail -n 30 "$program-$chip.err"
  exit 1
}
wanted=$(told status)
[ "$status" = "${wanted:-0}" ] || fail "exit status $status, not ${wanted:-0}"
told says | while read -r text; do
  grep -qF -- "$text" "$program-$chip.err" || fail "nothing on stderr says: $text"
done
"$build/cudart_facts" "$program-$chip.json" "$source" || fail "the run object is not what the source derives"
