#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# examples.sh SOURCE WEIR: the launch file that docs/LAUNCH-FILES.md shows is the one in examples/, and does what it says: a
# matrix that is transposed twice is the first one again, on warps of 32 and of 64 lanes.
set -eu
source=$1 weir=$2
example=$source/examples/launch/transpose.yaml

sed 1,2d "$example" >shown-file
awk '/^```/ { inside = 0 } inside { print } /^```yaml$/ { inside = 1 }' "$source/docs/LAUNCH-FILES.md" >shown-page
cmp shown-file shown-page

checksum() { sed -n "s/^checksum of $1: //p" report; }
for chip in fermi-gtx480 gcn-apu; do
  "$weir" run "$example" --chip $chip >report
  [ -n "$(checksum in)" ] && [ "$(checksum in)" = "$(checksum again)" ] && [ "$(checksum in)" != "$(checksum out)" ] || {
    echo "$chip: transposed twice, the matrix differs:"
    grep '^checksum' report
    exit 1
  }
  grep -q '^transpose.cl:' report || {
    echo "$chip: the report names no line of the source"
    exit 1
  }
done

# The sweep that docs/SWEEPS.md shows is the one in examples/, and asks for what its comments say: of two programs and two values three
# schemes that run once, and of one program one that runs twice.
sed 1,3d "$source/examples/sweep.yaml" >shown-file
awk '/^```/ { inside = 0 } inside { print } /^```yaml$/ { inside = 1 }' "$source/docs/SWEEPS.md" >shown-page
cmp shown-file shown-page
"$weir" sweep "$source/examples/sweep.yaml" --dry-run --store none.sqlite | tail -n 1 >report
grep -q '^# 0 of 14 experiments, 0 of 16 runs .*; 2 excluded$' report || {
  echo "examples/sweep.yaml asks for something else:"
  cat report
  exit 1
}
rm -f none.sqlite*
