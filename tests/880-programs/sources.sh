#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# sources.sh FOLDER [SUITE/NAME…]: fetches and builds the programs (all, or those named) of advice.txt, present.sh and overlap.sh, and of list.txt those of matrix units, of barriers in memory and of Hopper, each in
# FOLDER/SUITE/NAME with its inputs and an executable file `build` that makes `program`: what WEIR_PROGRAMS names for these scripts.
# llmc/layernorm is what present.sh runs: one batch of 512 rows, blocks of 256, one repetition; llmc/benchmark is as it comes
# (docs/SAMPLING.md). Sources that are there are not fetched again. Needs git, gcc, perl and nvcc (CUDA 13).
set -euo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/../../scripts/fetch.sh"
[ $# -ge 1 ] || { sed -n '5,8s/^# //p' "$0" >&2; exit 2; }
folder=$(mkdir -p "$1" && realpath "$1")
shift
wanted=" $* "
mkdir -p "$folder/sources"
cd "$folder/sources"

# ---- sources ----------------------------------------------------------------------------------------------------------------

fetch sgrauerg/polybenchGpu 5584aaa7d0be810ff5eb0b61c49fb64ecc81ba4c /CUDA /common
fetch yuhc/gpu-rodinia 9c10d3ea16ddba2ba057cc3951a9efc4c2cc18a4 /cuda/{bfs,pathfinder,nn,nw,srad,hotspot,streamcluster} \
  /cuda/{backprop,lud,particlefilter}
fetch zjin-lcf/HeCBench f27000a5188f8ac79bd43fc95a1b3f890c18823d \
  /src/{page-rank,floydwarshall,softmax,mis,gemv,segment-reduce,scatterAdd,wmma}-cuda
fetch karpathy/llm.c f1e2ace651495b74ae22d45d1723443fd00ecd3a /dev/cuda/common.h /dev/cuda/layernorm_forward.cu
fetch NVIDIA/cuda-samples c94ff366aed18c797b8a85dfaac7817b0228b420 /Common \
  /Samples/0_Introduction/{concurrentKernels,simpleHyperQ,simpleStreams,simpleMultiCopy,asyncAPI} \
  /Samples/3_CUDA_Features/{{cuda,bf16,tf32,imma,dmma}TensorCoreGemm,globalToShmemAsyncCopy} \
  /Samples/0_Introduction/simpleAWBarrier
fetch pranjalssh/fast.cu 38eb642e0c081231d6f695978be63604bd7c689b /examples/matmul
concurrent=274836a1a23e04ebc5420bb6875558354226c307 # the last commit that has it
[ -d cuda-samples/Samples/0_Introduction/concurrentKernels ] ||
  git -C cuda-samples checkout -q "$concurrent" -- Samples/0_Introduction/concurrentKernels

# ---- programs ---------------------------------------------------------------------------------------------------------------

cuda='nvcc -O3 -std=c++17 -cudart shared -lineinfo -gencode arch=compute_80,code=compute_80 -w'
cuda+=' -DcudaThreadSynchronize=cudaDeviceSynchronize'
sources=$folder/sources

# program SUITE/NAME FILE…: goes to its folder, with copies of these files; false if it is not wanted.
program() {
  [[ $wanted = "  " || $wanted = *" $1 "* ]] || return 1
  rm -rf "${folder:?}/$1"
  mkdir -p "$folder/$1" && cp "${@:2}" "$folder/$1" && cd "$folder/$1" || exit
}

# build OPTIONS…: writes the file, with what $commands has before nvcc, and runs it.
build() {
  printf '#!/bin/sh\nset -e\n%s%s -o program %s\n' "${commands:+$commands
}" "$cuda" "$*" >build
  chmod +x build
  ./build
}

poly() { # NAME FILE SIZE=NUMBER…: a program of PolyBench/GPU, with these sizes in its header
  local from=$sources/polybenchGpu size
  program "polybench/$1" "$from/CUDA/$1/$2".cu* "$from"/common/polybench{.c,.h,UtilFuncts.h} || return 0
  sed -i 's,"../../common/,",' "$2.cu"
  for size in "${@:3}"; do sed -i -E "s/^(#define ${size%=*} )[0-9]+/\1${size#*=}/" "$2.cuh"; done
  build "$2.cu"
}
poly 2DCONV 2DConvolution NI=512 NJ=512
poly ATAX atax NX=512 NY=512
poly BICG bicg NX=512 NY=512
poly MVT mvt N=512
poly GESUMMV gesummv N=512
poly GEMVER gemver N=512
poly GEMM gemm NI=128 NJ=128 NK=128
poly SYRK syrk NI=128 NJ=128
poly SYR2K syr2k NI=96 NJ=96
poly CORR correlation M=64 N=64 DIM_THREAD_BLOCK_KERNEL_{1,2,4}_X=64 # 64 columns start no block of 256
poly FDTD-2D fdtd2d TMAX=3 NX=256 NY=256
poly GRAMSCHM gramschmidt NI=64 NJ=64

rodinia() { # NAME FOLDER FILE…
  local from=("${@:3}")
  program "rodinia/$1" "${from[@]/#/$sources/gpu-rodinia/cuda/$2/}"
}
if rodinia bfs bfs bfs.cu kernel.cu kernel2.cu; then
  perl -e 'srand 1; my $n = 4096; my (@edges, @first);
    for (1 .. $n) { my $many = 2 + int rand 5; push @first, @edges . " $many\n"; push @edges, int(rand $n) . " 1\n" for 1 .. $many }
    print "$n\n", @first, "\n0\n\n", scalar @edges, "\n", @edges' >graph.txt
  build bfs.cu
fi
if rodinia pathfinder pathfinder pathfinder.cu; then build pathfinder.cu; fi
if rodinia nn nn nn_cuda.cu; then
  echo names >list
  perl -e 'srand 1; printf "%-28s%5.1f%5.1f%10s\n", "$_", rand 70, rand 90, "" for 1 .. 16384' >names
  build nn_cuda.cu
fi
if rodinia nw nw needle.cu needle.h needle_kernel.cu; then build needle.cu; fi
if rodinia srad_v2 srad/srad_v2 srad.cu srad.h srad_kernel.cu; then build srad.cu; fi
if rodinia hotspot hotspot hotspot.cu; then
  perl -e 'srand 1; printf "%.3f\n", 320 + rand 20 for 1 .. 65536' >temp
  perl -e 'srand 2; printf "%.6f\n", rand 0.01 for 1 .. 65536' >power
  build hotspot.cu
fi
if rodinia streamcluster streamcluster streamcluster_cuda.cu streamcluster_cuda_cpu.cpp streamcluster_header.cu; then
  build streamcluster_cuda_cpu.cpp streamcluster_cuda.cu
fi
if rodinia backprop backprop backprop{.c,.h,_cuda.cu,_cuda_kernel.cu} facetrain.c imagenet.c; then
  commands='gcc -O2 -w -std=gnu89 -fopenmp -c backprop.c facetrain.c imagenet.c' \
    build backprop_cuda.cu backprop.o facetrain.o imagenet.o -lgomp -lm
fi
if rodinia lud lud cuda/lud.cu cuda/lud_kernel.cu common/common.c common/common.h; then
  commands='gcc -O3 -w -c common.c' build -use_fast_math lud.cu lud_kernel.cu common.o -lm
fi
if rodinia particlefilter particlefilter ex_particle_CUDA_naive_seq.cu; then build -use_fast_math ex_particle_CUDA_naive_seq.cu; fi

hecbench() { # NAME OPTION-OR-SOURCE…
  program "hecbench/$1" "$sources/HeCBench/src/$1-cuda"/* || return 0
  build "${@:2}"
}
hecbench page-rank main.cu
hecbench floydwarshall main.cu
hecbench softmax main.cu
hecbench mis main.cu
hecbench gemv main.cu gemv.cu
hecbench segment-reduce main.cu
hecbench scatterAdd main.cu

if program llmc/layernorm "$sources"/llm.c/dev/cuda/{common.h,layernorm_forward.cu}; then
  sed -i -E 's/int B = 8;/int B = 1;/; s/int T = 1024;/int T = 512;/; s/block_sizes\[\] = \{[^}]*\}/block_sizes[] = {256}/
    s/repeat_times = 2000;/repeat_times = 1;/' layernorm_forward.cu
  build --use_fast_math layernorm_forward.cu -lcublas -lcublasLt
fi
if program llmc/benchmark "$sources"/llm.c/dev/cuda/{common.h,layernorm_forward.cu}; then
  build --use_fast_math layernorm_forward.cu -lcublas -lcublasLt
fi

for sample in simpleStreams simpleMultiCopy asyncAPI concurrentKernels simpleHyperQ; do # overlap.sh runs them in the suite's folder
  [[ $wanted = "  " || $wanted = *" cuda-samples/$sample "* ]] || continue
  mkdir -p "$folder/cuda-samples"
  cd "$folder/cuda-samples"
  at=$sources/cuda-samples/Samples/0_Introduction/$sample/$sample.cu
  perl -pe 's/deviceProp\.clockRate/([] { int khz; cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0); return khz; }())/' "$at" >$sample.cu
  $cuda -I"$sources/cuda-samples/Common" -o $sample $sample.cu
done

# Products of 8 × 8 tiles, which the samples check on the processor: the tiles along K that a chunk of theirs takes, or a multiple.
for sample in cuda:8 bf16:8 tf32:8 imma:8 dmma:32; do
  name=${sample%:*}TensorCoreGemm
  program "matrix/$name" "$sources/cuda-samples/Samples/3_CUDA_Features/$name/$name.cu" || continue
  sed -i -E "s/(#define CPU_DEBUG).*/\1 1/; s/(#define [MN]_TILES).*/\1 8/; s/(#define K_TILES).*/\1 ${sample#*:}/" "$name.cu"
  build -I"$sources/cuda-samples/Common" "$name.cu"
done
for sample in 0_Introduction/simpleAWBarrier 3_CUDA_Features/globalToShmemAsyncCopy; do
  name=$(basename "$sample")
  if program "barrier/$name" "$sources/cuda-samples/Samples/$sample/$name.cu"; then build -I"$sources/cuda-samples/Common" "$name.cu"; fi
done
if program matrix/wmma "$sources"/HeCBench/src/wmma-cuda/{main.cu,reference.h}; then build main.cu; fi
# Kernels that multiply by wgmma what tensor maps bring.
for kernel in 2 3 4 5 6 7 8 9 10 11 12; do
  program "hopper/matmul-$kernel" "$here/hopper_products.cu" "$sources/fast.cu/examples/matmul/matmul_$kernel.cuh" || continue
  mv "matmul_$kernel.cuh" kernel.cuh
  cuda=${cuda/compute_80,code=compute_80/compute_90a,code=compute_90a}
  build --expt-relaxed-constexpr -DNDEBUG "-DKERNEL=$kernel" hopper_products.cu -lcuda "-L$(dirname "$(command -v nvcc)")/../lib64/stubs"
done
