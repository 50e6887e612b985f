// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/decode/decode.h"
#include "exec/special.h"

#define SIX(name)                                                                                                      \
  {                                                                                                                    \
    [WEIR_T_U16] = WEIR_X_##name##_u16, [WEIR_T_S16] = WEIR_X_##name##_s16, [WEIR_T_U32] = WEIR_X_##name##_u32,        \
    [WEIR_T_S32] = WEIR_X_##name##_s32, [WEIR_T_U64] = WEIR_X_##name##_u64, [WEIR_T_S64] = WEIR_X_##name##_s64         \
  }
#define WRAP(name)                                                                                                     \
  {                                                                                                                    \
    [WEIR_T_U16] = WEIR_X_##name##_u16, [WEIR_T_S16] = WEIR_X_##name##_u16, [WEIR_T_U32] = WEIR_X_##name##_u32,        \
    [WEIR_T_S32] = WEIR_X_##name##_u32, [WEIR_T_U64] = WEIR_X_##name##_u64, [WEIR_T_S64] = WEIR_X_##name##_u64         \
  }
#define SIGNED(name)                                                                                                   \
  { [WEIR_T_S16] = WEIR_X_##name##_s16, [WEIR_T_S32] = WEIR_X_##name##_s32, [WEIR_T_S64] = WEIR_X_##name##_s64 }
#define NARROW(name)                                                                                                   \
  {                                                                                                                    \
    [WEIR_T_U16] = WEIR_X_##name##_u16, [WEIR_T_S16] = WEIR_X_##name##_s16, [WEIR_T_U32] = WEIR_X_##name##_u32,        \
    [WEIR_T_S32] = WEIR_X_##name##_s32                                                                                 \
  }

// Operation, number of operands, body by type. The bodies of WIDE products have results twice as wide.
struct family {
  uint16_t opcode;
  uint8_t sub, operands;
  uint16_t body[WEIR_TYPE_COUNT];
};

static const struct family families[] = {
  {WEIR_OP_ADD, 0, 2, WRAP(add)},
  {WEIR_OP_SUB, 0, 2, WRAP(sub)},
  {WEIR_OP_MUL, WEIR_SUB_LO, 2, WRAP(mul)},
  {WEIR_OP_MUL, WEIR_SUB_HI, 2, SIX(mulhi)},
  {WEIR_OP_MUL, WEIR_SUB_WIDE, 2, NARROW(mulwide)},
  {WEIR_OP_MAD, WEIR_SUB_LO, 3, WRAP(mad)},
  {WEIR_OP_MAD, WEIR_SUB_HI, 3, SIX(madhi)},
  {WEIR_OP_MAD, WEIR_SUB_WIDE, 3, NARROW(madwide)},
  {WEIR_OP_DIV, 0, 2, SIX(div)},
  {WEIR_OP_ABS, 0, 1, SIGNED(abs)},
  {WEIR_OP_NEG, 0, 1, WRAP(neg)},
  {WEIR_OP_MIN, 0, 2, SIX(min)},
  {WEIR_OP_MAX, 0, 2, SIX(max)},
};

// Packed and saturating forms, each with its own body: all its operands have 32 bits.
struct form {
  uint16_t opcode;
  uint8_t sub, type;
  bool sat, relu;
  uint16_t body;
};

static const struct form forms[] = {
  {WEIR_OP_ADD, 0, WEIR_T_S32, true, false, WEIR_X_addsat_s32},
  {WEIR_OP_SUB, 0, WEIR_T_S32, true, false, WEIR_X_subsat_s32},
  {WEIR_OP_MAD, WEIR_SUB_HI, WEIR_T_S32, true, false, WEIR_X_madhisat_s32},
  {WEIR_OP_MIN, 0, WEIR_T_S32, false, true, WEIR_X_minrelu_s32},
  {WEIR_OP_MAX, 0, WEIR_T_S32, false, true, WEIR_X_maxrelu_s32},
  {WEIR_OP_ADD, 0, WEIR_T_U16X2, false, false, WEIR_X_add_u16x2},
  {WEIR_OP_ADD, 0, WEIR_T_S16X2, false, false, WEIR_X_add_u16x2},
  {WEIR_OP_MIN, 0, WEIR_T_U16X2, false, false, WEIR_X_min_u16x2},
  {WEIR_OP_MIN, 0, WEIR_T_S16X2, false, false, WEIR_X_min_s16x2},
  {WEIR_OP_MAX, 0, WEIR_T_U16X2, false, false, WEIR_X_max_u16x2},
  {WEIR_OP_MAX, 0, WEIR_T_S16X2, false, false, WEIR_X_max_s16x2},
  {WEIR_OP_MUL24, WEIR_SUB_LO, WEIR_T_U32, false, false, WEIR_X_mul24_u32},
  {WEIR_OP_MUL24, WEIR_SUB_LO, WEIR_T_S32, false, false, WEIR_X_mul24_s32},
  {WEIR_OP_MUL24, WEIR_SUB_HI, WEIR_T_U32, false, false, WEIR_X_mul24hi_u32},
  {WEIR_OP_MUL24, WEIR_SUB_HI, WEIR_T_S32, false, false, WEIR_X_mul24hi_s32},
  {WEIR_OP_MAD24, WEIR_SUB_LO, WEIR_T_U32, false, false, WEIR_X_mad24_u32},
  {WEIR_OP_MAD24, WEIR_SUB_LO, WEIR_T_S32, false, false, WEIR_X_mad24_s32},
  {WEIR_OP_MAD24, WEIR_SUB_HI, WEIR_T_U32, false, false, WEIR_X_mad24hi_u32},
  {WEIR_OP_MAD24, WEIR_SUB_HI, WEIR_T_S32, false, false, WEIR_X_mad24hi_s32},
  {WEIR_OP_MAD24, WEIR_SUB_HI, WEIR_T_S32, true, false, WEIR_X_mad24hisat_s32},
};

// Result of `wide`, operands of `width`, the third of `third` bytes.
static void arithmetic(struct weir_decoder *d, unsigned body, unsigned operands, unsigned wide, unsigned width,
                       unsigned third) {
  const struct weir_operand *o = d->in->operands;
  struct weir_ref a = weir_source(d, &o[1], width), b = {0}, c = {0};
  if (operands > 1) b = weir_source(d, &o[2], width);
  if (operands > 2) c = weir_source(d, &o[3], third);
  struct weir_insn *i = weir_emit(d, body);
  weir_set_a(i, a);
  weir_set_b(i, b);
  weir_set_c(i, c);
  const uint32_t to = i->d = weir_result(d, &o[0], wide);
  weir_widen_result(d, &o[0], wide, to, weir_type_class(d->in->form.type) == 's');
}

static bool carries(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  const struct weir_operand *o = d->in->operands;
  const bool in = d->in->opcode == WEIR_OP_ADDC || d->in->opcode == WEIR_OP_SUBC || d->in->opcode == WEIR_OP_MADC;
  const unsigned width = weir_width(f->type);
  if (!in && !f->carry_out) return false;
  struct weir_ref c = {0};
  const struct weir_ref a = weir_source(d, &o[1], width), b = weir_source(d, &o[2], width);
  enum weir_carry sum = WEIR_CARRY_ADD;
  switch (d->in->opcode) {
  case WEIR_OP_ADD:
  case WEIR_OP_ADDC: break;
  case WEIR_OP_SUB:
  case WEIR_OP_SUBC: sum = WEIR_CARRY_SUB; break;
  case WEIR_OP_MAD:
  case WEIR_OP_MADC:
    c = weir_source(d, &o[3], width);
    sum = f->sub == WEIR_SUB_LO         ? WEIR_CARRY_MAD_LO
      : weir_type_class(f->type) == 's' ? WEIR_CARRY_MAD_HI_SIGNED
                                        : WEIR_CARRY_MAD_HI;
    break;
  default: return false;
  }
  struct weir_insn *i = weir_emit(d, width == 8 ? WEIR_X_carry64 : WEIR_X_carry32);
  weir_set_a(i, a);
  weir_set_b(i, b);
  weir_set_c(i, c);
  i->d = weir_result(d, &o[0], width);
  i->imm = sum;
  i->sub = (uint8_t)((in ? WEIR_CARRY_IN : 0) | (f->carry_out ? WEIR_CARRY_OUT : 0));
  return true;
}

void weir_decode_integer(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  if (carries(d)) return;
  for (unsigned k = 0; k < sizeof forms / sizeof *forms; k++) {
    const struct form *p = &forms[k];
    if (p->opcode != d->in->opcode || p->sub != f->sub || p->type != f->type || p->sat != f->sat || p->relu != f->relu)
      continue;
    arithmetic(d, p->body, d->in->operand_count - 1u, 4, 4, 4);
    return;
  }
  for (unsigned k = 0; k < sizeof families / sizeof *families; k++) {
    const struct family *p = &families[k];
    if (p->opcode != d->in->opcode || p->sub != f->sub || !p->body[f->type]) continue;
    const unsigned width = weir_width(f->type);
    const unsigned wide = f->sub == WEIR_SUB_WIDE && weir_type_bytes(f->type) == 4 ? 8 : width;
    arithmetic(d, p->body[f->type], p->operands, wide, width, wide);
    return;
  }
  weir_unknown_form(d);
}
