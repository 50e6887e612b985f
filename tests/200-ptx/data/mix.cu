// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
// One of everything that real device code has and weir runs; compiled at test time where there is an nvcc.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

struct record { int a; double b; char c[3]; };
__device__ int variable = 5;
__constant__ float table[8] = {1, 2, 3};
__device__ const char *text = "hello";
__device__ record initialised = {1, 2.0, {1, 2, 3}};
__device__ int triple(int a) { return a * 3; }
__device__ int add_nine(int a) { return a + 9; }
__device__ int (*choices[2])(int) = {triple, add_nine};
__device__ __noinline__ record by_value(record s, float4 v) { s.a += (int)v.x; s.b *= v.w; return s; }
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern __shared__ float dynamic[];

__global__ void __launch_bounds__(256, 2) control(float *out, const float *__restrict__ in, int n, record s) {
  __shared__ int tile[32][33];
  tile[threadIdx.x & 31][threadIdx.y & 31] = n;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  record t = by_value(s, ((const float4 *)in)[i]);
  out[i] = (float)t.b + fibonacci(n) + choices[n & 1](i) + tile[3][i & 31] + table[i & 7] + variable + text[n];
  dynamic[i] = out[i] + initialised.a;
  __syncthreads();
  out[i] += dynamic[i ^ 1];
  switch (n) {
  case 0: out[0] = 1; break;
  case 1: out[2] = sinf(out[1]); break;
  case 2: out[3] = expf(out[4]); break;
  case 3: out[4] = tanf(out[6]); break;
  case 4: out[7] = powf(out[1], out[2]); break;
  case 5: out[1] = erff(out[9]); break;
  }
}

__global__ void arithmetic(half *h, half2 *h2, int *p, unsigned long long *q, float *f, double *d) {
  int i = threadIdx.x;
  h[i] = __hadd(h[i], __float2half(2.f));
  h2[i] = __hfma2(h2[i], h2[i + 1], h2[i]);
  int old = atomicAdd(p + 2, i);
  atomicExch(p, i), atomicMin(p, i), atomicMax((unsigned *)p, i), atomicInc((unsigned *)p, 5), atomicCAS(p, 1, 2);
  atomicAdd(f, 1.f), atomicAdd(d, 1.), atomicAdd_block(p, 2), atomicAdd_system(p, 2);
  q[3] = atomicCAS(q, 1ull, 2ull);
  p[i] = __shfl_sync(~0u, i, 2) + __shfl_xor_sync(~0u, i, 1) + __ballot_sync(~0u, i > 2) + __any_sync(~0u, i) +
         __popc(i) + __clz(i) + __ffs(i) + __brev(i) + __byte_perm(i, old, 0x1234) + __funnelshift_l(i, old, 3) +
         __match_any_sync(~0u, i) + __syncthreads_count(i) + __sad(i, old, 3) + __mulhi(i, old) + __mul24(i, old) +
         __reduce_add_sync(~0u, i) + __activemask();
  __threadfence(), __threadfence_block(), __threadfence_system(), __syncwarp();
  d[1] = sqrt(d[2]) / d[3] + rsqrt(d[4]) + sin(d[5]) + exp(d[6]) + fma(d[1], d[2], d[3]);
  f[1] = __fdividef(f[2], f[3]) + __sinf(f[4]) + __expf(f[5]) + __logf(f[6]) + __saturatef(f[7]) +
         __fadd_rz(f[1], f[2]) + __fsqrt_ru(f[3]) + fminf(f[1], f[2]) + truncf(f[1]) + rintf(f[3]) + roundf(f[4]);
  p[5] = (int)f[1] + (int)d[1], q[6] = (unsigned long long)f[9], p[8] = (char)p[9], p[10] = (short)f[1];
  p[11] = p[12] / p[13] + p[14] % p[15], q[7] = q[8] / q[9], q[10] = __umul64hi(q[1], q[2]);
  p[20] = __ldg(p + 21), p[22] = __ldcg(p + 23), __stcs(p + 24, 1), p[26] = __ldcv(p + 4);
  volatile int *v = p;
  v[30] = v[31];
  p[33] = (int)clock();
  ((float4 *)f)[9] = ((float4 *)f)[10], ((double2 *)d)[4] = ((double2 *)d)[5], ((char4 *)p)[99] = ((char4 *)p)[98];
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %1, 0; @p add.s32 %0, %0, 1; }" : "+r"(p[40]) : "r"(p[41]));
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v2.s32 {%0, %1}, [%2];" : "=r"(p[1]), "=r"(p[2]) : "l"(p));
}

__global__ void staged(int *out, const int *in) {
  __shared__ __align__(16) int s[1024];
  __pipeline_memcpy_async(s + threadIdx.x * 4, in + threadIdx.x * 4, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
