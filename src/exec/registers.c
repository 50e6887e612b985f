// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which registers an instruction writes and reads: for liveness and for the scoreboard.
#include "exec/decode/decode.h"

void weir_add_register(uint32_t *list, unsigned *count, uint32_t number) {
  if (!weir_has_register(list, *count, number) && *count < WEIR_MOST_REGISTERS) list[(*count)++] = number;
}

static void visit(struct weir_registers *r, const struct weir_operand *o, bool destination) {
  const bool is_register = o->kind == WEIR_OPERAND_REGISTER;
  if (is_register && destination)
    weir_add_register(r->dst, &r->dst_count, weir_operand_register(o));
  else if (is_register || (o->kind == WEIR_OPERAND_ADDRESS && o->base_is_register))
    weir_add_register(r->src, &r->src_count, weir_operand_register(o));
  for (uint32_t k = 0; k < o->part_count; k++) visit(r, &o->parts[k], destination);
}

void weir_registers_of(const struct weir_instruction *in, struct weir_registers *r) {
  const bool destination = weir_writes_first(in);
  r->dst_count = r->src_count = 0; // and not all of the lists, which are long for most instructions
  r->keeps = in->guard && !in->fresh;
  if (weir_reads_first(in)) visit(r, &in->operands[0], false);
  for (unsigned k = 0; k < in->operand_count; k++) visit(r, &in->operands[k], destination && k == 0);
  r->operand_count = r->src_count;
  if (in->guard) weir_add_register(r->src, &r->src_count, weir_guard_register(in));
}
