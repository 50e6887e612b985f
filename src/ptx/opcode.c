// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptx/opcode.h"

#include "ptx/ir.h"

#include <assert.h>
#include <string.h>

const struct weir_opcode_row weir_opcode_rows[WEIR_OPCODE_COUNT] = {
#define OPCODE(name, spelling, kind, effect, convergence, flow, writes, decoder, forms)                                \
  [WEIR_OP_##                                                                                                          \
    name] = {spelling, WEIR_EFFECT_##effect, WEIR_CONVERGENCE_##convergence, WEIR_FLOW_##flow, WEIR_WRITES_##writes},
#include "ptx/opcodes.def"
#undef OPCODE
};

const char *weir_opcode_name(enum weir_opcode op) {
  assert(op < WEIR_OPCODE_COUNT);
  return weir_opcode_rows[op].name;
}

bool weir_has_modifier(const struct weir_instruction *in, const char *modifier) {
  for (unsigned k = 0; k < in->modifier_count; k++)
    if (!strcmp(in->modifiers[k], modifier)) return true;
  return false;
}

bool weir_writes_first(const struct weir_instruction *in) {
  switch ((enum weir_writes)weir_opcode_rows[in->opcode].writes) {
  case WEIR_WRITES_FIRST: return in->operand_count > 0;
  case WEIR_WRITES_NOTHING: return false;
  case WEIR_WRITES_TYPED: return in->operand_count > 0 && in->form.type != WEIR_T_NONE;
  case WEIR_WRITES_VALUE: return in->operand_count > 0 && in->operands[0].kind != WEIR_OPERAND_ADDRESS;
  case WEIR_WRITES_LIST: return in->operand_count > 0 && in->operands[0].kind == WEIR_OPERAND_LIST;
  }
  return false;
}

bool weir_reads_first(const struct weir_instruction *in) {
  if (in->opcode != WEIR_OP_WGMMA || in->operand_count < 4) return false;
  const struct weir_operand *adds = &in->operands[3];
  return adds->kind != WEIR_OPERAND_INTEGER || adds->bits;
}

bool weir_waits_for_products(const struct weir_instruction *in) {
  return in->opcode == WEIR_OP_WGMMA && weir_has_modifier(in, "wait_group");
}
