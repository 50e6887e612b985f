#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# coalesced-reads.sh WEIR [READS:CYCLES:GROUPS,WORKLOAD...]: the sectors that hopper-h200's L2 is read for by the profiled launches of the
# workloads in which cores read the same sectors, with other choices of network.coalesced_reads, network.coalesced_cycles and core.groups,
# beside those of an H200 (studies/silicon/workloads/h200-counters.csv); or the rows that are named alone. CSV on standard output
# (studies/silicon/workloads/coalesced.csv); three minutes. Needs jq.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '5,8s/^# //p' "$0" >&2; exit 2; }
weir=$(realpath "$1")
measured=$(realpath "$(dirname "$0")/../studies/silicon/workloads/h200-counters.csv")
shift
[ $# -gt 0 ] || set -- {1:64:10,4:64:10,2:64:10,8:64:10,4:16:10,4:32:10,4:128:10,4:10000:10,4:64:8,4:64:9,4:64:11,4:64:12},{matrixmul,srad,lud,lud-plain,spmv,bfs-random,backprop,kmn}

boards() { # WORKLOAD: launch,kernel,sectors of each launch that was profiled
  awk -F, -v w="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $1 == w { print $2 "," $3 "," $at["l2_read_sectors"] }' "$measured"
}

reads() { # WORKLOAD LAUNCHES READS CYCLES GROUPS: sectors of each launch
  "$weir" run "$1" --size small --chip hopper-h200 --scheme none --set cold_launches=true --set core.prefer_l1=true --max-launches "$2" \
    --set "network.coalesced_reads=$3" --set "network.coalesced_cycles=$4" --set "core.groups=$5" --json |
    jq ".kernels[:$2][].ncu.lts__t_sectors_srcunit_tex_op_read"
}

echo choice,workload,launch,kernel,measured,l2_read_sectors
for row; do
  workload=${row#*,}
  IFS=: read -r reads cycles groups <<<"${row%,*}"
  board=$(boards "$workload")
  paste -d, <(printf '%s\n' "$board") <(reads "$workload" "$(wc -l <<<"$board")" "$reads" "$cycles" "$groups") | sed "s/^/$row,/"
done
