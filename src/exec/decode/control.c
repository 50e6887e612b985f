// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Branches, calls, barriers.
#include "exec/decode/decode.h"

static uint64_t branch_imm(const struct weir_decoder *d, uint32_t target) {
  const uint32_t meet = weir_cfg_reconvergence(&d->cfg, d->index);
  const uint32_t reconvergence = meet == WEIR_CFG_EXIT ? WEIR_PC_NONE : d->pc_of[meet];
  return (uint64_t)reconvergence << 32 | target;
}

static uint32_t pc_of(const struct weir_decoder *d, const struct weir_symbol *label) {
  return d->pc_of[weir_cfg_label(&d->cfg, label)];
}

void weir_decode_branch(struct weir_decoder *d) {
  struct weir_insn *i = weir_emit_kind(d, WEIR_KIND_BRANCH);
  i->imm = branch_imm(d, pc_of(d, d->in->operands[0].symbol));
}

void weir_decode_branch_table(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  const struct weir_symbol *list = o[1].symbol;
  uint32_t *target = weir_arena_array(&d->program->arena, uint32_t, list->target_count);
  for (uint32_t k = 0; k < list->target_count; k++) target[k] = pc_of(d, list->targets[k]);
  struct weir_branch_table *t = weir_arena_new(&d->program->arena, struct weir_branch_table);
  *t = (struct weir_branch_table){list->target_count, target};
  const struct weir_ref a = weir_source(d, &o[0], 4);
  if (d->count) weir_cannot(d, "its index should be a 32-bit register");
  struct weir_insn *i = weir_emit_kind(d, WEIR_KIND_TABLE);
  weir_set_a(i, a);
  i->imm = branch_imm(d, 0);
  i->table = t;
}

static void cluster_barrier(struct weir_decoder *d) {
  struct weir_insn *i = weir_emit_kind(d, WEIR_KIND_CLUSTER);
  i->sub = d->in->form.sub; // ARRIVE, or none: it waits
}

void weir_decode_barrier(struct weir_decoder *d) {
  const struct weir_form *f = &d->in->form;
  const struct weir_operand *o = d->in->operands;
  if (f->scope == WEIR_SCOPE_CLUSTER) {
    cluster_barrier(d);
    return;
  }
  if (f->sub == WEIR_SUB_WARP_SYNC) { // lanes of a warp run together as it is
    weir_emit_kind(d, WEIR_KIND_NOTHING);
    return;
  }
  const bool reduces = f->type != WEIR_T_NONE;
  const unsigned first = reduces ? 1 : 0, last = d->in->operand_count - (reduces ? 1u : 0);
  const struct weir_ref id = weir_source(d, &o[first], 4);
  const struct weir_ref count =
    last > first + 1 ? weir_source(d, &o[first + 1], 4) : weir_in_constants(weir_constant(&d->constants, 0, 4));
  struct weir_ref predicate = {0};
  bool negated = false;
  if (reduces) predicate = weir_source_predicate(d, &o[last], &negated);
  if (d->count) weir_cannot(d, "its operands should be immediates or 32-bit registers");
  struct weir_insn *i = weir_emit_kind(d, WEIR_KIND_BARRIER);
  weir_set_a(i, predicate);
  weir_set_b(i, id);
  weir_set_c(i, count);
  i->wide = negated;
  i->sub = reduces ? f->boolean : f->sub;
  if (reduces && i->sub != WEIR_SUB_AND && i->sub != WEIR_SUB_OR) i->sub = WEIR_SUB_POPC;
  if (reduces) i->d = weir_result(d, &o[0], i->sub == WEIR_SUB_POPC ? 4 : 1);
}

void weir_decode_return(struct weir_decoder *d) {
  weir_emit_kind(d, WEIR_KIND_RET);
}

void weir_decode_exit(struct weir_decoder *d) {
  weir_emit_kind(d, WEIR_KIND_EXIT);
}

// trap, and brkpt: there is no debugger to stop for.
void weir_decode_trap(struct weir_decoder *d) {
  weir_emit_kind(d, WEIR_KIND_TRAP);
}

// Fences: one instruction at a time, memory is in order as it is. Events and sleep: nobody counts these.
void weir_decode_nothing(struct weir_decoder *d) {
  weir_emit_kind(d, WEIR_KIND_NOTHING);
}
