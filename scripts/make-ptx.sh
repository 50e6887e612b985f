#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# Compiles every workloads/NAME/*.cl (or those of the NAMEs given) to the PTX beside it, with Debian's clang-19 and
# libclc-19 only. The text depends on the kernel alone: the compiler runs in the kernel's own folder, and of its debug
# information only .loc and .file are kept, without the folder's path.
set -eu
cd "$(dirname "$0")/../workloads"
clang=${CLANG:-clang-19}
libclc=${LIBCLC:-/usr/lib/clc/nvptx64--nvidiacl.bc}
for need in "$clang" "$libclc"; do
  command -v "$need" >/dev/null || [ -e "$need" ] || {
    echo "make-ptx: $need is missing; on Debian: apt install clang-19 libclc-19" >&2
    exit 2
  }
done

compile() { # FOLDER FILE.cl
  (cd "$1" && "$clang" -x cl -cl-std=CL1.2 --target=nvptx64-nvidia-nvcl -march=sm_70 -nogpulib \
    -Xclang -finclude-default-header -O3 -gline-tables-only -Wno-linker-warnings \
    -Xclang -mlink-builtin-bitcode -Xclang "$libclc" -S "$2" -o -)
}

# .file N "folder" "name" becomes the one-name form that PTX defines; the DWARF sections hold absolute paths.
plain_debug() {
  sed -E -e '/^[[:space:]]*\.section[[:space:]]+\.debug_.*\}/d' \
    -e '/^[[:space:]]*\.section[[:space:]]+\.debug_/,/\}/d' \
    -e 's/^([[:space:]]*\.file[[:space:]]+[0-9]+) "[^"]*" (".*")$/\1 \2/'
}

for source in ${*:-*}; do
  for cl in "$source"/*.cl; do
    [ -e "$cl" ] || continue
    ptx=${cl%.cl}.ptx
    compile "$source" "$(basename "$cl")" >"$ptx.raw" || { rm -f "$ptx.raw"; exit 1; }
    plain_debug <"$ptx.raw" >"$ptx.new"
    rm "$ptx.raw"
    mv "$ptx.new" "$ptx"
    echo "$ptx"
  done
done
