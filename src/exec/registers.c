// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which registers an instruction writes and reads: for liveness and for the scoreboard.
#include "exec/decode/decode.h"

// Destinations come first, except in instructions that have none.
static bool has_destination(const struct weir_instruction *in) {
  switch (in->opcode) {
  case WEIR_OP_ST:
  case WEIR_OP_RED:
  case WEIR_OP_BRA:
  case WEIR_OP_BRX:
  case WEIR_OP_RET:
  case WEIR_OP_EXIT:
  case WEIR_OP_TRAP:
  case WEIR_OP_BRKPT:
  case WEIR_OP_PMEVENT:
  case WEIR_OP_MEMBAR:
  case WEIR_OP_FENCE:
  case WEIR_OP_NANOSLEEP:
  case WEIR_OP_PREFETCH:
  case WEIR_OP_PREFETCHU:
  case WEIR_OP_DISCARD:
  case WEIR_OP_APPLYPRIORITY:
  case WEIR_OP_CP:
  case WEIR_OP_SUST: return false;
  case WEIR_OP_BAR:
  case WEIR_OP_BARRIER: return in->form.type != WEIR_T_NONE;
  case WEIR_OP_CALL: return in->operand_count > 0 && in->operands[0].kind == WEIR_OPERAND_LIST;
  default: return in->operand_count > 0;
  }
}

static void add(uint32_t *list, unsigned *count, uint32_t number) {
  for (unsigned k = 0; k < *count; k++)
    if (list[k] == number) return;
  if (*count < 64) list[(*count)++] = number;
}

static void visit(struct weir_registers *r, const struct weir_operand *o, bool destination) {
  const bool is_register = o->kind == WEIR_OPERAND_REGISTER;
  if (is_register && destination)
    add(r->dst, &r->dst_count, weir_operand_register(o));
  else if (is_register || (o->kind == WEIR_OPERAND_ADDRESS && o->base_is_register))
    add(r->src, &r->src_count, weir_operand_register(o));
  for (uint32_t k = 0; k < o->part_count; k++) visit(r, &o->parts[k], destination);
}

void weir_registers_of(const struct weir_instruction *in, struct weir_registers *r) {
  const bool destination = has_destination(in);
  *r = (struct weir_registers){.keeps = in->guard != NULL};
  for (unsigned k = 0; k < in->operand_count; k++) visit(r, &in->operands[k], destination && k == 0);
  r->operand_count = r->src_count;
  if (in->guard) add(r->src, &r->src_count, in->guard->first + in->guard_index);
}
