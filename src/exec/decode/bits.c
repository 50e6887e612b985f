// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/decode/decode.h"
#include "exec/special.h"

// Operations whose body follows from the type alone: bytes of the result, the operands, 0 for "the type's".
struct family {
  uint16_t opcode;
  uint8_t sub, operands, result, second, third;
  uint16_t body[WEIR_TYPE_COUNT];
};

#define B2(name)                                                                                                       \
  { [WEIR_T_B16] = WEIR_X_##name##_b32, [WEIR_T_B32] = WEIR_X_##name##_b32, [WEIR_T_B64] = WEIR_X_##name##_b64 }
#define SIGN4(name)                                                                                                    \
  {                                                                                                                    \
    [WEIR_T_U32] = WEIR_X_##name##_u32, [WEIR_T_S32] = WEIR_X_##name##_s32, [WEIR_T_U64] = WEIR_X_##name##_u64,        \
    [WEIR_T_S64] = WEIR_X_##name##_s64                                                                                 \
  }
#define ONLY32(name)                                                                                                   \
  { [WEIR_T_B32] = WEIR_X_##name, [WEIR_T_U32] = WEIR_X_##name, [WEIR_T_S32] = WEIR_X_##name }

static const struct family families[] = {
  {WEIR_OP_AND, 0, 2, 0, 0, 0, B2(and)},
  {WEIR_OP_OR, 0, 2, 0, 0, 0, B2(or)},
  {WEIR_OP_XOR, 0, 2, 0, 0, 0, B2(xor)},
  {WEIR_OP_NOT, 0, 1, 0, 0, 0, B2(not )},
  {WEIR_OP_PRMT, 0, 3, 4, 4, 4, ONLY32(prmt)},
  {WEIR_OP_PRMT, WEIR_SUB_F4E, 3, 4, 4, 4, ONLY32(prmt_f4e)},
  {WEIR_OP_PRMT, WEIR_SUB_B4E, 3, 4, 4, 4, ONLY32(prmt_b4e)},
  {WEIR_OP_PRMT, WEIR_SUB_RC8, 3, 4, 4, 4, ONLY32(prmt_rc8)},
  {WEIR_OP_PRMT, WEIR_SUB_RC16, 3, 4, 4, 4, ONLY32(prmt_rc16)},
  {WEIR_OP_PRMT, WEIR_SUB_ECL, 3, 4, 4, 4, ONLY32(prmt_ecl)},
  {WEIR_OP_PRMT, WEIR_SUB_ECR, 3, 4, 4, 4, ONLY32(prmt_ecr)},
};

static void operate(struct weir_decoder *d, unsigned body, unsigned operands, unsigned result, const unsigned *width) {
  const struct weir_operand *o = d->in->operands;
  struct weir_ref s[3] = {{0}, {0}, {0}};
  for (unsigned k = 0; k < operands; k++) s[k] = weir_source(d, &o[k + 1], width[k]);
  struct weir_insn *i = weir_emit(d, body);
  weir_set_a(i, s[0]);
  weir_set_b(i, s[1]);
  weir_set_c(i, s[2]);
  const uint32_t to = i->d = weir_result(d, &o[0], result);
  weir_widen_result(d, &o[0], result, to, weir_type_class(d->in->form.type) == 's');
}

void weir_decode_by_type(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  for (unsigned k = 0; k < sizeof families / sizeof *families; k++) {
    const struct family *p = &families[k];
    if (p->opcode != d->in->opcode || p->sub != f->sub || !p->body[f->type]) continue;
    const unsigned w = weir_width(f->type);
    operate(d, p->body[f->type], p->operands, p->result ? p->result : w,
            (const unsigned[]){w, p->second ? p->second : w, p->third ? p->third : w});
    return;
  }
  weir_unknown_form(d);
}

void weir_decode_funnel(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  const bool left = f->sub == WEIR_SUB_L;
  operate(d,
          f->wrap ? (left ? WEIR_X_shf_l_wrap : WEIR_X_shf_r_wrap) : (left ? WEIR_X_shf_l_clamp : WEIR_X_shf_r_clamp),
          3, 4, (const unsigned[]){4, 4, 4});
}

void weir_decode_insert_field(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  const unsigned w = weir_width(d->in->form.type);
  const struct weir_ref a = weir_source(d, &o[1], w), b = weir_source(d, &o[2], w), c = weir_source(d, &o[3], 4);
  struct weir_ref *length = weir_arena_new(&d->program->arena, struct weir_ref);
  *length = weir_source(d, &o[4], 4);
  struct weir_insn *i = weir_emit(d, w == 8 ? WEIR_X_bfi_b64 : WEIR_X_bfi_b32);
  weir_set_a(i, a);
  weir_set_b(i, b);
  weir_set_c(i, c);
  i->list = length;
  i->d = weir_result(d, &o[0], w);
}

void weir_decode_find_bit(struct weir_decoder *d) {
  static const uint16_t plain[WEIR_TYPE_COUNT] = SIGN4(bfind), shift[WEIR_TYPE_COUNT] = SIGN4(bfindshift);
  const struct weir_form *f = &d->in->form;
  operate(d, (f->shiftamt ? shift : plain)[f->type], 1, 4, (const unsigned[]){weir_width(f->type)});
}

// lop3.or d|p, …, q: p says whether the outcome is not zero, combined with q.
static void logic3_predicate(struct weir_decoder *d, uint32_t outcome) {
  const struct weir_operand *o = d->in->operands, *p = o[0].kind == WEIR_OPERAND_PAIR ? &o[0].parts[1] : NULL;
  bool negated;
  const struct weir_ref q = weir_source_predicate(d, &o[5], &negated);
  if (q.bank != WEIR_BANK_FRAME) weir_cannot(d, "the last operand should be a predicate register");
  struct weir_setp_tail *tail = weir_arena_new(&d->program->arena, struct weir_setp_tail);
  *tail = (struct weir_setp_tail){WEIR_PC_NONE, q.offset, d->in->form.sub, true, negated};
  struct weir_insn *i = weir_emit(d, WEIR_X_eq_32);
  weir_set_a(i, weir_in_frame(outcome));
  weir_set_b(i, weir_in_constants(weir_constant(&d->constants, 0, 4)));
  i->tail = tail;
  i->d = p ? weir_result(d, p, 1) : WEIR_PRED_SCRATCH;
}

void weir_decode_logic3(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands, *to = o[0].kind == WEIR_OPERAND_PAIR ? &o[0].parts[0] : &o[0];
  const struct weir_ref a = weir_source(d, &o[1], 4), b = weir_source(d, &o[2], 4), c = weir_source(d, &o[3], 4);
  struct weir_insn *i = weir_emit(d, WEIR_X_lop3);
  weir_set_a(i, a);
  weir_set_b(i, b);
  weir_set_c(i, c);
  i->imm = o[4].bits;
  if (d->in->operand_count <= 5) {
    i->d = weir_result(d, to, 4);
    return;
  }
  const uint32_t outcome = i->d = weir_temporary(d);
  logic3_predicate(d, outcome);
  struct weir_insn *move = weir_emit(d, WEIR_X_mov_b32);
  weir_set_a(move, weir_in_frame(outcome));
  move->d = weir_result(d, to, 4);
}

void weir_decode_dot(struct weir_decoder *d) {
  static const uint16_t body[2][4] = {{WEIR_X_dp4a_uu, WEIR_X_dp4a_us, WEIR_X_dp4a_su, WEIR_X_dp4a_ss},
                                      {WEIR_X_dp2a_uu, WEIR_X_dp2a_us, WEIR_X_dp2a_su, WEIR_X_dp2a_ss}};
  const struct weir_form *f = &d->in->form;
  const unsigned b_type = f->source_type == WEIR_T_NONE ? f->type : f->source_type;
  const unsigned signs = (weir_type_class(f->type) == 's' ? 2u : 0) + (weir_type_class(b_type) == 's' ? 1u : 0);
  const bool two = d->in->opcode == WEIR_OP_DP2A;
  operate(d, body[two][signs], 3, 4, (const unsigned[]){4, 4, 4});
  d->bodies[d->count - 1].imm = f->sub == WEIR_SUB_HI;
}

void weir_decode_mask_bits(struct weir_decoder *d) {
  operate(d, d->in->form.wrap ? WEIR_X_bmsk_wrap : WEIR_X_bmsk_clamp, 2, 4, (const unsigned[]){4, 4});
}

void weir_decode_extend_sign(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  const bool is_signed = weir_type_class(f->type) == 's';
  operate(d,
          f->wrap ? (is_signed ? WEIR_X_szext_s32_wrap : WEIR_X_szext_u32_wrap)
                  : (is_signed ? WEIR_X_szext_s32_clamp : WEIR_X_szext_u32_clamp),
          2, 4, (const unsigned[]){4, 4});
}

// and, or, xor, not, mov on predicates.
void weir_decode_predicates(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  unsigned body;
  switch (d->in->opcode) {
  case WEIR_OP_AND: body = WEIR_X_and_pred; break;
  case WEIR_OP_OR: body = WEIR_X_or_pred; break;
  case WEIR_OP_XOR: body = WEIR_X_xor_pred; break;
  case WEIR_OP_NOT: body = WEIR_X_not_pred; break;
  case WEIR_OP_MOV: body = WEIR_X_mov_pred; break;
  default: weir_unknown_form(d); return;
  }
  bool flip_a, flip_b = false;
  const struct weir_ref a = weir_source_predicate(d, &o[1], &flip_a);
  const struct weir_ref b = d->in->operand_count > 2 ? weir_source_predicate(d, &o[2], &flip_b) : a;
  struct weir_insn *i = weir_emit(d, body);
  weir_set_a(i, a);
  weir_set_b(i, b);
  i->sub = (uint8_t)((flip_a ? 1 : 0) | (flip_b ? 2 : 0));
  i->d = weir_result(d, &o[0], 1);
}

void weir_decode_logic(struct weir_decoder *d) {
  if (d->in->form.type == WEIR_T_PRED)
    weir_decode_predicates(d);
  else
    weir_decode_by_type(d);
}

void weir_decode_select(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  const unsigned w = weir_width(d->in->form.type);
  bool flip;
  const struct weir_ref a = weir_source_float(d, &o[1], w), b = weir_source_float(d, &o[2], w);
  const struct weir_ref c = weir_source_predicate(d, &o[3], &flip);
  struct weir_insn *i = weir_emit(d, w == 8 ? WEIR_X_selp_b64 : WEIR_X_selp_b32);
  weir_set_a(i, a);
  weir_set_b(i, b);
  weir_set_c(i, c);
  i->sub = flip;
  i->d = weir_result(d, &o[0], w);
}

void weir_decode_select_by_sign(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  const struct weir_operand *o = d->in->operands;
  const bool wide = weir_width(f->type) == 8;
  const bool is_float = f->source_type == WEIR_T_F32;
  const unsigned body = !is_float ? (wide ? WEIR_X_slct_b64_s32 : WEIR_X_slct_b32_s32)
    : f->ftz                      ? (wide ? WEIR_X_slct_b64_z32 : WEIR_X_slct_b32_z32)
                                  : (wide ? WEIR_X_slct_b64_f32 : WEIR_X_slct_b32_f32);
  const struct weir_ref a = weir_source_float(d, &o[1], wide ? 8 : 4), b = weir_source_float(d, &o[2], wide ? 8 : 4);
  const struct weir_ref c = weir_source_float(d, &o[3], 4);
  struct weir_insn *i = weir_emit(d, body);
  weir_set_a(i, a);
  weir_set_b(i, b);
  weir_set_c(i, c);
  i->d = weir_result(d, &o[0], wide ? 8 : 4);
}
