#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# make-ptx.sh [--check] [NAME…]
#
# Compiles every workloads/NAME/*.cl (or those of the NAMEs given) to the PTX beside it, with Debian's clang-19 and
# libclc-19 only. The text depends on the kernel and the compiler alone: the compiler runs in the kernel's own folder, and
# of its debug information only .loc and .file are kept, without the folder's path.
#
# --check writes nothing and exits 1 if a committed PTX differs from what its kernel compiles to; 77 (skipped) where the
# compiler that made the committed ones is missing.
set -eu
cd "$(dirname "$0")/../workloads"
clang=${CLANG:-clang-19}
libclc=${LIBCLC:-/usr/lib/clc/nvptx64--nvidiacl.bc}
made_by=19.1.7
check=false
if [ "${1:-}" = --check ]; then
  check=true
  shift
fi

missing() {
  echo "make-ptx: $1 is missing; on Debian: apt install clang-19 libclc-19" >&2
  $check && exit 77
  exit 2
}
command -v "$clang" >/dev/null || missing "$clang"
[ -e "$libclc" ] || missing "$libclc"
if $check && ! "$clang" --version | grep -q "version $made_by"; then
  echo "make-ptx: the committed PTX was made by clang $made_by, not by this one: not compared" >&2
  exit 77
fi

compile() { # FOLDER FILE.cl
  (cd "$1" && "$clang" -x cl -cl-std=CL1.2 --target=nvptx64-nvidia-nvcl -march=sm_70 -nogpulib \
    -Xclang -finclude-default-header -O3 -gline-tables-only -Wno-linker-warnings \
    -Xclang -mlink-builtin-bitcode -Xclang "$libclc" -S "$2" -o "$work/raw")
}

# .file N "folder" "name" becomes the one-name form that PTX defines; the DWARF sections hold absolute paths.
plain_debug() {
  sed -E -e '/^[[:space:]]*\.section[[:space:]]+\.debug_.*\}/d' \
    -e '/^[[:space:]]*\.section[[:space:]]+\.debug_/,/\}/d' \
    -e 's/^([[:space:]]*\.file[[:space:]]+[0-9]+) "[^"]*" (".*")$/\1 \2/' "$work/raw"
}

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
status=0
[ $# -gt 0 ] || set -- *
for folder; do
  for kernel in "$folder"/*.cl; do
    [ -e "$kernel" ] || continue
    ptx=${kernel%.cl}.ptx
    compile "$folder" "$(basename "$kernel")"
    plain_debug >"$work/ptx"
    if ! $check; then
      cp "$work/ptx" "$ptx"
      echo "$ptx"
    elif ! cmp -s "$work/ptx" "$ptx"; then
      echo "make-ptx: $ptx is not what $kernel compiles to; run scripts/make-ptx.sh $folder" >&2
      status=1
    fi
  done
done
exit $status
