#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# exports.sh SOURCE BUILD: each library exports the calls of binary/cuda_calls.def, all of them and nothing else, under
# its own version node and soname. A call that the table calls PROVIDED is exported only if it is written (stubs are
# made of the MISSING ones alone), and one that is both would not link.
set -eu
source=$1 build=$2
failed=0
for name in libcudart.so.11.0 libcudart.so.12 libcudart.so.13; do
  library=$build/lib/weir/$name
  sed -n "s/^X(\([^,]*\),.*/\1@@$name/p" "$source/src/binary/cuda_calls.def" | LC_ALL=C sort >"$library.table"
  nm -D --defined-only "$library" | sed -n 's/^[0-9a-f]* T //p' | LC_ALL=C sort >"$library.exports"
  diff -u "$library.table" "$library.exports" || failed=1
  others=$(nm -D --defined-only "$library" | grep -v ' T ' | grep -cv " A $name" || true)
  [ "$others" = 0 ] || { echo "$name exports $others symbols that are no functions"; failed=1; }
  readelf -d "$library" | grep -q "SONAME.*\[$name\]" || { echo "$name has another soname"; failed=1; }
  rm -f "$library.table" "$library.exports"
done
exit $failed
