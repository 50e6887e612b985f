// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Registers of a kernel that need no instruction in each warp. Uniform ones are made of parameters and constants alone: they hold the
// same in all threads of a launch, and are computed once for it. Copies are of a special register that stays while a warp runs: who
// reads them reads that. Both are written by one instruction, without a guard, before any that reads them, so that no thread
// reads another value.
#include "base/alloc.h"
#include "exec/decode/decode.h"

#include <string.h>

enum { MOST_UNIFORM = 4096 }; // registers of a kernel, so that a launch's values stay below a mebibyte of 32 lanes

// What the function's text says of a register.
struct writes {
  uint32_t count, read_at; // instructions that write it; the first that reads it
};

static void survey(const struct weir_decoder *d, struct writes *writes) {
  struct weir_registers r;
  for (uint32_t k = 0; k < d->function->register_count; k++) writes[k] = (struct writes){0, UINT32_MAX};
  for (uint32_t k = 0; k < d->cfg.instruction_count; k++) {
    weir_registers_of(d->cfg.instructions[k], &r);
    for (unsigned s = 0; s < r.dst_count; s++) writes[r.dst[s]].count += 1 + r.keeps;
    for (unsigned s = 0; s < r.src_count; s++)
      if (writes[r.src[s]].read_at == UINT32_MAX) writes[r.src[s]].read_at = k;
  }
}

static enum weir_constancy of_special(unsigned special) {
  switch (special) {
  case WEIR_SR_NTID_X:
  case WEIR_SR_NTID_Y:
  case WEIR_SR_NTID_Z:
  case WEIR_SR_NCTAID_X:
  case WEIR_SR_NCTAID_Y:
  case WEIR_SR_NCTAID_Z:
  case WEIR_SR_NCLUSTERID_X:
  case WEIR_SR_NCLUSTERID_Y:
  case WEIR_SR_NCLUSTERID_Z:
  case WEIR_SR_CLUSTER_NCTAID_X:
  case WEIR_SR_CLUSTER_NCTAID_Y:
  case WEIR_SR_CLUSTER_NCTAID_Z:
  case WEIR_SR_CLUSTER_NCTARANK:
  case WEIR_SR_WARP_SZ: return WEIR_UNIFORM;
  case WEIR_SR_TID_X:
  case WEIR_SR_TID_Y:
  case WEIR_SR_TID_Z:
  case WEIR_SR_CTAID_X:
  case WEIR_SR_CTAID_Y:
  case WEIR_SR_CTAID_Z:
  case WEIR_SR_CLUSTERID_X:
  case WEIR_SR_CLUSTERID_Y:
  case WEIR_SR_CLUSTERID_Z:
  case WEIR_SR_CLUSTER_CTAID_X:
  case WEIR_SR_CLUSTER_CTAID_Y:
  case WEIR_SR_CLUSTER_CTAID_Z:
  case WEIR_SR_CLUSTER_CTARANK:
  case WEIR_SR_LANEID: return WEIR_COPIES;
  default: return WEIR_VARIES;
  }
}

static enum weir_constancy of_operand(const struct weir_decoder *d, const struct weir_operand *o) {
  switch (o->kind) {
  case WEIR_OPERAND_INTEGER:
  case WEIR_OPERAND_FLOAT: return WEIR_UNIFORM;
  case WEIR_OPERAND_SPECIAL: return of_special(o->special);
  case WEIR_OPERAND_REGISTER:
    return o->component ? WEIR_VARIES : (enum weir_constancy)d->constancy[weir_operand_register(o)];
  default: return WEIR_VARIES;
  }
}

static bool is_parameter(const struct weir_decoder *d, const struct weir_instruction *in) {
  const struct weir_operand *from = &in->operands[1];
  return in->opcode == WEIR_OP_LD && in->form.space == WEIR_SPACE_PARAM && in->form.vector <= 1 && from->symbol &&
    !from->base_is_register && weir_locations_get(&d->locations, from->symbol).where == WEIR_AT_KERNEL_PARAM;
}

// A move between registers of one width, which leaves the value as it is.
static bool is_move(const struct weir_instruction *in) {
  const unsigned width = weir_width(in->form.type);
  const struct weir_operand *from = &in->operands[1];
  return in->opcode == WEIR_OP_MOV && weir_operand_width(&in->operands[0]) == width &&
    (from->kind == WEIR_OPERAND_SPECIAL ? width == 4 : weir_operand_width(from) == width);
}

static bool is_arithmetic(const struct weir_instruction *in) {
  const struct weir_opcode_row *row = &weir_opcode_rows[in->opcode];
  return row->effect == WEIR_EFFECT_NONE && row->convergence == WEIR_CONVERGENCE_LANE && row->flow == WEIR_FLOW_NEXT &&
    row->writes == WEIR_WRITES_FIRST && !in->form.carry_out && in->opcode != WEIR_OP_ADDC &&
    in->opcode != WEIR_OP_SUBC && in->opcode != WEIR_OP_MADC &&
    in->opcode != WEIR_OP_GETCTARANK; // of one address each block has its own answer
}

static enum weir_constancy of_result(const struct weir_decoder *d, const struct weir_instruction *in) {
  const struct weir_operand *to = in->operands;
  const unsigned width = in->operand_count > 1 ? weir_operand_width(to) : 0;
  if (in->runnable || in->guard || to->component || (width != 4 && width != 8)) return WEIR_VARIES;
  if (is_parameter(d, in)) return WEIR_UNIFORM;
  if (is_move(in) && of_operand(d, &in->operands[1]) == WEIR_COPIES) return WEIR_COPIES;
  if (!is_arithmetic(in)) return WEIR_VARIES;
  for (unsigned k = 1; k < in->operand_count; k++)
    if (of_operand(d, &in->operands[k]) != WEIR_UNIFORM) return WEIR_VARIES;
  return WEIR_UNIFORM;
}

void weir_find_uniform(struct weir_decoder *d, const uint64_t *unwritten) {
  const uint32_t n = d->function->register_count;
  d->constancy = weir_new_array(uint8_t, n + 1);
  if (!d->code->is_kernel || !unwritten) return;
  struct writes *writes = weir_new_array(struct writes, n + 1);
  struct weir_registers r;
  uint32_t uniform = 0;
  survey(d, writes);
  for (uint32_t k = 0; k < d->cfg.instruction_count; k++) {
    weir_registers_of(d->cfg.instructions[k], &r);
    if (r.dst_count != 1) continue;
    const uint32_t to = r.dst[0];
    const bool once = writes[to].count == 1 && writes[to].read_at > k && !(unwritten[to / 64] >> (to % 64) & 1);
    const enum weir_constancy is = once ? of_result(d, d->cfg.instructions[k]) : WEIR_VARIES;
    if (is == WEIR_UNIFORM && uniform++ == MOST_UNIFORM) break; // what follows varies
    d->constancy[to] = (uint8_t)is;
  }
  weir_free(writes);
}

static bool is_plain_move(const struct weir_decoder *d, const struct weir_insn *i) {
  return i->kind == WEIR_KIND_ALU && (i->alu == d->ops->alu[WEIR_X_mov_b32] || i->alu == d->ops->alu[WEIR_X_mov_b64]);
}

void weir_decode_copy_of_special(struct weir_decoder *d) {
  const struct weir_operand *o = d->in->operands;
  d->place[weir_operand_register(&o[0])] = weir_source(d, &o[1], weir_width(d->in->form.type));
  weir_emit_kind(d, WEIR_KIND_UNIFORM);
}

void weir_make_uniform(struct weir_decoder *d, struct weir_insn *i) {
  struct weir_ref *place = &d->place[weir_operand_register(d->in->operands)];
  if (is_plain_move(d, i) && i->a_bank != WEIR_BANK_FRAME)
    *place = (struct weir_ref){i->a, i->a_bank};
  else
    *weir_push(d->uniform, d->uniform_count, d->uniform_capacity) = *i;
  const struct weir_insn parameter = {
    .kind = WEIR_KIND_UNIFORM, .reach = WEIR_REACH_KERNEL, .imm = i->imm, .bytes = i->bytes};
  *i = i->kind == WEIR_KIND_MEMORY ? parameter : (struct weir_insn){.kind = WEIR_KIND_UNIFORM};
}

// How many follow each other, so that a warp passes them at once.
static void count_runs(struct weir_decoder *d, const struct weir_block *b) {
  unsigned run = 0;
  for (uint32_t k = b->count; k-- > 0;) {
    if (weir_is_silent(d->cfg.instructions[b->first + k])) continue;
    struct weir_insn *i = &d->program->code[d->pc_of[b->first + k]];
    if (i->kind != WEIR_KIND_UNIFORM) {
      run = 0;
      continue;
    }
    run += run < UINT8_MAX;
    i->count = (uint8_t)run;
    if (i->before) run = 0;
  }
}

void weir_finish_uniform(struct weir_decoder *d) {
  struct weir_insn *kept = weir_arena_array(&d->program->arena, struct weir_insn, d->uniform_count + 1);
  if (d->uniform_count) memcpy(kept, d->uniform, d->uniform_count * sizeof *kept);
  d->code->uniform = kept;
  d->code->uniform_count = d->uniform_count;
  for (uint32_t b = 0; b < d->cfg.block_count; b++) count_runs(d, &d->cfg.blocks[b]);
  weir_free(d->uniform);
  weir_free(d->constancy);
  weir_free(d->place);
  d->uniform = NULL;
  d->constancy = NULL;
  d->place = NULL;
  d->uniform_count = d->uniform_capacity = 0;
}
