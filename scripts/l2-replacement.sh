#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# l2-replacement.sh WEIR [KEY=VALUE,KIB...]: the V100's chase at ten footprints in the knees of its L1 and L2, under LRU and with other
# shares of the lines from which lru-random takes one (l2.among_percent), beside the cycles per load that RRZE-HPC measured (gpu-benches,
# gpu-latency); or the rows that are named alone. CSV on standard output (studies/silicon/l2-replacement.csv); a minute. Needs jq.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '5,7s/^# //p' "$0" >&2; exit 2; }
weir=$(realpath "$1")
shift
declare -A measured=([130]=89.5 [144]=147.1 [160]=191.0 [177]=204.2 [196]=213.4 [6348]=265.1 [6984]=354.5 [7684]=395.8 [8453]=412.7 [10230]=424.3)

cycles() { # KIB KEY=VALUE: of a load
  "$weir" run chase --chip volta-v100 --scheme "none,launch.footprint_kib=$1,launch.stride=8,l2.$2" --json |
    jq '.kernels | (.[2].cycles - .[1].cycles) / (.[2].l1.loads.accesses - .[1].l1.loads.accesses) * 1000 | round / 1000'
}

if [ $# = 0 ]; then
  for key in replace=lru among_percent=13 among_percent=25 among_percent=50 among_percent=100; do
    for kib in $(printf '%s\n' "${!measured[@]}" | sort -n); do set -- "$@" "$key,$kib"; done
  done
fi
echo replacement,footprint_kib,measured,cycles
for row; do
  kib=${row#*,}
  echo "$row,${measured[$kib]},$(cycles "$kib" "${row%,*}")"
done
