// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The qualifiers of CUDA C++ as clang's attributes.
#ifndef WEIR_TEST_CUDA_QUALIFIERS_H
#define WEIR_TEST_CUDA_QUALIFIERS_H

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// A __managed__ variable is clang's for AMD's devices alone: programs that use one are for nvcc.
#define __noinline__ __attribute__((noinline))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))

#endif
