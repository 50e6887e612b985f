// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Every instruction set of the host gives the same bits: each runs in a process of its own and sends a digest. Those the
// processor lacks fall back to one it has, so the test means most on a machine with AVX-512.
#include "operation.h"

#include <sys/wait.h>
#include <unistd.h>

static const struct operation operations[] = {
  {"add.f32 %d, %a, %b", "f32", "f32", "f32", NULL},
  {"mul.ftz.f32 %d, %a, %b", "f32", "f32", "f32", NULL},
  {"fma.rn.f32 %d, %a, %b, %c", "f32", "f32", "f32", "f32"},
  {"fma.rn.ftz.f32 %d, %a, %b, %c", "f32", "f32", "f32", "f32"},
  {"fma.rz.f32 %d, %a, %b, %c", "f32", "f32", "f32", "f32"},
  {"fma.rn.sat.f32 %d, %a, %b, %c", "f32", "f32", "f32", "f32"},
  {"fma.rn.f64 %d, %a, %b, %c", "f64", "f64", "f64", "f64"},
  {"fma.rp.f64 %d, %a, %b, %c", "f64", "f64", "f64", "f64"},
  {"add.f64 %d, %a, %b", "f64", "f64", "f64", NULL},
  {"mul.f64 %d, %a, %b", "f64", "f64", "f64", NULL},
  {"div.rn.f32 %d, %a, %b", "f32", "f32", "f32", NULL},
  {"div.approx.f32 %d, %a, %b", "f32", "f32", "f32", NULL},
  {"div.full.ftz.f32 %d, %a, %b", "f32", "f32", "f32", NULL},
  {"div.rm.f64 %d, %a, %b", "f64", "f64", "f64", NULL},
  {"sqrt.rn.f32 %d, %a", "f32", "f32", NULL, NULL},
  {"sqrt.rn.f64 %d, %a", "f64", "f64", NULL, NULL},
  {"rsqrt.approx.f32 %d, %a", "f32", "f32", NULL, NULL},
  {"rsqrt.approx.f64 %d, %a", "f64", "f64", NULL, NULL},
  {"rcp.approx.ftz.f64 %d, %a", "f64", "f64", NULL, NULL},
  {"rcp.approx.ftz.f32 %d, %a", "f32", "f32", NULL, NULL},
  {"ex2.approx.f32 %d, %a", "f32", "f32", NULL, NULL},
  {"lg2.approx.ftz.f32 %d, %a", "f32", "f32", NULL, NULL},
  {"sin.approx.f32 %d, %a", "f32", "f32", NULL, NULL},
  {"cos.approx.f32 %d, %a", "f32", "f32", NULL, NULL},
  {"tanh.approx.f32 %d, %a", "f32", "f32", NULL, NULL},
  {"min.f32 %d, %a, %b", "f32", "f32", "f32", NULL},
  {"max.NaN.f32 %d, %a, %b", "f32", "f32", "f32", NULL},
  {"max.f64 %d, %a, %b", "f64", "f64", "f64", NULL},
  {"cvt.rn.f32.u64 %d, %a", "f32", "b64", NULL, NULL},
  {"cvt.rn.f64.u64 %d, %a", "f64", "b64", NULL, NULL},
  {"cvt.rn.f32.s64 %d, %a", "f32", "b64", NULL, NULL},
  {"cvt.rn.f32.u32 %d, %a", "f32", "b32", NULL, NULL},
  {"cvt.rzi.s32.f32 %d, %a", "b32", "f32", NULL, NULL},
  {"cvt.rzi.u32.f32 %d, %a", "b32", "f32", NULL, NULL},
  {"cvt.rn.f32.f64 %d, %a", "f32", "f64", NULL, NULL},
  {"cvt.f64.f32 %d, %a", "f64", "f32", NULL, NULL},
  {"setp.ltu.f32 %d, %a, %b", "pred", "f32", "f32", NULL},
  {"setp.equ.f64 %d, %a, %b", "pred", "f64", "f64", NULL},
  {"mul.hi.s64 %d, %a, %b", "b64", "b64", "b64", NULL},
  {"mul.hi.u32 %d, %a, %b", "b32", "b32", "b32", NULL},
  {"div.s64 %d, %a, %b", "b64", "b64", "b64", NULL},
  {"div.u32 %d, %a, %b", "b32", "b32", "b32", NULL},
  {"bfe.s64 %d, %a, %b, %c", "b64", "b64", "b32", "b32"},
  {"prmt.b32 %d, %a, %b, %c", "b32", "b32", "b32", "b32"},
  {"shf.l.clamp.b32 %d, %a, %b, %c", "b32", "b32", "b32", "b32"},
  {"popc.b64 %d, %a", "b32", "b64", NULL, NULL},
  {"fma.rn.f16x2 %d, %a, %b, %c", "b32", "b32", "b32", "b32"},
  {"sad.s32 %d, %a, %b, %c", "b32", "b32", "b32", "b32"},
};

static uint64_t digest(const char *isa) {
  static uint64_t v[4][VALUES];
  uint64_t h = 0;
  setenv("WEIR_ISA", isa, 1);
  for (unsigned k = 0; k < sizeof operations / sizeof *operations; k++)
    for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
      struct weir_rng r = weir_rng_seed(k, 308);
      for (unsigned n = 0; n < 4; n++)
        for (unsigned i = 0; i < VALUES; i++)
          v[n][i] = random_integer(&r) ^ (weir_rng_next(&r) & UINT64_C(0x40f00000bff00000));
      operation_run(&operations[k], lanes, v);
      for (unsigned i = 0; i < VALUES; i++) h = h * UINT64_C(6364136223846793005) + v[3][i] + 1;
    }
  return h;
}

static uint64_t digest_apart(const char *isa) {
  int ends[2];
  uint64_t h = 0;
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  if (!child) {
    h = digest(isa);
    _exit(write(ends[1], &h, sizeof h) != sizeof h);
  }
  close(ends[1]);
  assert_int_equal(read(ends[0], &h, sizeof h), sizeof h);
  close(ends[0]);
  waitpid(child, NULL, 0);
  return h;
}

static void test_same_bits(void **state) {
  (void)state;
  const uint64_t sse = digest_apart("sse");
  assert_int_not_equal(sse, 0);
  assert_int_equal(digest_apart("avx2"), sse);
  assert_int_equal(digest_apart("avx512"), sse);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
