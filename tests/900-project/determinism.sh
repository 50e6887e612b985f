#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# determinism.sh SOURCE BUILD WEIR SAME [jobs|builds|OTHER]: results are the same bits in every instruction set and however many
# jobs, or threads of one run, share the work (jobs); from every compiler and at every level of optimisation (builds), or from the executable OTHER, a
# build of the recipes' tree, whose counter masked_accesses is not compared. BUILD keeps the extra builds, so that a second run is
# quick.
set -eu
source=$1 build=$2 weir=$3 same=$4 what=$5
data=$source/tests/900-project/data
mkdir -p "$build"
cd "$build"
failed=0
but=
# A CPU program and one of the GPU that share a cache, small enough to be run by builds without optimisation.
mix="bzip2+spmv --chip apu-1c4g --cpu-instructions 200K --gpu-instructions 20K --warmup 100K"

# results WEIR NAME: what that executable says of every program here.
results() {
  for program in arith walk tree; do
    "$1" run "$data/$program.yaml" --chip fermi-gtx480 --scheme lru --json >"$2-$program.json"
  done
  "$1" run nn --chip gcn-apu --scheme pcbp --seed 3 --json >"$2-nn.json"
  "$1" run $mix --scheme helm --json >"$2-mix.json"
}

agree() { # WHAT NAME
  for program in arith walk tree nn mix; do
    if ! "$same" $but "reference-$program.json" "$2-$program.json"; then
      echo "$program: $1 gives other results than the build under test"
      failed=1
    fi
  done
  echo "$1: compared"
}

other_build() { # COMPILER TYPE
  command -v "$1" >/dev/null || {
    echo "$1 is not here: not compared"
    return 0
  }
  folder=$build/$1-$2
  cmake -S "$source" -B "$folder" -G Ninja -DCMAKE_C_COMPILER="$1" -DCMAKE_BUILD_TYPE="$2" -DWEIR_TESTS=OFF \
    -DWEIR_FRONT_DOORS=OFF >"$folder.log" 2>&1 &&
    cmake --build "$folder" -j 2 --target weir >>"$folder.log" 2>&1 || {
    echo "$1, $2: does not build"
    tail -n 20 "$folder.log"
    exit 1
  }
  results "$folder/weir" "$1-$2"
  agree "$1, $2" "$1-$2"
}

other_isa() { # WEIR_ISA, and the processor's flag that it needs
  grep -qw "$2" /proc/cpuinfo || {
    echo "this processor has no $1: not compared"
    return 0
  }
  (export WEIR_ISA="$1" && results "$weir" "$1")
  agree "WEIR_ISA=$1" "$1"
}

results "$weir" reference
case $what in
jobs) ;;
builds)
  other_build gcc Debug
  other_build clang Release
  exit $failed
  ;;
*)
  but="--but masked_accesses"
  results "$what" other
  agree "$what" other
  exit $failed
  ;;
esac

other_isa sse sse2
other_isa avx2 avx2
other_isa avx512 avx512f

# Blocks that race for the same words; the second chip has two partitions of its L2.
for program in race walk; do
  for how in "--chip volta-v100 --scheme lru" "--chip hopper-h100 --scheme lru" --functional; do
    counts="1 2 7"
    case $how in *volta*) counts="1 2" ;; esac
    for threads in $counts; do
      # shellcheck disable=SC2086 # options are words
      "$weir" run "$data/$program.yaml" $how --threads $threads --json >threads-$threads.json
      "$same" threads-1.json threads-$threads.json || {
        echo "$program, $how: --threads $threads gives other results than --threads 1"
        failed=1
      }
    done
  done
done

for jobs in 1 2; do
  "$weir" compare "$data/walk.yaml" "$data/tree.yaml" --chip gcn-apu --scheme lru --scheme drrip --scheme pcbp \
    --jobs $jobs --json >"jobs-$jobs.json"
done
for jobs in 1 2; do
  "$weir" compare $mix --scheme lru --scheme tap-rrip --scheme helm --jobs $jobs --json >"mix-jobs-$jobs.json"
done
"$same" mix-jobs-1.json mix-jobs-2.json || {
  echo "compare of a mix: --jobs 2 gives other results than --jobs 1"
  failed=1
}
"$same" jobs-1.json jobs-2.json || {
  echo "compare: --jobs 2 gives other results than --jobs 1"
  failed=1
}
exit $failed
