#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# install.sh SOURCE BUILD CC: installs into an empty prefix, moves the prefix, and from there uses weir as its users do:
# a policy compiled against the installed headers alone, loaded by an installed weir that finds its own data.
set -eu
source=$1 build=$2 cc=$3
prefix=$build/installed
rm -rf "$prefix" "$prefix-first"
cmake --build "$build" --target weir weir_archive weir_pages >"$build/install.log"
cmake --install "$build" --prefix "$prefix-first" >>"$build/install.log"
mv "$prefix-first" "$prefix"
cp "$source/examples/plugin/mine.c" "$prefix/mine.c"

cd "$prefix"
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
for file in bin/weir lib/libweir.a include/weir/policy/policy.h share/weir/chips/gcn-apu.yaml \
  share/weir/schemes/lru.yaml share/weir/workloads/bfs/bfs.ptx share/man/man1/weir.1 share/man/man1/weir-run.1 share/bash-completion/completions/weir \
  share/doc/weir/LICENSE share/doc/weir/NOTICE \
  lib/weir/libcudart.so.11.0 lib/weir/libcudart.so.12 lib/weir/libcudart.so.13 \
  lib/weir/libweircl.so lib/weir/weir.icd; do
  [ -s "$file" ] || {
    echo "not installed: $file"
    exit 1
  }
done

# They are all of what `make` builds, so that neither `make install` nor a program after -- misses one.
ninja -C "$build" -t inputs weir weir_archive >"$build/install.inputs"
for file in lib/weir/*.so*; do
  grep -qx "$file" "$build/install.inputs" || {
    echo "the target weir does not build $file"
    exit 1
  }
done

# An installed header may include installed headers only.
grep -rhoE '^ *# *include "[^"]+"' include/weir --include='*.h' | sed 's/.*"\(.*\)"/\1/' | sort -u | while read -r included; do
  [ -f "include/weir/$included" ] || {
    echo "an installed header includes $included, which is not installed"
    exit 1
  }
done

# It compiles by itself: those do that some source file includes first. (Those of exec/ops are parts of its files.)
cflags=$(pkg-config --cflags weir)
(cd "$source" && find src workloads studies -name '*.c') | sed "s|^|$source/|" |
  xargs awk 'FNR == 1 { first = 0 } !first && /^#include/ { first = 1; if (/"/) print }' | sed 's/.*"\(.*\)".*/\1/' | sort -u >firsts
(cd include/weir && find . -name '*.h' ! -path '*/ops/*') | sed 's|^\./||' | sort | comm -23 - firsts >others
[ -s others ] || {
  echo "no header is compiled by itself"
  exit 1
}
while read -r header; do
  $cc -std=gnu17 -fsyntax-only -x c $cflags "include/weir/$header"
done <others

$cc -std=gnu17 -Wall -Wextra -shared -fPIC $cflags mine.c -o mine.so
bin/weir list policies --plugin ./mine.so >policies.txt
name=$(sed -n 's/^ *\.name = "\([^"]*\)".*/\1/p' mine.c | head -n 1)
grep -q "$name" policies.txt || {
  echo "weir list policies --plugin ./mine.so does not list $name:"
  cat policies.txt
  exit 1
}

# Its data are those beside it, not those of the tree it was built from.
cp share/weir/chips/gcn-apu.yaml share/weir/chips/only-here.yaml
bin/weir list chips | grep -q only-here || {
  echo "the installed weir does not read the chips installed with it"
  exit 1
}

cat >version.c <<'END'
#include "host/workload.h"
#include <stdio.h>
int main(void) {
  unsigned count;
  weir_workloads(&count);
  printf("%u workloads\n", count);
  return count == 0;
}
END
$cc -std=gnu17 $cflags version.c $(pkg-config --libs weir) -o version
./version

# An OpenCL program finds the device where the prefix is now.
if command -v clinfo >/dev/null; then
  bin/weir run -- clinfo -l | grep -q 'Device #0: NVIDIA H100 PCIe' || {
    echo "the installed weir.icd leads to no device"
    exit 1
  }
fi
