// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Rare number formats: the general conversion, and f16 and bf16 arithmetic. Lane by lane.
#include "base/bits.h"
#include "exec/approximate.h"
#include "exec/convert.h"
#include "exec/half.h"
#include "exec/ops/halves.h"
#include "exec/special.h"

// What a conversion is lies in the instruction's imm, byte by byte.
static struct weir_conversion conversion_of(uint64_t imm) {
  struct weir_conversion c = {(uint8_t)imm,  (uint8_t)(imm >> 8), (uint8_t)(imm >> 16),
                              imm >> 24 & 1, imm >> 25 & 1,       imm >> 26 & 1};
  return c;
}

static uint64_t element(const void *vector, unsigned width, unsigned lane) {
  return width == 8 ? ((const uint64_t *)vector)[lane] : ((const uint32_t *)vector)[lane];
}

static void put_element(void *vector, unsigned width, unsigned lane, uint64_t value) {
  if (width == 8)
    ((uint64_t *)vector)[lane] = value;
  else
    ((uint32_t *)vector)[lane] = (uint32_t)value;
}

static void op_convert(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {
  const struct weir_conversion c = conversion_of(i->imm);
  const unsigned from = weir_type_bytes((enum weir_type)c.from) == 8 ? 8 : 4;
  const unsigned to = weir_type_bytes((enum weir_type)c.to) == 8 ? 8 : 4;
  const void *a = weir_at(w, i->a_bank, i->a);
  void *d = weir_at(w, WEIR_BANK_FRAME, i->d);
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    put_element(d, to, l, weir_convert(&c, element(a, from, l)));
  }
}

// ---- halves ---------------------------------------------------------------------------------------------------------

enum { SIGN = 0x8000, MAGNITUDE = 0x7fff };

static uint32_t flush(const struct weir_half_format *f, uint32_t x) {
  return x & MAGNITUDE & ~((1u << f->mantissa_bits) - 1) ? x : x & SIGN;
}

static bool is_nan(const struct weir_half_format *f, uint32_t x) {
  return (x & MAGNITUDE) > ((1u << f->exponent_bits) - 1) << f->mantissa_bits;
}

static uint32_t extreme(const struct weir_half_format *f, const struct weir_insn *i, uint32_t a, uint32_t b) {
  const bool least = (i->imm & 0xff) == WEIR_HALF_MIN;
  const uint32_t sign = i->imm & WEIR_HALF_XORSIGN ? (a ^ b) & SIGN : 0;
  if (i->imm & WEIR_HALF_XORSIGN) a &= MAGNITUDE, b &= MAGNITUDE;
  if (is_nan(f, a) || is_nan(f, b)) {
    if ((i->imm & WEIR_HALF_NAN) || (is_nan(f, a) && is_nan(f, b))) return HALF_NAN;
    return (is_nan(f, a) ? b : a) ^ sign;
  }
  const double x = weir_half_value(f, a), y = weir_half_value(f, b);
  if (x == y) return (least ? a | b : a & b) ^ sign; // they differ at most in the sign of zero
  return ((x < y) == least ? a : b) ^ sign;
}

static uint32_t finish(const struct weir_half_format *f, const struct weir_insn *i, double x) {
  if (i->imm & WEIR_HALF_SAT) x = x > 0 ? (x < 1 ? x : 1) : 0;
  if ((i->imm & WEIR_HALF_RELU) && x <= 0) x = 0;
  const uint32_t r = weir_half_bits(f, x, WEIR_ROUND_RN);
  return i->imm & WEIR_HALF_FTZ ? flush(f, r) : r;
}

static uint32_t half(const struct weir_half_format *f, const struct weir_insn *i, uint32_t a, uint32_t b, uint32_t c) {
  if (i->imm & WEIR_HALF_FTZ) a = flush(f, a), b = flush(f, b), c = flush(f, c);
  const double x = weir_half_value(f, a), y = weir_half_value(f, b), z = weir_half_value(f, c);
  switch ((enum weir_half_op)(i->imm & 0xff)) {
  case WEIR_HALF_ADD: return finish(f, i, x + y);
  case WEIR_HALF_SUB: return finish(f, i, x - y);
  case WEIR_HALF_MUL: return finish(f, i, x * y);
  case WEIR_HALF_FMA: return finish(f, i, sum_odd(x * y, z));
  case WEIR_HALF_EX2: return finish(f, i, x != x ? x : power_of_two(clamp(x, -200, 200)));
  case WEIR_HALF_TANH: return finish(f, i, (double)approximate_tanh((float)x));
  case WEIR_HALF_ABS: return a & MAGNITUDE;
  case WEIR_HALF_NEG: return a ^ SIGN;
  case WEIR_HALF_MIN:
  case WEIR_HALF_MAX: return extreme(f, i, a, b);
  }
  return 0;
}

static const struct weir_half_format *format_of(unsigned type) {
  return type == WEIR_T_F16 || type == WEIR_T_F16X2 ? &weir_f16 : &weir_bf16;
}

static void op_half(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {
  const struct weir_half_format *f = format_of(i->type);
  const bool pair = i->type == WEIR_T_F16X2 || i->type == WEIR_T_BF16X2;
  const uint32_t *a = weir_at(w, i->a_bank, i->a), *b = weir_at(w, i->b_bank, i->b), *c = weir_at(w, i->c_bank, i->c);
  uint32_t *d = weir_at(w, WEIR_BANK_FRAME, i->d);
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    uint32_t r = half(f, i, a[l] & 0xffff, b[l] & 0xffff, c[l] & 0xffff);
    if (pair) r |= half(f, i, a[l] >> 16, b[l] >> 16, c[l] >> 16) << 16;
    d[l] = r;
  }
}

uint32_t weir_half_atomic(enum weir_half_op op, uint32_t a, uint32_t b, unsigned type) {
  const struct weir_insn plain = {.imm = op};
  const struct weir_half_format *f = format_of(type);
  const uint32_t low = half(f, &plain, a & 0xffff, b & 0xffff, 0);
  if (type == WEIR_T_F16 || type == WEIR_T_BF16) return low;
  return low | half(f, &plain, a >> 16, b >> 16, 0) << 16;
}

void weir_fill_numeric(struct weir_ops *t) {
  t->alu[WEIR_X_convert] = op_convert;
  t->alu[WEIR_X_half] = op_half;
}
