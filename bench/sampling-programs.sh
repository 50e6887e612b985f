#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# sampling-programs.sh FOLDER: fetches and builds in FOLDER the public programs that bench/sampling.py holds --sample auto to:
# PolyBench-ACC, with sizes compiled in, and Rodinia. Needs git and nvcc (CUDA 12 or 13).
set -euo pipefail
. "$(dirname "$(realpath "$0")")/../scripts/fetch.sh"
[ $# -eq 1 ] || { sed -n '5,6s/^# //p' "$0" >&2; exit 2; }
mkdir -p "$1"
cd "$1"

fetch cavazos-lab/PolyBench-ACC 70ea4ca9047dc4ec9c3ca79b4c91b3b2cc1510e7 /CUDA
fetch yuhc/gpu-rodinia 9c10d3ea16ddba2ba057cc3951a9efc4c2cc18a4 /common /cuda/gaussian /cuda/nw /cuda/lud /cuda/srad /cuda/pathfinder

cuda=(nvcc -O3 -cudart shared -lineinfo -gencode arch=compute_75,code=compute_75 -w
  -DcudaThreadSynchronize=cudaDeviceSynchronize)

polybench() { # NAME FILE DEFINITION...
  local from=PolyBench-ACC/CUDA
  [ -x "$1" ] || "${cuda[@]}" "${@:3}" -I"$from/utilities" -I"$(dirname "$from/$2")" -o "$1" "$from/$2"
}
polybench jacobi2d stencils/jacobi-2d-imper/jacobi2D.cu -DN=512 -DTSTEPS=100
polybench jacobi1d stencils/jacobi-1d-imper/jacobi1D.cu -DN=65536 -DTSTEPS=500
polybench fdtd2d stencils/fdtd-2d/fdtd2d.cu -DNX=512 -DNY=512 -DTMAX=100
polybench gramschmidt linear-algebra/solvers/gramschmidt/gramschmidt.cu -DNI=256 -DNJ=256
polybench adi stencils/adi/adi.cu -DN=256 -DTSTEPS=2
polybench lu linear-algebra/solvers/lu/lu.cu -DN=512
polybench lu768 linear-algebra/solvers/lu/lu.cu -DN=768

rodinia() { # NAME FILE...
  local name=$1 files=()
  for f in "${@:2}"; do files+=("gpu-rodinia/cuda/$f"); done
  [ -x "$name" ] || "${cuda[@]}" -I"gpu-rodinia/cuda/$(dirname "$2")/../common" -o "$name" "${files[@]}"
}
sed -i '/deviceProp\. *\(clockRate\|deviceOverlap\)/d' gpu-rodinia/cuda/gaussian/gaussian.cu # not in CUDA 13
rodinia gaussian gaussian/gaussian.cu
rodinia needle nw/needle.cu
rodinia lud lud/cuda/lud.cu lud/cuda/lud_kernel.cu lud/common/common.c
rodinia srad_v2 srad/srad_v2/srad.cu
rodinia pathfinder pathfinder/pathfinder.cu
