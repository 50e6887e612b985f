// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/decode/decode.h"

// Bodies for f32, f32 with .ftz, f64, in the nearest and in any other rounding.
struct family {
  uint16_t opcode;
  uint8_t operands;
  uint16_t nearest[3], directed[3];
};

#define THREE(name)                                                                                                    \
  { WEIR_X_##name##_f32, WEIR_X_##name##_z32, WEIR_X_##name##_f64 }
#define ROUNDED(name) THREE(name), THREE(name##_round)

static const struct family families[] = {
  {WEIR_OP_ADD, 2, ROUNDED(add)},
  {WEIR_OP_SUB, 2, ROUNDED(sub)},
  {WEIR_OP_MUL, 2, ROUNDED(mul)},
  {WEIR_OP_DIV, 2, ROUNDED(div)},
  {WEIR_OP_FMA, 3, ROUNDED(fma)},
  {WEIR_OP_MAD, 3, ROUNDED(fma)},
  {WEIR_OP_SQRT, 1, ROUNDED(sqrt)},
  {WEIR_OP_RCP, 1, ROUNDED(rcp)},
  {WEIR_OP_ABS, 1, {WEIR_X_abs_f32, WEIR_X_abs_z32, WEIR_X_abs_f64}, {0}},
  {WEIR_OP_NEG, 1, {WEIR_X_neg_f32, WEIR_X_neg_z32, WEIR_X_neg_f64}, {0}},
  {WEIR_OP_RSQRT, 1, {WEIR_X_rsqrt_f32, WEIR_X_rsqrt_z32, WEIR_X_rsqrt_f64}, {0}},
  {WEIR_OP_EX2, 1, {WEIR_X_ex2_f32, WEIR_X_ex2_z32, 0}, {0}},
  {WEIR_OP_TANH, 1, {WEIR_X_tanh_f32, WEIR_X_tanh_z32, 0}, {0}},
};

// min and max by .NaN (1) and .xorsign.abs (2).
static const uint16_t least[4][3] = {THREE(min),
                                     {WEIR_X_minnan_f32, WEIR_X_minnan_z32, 0},
                                     {WEIR_X_minsign_f32, WEIR_X_minsign_z32, 0},
                                     {WEIR_X_minnansign_f32, WEIR_X_minnansign_z32, 0}};
static const uint16_t most[4][3] = {THREE(max),
                                    {WEIR_X_maxnan_f32, WEIR_X_maxnan_z32, 0},
                                    {WEIR_X_maxsign_f32, WEIR_X_maxsign_z32, 0},
                                    {WEIR_X_maxnansign_f32, WEIR_X_maxnansign_z32, 0}};

static bool is_directed(unsigned rounding) {
  return rounding == WEIR_ROUND_RZ || rounding == WEIR_ROUND_RM || rounding == WEIR_ROUND_RP;
}

static unsigned body_of(const struct weir_instruction *in, const struct family *p, unsigned column) {
  const struct weir_form *f = &in->form;
  if (in->opcode == WEIR_OP_DIV && f->approx) return column == 1 ? WEIR_X_divapprox_z32 : WEIR_X_divapprox_f32;
  if (f->approx && column == 2) {
    if (in->opcode == WEIR_OP_RCP) return WEIR_X_rcpapprox_z64;
    if (in->opcode == WEIR_OP_RSQRT) return f->ftz ? WEIR_X_rsqrtapprox_z64 : WEIR_X_rsqrt_f64;
  }
  return is_directed(f->rounding) ? p->directed[column] : p->nearest[column];
}

// Clamping to [0, 1] is a body of its own, so the result goes to a temporary first.
static void deliver(struct weir_decoder *d, struct weir_insn *i, unsigned column, unsigned width) {
  static const uint16_t saturate[3] = THREE(sat);
  const struct weir_operand *to = &d->in->operands[0];
  if (!d->in->form.sat) {
    i->d = weir_result(d, to, width);
    return;
  }
  const uint32_t t = i->d = weir_temporary(d);
  struct weir_insn *s = weir_emit(d, saturate[column]);
  weir_set_a(s, weir_in_frame(t));
  s->d = weir_result(d, to, width);
}

// An operation of what has been read already, which has no destination yet.
static struct weir_insn *operate(struct weir_decoder *d, unsigned body, const struct weir_ref *from, unsigned count) {
  struct weir_insn *i = weir_emit(d, body);
  weir_set_a(i, from[0]);
  weir_set_b(i, from[count > 1 ? 1 : 0]);
  weir_set_c(i, from[count > 2 ? 2 : 0]);
  i->sub = d->in->form.rounding;
  return i;
}

static void arithmetic(struct weir_decoder *d, unsigned body, unsigned operands, unsigned column) {
  const unsigned width = column == 2 ? 8 : 4;
  struct weir_ref s[3];
  for (unsigned k = 0; k < operands; k++) s[k] = weir_source_float(d, &d->in->operands[k + 1], width);
  deliver(d, operate(d, body, s, operands), column, width);
}

// In single precision, to a temporary.
static struct weir_ref single(struct weir_decoder *d, unsigned body, const struct weir_ref *from, unsigned count) {
  return weir_in_frame(operate(d, body, from, count)->d = weir_temporary(d));
}

// The least or most of three: of two, and then of that and the third. Here .abs is of each, without .xorsign.
static void extreme_of_three(struct weir_decoder *d, unsigned column, unsigned body) {
  const struct weir_operand *o = d->in->operands;
  struct weir_ref s[3];
  for (unsigned k = 0; k < 3; k++) s[k] = weir_source_float(d, &o[k + 1], 4);
  for (unsigned k = 0; k < 3 && d->in->form.xorsign_abs; k++)
    s[k] = single(d, column ? WEIR_X_abs_z32 : WEIR_X_abs_f32, &s[k], 1);
  s[1] = single(d, body, s, 2);
  deliver(d, operate(d, body, s + 1, 2), column, 4);
}

static void extreme(struct weir_decoder *d, unsigned column) {
  const struct weir_form *f = &d->in->form;
  const bool three = d->in->operand_count > 3;
  const unsigned kind = (f->nan ? 1u : 0) + (f->xorsign_abs && !three ? 2u : 0);
  const unsigned body = (d->in->opcode == WEIR_OP_MIN ? least : most)[kind][column];
  if (three)
    extreme_of_three(d, column, body);
  else
    arithmetic(d, body, 2, column);
}

static const struct family *family_of(unsigned opcode) {
  for (unsigned k = 0; k < sizeof families / sizeof *families; k++)
    if (families[k].opcode == opcode) return &families[k];
  return NULL;
}

// Two numbers side by side in 64 bits.
static void decode_pair(struct weir_decoder *d) {
  static const uint16_t half_of[2] = {WEIR_X_low_b64, WEIR_X_high_b64};
  const struct weir_operand *o = d->in->operands;
  const struct family *p = family_of(d->in->opcode);
  if (!p) return weir_unknown_form(d);
  const unsigned body = body_of(d->in, p, d->in->form.ftz ? 1 : 0);
  struct weir_ref whole[3], s[3], result[2];
  for (unsigned k = 0; k < p->operands; k++) whole[k] = weir_source(d, &o[k + 1], 8);
  for (unsigned half = 0; half < 2; half++) {
    for (unsigned k = 0; k < p->operands; k++) s[k] = single(d, half_of[half], &whole[k], 1);
    result[half] = single(d, body, s, p->operands);
  }
  struct weir_insn *i = weir_emit(d, WEIR_X_pack_b64);
  weir_set_a(i, result[0]);
  weir_set_b(i, result[1]);
  i->d = weir_result(d, &o[0], 8);
}

// Sums in single precision of numbers in half, which are exact in it: all operands but the last are such.
static void decode_mixed(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  const struct weir_operand *o = d->in->operands;
  const struct family *p = family_of(d->in->opcode);
  if (!p) return weir_unknown_form(d);
  struct weir_ref s[3];
  for (unsigned k = 0; k + 1 < p->operands; k++)
    s[k] = weir_half_to_f32(d, weir_source(d, &o[k + 1], 4), f->source_type);
  s[p->operands - 1] = weir_source_float(d, &o[p->operands], 4);
  deliver(d, operate(d, body_of(d->in, p, 0), s, p->operands), 0, 4);
}

static void decode_float(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  const unsigned column = f->type == WEIR_T_F64 ? 2 : f->ftz ? 1 : 0;
  if (d->in->opcode == WEIR_OP_MIN || d->in->opcode == WEIR_OP_MAX) {
    extreme(d, column);
    return;
  }
  const struct family *p = family_of(d->in->opcode);
  if (!p) return weir_unknown_form(d);
  arithmetic(d, body_of(d->in, p, column), p->operands, column);
}

void weir_decode_arithmetic(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  if (weir_type_class(f->type) != 'f')
    weir_decode_integer(d);
  else if (f->source_type != WEIR_T_NONE && f->source_type != f->type)
    decode_mixed(d);
  else if (f->type == WEIR_T_F32X2)
    decode_pair(d);
  else if (f->type == WEIR_T_F32 || f->type == WEIR_T_F64)
    decode_float(d);
  else
    weir_decode_half(d);
}
