// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Private and shared arrays that are indexed at run time and whose addresses go to a function: each must become a generic
// address and come back from it. private-nvcc.ptx is what nvcc 13 makes of this for sm_75, private-clang.ptx what clang 19 makes
// of private.cl, the same in OpenCL C.
__device__ __noinline__ void sort(int *p, int n) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (p[j] < p[i]) {
        int t = p[i];
        p[i] = p[j];
        p[j] = t;
      }
}

extern "C" __global__ void k(int *out, const int *in) {
  __shared__ int tile[64];
  int a[16], x = threadIdx.x;
  for (int i = 0; i < 16; i++) a[i] = in[(x * 7 + i * 5) % 64];
  sort(a, 16);
  tile[x] = a[in[x] & 15];
  __syncthreads();
  if (x == 0) sort(tile, 64);
  __syncthreads();
  int sum = 0, shared, local;
  for (int i = 0; i < 16; i++) sum += a[i] * (i + 1);
  asm volatile("{ .reg .u64 t; cvta.to.shared.u64 t, %1; ld.shared.s32 %0, [t]; }" : "=r"(shared) : "l"(&tile[(x + 1) % 64]) : "memory");
  asm volatile("{ .reg .u64 t; cvta.to.local.u64 t, %1; ld.local.s32 %0, [t]; }" : "=r"(local) : "l"(&a[x & 15]) : "memory");
  out[x] = sum + 100000 * shared + 1000000 * local;
}
