// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// IEEE arithmetic in every rounding direction, with and without .ftz, against MPFR; approximate functions against MPFR
// within the error the PTX ISA states.
#include "operation.h"

#ifndef HAVE_MPFR
int main(void) {
  return 77;
}
#else

  #include <math.h>
  #include <mpfr.h>

enum { NEAREST, ZERO, DOWN, UP };
static const mpfr_rnd_t direction[] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU};
static const char *const suffix[] = {"rn", "rz", "rm", "rp"};

enum kind { ADD, SUB, MUL, FMA, DIV, SQRT, RCP };

static double value(uint64_t bits, bool twice) {
  float f;
  double d;
  const uint32_t low = (uint32_t)bits;
  memcpy(&f, &low, 4);
  memcpy(&d, &bits, 8);
  return twice ? d : f;
}

static uint64_t pattern(double x, bool twice) {
  const float f = (float)x;
  uint64_t bits = 0;
  if (twice)
    memcpy(&bits, &x, 8);
  else
    memcpy(&bits, &f, 4);
  return bits;
}

static uint64_t flush(uint64_t bits) {
  return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

static int compute(enum kind kind, mpfr_t r, mpfr_t a, mpfr_t b, mpfr_t c, mpfr_rnd_t rnd) {
  switch (kind) {
  case ADD: return mpfr_add(r, a, b, rnd);
  case SUB: return mpfr_sub(r, a, b, rnd);
  case MUL: return mpfr_mul(r, a, b, rnd);
  case FMA: return mpfr_fma(r, a, b, c, rnd);
  case DIV: return mpfr_div(r, a, b, rnd);
  case SQRT: return mpfr_sqrt(r, a, rnd);
  default: return mpfr_ui_div(r, 1, a, rnd);
  }
}

// One correctly rounded operation in a format with its own exponent range and subnormals. NaN is all ones but the sign;
// of f64 the caller compares NaN-ness only.
static uint64_t reference(enum kind kind, bool twice, unsigned dir, uint64_t a, uint64_t b, uint64_t c) {
  mpfr_t x, y, z, r;
  const mpfr_prec_t precision = twice ? 53 : 24;
  mpfr_set_emin(-16000), mpfr_set_emax(16000);
  mpfr_inits2(53, x, y, z, (mpfr_ptr)0);
  mpfr_init2(r, precision);
  mpfr_set_d(x, value(a, twice), MPFR_RNDN);
  mpfr_set_d(y, value(b, twice), MPFR_RNDN);
  mpfr_set_d(z, value(c, twice), MPFR_RNDN);
  mpfr_set_emin(twice ? -1073 : -148), mpfr_set_emax(twice ? 1024 : 128);
  int inexact = compute(kind, r, x, y, z, direction[dir]);
  inexact = mpfr_check_range(r, inexact, direction[dir]);
  mpfr_subnormalize(r, inexact, direction[dir]);
  const uint64_t bits = mpfr_nan_p(r) ? 0x7fffffff : pattern(mpfr_get_d(r, MPFR_RNDN), twice);
  mpfr_clears(x, y, z, r, (mpfr_ptr)0);
  return bits;
}

static const uint32_t corner32[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                    0x7fc00000, 0xffc12345, 1,          0x80000001, 0x007fffff, 0x00800000,
                                    0x00800001, 0x7f7fffff, 0xff7fffff, 0x33800000, 0x34000000, 0x4b800000,
                                    0x4b7fffff, 0x3f7fffff, 0x3f800001, 0x00400000};
static const uint64_t corner64[] = {0,
                                    0x8000000000000000,
                                    0x3ff0000000000000,
                                    0xbff0000000000000,
                                    0x7ff0000000000000,
                                    0xfff0000000000000,
                                    0x7ff8000000000000,
                                    1,
                                    0x000fffffffffffff,
                                    0x0010000000000000,
                                    0x7fefffffffffffff,
                                    0x3ca0000000000000,
                                    0x3cb0000000000000,
                                    0x4340000000000000,
                                    0x3fefffffffffffff,
                                    0x3ff0000000000001,
                                    0x0008000000000000};

static uint64_t random32(struct weir_rng *r) {
  const uint64_t x = weir_rng_next(r);
  switch (x % 4) {
  case 0: return corner32[weir_rng_below(r, sizeof corner32 / sizeof *corner32)];
  case 1: return x >> 32;                                                     // anything
  case 2: return (x >> 32 & 0x80ffffff) | 0x3e000000 | (x >> 8 & 0x01800000); // of like size: cancellation
  default: return x >> 32 & 0x81ffffff;                                       // near and below the smallest normal
  }
}

static uint64_t random64(struct weir_rng *r) {
  const uint64_t x = weir_rng_next(r), y = weir_rng_next(r);
  switch (x % 4) {
  case 0: return corner64[weir_rng_below(r, sizeof corner64 / sizeof *corner64)];
  case 1: return y;
  case 2: return (y & 0x800fffffffffffff) | 0x3fc0000000000000 | (x & 0x0030000000000000);
  default: return y & 0x803fffffffffffff;
  }
}

static bool is_nan(uint64_t bits, bool twice) {
  return isnan(value(bits, twice));
}

static void check(enum kind kind, const char *name, unsigned operands, bool twice, unsigned dir, bool ftz) {
  static uint64_t v[4][VALUES];
  char text[64];
  const char *type = twice ? "f64" : "f32", *tail[] = {"", ", %b", ", %b, %c"};
  snprintf(text, sizeof text, "%s.%s%s.%s %%d, %%a%s", name, suffix[dir], ftz ? ".ftz" : "", type, tail[operands - 1]);
  const struct operation o = {text, type, type, type, type};
  struct weir_rng r = weir_rng_seed(303, kind * 8 + dir);
  for (unsigned k = 0; k < 4; k++)
    for (unsigned i = 0; i < VALUES; i++) v[k][i] = twice ? random64(&r) : random32(&r);
  operation_run(&o, 32, v);
  for (unsigned i = 0; i < VALUES; i++) {
    if (!operation_guard(i)) continue;
    uint64_t x[3];
    for (unsigned k = 0; k < 3; k++) x[k] = ftz ? flush(v[k][i]) : v[k][i];
    uint64_t want = reference(kind, twice, dir, x[0], x[1], x[2]), got = twice ? v[3][i] : (uint32_t)v[3][i];
    if (ftz) want = flush(want);
    const bool both_nan = twice && got != want && is_nan(got, true) && want == 0x7fffffff;
    if (got != want && !both_nan)
      fail_msg("%s: a %llx b %llx c %llx: %llx, expected %llx", text, (unsigned long long)v[0][i],
               (unsigned long long)v[1][i], (unsigned long long)v[2][i], (unsigned long long)got,
               (unsigned long long)want);
  }
}

static void test_roundings(void **state) {
  (void)state;
  static const struct {
    const char *name;
    unsigned operands;
    enum kind kind;
  } all[] = {{"add", 2, ADD}, {"sub", 2, SUB},   {"mul", 2, MUL}, {"fma", 3, FMA},
             {"div", 2, DIV}, {"sqrt", 1, SQRT}, {"rcp", 1, RCP}};
  for (unsigned k = 0; k < sizeof all / sizeof *all; k++)
    for (unsigned dir = 0; dir < 4; dir++) {
      check(all[k].kind, all[k].name, all[k].operands, false, dir, false);
      check(all[k].kind, all[k].name, all[k].operands, false, dir, true);
      check(all[k].kind, all[k].name, all[k].operands, true, dir, false);
    }
}

// PTX ISA 9.7.3: payloads of f64 NaNs are kept; the first NaN operand's here.
static void test_nan_payloads(void **state) {
  (void)state;
  static uint64_t v[4][VALUES];
  const struct operation o = {"add.rn.f64 %d, %a, %b", "f64", "f64", "f64", NULL};
  for (unsigned i = 0; i < VALUES; i++) {
    v[0][i] = i % 2 ? 0x7ff8000000000123 : 0x3ff0000000000000;
    v[1][i] = i % 3 ? 0xfff0000000000456 : 0x4000000000000000;
  }
  operation_run(&o, 32, v);
  for (unsigned i = 0; i < VALUES / 2; i++) {
    const uint64_t want = i % 2 ? 0x7ff8000000000123 : i % 3 ? 0xfff8000000000456 : 0x4008000000000000;
    assert_int_equal(v[3][i], want);
  }
}

typedef int (*function)(mpfr_t, const mpfr_t, mpfr_rnd_t);

static int reciprocal_root(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd) {
  return mpfr_rec_sqrt(r, x, rnd);
}

static int reciprocal(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd) {
  return mpfr_ui_div(r, 1, x, rnd);
}

// Errors as the PTX ISA states them: relative, or absolute where it says so.
static const struct {
  const char *text;
  function exact;
  double low, high, relative, absolute;
} approximations[] = {
  {"ex2.approx.f32 %d, %a", mpfr_exp2, -120, 120, 0x1p-22, 0},
  {"lg2.approx.f32 %d, %a", mpfr_log2, 0x1p-100, 0x1p100, 0x1p-22, 0x1p-22},
  {"sin.approx.f32 %d, %a", mpfr_sin, -3.1415, 3.1415, 0, 0x1p-20},
  {"cos.approx.f32 %d, %a", mpfr_cos, -3.1415, 3.1415, 0, 0x1p-20},
  {"sin.approx.f32 %d, %a", mpfr_sin, -1e30, 1e30, 0, 0x1p-20},
  {"cos.approx.f32 %d, %a", mpfr_cos, -1e7, 1e7, 0, 0x1p-20},
  {"tanh.approx.f32 %d, %a", mpfr_tanh, -8, 8, 0x1p-11, 0},
  {"rsqrt.approx.f32 %d, %a", reciprocal_root, 0x1p-126, 0x1p127, 0x1p-22, 0},
  {"rcp.approx.f32 %d, %a", reciprocal, 0x1p-125, 0x1p125, 0x1p-23, 0},
  {"sqrt.approx.f32 %d, %a", mpfr_sqrt, 0x1p-126, 0x1p127, 0x1p-23, 0},
};

static double spread(struct weir_rng *r, double low, double high) {
  const double u = weir_rng_unit(r);
  if (low > 0) return low * pow(high / low, u);
  const double size = high * pow(2, -20 * weir_rng_unit(r));
  return u < 0.5 ? -size : size;
}

static void test_approximations(void **state) {
  (void)state;
  static uint64_t v[4][VALUES];
  for (unsigned k = 0; k < sizeof approximations / sizeof *approximations; k++) {
    const struct operation o = {approximations[k].text, "f32", "f32", NULL, NULL};
    struct weir_rng r = weir_rng_seed(304, k);
    for (unsigned i = 0; i < VALUES; i++)
      v[0][i] = pattern(spread(&r, approximations[k].low, approximations[k].high), false);
    operation_run(&o, 32, v);
    mpfr_set_emin(-16000), mpfr_set_emax(16000);
    mpfr_t x, y;
    mpfr_inits2(200, x, y, (mpfr_ptr)0);
    for (unsigned i = 0; i < VALUES / 2; i++) {
      mpfr_set_d(x, value(v[0][i], false), MPFR_RNDN);
      approximations[k].exact(y, x, MPFR_RNDN);
      const double want = mpfr_get_d(y, MPFR_RNDN), got = value(v[3][i], false), error = fabs(got - want);
      if (!(error <= approximations[k].relative * fabs(want) + approximations[k].absolute))
        fail_msg("%s of %a: %a, exactly %a", o.text, value(v[0][i], false), got, want);
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_roundings), cmocka_unit_test(test_nan_payloads),
                                     cmocka_unit_test(test_approximations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
