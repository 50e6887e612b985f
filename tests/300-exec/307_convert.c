// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// cvt against definitions in wide arithmetic, f16 and bf16 by search over all their values, half-precision arithmetic
// by exact sums and products.
#include "operation.h"

#include <math.h>

#define REF(name, expr)                                                                                                \
  static uint64_t name(uint64_t a, uint64_t b, uint64_t c) {                                                           \
    (void)a, (void)b, (void)c;                                                                                         \
    return (uint64_t)(expr);                                                                                           \
  }

static float f32(uint64_t x) {
  float f;
  const uint32_t low = (uint32_t)x;
  memcpy(&f, &low, 4);
  return f;
}
static double f64(uint64_t x) {
  double d;
  memcpy(&d, &x, 8);
  return d;
}
static uint64_t bits32(float f) {
  uint32_t x;
  memcpy(&x, &f, 4);
  return isnan(f) ? 0x7fffffff : x;
}
static uint64_t bits64(double d) {
  uint64_t x;
  memcpy(&x, &d, 8);
  return x;
}

// Integers of `bits` bits from a number rounded already; NaN is 0, of 64-bit types the sign bit (PTX ISA, cvt).
static uint64_t clamped(long double whole, unsigned bits, bool is_signed, bool wide) {
  if (isnan(whole)) return wide ? UINT64_C(1) << (bits - 1) : 0;
  const long double low = is_signed ? -ldexpl(1, (int)bits - 1) : 0,
                    high = ldexpl(1, (int)bits - (is_signed ? 1 : 0)) - 1;
  const long double x = whole < low ? low : whole > high ? high : whole;
  return is_signed ? (uint64_t)(int64_t)x : (uint64_t)x;
}
// clang-format off
REF(s32_f32_z, clamped(truncl(f32(a)), 32, true, false)) REF(u32_f32_z, clamped(truncl(f32(a)), 32, false, false))
REF(s32_f32_n, clamped(rintl(f32(a)), 32, true, false)) REF(u8_f32_p, clamped(ceill(f32(a)), 8, false, false))
REF(s16_f32_m, clamped(floorl(f32(a)), 16, true, false)) REF(s64_f32_z, clamped(truncl(f32(a)), 64, true, true))
REF(u64_f64_z, clamped(truncl(f64(a)), 64, false, true)) REF(s32_f64_n, clamped(rintl(f64(a)), 32, true, true))
REF(u32_f64_z, clamped(truncl(f64(a)), 32, false, true)) REF(s64_f64_m, clamped(floorl(f64(a)), 64, true, true))
REF(u32_z32_p, clamped(fabsf(f32(a)) < 0x1p-126f ? 0 : ceill(f32(a)), 32, false, false))
// clang-format on

// clang-format off
REF(f32_s32, bits32((float)(int32_t)a)) REF(f32_u32, bits32((float)(uint32_t)a)) REF(f32_s64, bits32((float)(int64_t)a))
REF(f32_u64, bits32((float)a)) REF(f64_s64, bits64((double)(int64_t)a)) REF(f64_u64, bits64((double)a))
REF(f64_u32, bits64((double)(uint32_t)a)) REF(f32_s8, bits32((float)(int8_t)a)) REF(f64_u16, bits64((double)(uint16_t)a))
// clang-format on
static float toward(float nearest, long double exact, bool up) {
  if ((long double)nearest < exact && up) return nextafterf(nearest, INFINITY);
  if ((long double)nearest > exact && !up) return nextafterf(nearest, -INFINITY);
  return nearest;
}
// clang-format off
REF(f32_s32_m, bits32(toward((float)(int32_t)a, (int32_t)a, false))) REF(f32_u64_p, bits32(toward((float)a, a, true)))
REF(f32_f64, bits32((float)f64(a))) REF(f32_f64_p, bits32(toward((float)f64(a), f64(a), true)))
REF(f32_f32_n, bits32(rintf(f32(a)))) REF(f32_f32_sat, isnan(f32(a)) ? 0 : bits32(fminf(fmaxf(f32(a), 0) + 0.0f, 1)))
REF(sx8, (int64_t)(int8_t)a) REF(zx8, (uint8_t)a) REF(sx16, (int64_t)(int16_t)a) REF(sx32, (int64_t)(int32_t)a)
REF(zx32, (uint32_t)a) REF(same, a)
// clang-format on
static int64_t within(__int128 x, int64_t low, int64_t high) {
  return (int64_t)(x < low ? low : x > high ? high : x);
}
// clang-format off
REF(s8_sat, within((int32_t)a, -128, 127)) REF(u8_sat, within((int32_t)a, 0, 255)) REF(u32_s64_sat, within((int64_t)a, 0, UINT32_MAX))
REF(s16_u64_sat, within((__int128)a, 0, 32767))
// clang-format on

// The value of a half, from its definition.
static double half(uint32_t bits, int mantissa, int exponent) {
  const int bias = (1 << (exponent - 1)) - 1, e = (int)(bits >> mantissa) & ((1 << exponent) - 1);
  const double m = bits & ((1u << mantissa) - 1), sign = bits & 0x8000 ? -1 : 1;
  if (e == (1 << exponent) - 1) return m != 0 ? NAN : sign * INFINITY;
  return sign * (e ? ldexp(m + (1 << mantissa), e - bias - mantissa) : ldexp(m, 1 - bias - mantissa));
}

// The nearest half, ties to even, by binary search over the patterns of x's sign.
static uint32_t nearest(double x, int mantissa, int exponent) {
  if (isnan(x)) return 0x7fff;
  const uint32_t sign = signbit(x) ? 0x8000 : 0, infinity = ((1u << exponent) - 1) << mantissa;
  uint32_t low = 0, high = infinity;
  x = fabs(x);
  if (isinf(x)) return sign | infinity;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (half(middle, mantissa, exponent) <= x)
      low = middle;
    else
      high = middle;
  }
  const double below = half(low, mantissa, exponent), last = half(infinity - 1, mantissa, exponent);
  const double above =
    high == infinity ? last + (last - half(infinity - 2, mantissa, exponent)) : half(high, mantissa, exponent);
  if (x == below) return sign | low;
  const double to_below = x - below, to_above = above - x;
  return sign | (to_below < to_above || (to_below == to_above && !(low & 1)) ? low : high);
}
// clang-format off
REF(f16_f32, nearest(f32(a), 10, 5)) REF(bf16_f32, nearest(f32(a), 7, 8)) REF(f32_f16, bits32((float)half(a & 0xffff, 10, 5)))
REF(f32_bf16, bits32((float)half(a & 0xffff, 7, 8)))
REF(pack_f16, (uint64_t)nearest(f32(a), 10, 5) << 16 | nearest(f32(b), 10, 5))
// clang-format on
#define H(x) half((x)&0xffff, 10, 5)
// clang-format off
REF(add_f16, nearest(H(a) + H(b), 10, 5)) REF(mul_f16, nearest(H(a) * H(b), 10, 5))
REF(add_f16x2, nearest(H(a) + H(b), 10, 5) | nearest(H(a >> 16) + H(b >> 16), 10, 5) << 16)
// clang-format on
REF(fma_f16, nearest((double)((long double)H(a) * H(b) + H(c)), 10, 5)) // 22 + 11 bits within 80: exact in the sum
#define B(x) half((x)&0xffff, 7, 8)
REF(mul_bf16, nearest(B(a) * B(b), 7, 8))
REF(lt_f16, H(a) < H(b))

static uint64_t random_number(struct weir_rng *r) {
  static const uint64_t corner[] = {0,
                                    0x80000000,
                                    0x7f800000,
                                    0xff800000,
                                    0x7fc00001,
                                    1,
                                    0x4f000000,
                                    0x4effffff,
                                    0xcf000000,
                                    0x4f800000,
                                    0x5f000000,
                                    0x5f800000,
                                    0x3f000000,
                                    0x3fc00000,
                                    0x40200000,
                                    0xbf000000,
                                    0x7ff8000000000000,
                                    0x7ff0000000000000,
                                    0xfff0000000000000,
                                    0x41e0000000000000,
                                    0x43e0000000000000,
                                    0x43f0000000000000,
                                    0xc3e0000000000000,
                                    0x41efffffffe00000,
                                    0x477fefff,
                                    0x477ff000,
                                    0x33000000,
                                    0x33000001,
                                    0x387fe000,
                                    0x7bff,
                                    0x7c00,
                                    0x7e00,
                                    0x0400};
  const uint64_t x = weir_rng_next(r);
  if (x % 4 == 0) return corner[weir_rng_below(r, sizeof corner / sizeof *corner)];
  if (x % 4 == 1) return bits32((float)((weir_rng_unit(r) - 0.5) * pow(2, weir_rng_unit(r) * 70)));
  if (x % 4 == 2) return bits64((weir_rng_unit(r) - 0.5) * pow(2, weir_rng_unit(r) * 70));
  return weir_rng_next(r) >> (x >> 8) % 64;
}

struct entry {
  struct operation o;
  integer_reference expected;
};
#define CVT(form, to, from, f)                                                                                         \
  { {"cvt." form " %d, %a", to, from, NULL, NULL}, f }
#define TWO(op, type, f)                                                                                               \
  { {op " %d, %a, %b", type, type, type, NULL}, f }

static const struct entry entries[] = {
  CVT("rzi.s32.f32", "b32", "f32", s32_f32_z),
  CVT("rzi.u32.f32", "b32", "f32", u32_f32_z),
  CVT("rni.s32.f32", "b32", "f32", s32_f32_n),
  CVT("rpi.u8.f32", "b32", "f32", u8_f32_p),
  CVT("rmi.s16.f32", "b16", "f32", s16_f32_m),
  CVT("rzi.s64.f32", "b64", "f32", s64_f32_z),
  CVT("rzi.u64.f64", "b64", "f64", u64_f64_z),
  CVT("rni.s32.f64", "b32", "f64", s32_f64_n),
  CVT("rzi.u32.f64", "b32", "f64", u32_f64_z),
  CVT("rmi.s64.f64", "b64", "f64", s64_f64_m),
  CVT("rpi.ftz.u32.f32", "b32", "f32", u32_z32_p),
  CVT("rn.f32.s32", "f32", "b32", f32_s32),
  CVT("rn.f32.u32", "f32", "b32", f32_u32),
  CVT("rn.f32.s64", "f32", "b64", f32_s64),
  CVT("rn.f32.u64", "f32", "b64", f32_u64),
  CVT("rn.f64.s64", "f64", "b64", f64_s64),
  CVT("rn.f64.u64", "f64", "b64", f64_u64),
  CVT("rn.f64.u32", "f64", "b32", f64_u32),
  CVT("rn.f32.s8", "f32", "b32", f32_s8),
  CVT("rn.f64.u16", "f64", "b16", f64_u16),
  CVT("rm.f32.s32", "f32", "b32", f32_s32_m),
  CVT("rp.f32.u64", "f32", "b64", f32_u64_p),
  CVT("rn.f32.f64", "f32", "f64", f32_f64),
  CVT("rp.f32.f64", "f32", "f64", f32_f64_p),
  CVT("rni.f32.f32", "f32", "f32", f32_f32_n),
  CVT("sat.f32.f32", "f32", "f32", f32_f32_sat),
  CVT("s64.s8", "b64", "b32", sx8),
  CVT("u32.u8", "b32", "b32", zx8),
  CVT("u16.u8", "b16", "b16", zx8),
  CVT("s32.s16", "b32", "b16", sx16),
  CVT("s64.s32", "b64", "b32", sx32),
  CVT("u64.u32", "b64", "b32", zx32),
  CVT("u32.u64", "b32", "b64", same),
  CVT("s8.s32", "b32", "b32", sx8),
  CVT("u8.u64", "b64", "b64", zx8),
  CVT("s16.s64", "b16", "b64", same),
  CVT("sat.s8.s32", "b32", "b32", s8_sat),
  CVT("sat.u8.s32", "b32", "b32", u8_sat),
  CVT("sat.u32.s64", "b32", "b64", u32_s64_sat),
  CVT("sat.s16.u64", "b32", "b64", s16_u64_sat),
  CVT("rn.f16.f32", "b16", "f32", f16_f32),
  CVT("rn.bf16.f32", "b16", "f32", bf16_f32),
  CVT("f32.f16", "f32", "b16", f32_f16),
  CVT("f32.bf16", "f32", "b16", f32_bf16),
  {{"cvt.rn.f16x2.f32 %d, %a, %b", "b32", "f32", "f32", NULL}, pack_f16},
  TWO("add.rn.f16", "b16", add_f16),
  TWO("mul.rn.f16", "b16", mul_f16),
  TWO("add.rn.f16x2", "b32", add_f16x2),
  {{"fma.rn.f16 %d, %a, %b, %c", "b16", "b16", "b16", "b16"}, fma_f16},
  TWO("mul.rn.bf16", "b16", mul_bf16),
  {{"setp.lt.f16 %d, %a, %b", "pred", "b16", "b16", NULL}, lt_f16},
};

static void test_every_conversion(void **state) {
  (void)state;
  for (unsigned k = 0; k < sizeof entries / sizeof *entries; k++)
    operation_check(&entries[k].o, entries[k].expected, random_number);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_conversion)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
