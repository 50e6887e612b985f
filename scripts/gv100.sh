#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# gv100.sh WEIR FOLDER [NAME…]: runs 11 kernels of public programs on volta-gv100, as a profiler would (caches empty before each
# launch), and prints their counts as CSV: studies/silicon/gv100.csv, which docs/VALIDATION.md holds against a Quadro GV100.
# The programs are fetched into FOLDER and built there; NAME: of some alone. Needs git, gcc, jq, perl and nvcc (CUDA 12 or 13).
# CUDA 13 makes no PTX for 7.0, so that the chip says it were 7.5; the programs take no notice. Where registers are estimated at
# more than 32 for that, they are said as `weir check --registers --chip volta-gv100` has them.
set -euo pipefail
. "$(dirname "$(realpath "$0")")/fetch.sh"
[ $# -ge 2 ] || { sed -n '5,9s/^# //p' "$0" >&2; exit 2; }
weir=$(realpath "$1") folder=$(mkdir -p "$2" && realpath "$2")
shift 2
wanted=" $* "
cd "$folder"

# ---- sources ----------------------------------------------------------------------------------------------------------------

fetch yuhc/gpu-rodinia 9c10d3ea16ddba2ba057cc3951a9efc4c2cc18a4 '/cuda/b+tree' /cuda/backprop /cuda/kmeans # Rodinia 3.1
fetch NVIDIA/cuda-samples c94ff366aed18c797b8a85dfaac7817b0228b420 /Common /Samples/0_Introduction/mergeSort \
  /Samples/2_Concepts_and_Techniques/dct8x8 /Samples/2_Concepts_and_Techniques/histogram \
  /Samples/5_Domain_Specific/fastWalshTransform /Samples/5_Domain_Specific/quasirandomGenerator \
  /Samples/5_Domain_Specific/binomialOptions
fetch abduld/Parboil a4c63da28f45699e9a274cbc49af3e067162aa2b /benchmarks/mri-q/src/cuda /common/include /common/src

# ---- programs ---------------------------------------------------------------------------------------------------------------

mkdir -p bin objects
cuda=(nvcc -O3 -std=c++17 -cudart shared -lineinfo -gencode arch=compute_75,code=compute_75 -w
  -DcudaThreadSynchronize=cudaDeviceSynchronize)
toolkit=$(dirname "$(dirname "$(realpath "$(command -v nvcc)")")")

build_sample() {
  local from=cuda-samples/Samples/$1 name files=()
  name=$(basename "$1")
  for f in "${@:2}"; do files+=("$from/$f"); done
  [ -x "bin/$name" ] || "${cuda[@]}" -Icuda-samples/Common -I"$from" -o "bin/$name" "${files[@]}"
}
build_sample 2_Concepts_and_Techniques/dct8x8 dct8x8.cu BmpUtil.cpp DCT8x8_Gold.cpp
build_sample 2_Concepts_and_Techniques/histogram main.cpp histogram64.cu histogram256.cu histogram_gold.cpp
build_sample 0_Introduction/mergeSort main.cpp mergeSort.cu bitonic.cu mergeSort_host.cpp mergeSort_validate.cpp
build_sample 5_Domain_Specific/fastWalshTransform fastWalshTransform.cu fastWalshTransform_gold.cpp
build_sample 5_Domain_Specific/quasirandomGenerator quasirandomGenerator.cpp quasirandomGenerator_gold.cpp \
  quasirandomGenerator_kernel.cu
build_sample 5_Domain_Specific/binomialOptions binomialOptions.cpp binomialOptions_gold.cpp binomialOptions_kernel.cu
cp cuda-samples/Samples/2_Concepts_and_Techniques/dct8x8/data/teapot512.bmp .

compile() { # PREFIX FOLDER FILE...: objects of C files
  for f in "${@:3}"; do gcc -O3 -w -std=gnu89 -fopenmp -c "$2/$f.c" -o "objects/$1_$(basename "$f").o"; done
}
rodinia=gpu-rodinia/cuda
if [ ! -x bin/b+tree ]; then
  compile tree $rodinia/b+tree main util/timer/timer util/num/num
  "${cuda[@]}" -o bin/b+tree objects/tree_*.o $rodinia/b+tree/kernel/kernel_gpu_cuda_wrapper{,_2}.cu \
    $rodinia/b+tree/util/cuda/cuda.cu -lgomp -lm
fi
if [ ! -x bin/backprop ]; then
  compile backprop $rodinia/backprop backprop facetrain imagenet
  "${cuda[@]}" -o bin/backprop objects/backprop_*.o $rodinia/backprop/backprop_cuda.cu -lgomp -lm
fi
if [ ! -x bin/kmeans ]; then # its textures are references, which CUDA 12 dropped: an object, handed to the kernel
  cp -r $rodinia/kmeans kmeans
  perl -0pi -e 's/^texture<[^\n]*\n//mg; s/tex1Dfetch\(t_features,addr\)/tex1Dfetch<float>(t_features, addr)/;
    s/(int    \*block_deltas)\) /$1, cudaTextureObject_t t_features) /' kmeans/kmeans_cuda_kernel.cu
  perl -0pi -e 's/cudaSetDevice\(1\)/cudaSetDevice(0)/g; s/"c_clusters"/c_clusters/; s/block_deltas_d\);(?=\s*cudaThreadSync)/block_deltas_d, t_features);/;
    s{/\* set up texture \*/.*?(?=/\* copy clusters to constant)}{cudaTextureObject_t t_features;
      cudaResourceDesc what = {}; cudaTextureDesc how = {};
      what.resType = cudaResourceTypeLinear; what.res.linear.devPtr = feature_d;
      what.res.linear.desc = cudaCreateChannelDesc<float>();
      what.res.linear.sizeInBytes = npoints*nfeatures*sizeof(float);
      how.readMode = cudaReadModeElementType;
      cudaCreateTextureObject(&t_features, &what, &how, NULL);
      }s' kmeans/kmeans_cuda.cu
  compile kmeans kmeans cluster getopt kmeans kmeans_clustering rmse
  "${cuda[@]}" -o bin/kmeans objects/kmeans_*.o kmeans/kmeans_cuda.cu -lgomp -lm
fi
if [ ! -x bin/mri-q ]; then
  for f in parboil_cuda args; do
    gcc -O3 -w -DCL_TARGET_OPENCL_VERSION=120 -IParboil/common/include -I"$toolkit/include" -c Parboil/common/src/$f.c \
      -o objects/mri_$f.o
  done
  "${cuda[@]}" -use_fast_math -IParboil/common/include -o bin/mri-q Parboil/benchmarks/mri-q/src/cuda/{main.cu,file.cc} \
    objects/mri_*.o
fi

# ---- inputs: of the shape that the measured ones have --------------------------------------------------------------------------

# A million keys in order: their nodes are half full, and take the memory that was read; in any order they would take less.
[ -s keys.txt ] || { echo 1000000; seq 0 999999; } >keys.txt
echo 'j 6000 3000' >command.txt
[ -s points.txt ] || perl -e 'srand 1; for my $i (0 .. 819199) { print "$i ", join(" ", map { int rand 256 } 1 .. 34), "\n" }' >points.txt
[ -s samples.bin ] || perl -e 'srand 1; my ($k, $x) = (2048, 262144); print pack "ii", $k, $x;
  print pack "f*", map { rand } 1 .. $_ for $k, $k, $k, $x, $x, $x, $k, $k' >samples.bin

# ---- runs -------------------------------------------------------------------------------------------------------------------------

echo benchmark,kernel,launches,l1_read_hit_sectors,l1_read_miss_sectors,l1_write_hit_sectors,l1_write_miss_sectors,\
l2_read_hit_sectors,l2_read_miss_sectors,l2_write_sectors,dram_read_sectors,dram_write_sectors,shared_instructions,cycles

run() { # NAME KERNEL LAUNCHES COMMAND...: means over the kernel's first launches
  [[ $wanted == "  " || $wanted == *" $1 "* ]] || return 0
  "$weir" run --chip volta-gv100 --set device.compute_capability=7.5 --set cold_launches=true --kernels "$2" \
    --registers _Z21binomialOptionsKernelv=32,_Z17histogram64KernelPjP5uint4j=32 \
    --max-launches "$3" --json="$1.json" -- "${@:4}" >"$1.log" 2>&1 || { cat "$1.log" >&2; exit 1; }
  jq -r --arg name "$1" '.[0].kernels | length as $n | def mean(f): (map(f) | add) / $n + 0.5 | floor;
    [$name, .[0].name, $n, mean(.ncu.l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit),
     mean(.ncu.l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss),
     mean(.ncu.l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit),
     mean(.ncu.l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_miss),
     mean(.ncu.lts__t_sectors_srcunit_tex_op_read_lookup_hit), mean(.ncu.lts__t_sectors_srcunit_tex_op_read_lookup_miss),
     mean(.ncu.lts__t_sectors_srcunit_tex_op_write), mean(.ncu.dram__sectors_read), mean(.ncu.dram__sectors_write),
     mean(.shared_accesses), mean(.cycles)] | join(",")' "$1.json"
}
run b+tree-rodinia-3.1 findRangeK 1 bin/b+tree file keys.txt command command.txt
run backprop-rodinia-3.1 bpnn_layerforward_CUDA 1 bin/backprop 65536
run backprop-rodinia-3.1 bpnn_adjust_weights_cuda 1 bin/backprop 65536
run kmeans-rodinia-3.1 kmeansPoint 1 bin/kmeans -i points.txt -l 1 -t 900000 # one iteration: no more points can move
run parboil-mri-q ComputeQ_GPU 1 bin/mri-q -i samples.bin -o /dev/null
run dct8x8 CUDAkernel1DCT 1 bin/dct8x8
run binomialOptions binomialOptionsKernel 1 bin/binomialOptions
run fastWalshTransform fwtBatch2Kernel 6 bin/fastWalshTransform # those of one transform
run histogram histogram64Kernel 1 bin/histogram
run mergeSort mergeSortSharedKernel 1 bin/mergeSort
run quasirandomGenerator quasirandomGeneratorKernel 1 bin/quasirandomGenerator
