#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors
#
# Builds a CUDA test program: build.sh NAME|FILE.cu COMPILER OUT
#   NAME      tests/850-cudart/programs/NAME.cu
#   COMPILER  clang (no SDK needed; CLANG names it, default clang-19) or nvcc (NVCC, default the one in PATH or
#             /usr/local/cuda/bin)
# CUDART_DIR=DIR links against libcudart.so.$CUDART_MAJOR there; without, against a library of that name that has all
# functions and does nothing. CUDART_MAJOR is 13 unless told: 11.0, 12 or 13. Exit code 77: this
# compiler is not there.
set -eu
test $# = 3 || { sed -n '5,11s/^# *//p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
case $1 in *.cu) source=$1 ;; *) source=$here/programs/$1.cu ;; esac
compiler=$2 out=$3
major=${CUDART_MAJOR:-13}
case $major in
11.0) version=11080 ;;
12) version=12000 ;;
*) version=13000 ;;
esac
arch=$(sed -n 's|^// arch: ||p' "$source") # that the program needs: 90
ptx=${arch:+78} ptx=${ptx:-70}
work=$out.build
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT

# The number $1 as $2 bytes, least significant first.
bytes() {
  value=$1 left=$2
  while [ "$left" -gt 0 ]; do
    printf "\\$(printf %o $((value & 255)))"
    value=$((value >> 8)) left=$((left - 1))
  done
}

# A fat binary with one entry, plain PTX, on stdout (the layout that src/binary/fatbin.h reads).
fatbin() {
  text=$(wc -c <"$1")
  padded=$(((text + 1 + 7) / 8 * 8)) # the text ends in a NUL, the payload at a multiple of 8
  bytes $((0xBA55ED50)) 4; bytes 1 2; bytes 16 2; bytes $((0x50 + padded)) 8
  bytes 1 2; bytes $((0x101)) 2; bytes $((0x50)) 4; bytes $padded 8       # PTX; header and payload size
  bytes 0 8; bytes 0 2; bytes 7 2; bytes "${arch:-70}" 4                  # not compressed; PTX 7.0 for sm_70
  bytes 0 8; bytes 0 8; bytes 0 8; bytes 0 8; bytes 0 8; bytes 0 8        # +0x20 … +0x4f: no flags, no names
  cat "$1"
  bytes 0 $((padded - text))
}

# Has all functions, which do nothing; made once for all programs of a folder, some of which may be built at the same time.
empty_library() { # FOLDER
  calls=$root/src/binary/cuda_calls.def made=$1/libcudart.so.$major
  [ ! -e "$made" ] || [ "$calls" -nt "$made" ] || return 0
  mkdir -p "$1"
  printf '#define X(name, state) void name(void) {}\n#include "binary/cuda_calls.def"\n' |
    cc -w -shared -fPIC -I"$root/src" -o "$work/library" -Wl,-soname,"libcudart.so.$major" -x c -
  mv "$work/library" "$made"
}

link() {
  lib=${CUDART_DIR:-}
  if [ -z "$lib" ]; then
    lib=$(dirname "$out")/.empty-$major
    empty_library "$lib"
  fi
  # Lazy binding: a program that never comes to a call needs no function behind it.
  c++ "$@" -o "$out" -Wl,-z,lazy -Wl,--no-as-needed -L"$lib" -l:"libcudart.so.$major" -lpthread
}

if [ "$compiler" = clang ]; then
  clang=${CLANG:-clang-19}
  command -v "$clang" >/dev/null || exit 77
  # -nocudainc -nocudalib --cuda-path: no SDK; our headers take its place. sm_70 with PTX 7.0: the newest that has every
  # warp intrinsic with a mask, and no need of a newer ISA; a program that names an architecture has that with PTX 7.8. -gline-tables-only: loads are told by source line.
  # -target-sdk-version: kernel launches as since CUDA 9.2 (__cudaPushCallConfiguration), registration ended by
  # __cudaRegisterFatBinaryEnd (10.1).
  # -fcuda-flush-denormals-to-zero and fast mathematics stay off: results are compared with the host's.
  # -ffp-contract=off: the host does not contract, either.
  set -- -x cuda --cuda-path=/nonexistent -nocudainc -nocudalib -std=c++17 -O2 -ffp-contract=off \
    -Xclang -target-sdk-version=11.0 -I"$here/include" -I"$root/src" -DCUDART_VERSION=$version -include cuda_runtime.h
  "$clang" "$@" --cuda-device-only --cuda-gpu-arch="sm_${arch:-70}" --cuda-feature="+ptx$ptx" -gline-tables-only -S \
    "$source" -o "$work/device.ptx"
  fatbin "$work/device.ptx" >"$work/device.fatbin"
  "$clang" "$@" --cuda-host-only -g -Xclang -fcuda-include-gpubinary -Xclang "$work/device.fatbin" -c "$source" -o "$work/host.o"
  link "$work/host.o"
elif [ "$compiler" = nvcc ]; then
  nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
  test -x "$nvcc" || exit 77
  test "$major" = 13 || exit 77 # its headers are those of its own version
  # code=compute_75: PTX, as only PTX can be run. -lineinfo: source lines. -fmad=false: as the host computes.
  "$nvcc" -std=c++17 -O2 -cudart shared -gencode "arch=compute_${arch:-75},code=compute_${arch:-75}" -lineinfo -fmad=false \
    -diag-suppress 177 -c "$source" -o "$work/host.o"
  link "$work/host.o"
else
  echo "build.sh: no compiler '$compiler'; clang or nvcc" >&2
  exit 2
fi
