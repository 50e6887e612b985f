// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Instructions that have one body for each type, found by its name: rem.u32 is the body rem_u32 of exec/ops. Where the
// instruction's type has none, bits are as good as an unsigned integer (shr.b32 is shr_u32); under .ftz f32 is z32. How
// wide the result and the operands are stands in the body's own row.
#include "exec/decode/decode.h"
#include "exec/ops/types.h"

#include <stdio.h>
#include <string.h>

struct body {
  const char *name; // NULL: of another shape
  uint8_t width[4]; // bytes a lane of the result and the operands, 0: there is none
};

#define T(type) sizeof(type##_slot)
static const struct body bodies[WEIR_ALU_OP_COUNT] = {
#define OP1(name, d, a, value) [WEIR_X_##name] = {#name, {T(d), T(a)}},
#define OP2(name, d, a, b, value) [WEIR_X_##name] = {#name, {T(d), T(a), T(b)}},
#define OP3(name, d, a, b, c, value) [WEIR_X_##name] = {#name, {T(d), T(a), T(b), T(c)}},
#define OP(name)
#define COMPARE(name, ...)
#include "exec/ops/all.def"
#undef OP1
#undef OP2
#undef OP3
#undef OP
#undef COMPARE
};

static unsigned find(const char *opcode, const char *type) {
  char name[64];
  snprintf(name, sizeof name, "%s_%s", opcode, type);
  for (unsigned b = 0; b < WEIR_ALU_OP_COUNT; b++)
    if (bodies[b].name && !strcmp(bodies[b].name, name)) return b;
  return WEIR_X_NONE;
}

static unsigned look_up(const struct weir_instruction *in) {
  const struct weir_form *f = &in->form;
  const char *opcode = weir_opcode_name(in->opcode), *type = weir_type_name(f->type);
  if (f->ftz && f->type == WEIR_T_F32) type = "z32";
  const unsigned body = find(opcode, type);
  if (body || weir_type_class(f->type) != 'b') return body;
  return find(opcode, f->type == WEIR_T_B64 ? "u64" : f->type == WEIR_T_B16 ? "u16" : "u32");
}

// Each is looked for once in a program.
static unsigned body_of(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  uint16_t *known = &d->body_of[d->in->opcode][f->type][f->ftz];
  if (!*known) *known = (uint16_t)look_up(d->in);
  return *known;
}

void weir_decode_body(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  const unsigned body = body_of(d);
  if (!body) {
    weir_unknown_form(d);
    return;
  }
  const uint8_t *width = bodies[body].width;
  const bool is_float = weir_type_class(d->in->form.type) == 'f';
  struct weir_ref s[3] = {{0}, {0}, {0}};
  for (unsigned k = 0; k < 3 && width[k + 1]; k++)
    s[k] = (is_float ? weir_source_float : weir_source)(d, &o[k + 1], width[k + 1]);
  struct weir_insn *i = weir_emit(d, body);
  weir_set_a(i, s[0]);
  weir_set_b(i, s[1]);
  weir_set_c(i, s[2]);
  const uint32_t to = i->d = weir_result(d, &o[0], width[0]);
  weir_widen_result(d, &o[0], width[0], to, weir_type_class(d->in->form.type) == 's');
}
