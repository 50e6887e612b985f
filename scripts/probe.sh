#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# probe.sh WEIR [EXPERIMENT…]: runs the microbenchmark studies/silicon/probe/probe.cu on hopper-h200, under scheme none, and
# prints what an H200 measured beside what weir gives, as CSV: experiment,at,hint,measured,weir. Rows of EXPERIMENT-hits are
# the L1's hit sectors of each launch, measured by a profiler. Without names, every experiment runs that takes less than three
# minutes of processor time. The committed results, and the documents' tables of them (docs/differences/h200.md):
#
#     results=studies/silicon/probe/h200-weir
#     scripts/probe.sh build/release/weir >$results.csv # four minutes
#     scripts/probe.sh build/release/weir bandwidth hint-bandwidth l2-mixed >$results-long.csv # half an hour
#     scripts/probe-tables.py
#
# Needs nvcc (CUDA 13) and jq. PROBE=FILE keeps the program in FILE, and takes it from there if it is newer than its source.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '5,16s/^# \{0,1\}//p' "$0" >&2; exit 2; }
weir=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- latency hint-latency carveout cyclic stream-hint hot-hint strides copies
here=$(realpath "$(dirname "$0")/../studies/silicon/probe")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

program=${PROBE:-$work/probe}
[ "$program" -nt "$here/probe.cu" ] || nvcc -std=c++20 -O3 -Xcompiler -O0 -lineinfo -cudart shared \
  -gencode 'arch=compute_90,code=[sm_90,compute_90]' -o "$program" "$here/probe.cu"

{
  sed 1d "$here/h200.csv"
  awk -F, 'NR > 1 { print $1 "-hits," $2 "," $3 "," $5 }' "$here/h200-counters.csv"
} >"$work/measured"

# Rows of an experiment, then of its launches' hits: a launch is a row.
run() { # EXPERIMENT
  "$weir" run --chip hopper-h200 --scheme none --clock modelled --json="$work/json" -- "$program" "$1" \
    >"$work/out" 2>"$work/log" || { cat "$work/out" "$work/log" >&2; exit 1; }
  sed -n '/^experiment,/d; /^[a-z0-9-]*,[0-9]*,[^,]*,[^,]*$/p' "$work/out" >"$work/rows"
  cat "$work/rows"
  case $1 in cyclic | stream-hint | hot-hint)
    jq -r '.[0].kernels[].ncu.l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit' "$work/json" >"$work/hits"
    [ "$(wc -l <"$work/hits")" = "$(wc -l <"$work/rows")" ] || { echo "$1: not a launch for each row" >&2; exit 1; }
    paste -d, "$work/rows" "$work/hits" | awk -F, '{ print $1 "-hits," $2 "," $3 "," $5 }' ;;
  esac
}

echo experiment,at,hint,measured,weir
for experiment; do
  run "$experiment" >"$work/weir"
  awk -F, '
    { key = $1 "," $2 "," $3 }
    NR == FNR { measured[key] = $4; next }
    !(key in measured) { print "nothing was measured of " key >"/dev/stderr"; exit 1 }
    { print key "," measured[key] "," $4 }' "$work/measured" "$work/weir"
done
