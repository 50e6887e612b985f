#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# write-queue.sh WEIR [QUEUE:HIGH:LOW:IDLE,THREADS...]: the V100's streams at three occupancies, without a queue of writes in the channels of
# DRAM and with several (dram.write_queue, write_high, write_low, write_idle), in GB/s, beside what RRZE-HPC measured (gpu-benches,
# gpu-stream); or the rows that are named alone. CSV on standard output (studies/silicon/write-queue.csv); ten minutes. Needs jq.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '5,7s/^# //p' "$0" >&2; exit 2; }
weir=$(realpath "$1")
measured=$(realpath "$(dirname "$0")/../studies/silicon/measured.def")
shift
[ $# -gt 0 ] || set -- {0:0:0:0,32:28:16:1000,32:28:16:0,64:56:32:1000,16:12:2:1000},{96,224,480}

# Each kernel's second and third launch go over a footprint and over two; `arrays` of it are read or written. The chip's core has 1380 MHz.
streams() { # QUEUE HIGH LOW IDLE THREADS: GB/s of init, read, scale, triad, stencil3, stencil5
  "$weir" run stream-kernels-rrze --chip volta-v100 --json \
    --scheme "none,core.max_blocks=2,launch.threads=$5,launch.footprint_kib=4096,l2.size_kib=768" \
    --set "dram.write_queue=$1" --set "dram.write_high=$2" --set "dram.write_low=$3" --set "dram.write_idle=$4" |
    jq '[.kernels[].cycles] as $c | [1, 1, 2, 3, 2, 2] as $arrays | [1, 0, 2, 3, 4, 5][] |
      $arrays[.] * 4194304 * 1.38 / ($c[3 * . + 2] - $c[3 * . + 1]) * 1000 | round / 1000'
}

echo queue,threads,kernel,measured,gb_per_s
for row; do
  threads=${row#*,}
  IFS=: read -r queue high low idle <<<"${row%,*}"
  paste -d, <(printf '%s\n' init read scale triad stencil3 stencil5) \
    <(sed -n "s/^STREAM(\"volta-v100\", $threads, \(.*\))/\1/p" "$measured" | tr -d ' ' | tr , '\n') \
    <(streams "$queue" "$high" "$low" "$idle" "$threads") | sed "s/^/$row,/"
done
