// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A warp's own instructions: shuffles, votes, matches, among all lanes and among some; atomics of each kind; bits. What is
// expected is each instruction's definition in the Programming Guide, computed lane by lane.
//
// One block for the instructions, eight for the atomics.
// fact: kernels.# = 2
// fact: total.blocks = 9
// fact: complete = 1
#include <cuda_runtime.h>
#include <algorithm>

#include "check.h"

enum { TESTS = 24 };

__global__ void instructions(const int *in, int *out) {
  const int lane = (int)threadIdx.x, v = in[lane];
  const unsigned all = 0xffffffffu;
  int *o = out + lane;
  o[0 * 32] = __shfl_sync(all, v, 5);
  o[1 * 32] = __shfl_up_sync(all, v, 3);
  o[2 * 32] = __shfl_down_sync(all, v, 4);
  o[3 * 32] = __shfl_xor_sync(all, v, 9);
  o[4 * 32] = __shfl_sync(all, v, 2, 8); // within groups of eight
  o[5 * 32] = __shfl_down_sync(all, v, 3, 16);
  o[6 * 32] = (int)__ballot_sync(all, v & 1);
  o[7 * 32] = __any_sync(all, v == in[31]);
  o[8 * 32] = __all_sync(all, v > -1000000);
  o[9 * 32] = (int)__match_any_sync(all, v % 5);
  o[10 * 32] = -1;
  if (lane & 1) o[10 * 32] = (int)__ballot_sync(0xaaaaaaaau, lane > 15);
  __syncwarp();
  float f = (float)v;
  for (int step = 16; step; step /= 2)
    f += __shfl_xor_sync(all, f, step);
  o[11 * 32] = (int)f;
  o[12 * 32] = __popc((unsigned)v);
  o[13 * 32] = __clz(v);
  o[14 * 32] = (int)__brev((unsigned)v);
  o[15 * 32] = __ffs(v);
  o[16 * 32] = lane < 20 ? (int)__activemask() : 0;
  o[17 * 32] = __syncthreads_count(v & 1);
  double d = __shfl_down_sync(all, (double)v, 1);
  o[18 * 32] = (int)d;
}

// One word for each operation, from all threads of many blocks.
__global__ void atomics(int *sums, float *total, unsigned long long *wide) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(&sums[0], i);
  atomicSub(&sums[1], i);
  atomicMin(&sums[2], -i);
  atomicMax(&sums[3], i);
  atomicAnd(&sums[4], ~(1 << (i % 31)));
  atomicOr(&sums[5], 1 << (i % 20));
  atomicXor(&sums[6], i);
  atomicInc((unsigned *)&sums[7], 9);
  int seen = sums[8], expected;
  do {
    expected = seen;
    seen = atomicCAS(&sums[8], expected, expected + 2);
  } while (seen != expected);
  atomicExch(&sums[9], 77);
  atomicAdd(total, 0.5f);
  atomicAdd(wide, 1ull << 33);
}

static void check_instructions() {
  int in[32], out[TESTS][32], *device_in, *device_out;
  for (int i = 0; i < 32; i++)
    in[i] = i * 37 % 101 + (i == 7 ? 1 << 20 : 0);
  OK(cudaMalloc(&device_in, sizeof in));
  OK(cudaMalloc(&device_out, sizeof out));
  OK(cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice));
  instructions<<<1, 32>>>(device_in, device_out);
  LAUNCHED();
  OK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
  int odd = 0, sum = 0;
  for (int i = 0; i < 32; i++)
    odd |= (in[i] & 1) << i, sum += in[i];
  for (int i = 0; i < 32; i++) {
    unsigned match = 0, reversed = 0;
    for (int k = 0; k < 32; k++)
      match |= (unsigned)(in[k] % 5 == in[i] % 5) << k, reversed |= ((unsigned)in[i] >> k & 1) << (31 - k);
    CHECK(out[0][i] == in[5]);
    CHECK(out[1][i] == in[i < 3 ? i : i - 3]);
    CHECK(out[2][i] == in[i > 27 ? i : i + 4]);
    CHECK(out[3][i] == in[i ^ 9]);
    CHECK(out[4][i] == in[i / 8 * 8 + 2]);
    CHECK(out[5][i] == in[i % 16 > 12 ? i : i + 3]);
    CHECK(out[6][i] == odd);
    CHECK(out[7][i] == 1 && out[8][i] == 1);
    CHECK((unsigned)out[9][i] == match);
    CHECK((unsigned)out[10][i] == (i & 1 ? 0xaaaa0000u : ~0u));
    CHECK(out[11][i] == sum);
    CHECK(out[12][i] == __builtin_popcount((unsigned)in[i]));
    CHECK(out[13][i] == (in[i] ? __builtin_clz((unsigned)in[i]) : 32));
    CHECK((unsigned)out[14][i] == reversed);
    CHECK(out[15][i] == __builtin_ffs(in[i]));
    CHECK(out[17][i] == __builtin_popcount((unsigned)odd));
    CHECK(out[18][i] == in[i == 31 ? 31 : i + 1]);
  }
  OK(cudaFree(device_in));
  OK(cudaFree(device_out));
}

static void check_atomics() {
  const int n = 1024;
  int sums[10] = {0, 0, 0, 0, -1, 0, 0, 0, 0, 0}, *device, want_xor = 0;
  float total = 0, *device_total;
  unsigned long long wide = 5, *device_wide;
  OK(cudaMalloc(&device, sizeof sums));
  OK(cudaMalloc(&device_total, sizeof total));
  OK(cudaMalloc(&device_wide, sizeof wide));
  OK(cudaMemcpy(device, sums, sizeof sums, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(device_total, &total, sizeof total, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(device_wide, &wide, sizeof wide, cudaMemcpyHostToDevice));
  atomics<<<8, 128>>>(device, device_total, device_wide);
  LAUNCHED();
  OK(cudaMemcpy(sums, device, sizeof sums, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(&total, device_total, sizeof total, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(&wide, device_wide, sizeof wide, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++)
    want_xor ^= i;
  CHECK(sums[0] == n * (n - 1) / 2 && sums[1] == -n * (n - 1) / 2);
  CHECK(sums[2] == -(n - 1) && sums[3] == n - 1);
  CHECK((unsigned)sums[4] == 0x80000000u && sums[5] == (1 << 20) - 1);
  CHECK(sums[6] == want_xor);
  CHECK(sums[7] == n % 10); // counts to 9, then from 0
  CHECK(sums[8] == 2 * n && sums[9] == 77);
  CHECK(total == (float)n / 2);
  CHECK(wide == 5 + ((unsigned long long)n << 33));
  OK(cudaFree(device));
  OK(cudaFree(device_total));
  OK(cudaFree(device_wide));
}

int main() {
  check_instructions();
  check_atomics();
  return finish("warp");
}
