#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# profile.sh WEIR: runs what a profile-guided build learns from: programs with and without divergence on chips with different
# schedulers, policies and networks, execution alone, and replays.
set -eu
weir=$1

for program in matrixmul spmv bfs kmeans nw srad backprop lud; do
  "$weir" run "$program" --size small --chip fermi-gtx480 --scheme lru --output=/dev/null
done
"$weir" run spmv --size small --chip gcn-apu --scheme pcbp --output=/dev/null
"$weir" run kmn --size small --chip fermi-bucl --scheme bucl-dyn --output=/dev/null
"$weir" run nw --size small --chip volta-v100 --scheme lru --output=/dev/null
"$weir" run matrixmul --functional --size small --output=/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for program in spmv srad wc; do
  "$weir" record "$program" --size small --chip fermi-gtx480 --output "$work/r.wrec" 2>/dev/null
  "$weir" replay "$work/r.wrec" --schemes lru,srrip,pcbp --jobs 1 >/dev/null
  "$weir" replay "$work/r.wrec" --curve >/dev/null
done
