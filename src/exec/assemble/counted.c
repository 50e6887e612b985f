// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Loops of one block that count: how often they run is known when they begin.
#include "base/alloc.h"
#include "exec/assemble/private.h"
#include "exec/decode/decode.h"

// ---- counting -------------------------------------------------------------------------------------------------------

// A register within the block: what `base` held at its begin, plus `offset`; or nothing that is known.
struct sum {
  uint32_t base;
  int64_t offset;
  bool known;
};

static bool is_register(const struct weir_operand *o) {
  return o->kind == WEIR_OPERAND_REGISTER && !o->component;
}

static bool is_word(const struct weir_operand *o) {
  return is_register(o) && weir_type_bytes(o->symbol->type) == 4 && o->symbol->vector <= 1;
}

static struct sum sum_of(const struct sum *sums, const struct weir_instruction *in) {
  const struct weir_operand *o = in->operands;
  const struct sum unknown = {0};
  if (in->guard || in->operand_count < 2 || !is_word(&o[0]) || !is_word(&o[1])) return unknown;
  struct sum s = sums[weir_operand_register(&o[1])];
  if (in->opcode == WEIR_OP_MOV) return s;
  const char class = weir_type_class((enum weir_type)in->form.type);
  if (in->operand_count != 3 || o[2].kind != WEIR_OPERAND_INTEGER || (class != 'u' && class != 's') ||
      weir_type_bytes((enum weir_type)in->form.type) != 4 || in->form.sat || in->form.carry_out)
    return unknown;
  if (in->opcode == WEIR_OP_ADD)
    s.offset += (int32_t)o[2].bits;
  else if (in->opcode == WEIR_OP_SUB)
    s.offset -= (int32_t)o[2].bits;
  else
    return unknown;
  s.offset = (int32_t)s.offset;
  return s;
}

static enum weir_compare swapped(enum weir_compare c) {
  switch (c) {
  case WEIR_CMP_LT: return WEIR_CMP_GT;
  case WEIR_CMP_LE: return WEIR_CMP_GE;
  case WEIR_CMP_GT: return WEIR_CMP_LT;
  case WEIR_CMP_GE: return WEIR_CMP_LE;
  default: return c;
  }
}

static enum weir_compare inverted(enum weir_compare c) {
  switch (c) {
  case WEIR_CMP_EQ: return WEIR_CMP_NE;
  case WEIR_CMP_NE: return WEIR_CMP_EQ;
  case WEIR_CMP_LT: return WEIR_CMP_GE;
  case WEIR_CMP_LE: return WEIR_CMP_GT;
  case WEIR_CMP_GT: return WEIR_CMP_LE;
  case WEIR_CMP_GE: return WEIR_CMP_LT;
  default: return WEIR_CMP_NONE;
  }
}

// .lo and the like are .lt of unsigned numbers.
static enum weir_compare plain(enum weir_compare c) {
  switch (c) {
  case WEIR_CMP_LO: return WEIR_CMP_LT;
  case WEIR_CMP_LS: return WEIR_CMP_LE;
  case WEIR_CMP_HI: return WEIR_CMP_GT;
  case WEIR_CMP_HS: return WEIR_CMP_GE;
  default: return c <= WEIR_CMP_GE ? c : WEIR_CMP_NONE;
  }
}

static bool approaches(enum weir_compare c, int64_t step) {
  switch (c) {
  case WEIR_CMP_NE: return true;
  case WEIR_CMP_LT:
  case WEIR_CMP_LE: return step > 0;
  case WEIR_CMP_GT:
  case WEIR_CMP_GE: return step < 0;
  default: return false;
  }
}

// Does the block's last instruction close the loop, or leave it before one that closes it?
static bool closes(const struct weir_cfg *cfg, uint32_t b, struct weir_counted *loop) {
  const struct weir_block *block = &cfg->blocks[b];
  const struct weir_instruction *last = cfg->instructions[block->first + block->count - 1];
  if (last->opcode != WEIR_OP_BRA || !last->guard) return false;
  const uint32_t to = weir_cfg_label(cfg, last->operands[0].symbol);
  loop->branch = last;
  loop->leaves = false;
  if (to == block->first) return true;
  loop->leaves = true;
  if (b + 1 >= cfg->block_count || to >= cfg->instruction_count || cfg->block_of[to] == b + 1) return false;
  const struct weir_block *behind = &cfg->blocks[b + 1];
  const struct weir_instruction *back = cfg->instructions[behind->first];
  return behind->count == 1 && back->opcode == WEIR_OP_BRA && !back->guard &&
    weir_cfg_label(cfg, back->operands[0].symbol) == block->first;
}

static bool writes(const struct weir_instruction *in, uint32_t reg) {
  struct weir_registers r;
  weir_registers_of(in, &r);
  return weir_has_register(r.dst, r.dst_count, reg);
}

static bool is_written(const struct weir_cfg *cfg, const struct weir_block *block, uint32_t reg) {
  for (uint32_t k = 0; k < block->count; k++)
    if (writes(cfg->instructions[block->first + k], reg)) return true;
  return false;
}

// The last instruction that decides the branch: a plain comparison of 32-bit integers.
static bool is_comparison(const struct weir_instruction *in, uint32_t predicate) {
  const enum weir_type type = (enum weir_type)in->form.type;
  const char class = weir_type_class(type);
  return in->opcode == WEIR_OP_SETP && !in->guard && !in->form.boolean && in->operand_count == 3 &&
    in->operands[0].kind == WEIR_OPERAND_REGISTER && weir_operand_register(&in->operands[0]) == predicate &&
    weir_type_bytes(type) == 4 && (class == 'u' || class == 's' || class == 'b');
}

static bool stays(const struct weir_cfg *cfg, const struct weir_block *block, const struct weir_operand *o) {
  if (o->kind == WEIR_OPERAND_INTEGER) return true;
  return is_word(o) && !is_written(cfg, block, weir_operand_register(o));
}

// Which side of the comparison counts, and is it what the rest asks for?
static bool decide(const struct weir_cfg *cfg, const struct weir_block *block, const struct sum *before,
                   const struct sum *after, struct weir_counted *loop) {
  const struct weir_operand *o = loop->comparison->operands;
  for (unsigned side = 1; side <= 2; side++) {
    if (!is_word(&o[side]) || !stays(cfg, block, &o[3 - side])) continue;
    const struct sum tested = before[weir_operand_register(&o[side])];
    if (!tested.known) continue;
    const struct sum next = after[tested.base];
    if (!next.known || next.base != tested.base || !next.offset) continue;
    enum weir_compare c = plain((enum weir_compare)loop->comparison->form.compare);
    if (side == 2) c = swapped(c);
    if (loop->branch->guard_negated != loop->leaves) c = inverted(c);
    loop->counter = tested.base;
    loop->step = next.offset;
    loop->tested = tested.offset;
    loop->bound = o[3 - side];
    loop->compare = c;
    loop->type = (enum weir_type)loop->comparison->form.type;
    return approaches(c, loop->step);
  }
  return false;
}

static bool counts(const struct weir_cfg *cfg, const struct weir_block *block, uint32_t registers,
                   struct weir_counted *loop) {
  const uint32_t predicate = loop->branch->guard->first + loop->branch->guard_index;
  struct sum *sums = weir_new_array(struct sum, registers), *tested = weir_new_array(struct sum, registers);
  struct weir_registers r;
  for (uint32_t k = 0; k < registers; k++) sums[k] = (struct sum){k, 0, true};
  for (uint32_t k = 0; k < block->count; k++) {
    const struct weir_instruction *in = cfg->instructions[block->first + k];
    weir_registers_of(in, &r);
    if (writes(in, predicate)) {
      loop->comparison = is_comparison(in, predicate) ? in : NULL;
      for (uint32_t q = 0; q < registers; q++) tested[q] = sums[q];
    }
    const struct sum s = sum_of(sums, in);
    for (unsigned q = 0; q < r.dst_count; q++) sums[r.dst[q]] = s;
  }
  const bool found = loop->comparison && decide(cfg, block, tested, sums, loop);
  weir_free(sums);
  weir_free(tested);
  return found;
}

static bool has_part(const struct weir_cfg *cfg, const struct weir_block *block) {
  struct weir_registers r;
  for (uint32_t k = 0; k < block->count; k++) {
    const struct weir_instruction *in = cfg->instructions[block->first + k];
    for (uint32_t o = 0; o < in->operand_count; o++)
      if (in->operands[o].component || (in->operands[o].symbol && in->operands[o].symbol->vector > 1)) return true;
    if (weir_reads_first(in)) return true; // a copy of it would write other registers than it reads
    weir_registers_of(in, &r);
    if (r.dst_count == sizeof r.dst / sizeof *r.dst || r.src_count == sizeof r.src / sizeof *r.src) return true;
  }
  return false;
}

bool weir_find_counted(const struct weir_cfg *cfg, uint32_t b, struct weir_counted *loop) {
  const struct weir_block *block = &cfg->blocks[b];
  *loop = (struct weir_counted){0};
  if (!closes(cfg, b, loop) || has_part(cfg, block)) return false;
  struct weir_registers r;
  uint32_t registers = 0;
  for (uint32_t k = 0; k < block->count; k++) {
    weir_registers_of(cfg->instructions[block->first + k], &r);
    for (unsigned q = 0; q < r.dst_count; q++) registers = r.dst[q] >= registers ? r.dst[q] + 1 : registers;
    for (unsigned q = 0; q < r.src_count; q++) registers = r.src[q] >= registers ? r.src[q] + 1 : registers;
  }
  return counts(cfg, block, registers, loop);
}
