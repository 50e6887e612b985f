// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What private.cu does, for clang -O1 -target nvptx64-nvidia-cuda -Xclang -target-feature -Xclang +ptx75.
__attribute__((noinline)) void sort(__generic int *p, int n) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (p[j] < p[i]) {
        int t = p[i];
        p[i] = p[j];
        p[j] = t;
      }
}

__kernel void k(__global int *out, __global const int *in) {
  __local int tile[64];
  int a[16], x = __nvvm_read_ptx_sreg_tid_x();
  for (int i = 0; i < 16; i++) a[i] = in[(x * 7 + i * 5) % 64];
  sort(a, 16);
  tile[x] = a[in[x] & 15];
  __nvvm_bar_sync(0);
  if (x == 0) sort(tile, 64);
  __nvvm_bar_sync(0);
  int sum = 0, ours, own;
  for (int i = 0; i < 16; i++) sum += a[i] * (i + 1);
  __asm__ volatile("{ .reg .u64 t; cvta.to.shared.u64 t, %1; ld.shared.s32 %0, [t]; }" : "=r"(ours) : "l"((__generic int *)&tile[(x + 1) % 64]) : "memory");
  __asm__ volatile("{ .reg .u64 t; cvta.to.local.u64 t, %1; ld.local.s32 %0, [t]; }" : "=r"(own) : "l"((__generic int *)&a[x & 15]) : "memory");
  out[x] = sum + 100000 * ours + 1000000 * own;
}
