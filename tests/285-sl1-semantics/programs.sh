#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# programs.sh BUILD cudart|opencl: runs the test programs of 850-cudart or 860-opencl, which check their own results, with
# S-L1, as unmodified as they are. Each must end as its source says (`// status: N`, 0 unless told), and write on stdout
# what it writes without S-L1; of chunks.cu here, which has what S-L1 is for, lines must be filled. Skipped (77) where the
# programs cannot be built.
set -u
build=$1 door=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$build/sl1-programs/$door
mkdir -p "$work"
. "$here/../hold.sh"

# What was built last of weir and its libraries.
# shellcheck disable=SC2012 # their names are ours
newest=$(ls -t "$build/weir" "$build"/lib/weir/*.so* | head -n 1)

preload=
if nm -D "$build/lib/weir/libcudart.so.13" | grep -q __asan_init; then
  preload=$("${CC:-gcc}" -print-file-name=libasan.so)
fi

# The program of a source, built if it is not there; nothing if it cannot be.
program() { # NAME SOURCE
  if [ "$door" = opencl ]; then
    echo "$build/opencl-programs/opencl_$1"
    return
  fi
  found=$build/cuda-programs/clang-13/$1
  [ -x "$found" ] || found=$work/$1
  [ -x "$found" ] || CUDART_MAJOR=13 "$here/../850-cudart/build.sh" "$2" clang "$found" >"$work/$1.log" 2>&1 || return
  echo "$found"
}

# Few accesses are monitored, so that small programs come to use their lines.
run() { # SOURCE PROGRAM RESULT OPTIONS…
  source=$1 binary=$2 result=$3
  shift 3
  # shellcheck disable=SC2046 # options are several words
  env ${preload:+LD_PRELOAD="$preload"} ASAN_OPTIONS=detect_leaks=0 \
    "$build/weir" run --chip=fermi-gtx480 --json="$result.json" "$@" $(told "$source" options) -- "$binary" \
    >"$result.out" 2>"$result.err"
  status=$?
  wanted=$(told "$source" status)
  [ "$status" = "${wanted:-0}" ] && return
  echo "$binary $*: exit status $status, not ${wanted:-0}"
  tail -n 20 "$result.err"
  return 1
}

# Where the output without S-L1 is: the test of 850-cudart or 860-opencl has left it if it ran this program under this weir.
plain() { # SOURCE PROGRAM NAME
  kept=$2
  [ "$door" = cudart ] || kept=$2-fermi-gtx480
  if [ "$kept.out" -nt "$2" ] && [ "$kept.out" -nt "$newest" ] && ! [ "$kept.out" -nt "$kept.json" ]; then
    without=$kept
  else
    without=$work/$3-plain
    run "$1" "$2" "$without"
  fi
}

same() { # SOURCE
  name=$(basename "${1%.*}")
  binary=$(program "$name" "$1")
  [ -x "$binary" ] || return 0
  ran=$((ran + 1))
  plain "$1" "$binary" "$name" && run "$1" "$binary" "$work/$name-sl1" \
    --sl1=threshold=8,floor_percent=20,alias=search,counters=on || return 1
  cmp -s "$without.out" "$work/$name-sl1.out" && return
  echo "$name writes something else with S-L1:"
  diff "$without.out" "$work/$name-sl1.out" | head -n 10
  return 1
}

if [ "$door" = opencl ]; then
  probe=$build/opencl-programs/opencl_probe
  [ -x "$probe" ] || exit 77
  "$probe" || exit 77
  set -- "$here"/../860-opencl/programs/*.c
else
  set -- "$here"/../850-cudart/programs/*.cu "$here/chunks.cu"
fi
ran=0 failed=0
for program_source; do
  # A CUDA program without kernels has no loads; it may wait for seconds.
  case $program_source in *.cu) grep -q __global__ "$program_source" || continue ;; esac
  same "$program_source" || failed=$((failed + 1))
done
if [ -f "$work/chunks-sl1.json" ] && ! grep -q '"fills": *[1-9]' "$work/chunks-sl1.json"; then
  echo "chunks: no line was filled"
  failed=$((failed + 1))
fi
echo "$ran programs, $failed failures"
[ $ran -gt 0 ] || exit 77
[ $failed = 0 ]
