// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Lane exchange and cache policies.
#include "exec/decode/decode.h"
#include "exec/descriptor.h"

#include <string.h>

// d, or d|p: the predicate's frame offset goes to *predicate, 0 if there is none.
static uint32_t paired_result(struct weir_decoder *d, uint32_t *predicate) {
  const struct weir_operand *o = &d->in->operands[0];
  *predicate = 0;
  if (o->kind != WEIR_OPERAND_PAIR) return weir_result(d, o, 4);
  *predicate = weir_result(d, &o->parts[1], 1);
  return weir_result(d, &o->parts[0], 4);
}

void weir_decode_shuffle(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  const struct weir_ref a = weir_source_float(d, &o[1], 4), b = weir_source(d, &o[2], 4), c = weir_source(d, &o[3], 4);
  struct weir_insn *i = weir_emit(d, WEIR_X_shfl);
  uint32_t predicate;
  weir_set_a(i, a);
  weir_set_b(i, b);
  weir_set_c(i, c);
  i->sub = d->in->form.sub;
  i->d = paired_result(d, &predicate);
  i->imm = predicate;
}

// Which lanes take part with a lane: the last operand of what has .sync, else all.
static struct weir_ref members(struct weir_decoder *d) {
  if (d->in->operand_count > 2) return weir_source(d, &d->in->operands[2], 4);
  return weir_in_constants(weir_constant(&d->constants, UINT32_MAX, 4));
}

static bool is_one_mask(const struct weir_decoder *d) {
  return d->in->operand_count <= 2 || d->in->operands[2].kind == WEIR_OPERAND_INTEGER;
}

void weir_decode_vote(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  const bool ballot = f->sub == WEIR_SUB_BALLOT;
  bool negated;
  const struct weir_ref a = weir_source_predicate(d, &d->in->operands[1], &negated), c = members(d);
  struct weir_insn *i = weir_emit(d, ballot ? WEIR_X_ballot : WEIR_X_vote);
  weir_set_a(i, a);
  weir_set_c(i, c);
  i->wide = negated;
  i->imm = is_one_mask(d);
  i->sub = f->sub;
  i->d = weir_result(d, &d->in->operands[0], ballot ? 4 : 1);
}

void weir_decode_match(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  const unsigned width = weir_width(f->type);
  const struct weir_ref a = weir_source(d, &d->in->operands[1], width), c = members(d);
  struct weir_insn *i = weir_emit(d, WEIR_X_match);
  uint32_t predicate;
  weir_set_a(i, a);
  weir_set_c(i, c);
  i->wide = width == 8;
  i->d = paired_result(d, &predicate);
  i->imm = predicate ? predicate : f->sub == WEIR_SUB_ALL ? WEIR_PRED_SCRATCH : 0;
}

void weir_decode_reduce(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  struct weir_ref a = weir_source(d, &d->in->operands[1], 4);
  const struct weir_ref c = members(d);
  if (f->xorsign_abs) { // .abs
    struct weir_insn *magnitude = weir_emit(d, WEIR_X_abs_f32);
    weir_set_a(magnitude, a);
    a = weir_in_frame(magnitude->d = weir_temporary(d));
  }
  struct weir_insn *i = weir_emit(d, WEIR_X_redux);
  weir_set_a(i, a);
  i->wide = f->nan;
  weir_set_c(i, c);
  i->imm = is_one_mask(d);
  i->sub = f->sub;
  i->type = f->type;
  i->d = weir_result(d, &d->in->operands[0], 4);
}

void weir_decode_elect(struct weir_decoder *d) {
  const struct weir_ref c = weir_source(d, &d->in->operands[1], 4);
  struct weir_insn *i = weir_emit(d, WEIR_X_elect);
  uint32_t predicate;
  weir_set_c(i, c);
  i->d = paired_result(d, &predicate);
  i->imm = predicate;
}

void weir_decode_absdiff(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  const struct weir_operand *o = d->in->operands;
  const struct weir_ref a = weir_source(d, &o[1], 4), b = weir_source(d, &o[2], 4), c = weir_source(d, &o[3], 4);
  struct weir_insn *i = weir_emit(d, WEIR_X_absdiff_packed);
  weir_set_a(i, a);
  weir_set_b(i, b);
  weir_set_c(i, c);
  i->imm = d->in->opcode == WEIR_OP_VABSDIFF2 ? 16 : 8; // bits of a part
  i->wide = weir_type_class((enum weir_type)f->source_type) == 's';
  i->sub = f->sub == WEIR_SUB_ADD;
  i->d = weir_result(d, &o[0], 4);
}

void weir_decode_active_mask(struct weir_decoder *d) {
  struct weir_insn *i = weir_emit(d, WEIR_X_activemask);
  i->d = weir_result(d, &d->in->operands[0], 4);
}

// Of createpolicy, what the primary accesses ask of the L2 and, in bit 0, what the others do: the first eviction priority, and the
// second if there is one.
static uint8_t asks_of(const struct weir_instruction *in) {
  static const struct {
    const char *name;
    uint8_t ask;
  } names[] = {{"L2::evict_unchanged", WEIR_DESCRIPTOR_UNCHANGED},
               {"L2::evict_first", WEIR_DESCRIPTOR_FIRST},
               {"L2::evict_last", WEIR_DESCRIPTOR_LAST},
               {"L2::evict_normal", WEIR_DESCRIPTOR_NORMAL}};
  uint8_t asks[2] = {WEIR_DESCRIPTOR_UNCHANGED, WEIR_DESCRIPTOR_UNCHANGED}, count = 0;
  for (unsigned m = 0; m < in->modifier_count; m++)
    for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
      if (!strcmp(in->modifiers[m], names[n].name) && count < 2) asks[count++] = names[n].ask;
  return (uint8_t)(asks[0] << 1 | asks[1]);
}

// createpolicy.cvt takes a value that the host made: it is one already.
static void decode_policy_value(struct weir_decoder *d) {
  const struct weir_ref a = weir_source(d, &d->in->operands[1], 8);
  struct weir_insn *i = weir_emit(d, WEIR_X_mov_b64);
  weir_set_a(i, a);
  i->d = weir_result(d, &d->in->operands[0], 8);
}

static void decode_policy_range(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  const struct weir_ref bytes = weir_source(d, &o[2], 4), total = weir_source(d, &o[3], 4);
  struct weir_insn *i = weir_emit(d, WEIR_X_policy_range);
  weir_set_address(d, i, &o[1]);
  weir_set_b(i, bytes);
  weir_set_c(i, total);
  i->sub = asks_of(d->in);
  i->d = weir_result(d, &o[0], 8);
}

void weir_decode_create_policy(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  const char *kind = d->in->modifiers[0];
  if (!strcmp(kind, "cvt")) {
    decode_policy_value(d);
    return;
  }
  if (!strcmp(kind, "range")) {
    decode_policy_range(d);
    return;
  }
  const uint32_t one = 0x3F800000; // all accesses
  const struct weir_ref fraction =
    d->in->operand_count > 1 ? weir_source_float(d, &o[1], 4) : weir_in_constants(weir_constant(&d->constants, one, 4));
  struct weir_insn *i = weir_emit(d, WEIR_X_policy_fraction);
  weir_set_a(i, fraction);
  i->sub = asks_of(d->in);
  i->d = weir_result(d, &o[0], 8);
}

// Opcodes of which no form runs.
void weir_decode_unable(struct weir_decoder *d) {
  weir_unknown_form(d);
}
