#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# profile.sh WEIR: runs what a profile-guided build learns from: programs with and without divergence on chips with different
# schedulers, policies and networks, and execution alone.
set -eu
weir=$1

for program in matrixmul spmv bfs kmeans nw srad backprop lud; do
  "$weir" run "$program" --size small --chip fermi-gtx480 --scheme lru --output=/dev/null
done
"$weir" run spmv --size small --chip gcn-apu --scheme pcbp --output=/dev/null
"$weir" run kmn --size small --chip fermi-bucl --scheme bucl-dyn --output=/dev/null
"$weir" run nw --size small --chip volta-v100 --scheme lru --output=/dev/null
"$weir" run matrixmul --functional --size small --output=/dev/null
