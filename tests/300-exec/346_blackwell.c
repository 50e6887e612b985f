// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What came with compute capability 10.0, by the host's arithmetic: pairs of numbers in single precision, sums of numbers in single and half
// precision, the least and most of three, reductions of numbers over a warp; and packing conversions, which are older.
#include "operation.h"

#include <fenv.h>
#include <math.h>

static float flushed(float f) {
  return fpclassify(f) == FP_SUBNORMAL ? copysignf(0, f) : f;
}

// In a rounding of the host's. (volatile, as the compiler knows nothing of roundings.)
static float rounded(int rounding, char operation, float a, float b, float c) {
  volatile float x = a, y = b, z = c, r;
  fesetround(rounding);
  r = operation == '+' ? x + y : operation == '-' ? x - y : operation == '*' ? x * y : fmaf(x, y, z);
  fesetround(FE_TONEAREST);
  return r;
}

static uint64_t pair(int rounding, char operation, bool ftz, uint64_t a, uint64_t b, uint64_t c) {
  uint64_t both = 0;
  for (unsigned k = 0; k < 64; k += 32) {
    float x = f32(a >> k), y = f32(b >> k), z = f32(c >> k);
    if (ftz) x = flushed(x), y = flushed(y), z = flushed(z);
    const float r = rounded(rounding, operation, x, y, z);
    both |= bits32(ftz ? flushed(r) : r) << k;
  }
  return both;
}

// sign, exponent and mantissa of a half; as bf16 a half is the upper part of a number in single precision.
static float half(uint64_t x) {
  const unsigned exponent = x >> 10 & 31, mantissa = x & 1023;
  const float sign = x & 0x8000 ? -1 : 1;
  if (exponent == 31) return mantissa ? NAN : sign * INFINITY;
  return sign * ldexpf((float)(exponent ? 1024 + mantissa : mantissa), (int)(exponent ? exponent : 1) - 25);
}

static float brain(uint64_t x) {
  return f32(x << 16);
}

static float clamped(float x) {
  return x > 0 ? x < 1 ? x : 1 : 0; // NaN too
}

// PTX ISA, "min": zeros in the order of their signs; a NaN only with .NaN, or if both are.
static float extreme(bool least, bool nan, float a, float b) {
  if (isnan(a) || isnan(b)) return nan || (isnan(a) && isnan(b)) ? NAN : isnan(a) ? b : a;
  if (a == b) return (signbit(a) != 0) == least ? a : b;
  return (a < b) == least ? a : b;
}

static uint64_t three(bool least, bool nan, bool magnitude, bool ftz, uint64_t a, uint64_t b, uint64_t c) {
  float x[3] = {f32(a), f32(b), f32(c)};
  for (unsigned k = 0; k < 3; k++) {
    if (ftz) x[k] = flushed(x[k]);
    if (magnitude) x[k] = fabsf(x[k]);
  }
  return bits32(extreme(least, nan, extreme(least, nan, x[0], x[1]), x[2]));
}

static uint32_t limited(uint64_t x, int32_t low, int32_t high, uint32_t mask) {
  const int32_t v = (int32_t)(uint32_t)x;
  return (uint32_t)(v < low ? low : v > high ? high : v) & mask;
}

static uint64_t packed_bytes(int32_t low, int32_t high, uint64_t a, uint64_t b, uint64_t c) {
  return (uint32_t)c << 16 | limited(a, low, high, 255) << 8 | limited(b, low, high, 255);
}

static uint64_t packed_halves(int32_t low, int32_t high, uint64_t a, uint64_t b) {
  return limited(a, low, high, 0xffff) << 16 | limited(b, low, high, 0xffff);
}

#define REF(name, expr)                                                                                                \
  static uint64_t name(uint64_t a, uint64_t b, uint64_t c) {                                                           \
    (void)a, (void)b, (void)c;                                                                                         \
    return expr;                                                                                                       \
  }
// clang-format off
REF(add_pair, pair(FE_TONEAREST, '+', false, a, b, 0)) REF(add_rz_pair, pair(FE_TOWARDZERO, '+', false, a, b, 0))
REF(add_rp_ftz_pair, pair(FE_UPWARD, '+', true, a, b, 0)) REF(sub_pair, pair(FE_TONEAREST, '-', false, a, b, 0))
REF(sub_rm_pair, pair(FE_DOWNWARD, '-', false, a, b, 0)) REF(mul_pair, pair(FE_TONEAREST, '*', false, a, b, 0))
REF(mul_ftz_pair, pair(FE_TONEAREST, '*', true, a, b, 0)) REF(fma_pair, pair(FE_TONEAREST, 'f', false, a, b, c))
REF(fma_rz_pair, pair(FE_TOWARDZERO, 'f', false, a, b, c)) REF(fma_ftz_pair, pair(FE_TONEAREST, 'f', true, a, b, c))
REF(add_half, bits32(rounded(FE_TONEAREST, '+', half(a), f32(b), 0)))
REF(add_rz_half, bits32(rounded(FE_TOWARDZERO, '+', half(a), f32(b), 0)))
REF(add_sat_half, bits32(clamped(rounded(FE_TONEAREST, '+', half(a), f32(b), 0))))
REF(sub_half, bits32(rounded(FE_TONEAREST, '-', half(a), f32(b), 0)))
REF(add_brain, bits32(rounded(FE_TONEAREST, '+', brain(a), f32(b), 0)))
REF(sub_rp_brain, bits32(rounded(FE_UPWARD, '-', brain(a), f32(b), 0)))
REF(fma_half, bits32(rounded(FE_TONEAREST, 'f', half(a), half(b), f32(c))))
REF(fma_rm_brain, bits32(rounded(FE_DOWNWARD, 'f', brain(a), brain(b), f32(c))))
REF(min3, three(true, false, false, false, a, b, c)) REF(max3, three(false, false, false, false, a, b, c))
REF(min3_nan, three(true, true, false, false, a, b, c)) REF(max3_abs, three(false, false, true, false, a, b, c))
REF(min3_all, three(true, true, true, true, a, b, c))
REF(pack_u8, packed_bytes(0, 255, a, b, c)) REF(pack_s8, packed_bytes(-128, 127, a, b, c))
REF(pack_u16, packed_halves(0, 65535, a, b)) REF(pack_s16, packed_halves(-32768, 32767, a, b))
// clang-format on

#define PAIRS(text, with, expected)                                                                                    \
  { {text, "b64", "b64", "b64", with}, expected }
#define SUM(text, half_too, with, expected)                                                                            \
  { {text, "f32", "b16", half_too, with}, expected }
#define THREE(text, expected)                                                                                          \
  { {text, "f32", "f32", "f32", "f32"}, expected }
static const struct {
  struct operation o;
  integer_reference expected;
} entries[] = {
  PAIRS("add.f32x2 %d, %a, %b", NULL, add_pair),
  PAIRS("add.rz.f32x2 %d, %a, %b", NULL, add_rz_pair),
  PAIRS("add.rp.ftz.f32x2 %d, %a, %b", NULL, add_rp_ftz_pair),
  PAIRS("sub.rn.f32x2 %d, %a, %b", NULL, sub_pair),
  PAIRS("sub.rm.f32x2 %d, %a, %b", NULL, sub_rm_pair),
  PAIRS("mul.rn.f32x2 %d, %a, %b", NULL, mul_pair),
  PAIRS("mul.rn.ftz.f32x2 %d, %a, %b", NULL, mul_ftz_pair),
  PAIRS("fma.rn.f32x2 %d, %a, %b, %c", "b64", fma_pair),
  PAIRS("fma.rz.f32x2 %d, %a, %b, %c", "b64", fma_rz_pair),
  PAIRS("fma.rn.ftz.f32x2 %d, %a, %b, %c", "b64", fma_ftz_pair),
  SUM("add.rn.f32.f16 %d, %a, %b", "f32", NULL, add_half),
  SUM("add.rz.f32.f16 %d, %a, %b", "f32", NULL, add_rz_half),
  SUM("add.sat.f32.f16 %d, %a, %b", "f32", NULL, add_sat_half),
  SUM("sub.rn.f32.f16 %d, %a, %b", "f32", NULL, sub_half),
  SUM("add.f32.bf16 %d, %a, %b", "f32", NULL, add_brain),
  SUM("sub.rp.f32.bf16 %d, %a, %b", "f32", NULL, sub_rp_brain),
  SUM("fma.rn.f32.f16 %d, %a, %b, %c", "b16", "f32", fma_half),
  SUM("fma.rm.f32.bf16 %d, %a, %b, %c", "b16", "f32", fma_rm_brain),
  THREE("min.f32 %d, %a, %b, %c", min3),
  THREE("max.f32 %d, %a, %b, %c", max3),
  THREE("min.NaN.f32 %d, %a, %b, %c", min3_nan),
  THREE("max.abs.f32 %d, %a, %b, %c", max3_abs),
  THREE("min.ftz.NaN.abs.f32 %d, %a, %b, %c", min3_all),
};

static const struct {
  struct operation o;
  integer_reference expected;
} packs[] = {
  {{"cvt.pack.sat.u8.s32.b32 %d, %a, %b, %c", "b32", "b32", "b32", "b32"}, pack_u8},
  {{"cvt.pack.sat.s8.s32.b32 %d, %a, %b, %c", "b32", "b32", "b32", "b32"}, pack_s8},
  {{"cvt.pack.sat.u16.s32 %d, %a, %b", "b32", "b32", "b32", NULL}, pack_u16},
  {{"cvt.pack.sat.s16.s32 %d, %a, %b", "b32", "b32", "b32", NULL}, pack_s16},
};

// Numbers in single precision near to each other, so that sums round and cancel; among them those that are none. As halves
// their lower bits are any.
static uint32_t random_single(struct weir_rng *r) {
  static const uint32_t corner[] = {0,          0x80000000, 1,          0x807fffff, 0x00800000, 0x7f7fffff,
                                    0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff, 0x3f800000, 0xbf800000};
  const uint32_t x = (uint32_t)weir_rng_next(r);
  if (x % 4 == 0) return corner[weir_rng_below(r, sizeof corner / sizeof *corner)];
  if (x % 4 == 1) return (uint32_t)weir_rng_next(r);
  return ((uint32_t)weir_rng_next(r) & 0x803fffff) | (0x7b + (x >> 8) % 8) << 23;
}

static uint64_t random_pair(struct weir_rng *r) {
  return (uint64_t)random_single(r) << 32 | random_single(r);
}

static void operations(void **state) {
  (void)state;
  for (unsigned k = 0; k < sizeof entries / sizeof *entries; k++)
    operation_check(&entries[k].o, entries[k].expected, random_pair);
  for (unsigned k = 0; k < sizeof packs / sizeof *packs; k++)
    operation_check(&packs[k].o, packs[k].expected, random_integer);
}

// ---- redux.sync -------------------------------------------------------------------------------------------------------

enum { KINDS = 8 };

static const char *const kinds[KINDS] = {"min",     "max",     "min.NaN",     "max.NaN",
                                         "min.abs", "max.abs", "min.abs.NaN", "max.abs.NaN"};

static void reduction(const char *kind, uint32_t mask, const uint32_t values[32], uint32_t out[32]) {
  char ptx[1024];
  struct bench b;
  snprintf(ptx, sizeof ptx,
           ".version 8.6\n.target sm_100a\n.address_size 64\n"
           ".visible .entry k(.param .u64 values, .param .u64 out, .param .u32 mask) {\n"
           " .reg .pred %%p; .reg .b32 %%r<8>; .reg .b64 %%rd<8>; .reg .f32 %%f<4>;\n"
           " ld.param.u64 %%rd1, [values]; ld.param.u64 %%rd2, [out]; ld.param.u32 %%r3, [mask];\n"
           " mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd3, %%r1, 4; add.u64 %%rd1, %%rd1, %%rd3;\n"
           " add.u64 %%rd2, %%rd2, %%rd3; shr.u32 %%r2, %%r3, %%r1; and.b32 %%r2, %%r2, 1; setp.eq.u32 %%p, %%r2, 0;\n"
           " @%%p bra E; ld.global.f32 %%f1, [%%rd1]; redux.sync.%s.f32 %%f2, %%f1, %%r3;\n"
           " st.global.f32 [%%rd2], %%f2;\nE: ret; }\n",
           kind);
  bench_open(&b, ptx, 32);
  struct {
    uint64_t values, out;
    uint32_t mask;
  } params = {weir_memory_alloc(b.memory, "values", 128), weir_memory_alloc(b.memory, "out", 128), mask};
  memcpy(bench_at(&b, params.values, 128), values, 128);
  memset(bench_at(&b, params.out, 128), 0, 128);
  bench_run(&b, "k", 1, 32, &params);
  memcpy(out, bench_at(&b, params.out, 128), 128);
  bench_close(&b);
}

static void reductions(void **state) {
  (void)state;
  struct weir_rng r = weir_rng_seed(7, 346);
  for (unsigned round = 0; round < 12 * KINDS; round++) {
    const char *kind = kinds[round % KINDS];
    const bool least = !strncmp(kind, "min", 3), magnitude = strstr(kind, "abs"), nan = strstr(kind, "NaN");
    const uint32_t mask =
      round < 2 * KINDS ? UINT32_MAX : ((uint32_t)weir_rng_next(&r) & (uint32_t)weir_rng_next(&r)) | 1;
    uint32_t values[32], out[32];
    for (unsigned l = 0; l < 32; l++)
      values[l] = weir_rng_below(&r, 3) || round < KINDS ? random_single(&r) & 0xbfffffff : 0x7fc00001;
    float want = NAN;
    for (unsigned l = 0, some = 0; l < 32; l++) {
      if (!(mask >> l & 1)) continue;
      const float x = magnitude ? fabsf(f32(values[l])) : f32(values[l]);
      want = some ? extreme(least, nan, want, x) : x;
      some = 1;
    }
    reduction(kind, mask, values, out);
    for (unsigned l = 0; l < 32; l++)
      if (out[l] != (mask >> l & 1 ? bits32(want) : 0))
        fail_msg("redux.sync.%s of %x, lane %u: %x, expected %x", kind, mask, l, out[l], (unsigned)bits32(want));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(operations), cmocka_unit_test(reductions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
