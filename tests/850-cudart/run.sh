#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# run.sh BUILD NAME COMPILER MAJOR: builds tests/850-cudart/programs/NAME.cu by clang (no SDK) or nvcc for
# libcudart.so.MAJOR, runs it under the launcher, and holds it to what its source says (tests/hold.sh). Skipped (77) where
# the compiler is not there.
set -eu
build=$1 name=$2 compiler=$3 major=$4
here=$(cd "$(dirname "$0")" && pwd)
source=$here/programs/$name.cu
folder=$build/cuda-programs/$compiler-$major
program=$folder/$name
mkdir -p "$folder"
is_new() { # PROGRAM
  [ -x "$1" ] && [ -z "$(find "$here/build.sh" "$here/include" "$here/programs/check.h" "$source" -newer "$1")" ]
}
if ! is_new "$program"; then
  # It is the same program for every build of weir: one beside this may have it.
  for other in "$build"/../*/cuda-programs/"$compiler-$major/$name"; do ! is_new "$other" || break; done
  if is_new "$other"; then
    cp -p "$other" "$program"
  else
    CUDART_MAJOR=$major "$here/build.sh" "$name" "$compiler" "$program"
  fi
fi

# The libraries of a build under AddressSanitizer want its runtime to be there first.
preload=
if nm -D "$build/lib/weir/libcudart.so.13" | grep -q __asan_init; then
  preload=$("${CC:-gcc}" -print-file-name=libasan.so)
fi
. "$here/../hold.sh"
hold "$build" "$program" "$source" fermi-gtx480 "$program" "$preload"
