// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/decode/decode.h"

// A comparison as one of the bodies: which, with operands swapped, with the outcome inverted. lt(b, a) is a > b, and
// so on; the unordered forms are the inverses of ordered ones.
enum basic { EQ, LT, LE, EQU, NUM, BASICS };
struct plan {
  uint8_t basic;
  bool swap, invert;
};

static const struct plan integer_plan[] = {
  [WEIR_CMP_EQ] = {EQ, false, false}, [WEIR_CMP_NE] = {EQ, false, true}, [WEIR_CMP_LT] = {LT, false, false},
  [WEIR_CMP_GE] = {LT, false, true},  [WEIR_CMP_GT] = {LT, true, false}, [WEIR_CMP_LE] = {LT, true, true},
  [WEIR_CMP_LO] = {LT, false, false}, [WEIR_CMP_HS] = {LT, false, true}, [WEIR_CMP_HI] = {LT, true, false},
  [WEIR_CMP_LS] = {LT, true, true},
};
static const struct plan float_plan[] = {
  [WEIR_CMP_EQ] = {EQ, false, false},   [WEIR_CMP_NE] = {EQU, false, true},  [WEIR_CMP_LT] = {LT, false, false},
  [WEIR_CMP_LE] = {LE, false, false},   [WEIR_CMP_GT] = {LT, true, false},   [WEIR_CMP_GE] = {LE, true, false},
  [WEIR_CMP_EQU] = {EQU, false, false}, [WEIR_CMP_NEU] = {EQ, false, true},  [WEIR_CMP_LTU] = {LE, true, true},
  [WEIR_CMP_LEU] = {LT, true, true},    [WEIR_CMP_GTU] = {LE, false, true},  [WEIR_CMP_GEU] = {LT, false, true},
  [WEIR_CMP_NUM] = {NUM, false, false}, [WEIR_CMP_NAN] = {NUM, false, true},
};

static const uint16_t float_bodies[3][BASICS] = {
  {WEIR_X_eq_f32, WEIR_X_lt_f32, WEIR_X_le_f32, WEIR_X_equ_f32, WEIR_X_num_f32},
  {WEIR_X_eq_z32, WEIR_X_lt_z32, WEIR_X_le_z32, WEIR_X_equ_z32, WEIR_X_num_z32},
  {WEIR_X_eq_f64, WEIR_X_lt_f64, WEIR_X_le_f64, WEIR_X_equ_f64, WEIR_X_num_f64},
};
static const uint16_t equal_bodies[WEIR_TYPE_COUNT] = {
  [WEIR_T_U16] = WEIR_X_eq_16, [WEIR_T_S16] = WEIR_X_eq_16, [WEIR_T_B16] = WEIR_X_eq_16,
  [WEIR_T_U32] = WEIR_X_eq_32, [WEIR_T_S32] = WEIR_X_eq_32, [WEIR_T_B32] = WEIR_X_eq_32,
  [WEIR_T_U64] = WEIR_X_eq_64, [WEIR_T_S64] = WEIR_X_eq_64, [WEIR_T_B64] = WEIR_X_eq_64,
};
static const uint16_t less_bodies[WEIR_TYPE_COUNT] = {
  [WEIR_T_U16] = WEIR_X_lt_u16, [WEIR_T_S16] = WEIR_X_lt_s16, [WEIR_T_B16] = WEIR_X_lt_u16,
  [WEIR_T_U32] = WEIR_X_lt_u32, [WEIR_T_S32] = WEIR_X_lt_s32, [WEIR_T_B32] = WEIR_X_lt_u32,
  [WEIR_T_U64] = WEIR_X_lt_u64, [WEIR_T_S64] = WEIR_X_lt_s64, [WEIR_T_B64] = WEIR_X_lt_u64,
};

static struct weir_setp_tail *new_tail(struct weir_decoder *d) {
  struct weir_setp_tail *t = weir_arena_new(&d->program->arena, struct weir_setp_tail);
  t->complement = WEIR_PC_NONE;
  return t;
}

static bool is_half(unsigned type) {
  return type == WEIR_T_F16 || type == WEIR_T_BF16 || type == WEIR_T_F16X2 || type == WEIR_T_BF16X2;
}

// Element `part` of a half or a pair of them, as f32.
static struct weir_ref half_source(struct weir_decoder *d, const struct weir_operand *o, unsigned type, unsigned part) {
  struct weir_ref r = weir_source(d, o, 4);
  if (part) {
    struct weir_insn *i = weir_emit(d, WEIR_X_part_b32);
    weir_set_a(i, r);
    i->imm = 16;
    r = weir_in_frame(i->d = weir_temporary(d));
  }
  return weir_half_to_f32(d, r, type == WEIR_T_F16 || type == WEIR_T_F16X2 ? WEIR_T_F16 : WEIR_T_BF16);
}

static unsigned body_of(unsigned type, const struct weir_form *f, unsigned basic) {
  if (is_half(type)) return float_bodies[0][basic];
  if (type == WEIR_T_F32) return float_bodies[f->ftz][basic];
  if (type == WEIR_T_F64) return float_bodies[2][basic];
  return (basic == EQ ? equal_bodies : less_bodies)[type];
}

// Emits the comparison of operands 1 and 2 as `type` (of pairs, element `part`); the outcome goes to predicate `to`.
static struct weir_setp_tail *compare(struct weir_decoder *d, unsigned type, unsigned part, uint32_t to) {
  const struct weir_form *f = &d->in->form;
  const struct weir_operand *o = d->in->operands;
  struct weir_setp_tail *tail = new_tail(d);
  const bool half = is_half(type), is_float = weir_type_class((enum weir_type)type) == 'f';
  const struct plan p = is_float ? float_plan[f->compare] : integer_plan[f->compare];
  const unsigned width = weir_width(type);
  const struct weir_ref x = half ? half_source(d, &o[1], type, part) : weir_source_float(d, &o[1], width);
  const struct weir_ref y = half ? half_source(d, &o[2], type, part) : weir_source_float(d, &o[2], width);
  struct weir_insn *i = weir_emit(d, body_of(type, f, p.basic));
  weir_set_a(i, p.swap ? y : x);
  weir_set_b(i, p.swap ? x : y);
  i->d = to;
  i->tail = tail;
  tail->invert = p.invert;
  return tail;
}

static void boolean(struct weir_decoder *d, struct weir_setp_tail *tail) {
  const struct weir_form *f = &d->in->form;
  if (!f->boolean) return;
  tail->boolean = f->boolean;
  bool negated;
  const struct weir_ref with = weir_source_predicate(d, &d->in->operands[3], &negated);
  tail->with = with.offset;
  tail->flip_with = negated;
  if (with.bank != WEIR_BANK_FRAME) weir_cannot(d, "the third operand should be a predicate register");
}

// Of a pair of halves p and q are the two elements' outcomes, else the outcome and its complement.
void weir_decode_compare(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  const unsigned type = d->in->form.type;
  const bool pair = o[0].kind == WEIR_OPERAND_PAIR;
  const uint32_t p = weir_result(d, pair ? &o[0].parts[0] : &o[0], 1);
  const bool has_q = pair && o[0].parts[1].kind != WEIR_OPERAND_SINK;
  const uint32_t q = has_q ? weir_result(d, &o[0].parts[1], 1) : WEIR_PC_NONE;
  struct weir_setp_tail *tail = compare(d, type, 0, p);
  boolean(d, tail);
  if (type != WEIR_T_F16X2 && type != WEIR_T_BF16X2)
    tail->complement = q;
  else if (has_q)
    boolean(d, compare(d, type, 1, q));
}

// All ones, or 1.0 in the destination's type.
static uint64_t true_value(unsigned type) {
  switch (type) {
  case WEIR_T_F32: return UINT32_C(0x3f800000);
  case WEIR_T_F16:
  case WEIR_T_F16X2: return 0x3c00;
  case WEIR_T_BF16:
  case WEIR_T_BF16X2: return 0x3f80;
  default: return UINT32_MAX;
  }
}

static void choose(struct weir_decoder *d, uint64_t yes, uint32_t to) {
  struct weir_insn *i = weir_emit(d, WEIR_X_selp_b32);
  weir_set_a(i, weir_in_constants(weir_constant(&d->constants, yes, 4)));
  weir_set_b(i, weir_in_constants(weir_constant(&d->constants, 0, 4)));
  weir_set_c(i, weir_in_frame(WEIR_PRED_SCRATCH));
  i->d = to;
}

void weir_decode_set(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  const uint32_t to = weir_result(d, &d->in->operands[0], 4);
  boolean(d, compare(d, f->source_type, 0, WEIR_PRED_SCRATCH));
  if (f->source_type != WEIR_T_F16X2 && f->source_type != WEIR_T_BF16X2) {
    choose(d, true_value(f->type), to);
    return;
  }
  const uint32_t low = weir_temporary(d), high = weir_temporary(d);
  choose(d, true_value(f->type), low);
  boolean(d, compare(d, f->source_type, 1, WEIR_PRED_SCRATCH));
  choose(d, true_value(f->type), high);
  struct weir_insn *i = weir_emit(d, WEIR_X_pack_b32);
  weir_set_a(i, weir_in_frame(low));
  weir_set_b(i, weir_in_frame(high));
  i->d = to;
}

void weir_decode_test(struct weir_decoder *d) {
  static const uint16_t body[2][5] = {
    {WEIR_X_finite_f32, WEIR_X_infinite_f32, WEIR_X_number_f32, WEIR_X_normal_f32, WEIR_X_subnormal_f32},
    {WEIR_X_finite_f64, WEIR_X_infinite_f64, WEIR_X_number_f64, WEIR_X_normal_f64, WEIR_X_subnormal_f64}};
  static const uint8_t column[] = {[WEIR_SUB_FINITE] = 0,     [WEIR_SUB_INFINITE] = 1, [WEIR_SUB_NUMBER] = 2,
                                   [WEIR_SUB_NOTANUMBER] = 2, [WEIR_SUB_NORMAL] = 3,   [WEIR_SUB_SUBNORMAL] = 4};
  const struct weir_form *f = &d->in->form;
  const struct weir_operand *o = d->in->operands;
  const bool wide = f->type == WEIR_T_F64;
  const struct weir_ref a = weir_source_float(d, &o[1], wide ? 8 : 4);
  struct weir_insn *i = weir_emit(d, body[wide][column[f->sub]]);
  weir_set_a(i, a);
  weir_set_b(i, a);
  i->d = weir_result(d, &o[0], 1);
  struct weir_setp_tail *tail = new_tail(d);
  tail->invert = f->sub == WEIR_SUB_NOTANUMBER;
  i->tail = tail;
}
