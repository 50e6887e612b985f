#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# gpu-h200.sh WEIR: runs the bundled workloads on hopper-h200 as an NVIDIA H200 was measured (studies/silicon/workloads/README.md),
# writes the model's figures beside the measured ones into that folder (hopper-h200.csv, hopper-h200-counters.csv), and then the
# tables and numbers of the documents (gpu-h200-tables.sh). Some five minutes of processor time. Needs jq.
#
# weir gpu's variants on the model: the chip's own replacement (scheme none), and
#   no L1         core.skip_l1_global: what .cg does to each load of global memory; no bundled workload's load has an operator of its own
#   hardware L1   the chip as it is, and kernels prefer a larger L1
#   S-L1          --sl1 and core.skip_l1_global
# For the counters, caches are empty before each launch, kernels prefer a larger L1, and as many launches run as were profiled. The
# variants run once more with PTX in the order in which it is written (core.code: written; written.csv), and the profiled launches with
# PTX instructions in the assembler's order, and without its stall counts (variants.csv).
set -euo pipefail
[ $# -eq 1 ] || { sed -n '5,7s/^# //p' "$0" >&2; exit 2; }
weir=$(realpath "$1")
scripts=$(realpath "$(dirname "$0")")
root=$(dirname "$scripts")
cd "$root/studies/silicon/workloads"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

run() { # WORKLOAD OPTION...: its run object in $work/run
  "$weir" run "$1" --size small --chip hopper-h200 --scheme none "${@:2}" --json="$work/run" >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; exit 1; }
}

# beside MEASURED KEYS: the rows of standard input with the columns of MEASURED's row that has the same first KEYS columns; a
# column that both have stands next to its like.
beside() {
  awk -F, -v OFS=, -v keys="$2" '
    function key(  k, i) { for (i = 1; i <= keys; i++) k = k FS $i; return k }
    FNR == NR { if (FNR == 1) for (i = 1; i <= NF; i++) at[$i] = i; row[key()] = $0; next }
    FNR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; split("", measured) }
    {
      split(row[key()], measured, FS)
      line = $1
      for (i = 2; i <= NF; i++) {
        line = line OFS $i
        if (i > keys && name[i] in at) line = line OFS (FNR == 1 ? "measured_" name[i] : measured[at[name[i]]])
      }
      print line
    }' "$1" -
}

times() { # WORKLOAD VARIANT OPTION...
  run "$1" "${@:3}"
  jq -r --arg name "$1" --arg variant "$2" '[$name, $variant, (.kernels | map(.launches) | add), .total.time_ps / 1e9,
    ([.sl1.kernels[]?.lines] | max)] | join(",")' "$work/run"
}

# Speedups over the workload's first row, no L1.
with_speedup() {
  awk -F, -v OFS=, '$2 == "no L1" { base = $4 } { printf "%s,%s,%s,%.6f,%.4f,%s\n", $1, $2, $3, $4, base / $4, $5 }'
}

profiled() { # WORKLOAD LAUNCHES OPTION...: as the profiler ran them
  run "$1" --set cold_launches=true --set core.prefer_l1=true --max-launches "$2" "${@:3}"
}

counters() { # WORKLOAD LAUNCHES
  profiled "$1" "$2"
  jq -r --arg name "$1" --slurpfile chip "$work/chip" '.kernels[:'"$2"'] | to_entries[] | .key as $launch | .value |
    [$name, $launch, .name, .registers, .carveout_kib * 1024, .cycles, (.core_cycles / $chip[0] | floor), .machine_instructions,
     .thread_instructions, .ncu.l1tex__t_requests_pipe_lsu_mem_global_op_ld, .ncu.l1tex__t_sectors_pipe_lsu_mem_global_op_ld,
     .ncu.l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit, .ncu.l1tex__t_sectors_pipe_lsu_mem_global_op_st,
     .ncu.lts__t_sectors_srcunit_tex_op_read, .ncu.lts__t_sectors_srcunit_tex_op_read_lookup_hit,
     .ncu.lts__t_sectors_srcunit_tex_op_write, .ncu.dram__sectors_read * 32, .ncu.dram__sectors_write * 32] |
    join(",")' "$work/run"
}

"$weir" list chips hopper-h200 | sed -n 's/^  core.count = \([0-9]*\) .*/\1/p' >"$work/chip"
[ -s "$work/chip" ] || { echo "weir list chips hopper-h200 has no core.count" >&2; exit 1; }

workloads() { awk -F, 'NR > 1 && !seen[$1]++ { print $1 }' h200.csv; }

{
  for workload in $(workloads); do
    times "$workload" "no L1" --set core.skip_l1_global=true
    times "$workload" "hardware L1" --set core.prefer_l1=true
    times "$workload" "S-L1" --sl1 --set core.skip_l1_global=true
  done
} >"$work/times"
{
  echo workload,variant,launches,milliseconds,speedup,lines
  with_speedup <"$work/times"
} | beside h200.csv 2 >"$work/hopper-h200.csv"

{
  echo workload,launch,kernel,registers,carveout_bytes,cycles,active_cycles,warp_instructions,thread_instructions,\
l1_load_requests,l1_load_sectors,l1_load_hit_sectors,l1_store_sectors,l2_read_sectors,l2_read_hit_sectors,l2_write_sectors,\
dram_read_bytes,dram_write_bytes
  awk -F, 'NR > 1 && !n[$1]++ { names[++count] = $1 } END { for (i = 1; i <= count; i++) print names[i], n[names[i]] }' \
    h200-counters.csv >"$work/profiled"
  while read -r workload launches; do counters "$workload" "$launches"; done <"$work/profiled"
} >"$work/counts"
beside h200-counters.csv 3 <"$work/counts" >"$work/hopper-h200-counters.csv"

# The same with PTX as it is written.
{
  for workload in $(workloads); do
    times "$workload" "no L1" --set core.code=written --set core.skip_l1_global=true
    times "$workload" "hardware L1" --set core.code=written --set core.prefer_l1=true
    times "$workload" "S-L1" --set core.code=written --sl1 --set core.skip_l1_global=true
  done
} >"$work/times"
{
  echo workload,variant,launches,milliseconds,speedup
  with_speedup <"$work/times" | cut -d, -f1-5
} | beside h200.csv 2 >"$work/written.csv"
# The profiled launches once more, in which an instruction of PTX is one, and in which stall counts hold nothing.
{
  echo workload,code,stall_counts,warp_instructions,cycles
  while read -r workload launches; do
    for code in assembled machine; do
      profiled "$workload" "$launches" --set core.code=$code --set core.stall_counts=false
      jq -r --arg row "$workload,$code,false" '.kernels[:'"$launches"'] | [$row, (map(.machine_instructions) | add), (map(.cycles) | add)] | join(",")' \
        "$work/run"
    done
  done <"$work/profiled"
} >"$work/variants.csv"
cp "$work"/*.csv .
"$scripts/gpu-h200-tables.sh"
