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

static void arithmetic(struct weir_decoder *d, unsigned body, unsigned operands, unsigned column) {
  const struct weir_operand *o = d->in->operands;
  const unsigned width = column == 2 ? 8 : 4;
  const struct weir_ref a = weir_source_float(d, &o[1], width);
  const struct weir_ref b = operands > 1 ? weir_source_float(d, &o[2], width) : a;
  const struct weir_ref c = operands > 2 ? weir_source_float(d, &o[3], width) : a;
  struct weir_insn *i = weir_emit(d, body);
  weir_set_a(i, a);
  weir_set_b(i, b);
  weir_set_c(i, c);
  i->sub = d->in->form.rounding;
  deliver(d, i, column, width);
}

static void extreme(struct weir_decoder *d, unsigned column) {
  const struct weir_form *f = &d->in->form;
  const unsigned kind = (f->nan ? 1u : 0) + (f->xorsign_abs ? 2u : 0);
  arithmetic(d, (d->in->opcode == WEIR_OP_MIN ? least : most)[kind][column], 2, column);
}

static void decode_float(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  const unsigned column = f->type == WEIR_T_F64 ? 2 : f->ftz ? 1 : 0;
  if (d->in->opcode == WEIR_OP_MIN || d->in->opcode == WEIR_OP_MAX) {
    extreme(d, column);
    return;
  }
  for (unsigned k = 0; k < sizeof families / sizeof *families; k++) {
    if (families[k].opcode != d->in->opcode) continue;
    arithmetic(d, body_of(d->in, &families[k], column), families[k].operands, column);
    return;
  }
  weir_unknown_form(d);
}

void weir_decode_arithmetic(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  if (weir_type_class(f->type) != 'f')
    weir_decode_integer(d);
  else if (f->source_type != WEIR_T_NONE && f->source_type != f->type)
    weir_unknown_form(d);
  else if (f->type == WEIR_T_F32 || f->type == WEIR_T_F64)
    decode_float(d);
  else
    weir_decode_half(d);
}
