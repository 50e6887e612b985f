// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Conversions of every kind and half-precision arithmetic.
#include "exec/convert.h"
#include "exec/decode/decode.h"
#include "exec/special.h"

struct weir_ref weir_half_to_f32(struct weir_decoder *d, struct weir_ref from, unsigned type) {
  struct weir_insn *i =
    weir_emit_conversion(d, &(struct weir_conversion){.to = WEIR_T_F32, .from = (uint8_t)type}, from);
  return weir_in_frame(i->d = weir_temporary(d));
}

// cvt.rn.f16x2.f32 d, a, b: a goes to the upper half.
void weir_convert_packed(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  const struct weir_operand *o = d->in->operands;
  const struct weir_conversion c = {
    f->type == WEIR_T_F16X2 ? WEIR_T_F16 : WEIR_T_BF16, WEIR_T_F32, (uint8_t)f->rounding, f->sat, f->ftz, f->relu};
  struct weir_ref part[2];
  for (unsigned k = 0; k < 2; k++) {
    struct weir_insn *i = weir_emit_conversion(d, &c, weir_source_float(d, &o[2 - k], 4));
    part[k] = weir_in_frame(i->d = weir_temporary(d));
  }
  struct weir_insn *i = weir_emit(d, WEIR_X_pack_b32);
  weir_set_a(i, part[0]);
  weir_set_b(i, part[1]);
  i->d = weir_result(d, &o[0], 4);
}

// ---- 8-bit floating point ---------------------------------------------------------------------------------------------

bool weir_is_byte_pair(unsigned type) {
  return type == WEIR_T_E4M3X2 || type == WEIR_T_E5M2X2;
}

// Of a pair, type of each.
static unsigned single(unsigned type) {
  switch (type) {
  case WEIR_T_E4M3X2: return WEIR_T_E4M3;
  case WEIR_T_E5M2X2: return WEIR_T_E5M2;
  case WEIR_T_F16X2: return WEIR_T_F16;
  default: return type;
  }
}

static struct weir_ref part_of(struct weir_decoder *d, struct weir_ref pair, unsigned bit) {
  struct weir_insn *i = weir_emit(d, WEIR_X_part_b32);
  weir_set_a(i, pair);
  i->imm = bit;
  return weir_in_frame(i->d = weir_temporary(d));
}

// Two numbers (the first is the upper part of what is made), or a pair, to a pair; one of both pairs is of bytes.
void weir_convert_byte_pair(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  const struct weir_operand *o = d->in->operands;
  const unsigned from = single(f->source_type), to = single(f->type);
  const struct weir_conversion c = {
    .to = (uint8_t)to, .from = (uint8_t)from, .rounding = WEIR_ROUND_RN, .relu = f->relu};
  const struct weir_ref whole = weir_source_float(d, &o[1], 4);
  struct weir_ref part[2];
  for (unsigned k = 0; k < 2; k++) {
    const struct weir_ref a = d->in->operand_count > 2
      ? (k ? whole : weir_source_float(d, &o[2], 4))
      : part_of(d, whole, k * 8 * weir_type_bytes((enum weir_type)from));
    struct weir_insn *i = weir_emit_conversion(d, &c, a);
    part[k] = weir_in_frame(i->d = weir_temporary(d));
  }
  struct weir_insn *i = weir_emit(d, to == WEIR_T_F16 ? WEIR_X_pack_b32 : WEIR_X_pack_b16);
  weir_set_a(i, part[0]);
  weir_set_b(i, part[1]);
  i->d = weir_result(d, &o[0], 4);
}

// ---- half-precision arithmetic --------------------------------------------------------------------------------------

static int half_op(unsigned opcode) {
  switch (opcode) {
  case WEIR_OP_ADD: return WEIR_HALF_ADD;
  case WEIR_OP_SUB: return WEIR_HALF_SUB;
  case WEIR_OP_MUL: return WEIR_HALF_MUL;
  case WEIR_OP_FMA: return WEIR_HALF_FMA;
  case WEIR_OP_EX2: return WEIR_HALF_EX2;
  case WEIR_OP_TANH: return WEIR_HALF_TANH;
  case WEIR_OP_ABS: return WEIR_HALF_ABS;
  case WEIR_OP_NEG: return WEIR_HALF_NEG;
  case WEIR_OP_MIN: return WEIR_HALF_MIN;
  case WEIR_OP_MAX: return WEIR_HALF_MAX;
  default: return -1;
  }
}

// The vector body of an operation without modifiers, or 0.
static unsigned half_body(unsigned op, unsigned type) {
#define FORMAT(name)                                                                                                   \
  { WEIR_X_##name##_f16, WEIR_X_##name##_f16x2, WEIR_X_##name##_bf16, WEIR_X_##name##_bf16x2 }
#define EITHER(name)                                                                                                   \
  { WEIR_X_##name##_half, WEIR_X_##name##_halfx2, WEIR_X_##name##_half, WEIR_X_##name##_halfx2 }
  static const uint16_t bodies[][4] = {
    [WEIR_HALF_ADD] = FORMAT(add), [WEIR_HALF_SUB] = FORMAT(sub), [WEIR_HALF_MUL] = FORMAT(mul),
    [WEIR_HALF_FMA] = FORMAT(fma), [WEIR_HALF_MIN] = FORMAT(min), [WEIR_HALF_MAX] = FORMAT(max),
    [WEIR_HALF_ABS] = EITHER(abs), [WEIR_HALF_NEG] = EITHER(neg)};
#undef EITHER
#undef FORMAT
  const unsigned format = type == WEIR_T_F16 ? 0 : type == WEIR_T_F16X2 ? 1 : type == WEIR_T_BF16 ? 2 : 3;
  return op < sizeof bodies / sizeof *bodies ? bodies[op][format] : 0;
}

void weir_decode_half(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  const struct weir_operand *o = d->in->operands;
  const int op = half_op(d->in->opcode);
  const bool is_half =
    f->type == WEIR_T_F16 || f->type == WEIR_T_F16X2 || f->type == WEIR_T_BF16 || f->type == WEIR_T_BF16X2;
  if (op < 0 || !is_half) {
    weir_unknown_form(d);
    return;
  }
  struct weir_ref s[3] = {{0}, {0}, {0}};
  for (unsigned k = 1; k < d->in->operand_count && k <= 3; k++) s[k - 1] = weir_source(d, &o[k], 4);
  const bool plain = !(f->sat || f->relu || f->ftz || f->nan || f->xorsign_abs);
  const unsigned body = plain ? half_body((unsigned)op, f->type) : 0;
  struct weir_insn *i = weir_emit(d, body ? body : WEIR_X_half);
  weir_set_a(i, s[0]);
  weir_set_b(i, s[1]);
  weir_set_c(i, s[2]);
  i->type = f->type;
  i->imm = (uint64_t)op | (f->sat ? WEIR_HALF_SAT : 0u) | (f->relu ? WEIR_HALF_RELU : 0u) |
    (f->ftz ? WEIR_HALF_FTZ : 0u) | (f->nan ? WEIR_HALF_NAN : 0u) | (f->xorsign_abs ? WEIR_HALF_XORSIGN : 0u);
  i->d = weir_result(d, &o[0], 4);
}
