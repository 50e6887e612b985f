#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# run.sh BUILD NAME COMPILER MAJOR: builds tests/850-cudart/programs/NAME.cu by clang (no SDK) or nvcc for
# libcudart.so.MAJOR, runs it under the launcher, and holds the run object to the facts in its source (facts.c). The
# program checks its own results; a line `// options: …` in it is given to weir run, `// status: N` is the exit status
# (0 unless told), and `// says: TEXT` must be among what comes out on stderr. Skipped (77) where the compiler is not
# there.
set -eu
build=$1 name=$2 compiler=$3 major=$4
here=$(cd "$(dirname "$0")" && pwd)
source=$here/programs/$name.cu
folder=$build/cuda-programs/$compiler-$major
program=$folder/$name
mkdir -p "$folder"
if [ ! -x "$program" ] ||
  [ -n "$(find "$here/build.sh" "$here/include" "$here/programs/check.h" "$source" -newer "$program")" ]; then
  CUDART_MAJOR=$major "$here/build.sh" "$name" "$compiler" "$program"
fi

told() {
  sed -n "s|^// $1: ||p" "$source"
}
status=0
# The libraries of a build under AddressSanitizer want its runtime to be there first.
preload=
if nm -D "$build/lib/weir/libcudart.so.13" | grep -q __asan_init; then
  preload=$("${CC:-gcc}" -print-file-name=libasan.so)
fi
# shellcheck disable=SC2046 # options are several words
env ${preload:+LD_PRELOAD="$preload"} ASAN_OPTIONS=detect_leaks=0 \
  "$build/weir" run --chip=fermi-gtx480 --json="$program.json" $(told options) -- "$program" \
  >"$program.out" 2>"$program.err" || status=$?
fail() {
  echo "$1"
  echo "--- its output"
  tail -n 30 "$program.out"
  echo "--- its errors"
  tail -n 30 "$program.err"
  exit 1
}
wanted=$(told status)
[ "$status" = "${wanted:-0}" ] || fail "exit status $status, not ${wanted:-0}"
told says | while read -r text; do
  grep -qF -- "$text" "$program.err" || fail "nothing on stderr says: $text"
done
"$build/cudart_facts" "$program.json" "$source" || fail "the run object is not what the source derives"
