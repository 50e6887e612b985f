#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# instructions.sh WEIR [PROGRAM...]: the host's instructions per warp instruction, counted by callgrind from launch to launch's
# end. They are the same on an idle and on a busy machine. Without programs: the eight of weir bench and strided_load, at size
# small, which takes half an hour.
set -eu
weir=$1
shift
[ $# -gt 0 ] || set -- matrixmul spmv bfs kmeans nw srad backprop lud bench/strided_load.yaml
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for program; do
  valgrind --tool=callgrind --toggle-collect=weir_chip_launch --callgrind-out-file=/dev/null --log-file="$folder/log" \
    "$weir" run "$program" --size small --chip fermi-gtx480 --scheme lru --json="$folder/run" >"$folder/report"
  host=$(sed -n 's/.*Collected : //p' "$folder/log")
  warp=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["total"]["warp_instructions"])' "$folder/run")
  awk -v p="$program" -v h="$host" -v w="$warp" 'BEGIN { printf "%-24s %12.0f %14.0f %8.0f\n", p, w, h, h / w }'
done
