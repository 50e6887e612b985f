// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Loops that lanes of a warp may run unequally often, and in which lanes act together, access memory atomically, or store what they have
// loaded where the loop's counting alone does not say: ptxas copies none of them (docs/VALIDATION.md, "Order of instructions").
#include "base/alloc.h"
#include "exec/assemble/private.h"
#include "exec/decode/decode.h"

// A thread's own memory, and what a function is called with.
static bool is_own_memory(const struct weir_assembly *a, const struct weir_instruction *in) {
  return weir_opcode_effect(in->opcode) == WEIR_EFFECT_LOAD &&
    (in->form.space == WEIR_SPACE_LOCAL || (in->form.space == WEIR_SPACE_PARAM && !a->from->entry));
}

static bool is_lanes_own(const struct weir_assembly *a, const struct weir_instruction *in) {
  if (is_own_memory(a, in)) return true;
  for (uint32_t k = 0; k < in->operand_count; k++) {
    const struct weir_operand *o = &in->operands[k];
    if (o->kind != WEIR_OPERAND_SPECIAL) continue;
    switch (o->special) {
    case WEIR_SR_TID_X:
    case WEIR_SR_TID_Y:
    case WEIR_SR_TID_Z:
    case WEIR_SR_LANEID:
    case WEIR_SR_LANEMASK_EQ:
    case WEIR_SR_LANEMASK_LE:
    case WEIR_SR_LANEMASK_LT:
    case WEIR_SR_LANEMASK_GE:
    case WEIR_SR_LANEMASK_GT: return true;
    default: break;
    }
  }
  switch (weir_opcode_effect(in->opcode)) {
  case WEIR_EFFECT_ATOMIC:
  case WEIR_EFFECT_CALLEE: return true;
  default: return weir_opcode_convergence(in->opcode) == WEIR_CONVERGENCE_WARP;
  }
}

static bool reads(const bool *marked, const struct weir_registers *r) {
  for (unsigned k = 0; k < r->src_count; k++)
    if (marked[r->src[k]]) return true;
  return false;
}

// What is made of lanes' own values, and of what is loaded from there, whatever way it is come to.
void weir_varying_open(struct weir_assembly *a) {
  struct weir_registers r;
  a->varying = weir_new_array(bool, a->from->register_count + 1);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < a->cfg.instruction_count; i++) {
      const struct weir_instruction *in = a->cfg.instructions[i];
      weir_registers_of(in, &r);
      if (!r.dst_count || !(is_lanes_own(a, in) || reads(a->varying, &r))) continue;
      for (unsigned k = 0; k < r.dst_count; k++) {
        changed |= !a->varying[r.dst[k]];
        a->varying[r.dst[k]] = true;
      }
    }
  }
  a->loaded = weir_new_array(bool, a->from->register_count + 1);
  a->computed = weir_new_array(bool, a->from->register_count + 1);
}

void weir_varying_close(struct weir_assembly *a) {
  weir_free(a->varying);
  weir_free(a->loaded);
  weir_free(a->computed);
}

static bool is_global(const struct weir_instruction *in) {
  return in->form.space == WEIR_SPACE_GLOBAL || in->form.space == WEIR_SPACE_GENERIC;
}

// `add p, p, 4`
static bool moves(const struct weir_instruction *in) {
  const struct weir_operand *o = in->operands;
  return in->opcode == WEIR_OP_ADD && in->operand_count == 3 && o[0].kind == WEIR_OPERAND_REGISTER &&
    o[1].kind == WEIR_OPERAND_REGISTER && o[2].kind == WEIR_OPERAND_INTEGER &&
    weir_operand_register(&o[0]) == weir_operand_register(&o[1]);
}

static bool stores_loaded(const struct weir_assembly *a, const struct weir_instruction *in,
                          const struct weir_registers *r) {
  if (in->opcode != WEIR_OP_ST || !is_global(in) || !in->operands[0].base_is_register) return false;
  const uint32_t base = weir_operand_register(&in->operands[0]);
  if (!a->computed[base]) return false;
  for (unsigned k = 0; k < r->src_count; k++)
    if (r->src[k] != base && a->loaded[r->src[k]]) return true;
  return false;
}

bool weir_loop_stays(const struct weir_assembly *a, uint32_t b, const struct weir_counted *loop) {
  const struct weir_block *block = &a->cfg.blocks[b];
  const bool bound = loop->bound.kind == WEIR_OPERAND_REGISTER && a->varying[weir_operand_register(&loop->bound)];
  if (!a->varying[loop->counter] && !bound) return false;
  struct weir_registers r;
  bool found = false;
  for (uint32_t k = 0; k < block->count && !found; k++) {
    const struct weir_instruction *in = a->cfg.instructions[block->first + k];
    weir_registers_of(in, &r);
    found = stores_loaded(a, in, &r) || weir_opcode_effect(in->opcode) == WEIR_EFFECT_ATOMIC ||
      weir_opcode_convergence(in->opcode) != WEIR_CONVERGENCE_LANE;
    const bool loads = weir_opcode_effect(in->opcode) == WEIR_EFFECT_LOAD && is_global(in);
    const bool loaded = loads || reads(a->loaded, &r);
    for (unsigned d = 0; d < r.dst_count; d++) {
      a->loaded[r.dst[d]] = loaded;
      a->computed[r.dst[d]] = !moves(in);
    }
  }
  for (uint32_t k = 0; k < block->count; k++) {
    weir_registers_of(a->cfg.instructions[block->first + k], &r);
    for (unsigned d = 0; d < r.dst_count; d++) a->loaded[r.dst[d]] = a->computed[r.dst[d]] = false;
  }
  return found;
}
