// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Arrays indexed at run time, in local and shared memory, as nvcc and clang compile them (data/private.cu, private.cl): sorted
// through generic addresses, then read through ones that cvta.to gave back. Expected is what the same C does here.
#include "harness.h"

enum { THREADS = 64, OWN = 16 };

static void sort(int32_t *p, int n) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (p[j] < p[i]) {
        const int32_t t = p[i];
        p[i] = p[j];
        p[j] = t;
      }
}

static void expect(const int32_t *in, int32_t *out) {
  int32_t own[THREADS][OWN], tile[THREADS];
  for (int x = 0; x < THREADS; x++) {
    for (int i = 0; i < OWN; i++) own[x][i] = in[(x * 7 + i * 5) % 64];
    sort(own[x], OWN);
    tile[x] = own[x][in[x] & 15];
  }
  sort(tile, THREADS);
  for (int x = 0; x < THREADS; x++) {
    out[x] = 100000 * tile[(x + 1) % THREADS] + 1000000 * own[x][x & 15];
    for (int i = 0; i < OWN; i++) out[x] += own[x][i] * (i + 1);
  }
}

static void check(const char *path, unsigned lanes) {
  struct bench b = {0};
  b.module = weir_ptx_read(path, &b.sink);
  bench_build(&b, lanes);
  const uint64_t params[2] = {weir_memory_alloc(b.memory, "out", 4 * THREADS),
                              weir_memory_alloc(b.memory, "in", 4 * THREADS)};
  int32_t *in = bench_at(&b, params[1], 4 * THREADS), want[THREADS];
  for (int k = 0; k < THREADS; k++) in[k] = (k * 37 + 11) % 64;
  expect(in, want);
  bench_run(&b, "k", 1, THREADS, params);
  assert_memory_equal(bench_at(&b, params[0], 4 * THREADS), want, 4 * THREADS);
  bench_close(&b);
}

static void test_compilers(void **state) {
  (void)state;
  for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
    check(WEIR_SOURCE_DIR "/tests/300-exec/data/private-nvcc.ptx", lanes);
    check(WEIR_SOURCE_DIR "/tests/300-exec/data/private-clang.ptx", lanes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_compilers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
