// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Conversions between any two types in any rounding, lane by lane.
#include "base/bits.h"
#include "exec/convert.h"
#include "exec/half.h"
#include "exec/rounding.h"
#include "exec/ops/halves.h"
#include "ptx/ir.h"

static bool is_signed(unsigned type) {
  return weir_type_class((enum weir_type)type) == 's';
}

static bool is_float(unsigned type) {
  return weir_type_class((enum weir_type)type) == 'f';
}

static __int128 integer_of(uint64_t bits, unsigned type) {
  const unsigned unused = 64 - 8 * weir_type_bytes((enum weir_type)type);
  bits <<= unused;
  return is_signed(type) ? (__int128)((int64_t)bits >> unused) : (__int128)(bits >> unused);
}

static double float_of(uint64_t bits, unsigned type, bool ftz) {
  switch (type) {
  case WEIR_T_F16: return weir_half_value(&weir_f16, (uint32_t)bits & 0xffff);
  case WEIR_T_BF16: return weir_half_value(&weir_bf16, (uint32_t)bits & 0xffff);
  case WEIR_T_E4M3: return weir_byte_value(&weir_e4m3, (uint32_t)bits);
  case WEIR_T_E5M2: return weir_byte_value(&weir_e5m2, (uint32_t)bits);
  case WEIR_T_F32: return ftz ? flush32(float32((uint32_t)bits)) : float32((uint32_t)bits);
  default: return float64(bits);
  }
}

static __int128 least(unsigned type) {
  return is_signed(type) ? -((__int128)1 << (8 * weir_type_bytes((enum weir_type)type) - 1)) : 0;
}

static __int128 most(unsigned type) {
  const unsigned bits = 8 * weir_type_bytes((enum weir_type)type);
  return ((__int128)1 << (is_signed(type) ? bits - 1 : bits)) - 1;
}

static __int128 clamp(__int128 x, unsigned type) {
  return x < least(type) ? least(type) : x > most(type) ? most(type) : x;
}

// Out of range clamps. NaN is 0, but for 64-bit types on either side the most negative number's pattern (PTX ISA, cvt).
static uint64_t integer_from_float(double x, const struct weir_conversion *c) {
  if (x != x) {
    const bool wide = c->from == WEIR_T_F64 || weir_type_bytes((enum weir_type)c->to) == 8;
    return wide ? UINT64_C(1) << (8 * weir_type_bytes((enum weir_type)c->to) - 1) : 0;
  }
  const double whole = weir_integral(x, c->rounding);
  if (whole >= 0x1p64) return (uint64_t)most(c->to);
  if (whole <= -0x1p63) return (uint64_t)least(c->to);
  return (uint64_t)clamp((__int128)whole, c->to);
}

static double saturate(double x) {
  return x > 0 ? (x < 1 ? x : 1) : 0;
}

static bool integral_rounding(unsigned rounding) {
  return rounding == WEIR_ROUND_RNI || rounding == WEIR_ROUND_RZI || rounding == WEIR_ROUND_RMI ||
    rounding == WEIR_ROUND_RPI;
}

static uint64_t f32_bits(float x, bool ftz) {
  return bits32(nan32(ftz ? flush32(x) : x));
}

// Of single precision's bits the first 19, rounded to the nearest, away from zero where two are as near (PTX ISA, cvt.rna).
static uint64_t tf32_bits(float x) {
  if (x - x != 0) return bits32(nan32(x));
  return (bits32(x) + UINT32_C(0x1000)) & UINT32_C(0xffffe000);
}

static uint64_t float_from_float(double x, const struct weir_conversion *c) {
  if (integral_rounding(c->rounding)) x = weir_integral(x, c->rounding);
  if (c->sat) x = saturate(x);
  if (c->relu && !(x > 0) && x == x) x = 0;
  switch (c->to) {
  case WEIR_T_F16: return weir_half_bits(&weir_f16, x, c->rounding);
  case WEIR_T_BF16: return weir_half_bits(&weir_bf16, x, c->rounding);
  case WEIR_T_F32: return f32_bits(weir_narrow32(x, c->rounding), c->ftz);
  case WEIR_T_TF32: return tf32_bits((float)x);
  case WEIR_T_E4M3: return weir_byte_bits(&weir_e4m3, x);
  case WEIR_T_E5M2: return weir_byte_bits(&weir_e5m2, x);
  default: return bits64(x);
  }
}

// Halves have a last place far below any integer of 64 bits a double cannot hold, so the inexact double is made odd.
static uint64_t float_from_integer(__int128 x, const struct weir_conversion *c) {
  const double nearest = (double)x;
  const double odd = odd64(nearest, (double)(x - (__int128)nearest));
  uint64_t bits;
  switch (c->to) {
  case WEIR_T_F16: bits = weir_half_bits(&weir_f16, c->sat ? saturate(odd) : odd, c->rounding); break;
  case WEIR_T_BF16: bits = weir_half_bits(&weir_bf16, c->sat ? saturate(odd) : odd, c->rounding); break;
  case WEIR_T_F32: bits = bits32(c->sat ? (float)saturate(odd) : weir_integer32(x, c->rounding)); break;
  default: bits = bits64(c->sat ? saturate(odd) : weir_integer64(x, c->rounding));
  }
  return bits;
}

uint64_t weir_convert(const struct weir_conversion *c, uint64_t bits) {
  if (is_float(c->from)) {
    const double x = float_of(bits, c->from, c->ftz);
    return is_float(c->to) ? float_from_float(x, c) : integer_from_float(x, c);
  }
  const __int128 x = integer_of(bits, c->from);
  if (is_float(c->to)) return float_from_integer(x, c);
  return (uint64_t)(c->sat ? clamp(x, c->to) : x);
}
