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
REF(s32_f32_m, clamped(floorl(f32(a)), 32, true, false)) REF(s32_f32_p, clamped(ceill(f32(a)), 32, true, false))
REF(u32_f32_n, clamped(rintl(f32(a)), 32, false, false)) REF(u32_f32_m, clamped(floorl(f32(a)), 32, false, false))
REF(u32_f32_p, clamped(ceill(f32(a)), 32, false, false)) REF(u64_f32_z, clamped(truncl(f32(a)), 64, false, true))
REF(s32_f64_z, clamped(truncl(f64(a)), 32, true, true)) REF(s32_f64_m, clamped(floorl(f64(a)), 32, true, true))
REF(s32_f64_p, clamped(ceill(f64(a)), 32, true, true)) REF(u32_f64_n, clamped(rintl(f64(a)), 32, false, true))
REF(u32_f64_m, clamped(floorl(f64(a)), 32, false, true)) REF(u32_f64_p, clamped(ceill(f64(a)), 32, false, true))
REF(s64_f64_z, clamped(truncl(f64(a)), 64, true, true)) REF(s64_f64_n, clamped(rintl(f64(a)), 64, true, true))
REF(s64_f64_p, clamped(ceill(f64(a)), 64, true, true)) REF(u64_f64_n, clamped(rintl(f64(a)), 64, false, true))
REF(u64_f64_m, clamped(floorl(f64(a)), 64, false, true)) REF(u64_f64_p, clamped(ceill(f64(a)), 64, false, true))
REF(s32_z32_m, clamped(fabsf(f32(a)) < 0x1p-126f ? 0 : floorl(f32(a)), 32, true, false))
REF(s64_z32_m, clamped(fabsf(f32(a)) < 0x1p-126f ? 0 : floorl(f32(a)), 64, true, true))
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
REF(f32_u8, bits32((float)(uint8_t)a)) REF(f32_u16, bits32((float)(uint16_t)a)) REF(f32_s16, bits32((float)(int16_t)a))
REF(f64_u8, bits64((double)(uint8_t)a)) REF(f64_s8, bits64((double)(int8_t)a)) REF(f64_s16, bits64((double)(int16_t)a))
REF(f32_f32_z, bits32(truncf(f32(a)))) REF(f32_f32_m, bits32(floorf(f32(a)))) REF(f32_f32_p, bits32(ceilf(f32(a))))
REF(z32_z32_p, bits32(fabsf(f32(a)) < 0x1p-126f ? copysignf(0, f32(a)) : ceilf(f32(a))))
REF(f64_f64_z, bits64(trunc(f64(a)))) REF(f64_f64_n, bits64(rint(f64(a)))) REF(f64_f64_m, bits64(floor(f64(a))))
REF(f64_f64_p, bits64(ceil(f64(a))))
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

static int sign(long double x) {
  return (x > 0) - (x < 0);
}

// Of x + y - z, exactly: each has 16 bits at most, or y is zero, so two that are near each other have an exact difference, and of two that
// are not the larger decides.
static int sign_of_sum(double x, double y, double z) {
  const double larger = fabs(x) > fabs(y) ? x : y, smaller = fabs(x) > fabs(y) ? y : x;
  const long double difference = (long double)larger - z;
  if (fabsl(difference) > fabs(smaller)) return sign(difference);
  return sign(difference + smaller);
}

// The nearest half to x + y, ties to even, both finite, by binary search over the patterns.
static uint32_t nearest_sum(double x, double y, int mantissa, int exponent) {
  const int side = sign_of_sum(x, y, 0);
  if (!side) return x == 0 && y == 0 && signbit(x) && signbit(y) ? 0x8000 : 0;
  if (side < 0) return 0x8000 | nearest_sum(-x, -y, mantissa, exponent);
  const uint32_t infinity = ((1u << exponent) - 1) << mantissa;
  uint32_t low = 0, high = infinity;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (sign_of_sum(x, y, half(middle, mantissa, exponent)) >= 0)
      low = middle;
    else
      high = middle;
  }
  const double below = half(low, mantissa, exponent), last = half(infinity - 1, mantissa, exponent);
  const double above =
    high == infinity ? last + (last - half(infinity - 2, mantissa, exponent)) : half(high, mantissa, exponent);
  const int beyond = sign_of_sum(x, y, below + (above - below) / 2);
  return beyond > 0 || (beyond == 0 && (low & 1)) ? high : low;
}

static uint32_t nearest(double x, int mantissa, int exponent) {
  if (isnan(x)) return 0x7fff;
  if (isinf(x)) return (x < 0 ? 0x8000 : 0) | ((1u << exponent) - 1) << mantissa;
  return nearest_sum(x, copysign(0, x), mantissa, exponent);
}

static uint32_t fused(double a, double b, double c, int mantissa, int exponent) {
  const double x = a * b; // exact
  return isfinite(x) && isfinite(c) ? nearest_sum(x, c, mantissa, exponent) : nearest(x + c, mantissa, exponent);
}

// -0 is below +0, and a NaN loses to a number.
static uint32_t extreme(uint32_t a, uint32_t b, int mantissa, int exponent, bool least) {
  const double x = half(a & 0xffff, mantissa, exponent), y = half(b & 0xffff, mantissa, exponent);
  if (isnan(x) && isnan(y)) return 0x7fff;
  if (isnan(x) || isnan(y)) return (isnan(x) ? b : a) & 0xffff;
  const bool first = x < y || (x == y && signbit(x));
  return (first == least ? a : b) & 0xffff;
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
#define BOTH(low, high) ((low) | (uint64_t)(high) << 16)
// clang-format off
REF(mul_bf16, nearest(B(a) * B(b), 7, 8))
REF(sub_f16, nearest(H(a) - H(b), 10, 5)) REF(sub_f16x2, BOTH(sub_f16(a, b, c), sub_f16(a >> 16, b >> 16, c)))
REF(mul_f16x2, BOTH(mul_f16(a, b, c), mul_f16(a >> 16, b >> 16, c)))
REF(fma_f16x2, BOTH(fused(H(a), H(b), H(c), 10, 5), fused(H(a >> 16), H(b >> 16), H(c >> 16), 10, 5)))
REF(min_f16, extreme((uint32_t)a, (uint32_t)b, 10, 5, true)) REF(max_f16, extreme((uint32_t)a, (uint32_t)b, 10, 5, false))
REF(min_f16x2, BOTH(min_f16(a, b, c), min_f16(a >> 16, b >> 16, c))) REF(max_f16x2, BOTH(max_f16(a, b, c), max_f16(a >> 16, b >> 16, c)))
REF(add_bf16, fused(B(a), 1, B(b), 7, 8)) REF(sub_bf16, fused(B(a), 1, -B(b), 7, 8))
REF(add_bf16x2, BOTH(add_bf16(a, b, c), add_bf16(a >> 16, b >> 16, c))) REF(sub_bf16x2, BOTH(sub_bf16(a, b, c), sub_bf16(a >> 16, b >> 16, c)))
REF(mul_bf16x2, BOTH(mul_bf16(a, b, c), mul_bf16(a >> 16, b >> 16, c)))
REF(fma_bf16, fused(B(a), B(b), B(c), 7, 8)) REF(fma_bf16x2, BOTH(fma_bf16(a, b, c), fma_bf16(a >> 16, b >> 16, c >> 16)))
REF(min_bf16, extreme((uint32_t)a, (uint32_t)b, 7, 8, true)) REF(max_bf16, extreme((uint32_t)a, (uint32_t)b, 7, 8, false))
REF(min_bf16x2, BOTH(min_bf16(a, b, c), min_bf16(a >> 16, b >> 16, c))) REF(max_bf16x2, BOTH(max_bf16(a, b, c), max_bf16(a >> 16, b >> 16, c)))
REF(abs_half, a & 0x7fff) REF(abs_pair, a & 0x7fff7fff) REF(neg_half, (a ^ 0x8000) & 0xffff) REF(neg_pair, (a ^ 0x80008000) & 0xffffffff)
REF(f16_s32, nearest((int32_t)a, 10, 5)) REF(f16_u32, nearest((uint32_t)a, 10, 5)) REF(f16_s16, nearest((int16_t)a, 10, 5))
REF(f16_u16, nearest((uint16_t)a, 10, 5)) REF(pack_bf16, BOTH(nearest(f32(b), 7, 8), nearest(f32(a), 7, 8)))
REF(sat_z32, isnan(f32(a)) || !(f32(a) >= 0x1p-126f) ? 0 : bits32(fminf(f32(a), 1)))
// clang-format on
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

// A half near 1, whose digits are few or all but few, so that sums lie halfway between two halves or just beside that.
static uint64_t random_half(struct weir_rng *r, unsigned mantissa, uint64_t one) {
  const uint64_t few = UINT64_C(1) << weir_rng_below(r, mantissa), all = (UINT64_C(1) << mantissa) - 1;
  const uint64_t digits[] = {0, 1, few, few | 1, all, all ^ 1, all ^ few, weir_rng_next(r) & all};
  const uint64_t exponent = (one >> mantissa) + weir_rng_below(r, 2 * mantissa + 6) - mantissa - 3;
  return (weir_rng_next(r) & 0x8000) | exponent << mantissa | digits[weir_rng_below(r, 8)];
}

static uint64_t random_f16s(struct weir_rng *r) {
  return random_half(r, 10, 0x3c00) | random_half(r, 10, 0x3c00) << 16;
}

// Near 1, and near 2^-67, of which products are subnormal.
static uint64_t random_bf16s(struct weir_rng *r) {
  const uint64_t one = weir_rng_below(r, 2) ? 0x3f80 : 0x1e00;
  return random_half(r, 7, one) | random_half(r, 7, one) << 16;
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
  CVT("rmi.s32.f32", "b32", "f32", s32_f32_m),
  CVT("rpi.s32.f32", "b32", "f32", s32_f32_p),
  CVT("rni.u32.f32", "b32", "f32", u32_f32_n),
  CVT("rmi.u32.f32", "b32", "f32", u32_f32_m),
  CVT("rpi.u32.f32", "b32", "f32", u32_f32_p),
  CVT("rzi.u64.f32", "b64", "f32", u64_f32_z),
  CVT("rzi.s32.f64", "b32", "f64", s32_f64_z),
  CVT("rmi.s32.f64", "b32", "f64", s32_f64_m),
  CVT("rpi.s32.f64", "b32", "f64", s32_f64_p),
  CVT("rni.u32.f64", "b32", "f64", u32_f64_n),
  CVT("rmi.u32.f64", "b32", "f64", u32_f64_m),
  CVT("rpi.u32.f64", "b32", "f64", u32_f64_p),
  CVT("rzi.s64.f64", "b64", "f64", s64_f64_z),
  CVT("rni.s64.f64", "b64", "f64", s64_f64_n),
  CVT("rpi.s64.f64", "b64", "f64", s64_f64_p),
  CVT("rni.u64.f64", "b64", "f64", u64_f64_n),
  CVT("rmi.u64.f64", "b64", "f64", u64_f64_m),
  CVT("rpi.u64.f64", "b64", "f64", u64_f64_p),
  CVT("rmi.ftz.s32.f32", "b32", "f32", s32_z32_m),
  CVT("rmi.ftz.s64.f32", "b64", "f32", s64_z32_m),
  CVT("rzi.ftz.s64.f32", "b64", "f32", s64_f32_z),
  CVT("rn.f32.u8", "f32", "b32", f32_u8),
  CVT("rn.f32.u16", "f32", "b16", f32_u16),
  CVT("rn.f32.s16", "f32", "b16", f32_s16),
  CVT("rn.f64.u8", "f64", "b32", f64_u8),
  CVT("rn.f64.s8", "f64", "b32", f64_s8),
  CVT("rn.f64.s16", "f64", "b16", f64_s16),
  CVT("rzi.f32.f32", "f32", "f32", f32_f32_z),
  CVT("rmi.f32.f32", "f32", "f32", f32_f32_m),
  CVT("rpi.f32.f32", "f32", "f32", f32_f32_p),
  CVT("rpi.ftz.f32.f32", "f32", "f32", z32_z32_p),
  CVT("rzi.f64.f64", "f64", "f64", f64_f64_z),
  CVT("rni.f64.f64", "f64", "f64", f64_f64_n),
  CVT("rmi.f64.f64", "f64", "f64", f64_f64_m),
  CVT("rpi.f64.f64", "f64", "f64", f64_f64_p),
  CVT("ftz.sat.f32.f32", "f32", "f32", sat_z32),
  CVT("rn.f16.s32", "b16", "b32", f16_s32),
  CVT("rn.f16.u32", "b16", "b32", f16_u32),
  CVT("rn.f16.s16", "b16", "b16", f16_s16),
  CVT("rn.f16.u16", "b16", "b16", f16_u16),
  {{"cvt.rn.bf16x2.f32 %d, %a, %b", "b32", "f32", "f32", NULL}, pack_bf16},
  TWO("sub.rn.f16", "b16", sub_f16),
  TWO("min.f16", "b16", min_f16),
  TWO("max.f16", "b16", max_f16),
  {{"abs.f16 %d, %a", "b16", "b16", NULL, NULL}, abs_half},
  {{"neg.f16 %d, %a", "b16", "b16", NULL, NULL}, neg_half},
  TWO("sub.rn.f16x2", "b32", sub_f16x2),
  TWO("mul.rn.f16x2", "b32", mul_f16x2),
  TWO("min.f16x2", "b32", min_f16x2),
  TWO("max.f16x2", "b32", max_f16x2),
  {{"fma.rn.f16x2 %d, %a, %b, %c", "b32", "b32", "b32", "b32"}, fma_f16x2},
  {{"abs.f16x2 %d, %a", "b32", "b32", NULL, NULL}, abs_pair},
  {{"neg.f16x2 %d, %a", "b32", "b32", NULL, NULL}, neg_pair},
  TWO("add.rn.bf16", "b16", add_bf16),
  TWO("sub.rn.bf16", "b16", sub_bf16),
  TWO("min.bf16", "b16", min_bf16),
  TWO("max.bf16", "b16", max_bf16),
  {{"fma.rn.bf16 %d, %a, %b, %c", "b16", "b16", "b16", "b16"}, fma_bf16},
  {{"abs.bf16 %d, %a", "b16", "b16", NULL, NULL}, abs_half},
  {{"neg.bf16 %d, %a", "b16", "b16", NULL, NULL}, neg_half},
  TWO("add.rn.bf16x2", "b32", add_bf16x2),
  TWO("sub.rn.bf16x2", "b32", sub_bf16x2),
  TWO("mul.rn.bf16x2", "b32", mul_bf16x2),
  TWO("min.bf16x2", "b32", min_bf16x2),
  TWO("max.bf16x2", "b32", max_bf16x2),
  {{"fma.rn.bf16x2 %d, %a, %b, %c", "b32", "b32", "b32", "b32"}, fma_bf16x2},
  {{"abs.bf16x2 %d, %a", "b32", "b32", NULL, NULL}, abs_pair},
  {{"neg.bf16x2 %d, %a", "b32", "b32", NULL, NULL}, neg_pair},
  {{"setp.lt.f16 %d, %a, %b", "pred", "b16", "b16", NULL}, lt_f16},
};

static void test_every_conversion(void **state) {
  (void)state;
  for (unsigned k = 0; k < sizeof entries / sizeof *entries; k++)
    operation_check(&entries[k].o, entries[k].expected, random_number);
}

// Every operation on halves, on operands whose results are close to ties.
static void test_ties(void **state) {
  (void)state;
  unsigned checked = 0;
  for (unsigned k = 0; k < sizeof entries / sizeof *entries; k++) {
    const char *text = entries[k].o.text;
    if (!strncmp(text, "cvt", 3) || !strstr(text, "f16")) continue;
    operation_check(&entries[k].o, entries[k].expected, strstr(text, "bf16") ? random_bf16s : random_f16s);
    checked++;
  }
  assert_true(checked > 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_conversion), cmocka_unit_test(test_ties)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
