#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# overlap.sh BUILD [SAMPLE…]: how much of what cuda-samples' programs on streams promise they show on the modelled chip. Rows of overlap.csv
# (docs/TIMELINE.md), on stdout: milliseconds one after the other, as the sample's text promises them for its streams, and as it then
# measured them; 0: it says none. The folder that WEIR_PROGRAMS names has each sample built as cuda-samples/SAMPLE (sources.sh); skipped (77)
# without it.
# Those whose kernels read the clock are simulated whole, the others by --sample auto.
set -euo pipefail
build=$(cd "$1" && pwd)
shift
[ -n "${WEIR_PROGRAMS:-}" ] || { echo "WEIR_PROGRAMS does not name a folder with programs"; exit 77; }
chip=turing-2080ti
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$WEIR_PROGRAMS/cuda-samples"

run() { # SAMPLE OPTION…
  local sample=$1
  shift
  "$build/weir" run --chip $chip --scheme lru "$@" -- "./$sample" >"$work/out" 2>"$work/err" </dev/null || { tail "$work/err"; return 1; }
}

# The number in the line that has the words $1, of those in it the $2-th.
number() {
  grep -aF -- "$1" "$work/out" | grep -oE '[0-9]+\.[0-9]+' | sed -n "$2p"
}

row() { # SAMPLE SERIAL PROMISED MEASURED, for awk
  awk -v s="$1" "BEGIN { printf(\"%s,$chip,%.4g,%.4g,%.4g\\n\", s, ($2), ($3), ($4)) }"
}

for sample in ${*:-simpleStreams simpleMultiCopy asyncAPI concurrentKernels simpleHyperQ}; do
  case $sample in
  simpleStreams) # kernel and copy in 4 streams: of the shorter, a quarter stands alone
    run $sample --sample auto
    copy=$(number memcopy: 1) kernel=$(number kernel: 1)
    row $sample "$(number non-streamed: 1)" "$copy > $kernel ? $copy + $kernel / 4 : $kernel + $copy / 4" "$(number '4 streams:' 1)" ;;
  simpleMultiCopy)
    run $sample --sample auto
    row $sample "$(number 'when execution fully serialized' 1)" "$(number 'overlap with both data transfers:' 1)" \
      "$(number 'when overlapped using' 1)" ;;
  asyncAPI) # the host goes on and asks: what it measures is the sum
    run $sample --sample auto
    grep -aq 'CPU executed [1-9][0-9]* iterations while waiting' "$work/out" || { echo "asyncAPI's host did not go on"; exit 1; }
    row $sample 0 0 "$(number 'executing by the GPU:' 1)" ;;
  concurrentKernels)
    run $sample
    row $sample "1000 * $(number 'serial execution' 1)" "1000 * $(number 'concurrent execution' 1)" \
      "1000 * $(number 'Measured time' 1)" ;;
  simpleHyperQ)
    run $sample
    row $sample "1000 * $(number 'serial execution' 2)" "1000 * $(number 'fully concurrent execution' 1)" \
      "1000 * $(number 'Measured time' 1)" ;;
  *) echo "overlap.sh knows no sample $sample"; exit 2 ;;
  esac
done
