#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors
# Holds weir's estimate of registers per thread against what ptxas reports for ARCH, which is sm_35 unless given (CUDA 11,
# whose ptxas still knows that):
#     scripts/registers.sh [--update] [FILE.ptx...]
# of the bundled workloads, or of the PTX files given. PTX is offered as PTX 7.8, from sm_100 on as 8.7. --update writes the
# bundled kernels' counts to tests/300-exec/ptxas/ARCH.csv; halves are told apart by a hash of the file's name without its
# digits, so that variants of a program stay together. PTXAS names the assembler, WEIR the weir.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
ptxas=${PTXAS:-ptxas} weir=${WEIR:-build/release/weir} arch=${ARCH:-sm_35} update=
[ "${1-}" != --update ] || { update=1; shift; }
case $arch in # a chip of the same assembler
sm_70 | sm_72) chip=volta-v100 ;;
sm_75) chip=turing-2080ti ;;
sm_80) chip=ampere-a100 ;;
sm_8*) chip=ampere-a40 ;;
sm_9* | sm_10*) chip=hopper-h100 ;;
sm_11* | sm_12*) chip=blackwell-rtx5090 ;;
*) chip=kepler-titan-black ;;
esac
case $arch in
sm_1??*) version=8.7 ;;
*) version=7.8 ;;
esac
[ $# -gt 0 ] || set -- workloads/*/*.ptx
"$ptxas" --version > /dev/null || { echo "registers.sh: no ptxas; PTXAS=/path/to/ptxas names one" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for file; do
  name=$(basename "$file" .ptx)
  half=$(($(printf %s.ptx "$name" | tr -d 0-9 | sha256sum | cut -c64 | sed 's/[02468ace]/0/;s/[13579bdf]/1/')))
  mode=$(sed -n 's/^\.target.*texmode_independent.*/, texmode_independent/p' "$file")
  sed "s/^\.version.*/.version $version/; s/^\.target.*/.target $arch$mode/" "$file" > "$scratch/k.ptx"
  "$ptxas" -arch="$arch" -v -o /dev/null "$scratch/k.ptx" > "$scratch/log" 2>&1 || continue # what it cannot run
  sed -n "s/.*Compiling entry function '\([^']*\)'.*/\1/p; s/.*Used \([0-9]*\) registers.*/\1/p" "$scratch/log" |
    paste -d ' ' - - | sort > "$scratch/counted"
  "$weir" check --registers --chip "$chip" "$scratch/k.ptx" 2> /dev/null | sort | join "$scratch/counted" - |
    sed "s/^/$name $half /" || true
done > "$scratch/all" # name half kernel counted estimated

if [ "$update" ]; then
  {
    echo "# Registers per thread that ptxas $("$ptxas" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p') reports for $arch of the bundled kernels: scripts/registers.sh makes this file."
    echo "# workload,kernel,registers,half (0: the constants of src/exec/estimate were fitted to it; 1: held out)"
    awk '{print $1 "," $3 "," $4 "," $2}' "$scratch/all"
  } > "tests/300-exec/ptxas/$arch.csv"
fi

for half in 0 1; do
  awk -v half=$half '$2 == half && !seen[$3, $4, $5]++ {e = $5 - $4; print e < 0 ? -e : e}' "$scratch/all" | sort -n |
    awk -v half=$half '{e[NR] = $1; two += $1 <= 2; four += $1 <= 4}
      END {if (NR) printf "half %d: %d kernels, median error %d, %.0f %% within 2, %.0f %% within 4, nine in ten within %d\n",
           half, NR, e[int((NR + 1) / 2)], 100 * two / NR, 100 * four / NR, e[int(NR * 0.9 + 0.999)]}'
done
