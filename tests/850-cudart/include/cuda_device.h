// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Device code: built-in variables and the warp's intrinsics are clang's own headers; atomics, memory accesses with cache
// operators, mathematics and the system calls (printf, assert, malloc) are here.
#ifndef WEIR_TEST_CUDA_DEVICE_H
#define WEIR_TEST_CUDA_DEVICE_H

#include <__clang_cuda_builtin_vars.h>

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const {
  return dim3(x, y, z);
}
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const {
  return uint3{x, y, z};
}
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const {
  return dim3(x, y, z);
}
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const {
  return uint3{x, y, z};
}
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const {
  return dim3(x, y, z);
}
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const {
  return uint3{x, y, z};
}
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const {
  return dim3(x, y, z);
}
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const {
  return uint3{x, y, z};
}

static inline __device__ __attribute__((always_inline)) void *memcpy(void *to, const void *from, size_t bytes) {
  return __builtin_memcpy(to, from, bytes);
}
static inline __device__ __attribute__((always_inline)) void *memset(void *to, int value, size_t bytes) {
  return __builtin_memset(to, value, bytes);
}

// Their version tests ask which toolkit there is; 9.2 brought the last that are wanted.
#define CUDA_VERSION 9020
#include <__clang_cuda_intrinsics.h>
#undef CUDA_VERSION

// ---- system calls -----------------------------------------------------------------------------------------------------

extern "C" {
__device__ int vprintf(const char *format, const char *arguments); // what clang makes of printf
__device__ int printf(const char *format, ...);
__device__ void *malloc(size_t bytes) __attribute__((nothrow));
__device__ void free(void *p) __attribute__((nothrow));
__device__ void __assertfail(const char *message, const char *file, unsigned int line, const char *function,
                             size_t char_bytes);
static inline __device__ void __assert_fail(const char *message, const char *file, unsigned int line,
                                            const char *function) {
  __assertfail(message, file, line, function, 1);
}
}

// ---- barriers, fences, clocks -----------------------------------------------------------------------------------------

// __syncthreads is clang's own.
static inline __device__ int __syncthreads_count(int p) {
  return __nvvm_bar0_popc(p);
}
static inline __device__ int __syncthreads_and(int p) {
  return __nvvm_bar0_and(p);
}
static inline __device__ int __syncthreads_or(int p) {
  return __nvvm_bar0_or(p);
}
static inline __device__ void __threadfence() {
  __nvvm_membar_gl();
}
static inline __device__ void __threadfence_block() {
  __nvvm_membar_cta();
}
static inline __device__ void __threadfence_system() {
  __nvvm_membar_sys();
}
static inline __device__ int clock() {
  return __nvvm_read_ptx_sreg_clock();
}
static inline __device__ long long clock64() {
  return __nvvm_read_ptx_sreg_clock64();
}
static inline __device__ void __trap() {
  __builtin_trap();
}

// ---- bits and mathematics ---------------------------------------------------------------------------------------------

static inline __device__ int __float_as_int(float v) {
  return __nvvm_bitcast_f2i(v);
}
static inline __device__ float __int_as_float(int v) {
  return __nvvm_bitcast_i2f(v);
}
static inline __device__ int __popc(unsigned int v) {
  return __builtin_popcount(v);
}
static inline __device__ int __clz(int v) {
  return v == 0 ? 32 : __builtin_clz((unsigned int)v);
}
static inline __device__ int __ffs(int v) {
  return __builtin_ffs(v);
}
static inline __device__ unsigned int __brev(unsigned int v) {
  return __builtin_bitreverse32(v);
}
static inline __device__ int __mul24(int a, int b) {
  return ((a << 8) >> 8) * ((b << 8) >> 8);
}
static inline __device__ unsigned int __umulhi(unsigned int a, unsigned int b) {
  return __nvvm_mulhi_ui(a, b);
}

static inline __device__ float sqrtf(float v) {
  return __nvvm_sqrt_rn_f(v);
}
static inline __device__ double sqrt(double v) {
  return __nvvm_sqrt_rn_d(v);
}
static inline __device__ float rsqrtf(float v) {
  return __nvvm_rsqrt_approx_f(v);
}
static inline __device__ float fabsf(float v) {
  return __nvvm_fabs_f(v);
}
static inline __device__ double fabs(double v) {
  return __nvvm_fabs_d(v);
}
static inline __device__ float fmaf(float a, float b, float c) {
  return __nvvm_fma_rn_f(a, b, c);
}
static inline __device__ double fma(double a, double b, double c) {
  return __nvvm_fma_rn_d(a, b, c);
}
static inline __device__ float fminf(float a, float b) {
  return __nvvm_fmin_f(a, b);
}
static inline __device__ float fmaxf(float a, float b) {
  return __nvvm_fmax_f(a, b);
}
static inline __device__ float floorf(float v) {
  return __nvvm_floor_f(v);
}
static inline __device__ float ceilf(float v) {
  return __nvvm_ceil_f(v);
}
static inline __device__ float __sinf(float v) {
  return __nvvm_sin_approx_f(v);
}
static inline __device__ float __cosf(float v) {
  return __nvvm_cos_approx_f(v);
}
static inline __device__ float __expf(float v) {
  return __nvvm_ex2_approx_f(v * 1.4426950408889634f);
}
static inline __device__ float __logf(float v) {
  return __nvvm_lg2_approx_f(v) * 0.69314718055994531f;
}
static inline __device__ float __fdividef(float a, float b) {
  return __nvvm_div_approx_f(a, b);
}
static inline __device__ int min(int a, int b) {
  return a < b ? a : b;
}
static inline __device__ int max(int a, int b) {
  return a > b ? a : b;
}

// ---- atomics ----------------------------------------------------------------------------------------------------------

#define WEIR_TEST_ATOMICS(type, suffix)                                                                                \
  static inline __device__ type atomicExch##suffix(type *p, type v) {                                                  \
    return __atomic_exchange_n(p, v, __ATOMIC_RELAXED);                                                                \
  }                                                                                                                    \
  static inline __device__ type atomicAdd##suffix(type *p, type v) {                                                   \
    return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);                                                                 \
  }                                                                                                                    \
  static inline __device__ type atomicAnd##suffix(type *p, type v) {                                                   \
    return __atomic_fetch_and(p, v, __ATOMIC_RELAXED);                                                                 \
  }                                                                                                                    \
  static inline __device__ type atomicOr##suffix(type *p, type v) {                                                    \
    return __atomic_fetch_or(p, v, __ATOMIC_RELAXED);                                                                  \
  }                                                                                                                    \
  static inline __device__ type atomicXor##suffix(type *p, type v) {                                                   \
    return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED);                                                                 \
  }                                                                                                                    \
  static inline __device__ type atomicMin##suffix(type *p, type v) {                                                   \
    return __atomic_fetch_min(p, v, __ATOMIC_RELAXED);                                                                 \
  }                                                                                                                    \
  static inline __device__ type atomicMax##suffix(type *p, type v) {                                                   \
    return __atomic_fetch_max(p, v, __ATOMIC_RELAXED);                                                                 \
  }                                                                                                                    \
  static inline __device__ type atomicCAS##suffix(type *p, type expected, type v) {                                    \
    __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                           \
    return expected;                                                                                                   \
  }
WEIR_TEST_ATOMICS(int, )
WEIR_TEST_ATOMICS(unsigned int, )
WEIR_TEST_ATOMICS(unsigned long long, )
static inline __device__ int atomicSub(int *p, int v) {
  return atomicAdd(p, -v);
}
static inline __device__ unsigned int atomicSub(unsigned int *p, unsigned int v) {
  return atomicAdd(p, 0u - v);
}
static inline __device__ float atomicAdd(float *p, float v) {
  return __nvvm_atom_add_gen_f(p, v);
}
static inline __device__ double atomicAdd(double *p, double v) {
  return __nvvm_atom_add_gen_d(p, v);
}
static inline __device__ float atomicExch(float *p, float v) {
  return __int_as_float(atomicExch((int *)(void *)p, __float_as_int(v)));
}
static inline __device__ unsigned int atomicInc(unsigned int *p, unsigned int limit) {
  return __nvvm_atom_inc_gen_ui(p, limit);
}
static inline __device__ unsigned int atomicDec(unsigned int *p, unsigned int limit) {
  return __nvvm_atom_dec_gen_ui(p, limit);
}

// ---- loads and stores with cache operators ------------------------------------------------------------------------------

#define WEIR_TEST_LOAD(type, ptx, reg, op)                                                                             \
  static inline __device__ type __ld##op(const type *p) {                                                              \
    type v;                                                                                                            \
    asm volatile("ld.global." #op "." ptx " %0, [%1];" : reg(v) : "l"(p) : "memory");                                  \
    return v;                                                                                                          \
  }
#define WEIR_TEST_STORE(type, ptx, reg, op)                                                                            \
  static inline __device__ void __st##op(type *p, type v) {                                                            \
    asm volatile("st.global." #op "." ptx " [%0], %1;" ::"l"(p), reg(v) : "memory");                                   \
  }
// clang-format off
#define WEIR_TEST_LOADS(type, ptx, reg)                                                                                \
  WEIR_TEST_LOAD(type, ptx, "=" reg, ca)                                                                               \
  WEIR_TEST_LOAD(type, ptx, "=" reg, cg)                                                                               \
  WEIR_TEST_LOAD(type, ptx, "=" reg, cs)                                                                               \
  WEIR_TEST_LOAD(type, ptx, "=" reg, cv)                                                                               \
  WEIR_TEST_STORE(type, ptx, reg, wb)                                                                                  \
  WEIR_TEST_STORE(type, ptx, reg, cg)                                                                                  \
  WEIR_TEST_STORE(type, ptx, reg, cs)                                                                                  \
  WEIR_TEST_STORE(type, ptx, reg, wt)
// clang-format on
WEIR_TEST_LOADS(int, "s32", "r")
WEIR_TEST_LOADS(unsigned int, "u32", "r")
WEIR_TEST_LOADS(float, "f32", "f")
WEIR_TEST_LOADS(double, "f64", "d")

#endif
