// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Rare number formats: the general conversion, and f16 and bf16 arithmetic. Lane by lane.
#include "base/bits.h"
#include "exec/convert.h"
#include "exec/half.h"
#include "exec/special.h"

// What a conversion is lies in the instruction's imm, byte by byte.
static struct weir_conversion conversion_of(uint64_t imm) {
  struct weir_conversion c = {(uint8_t)imm, (uint8_t)(imm >> 8), (uint8_t)(imm >> 16), imm >> 24 & 1, imm >> 25 & 1,
                              imm >> 26 & 1};
  return c;
}

static uint64_t element(const void *vector, unsigned width, unsigned lane) {
  return width == 8 ? ((const uint64_t *)vector)[lane] : ((const uint32_t *)vector)[lane];
}

static void put_element(void *vector, unsigned width, unsigned lane, uint64_t value) {
  if (width == 8) ((uint64_t *)vector)[lane] = value;
  else ((uint32_t *)vector)[lane] = (uint32_t)value;
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

static uint32_t add_half(const struct weir_half_format *f, uint32_t a, uint32_t b) {
  return weir_half_bits(f, weir_half_value(f, a & 0xffff) + weir_half_value(f, b & 0xffff), WEIR_ROUND_RN);
}

uint32_t weir_half_add(uint32_t a, uint32_t b, unsigned type) {
  const struct weir_half_format *f = type == WEIR_T_F16 || type == WEIR_T_F16X2 ? &weir_f16 : &weir_bf16;
  const uint32_t low = add_half(f, a, b);
  if (type == WEIR_T_F16 || type == WEIR_T_BF16) return low;
  return low | add_half(f, a >> 16, b >> 16) << 16;
}

void weir_fill_numeric(struct weir_ops *t) {
  t->alu[WEIR_X_convert] = op_convert;
}
