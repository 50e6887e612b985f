// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Loops of one block that count: how often they run is known when they begin.
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/assemble/private.h"
#include "exec/decode/decode.h"

// ---- counting -------------------------------------------------------------------------------------------------------

// A register within the block: what `base` held at its begin, plus `offset`; or nothing that is known.
struct weir_sum {
  uint32_t base;
  uint32_t stamp; // of the block in which it has been written; in others it holds what it held
  int64_t offset;
  bool known;
};

static struct weir_sum sum_at(const struct weir_assembly *a, uint32_t reg) {
  const struct weir_sum *s = &a->sums[reg];
  return s->stamp == a->stamp ? *s : (struct weir_sum){.base = reg, .known = true};
}

static bool is_register(const struct weir_operand *o) {
  return o->kind == WEIR_OPERAND_REGISTER && !o->component;
}

// The bytes of a register that may count, 4 or 8; or 0.
static unsigned width_of(const struct weir_operand *o) {
  const unsigned bytes = is_register(o) && o->symbol->vector <= 1 ? weir_type_bytes(o->symbol->type) : 0;
  return bytes == 4 || bytes == 8 ? bytes : 0;
}

// As a number of so many bytes.
static int64_t wrapped(int64_t value, unsigned bytes) {
  return bytes == 4 ? (int32_t)value : value;
}

static struct weir_sum sum_of(const struct weir_assembly *a, const struct weir_instruction *in) {
  const struct weir_operand *o = in->operands;
  const struct weir_sum unknown = {0};
  const unsigned bytes = in->operand_count ? width_of(&o[0]) : 0;
  if (in->guard || in->operand_count < 2 || !bytes || width_of(&o[1]) != bytes) return unknown;
  struct weir_sum s = sum_at(a, weir_operand_register(&o[1]));
  if (in->opcode == WEIR_OP_MOV) return s;
  const char class = weir_type_class((enum weir_type)in->form.type);
  if (in->operand_count != 3 || o[2].kind != WEIR_OPERAND_INTEGER || (class != 'u' && class != 's') ||
      weir_type_bytes((enum weir_type)in->form.type) != bytes || in->form.sat || in->form.carry_out)
    return unknown;
  const int64_t addend = wrapped((int64_t)o[2].bits, bytes);
  if (in->opcode == WEIR_OP_ADD)
    s.offset = weir_wrapped_sum(s.offset, addend);
  else if (in->opcode == WEIR_OP_SUB)
    s.offset = weir_wrapped_sum(s.offset, (int64_t)(0 - (uint64_t)addend));
  else
    return unknown;
  s.offset = wrapped(s.offset, bytes);
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
  loop->leaves = to != block->first;
  loop->negated = last->guard_negated != loop->leaves;
  if (!loop->leaves) return true;
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

// The last instruction that decides the branch: a plain comparison of integers.
static bool is_comparison(const struct weir_instruction *in, uint32_t predicate) {
  const enum weir_type type = (enum weir_type)in->form.type;
  const char class = weir_type_class(type);
  return in->opcode == WEIR_OP_SETP && !in->guard && !in->form.boolean && in->operand_count == 3 &&
    in->operands[0].kind == WEIR_OPERAND_REGISTER && weir_operand_register(&in->operands[0]) == predicate &&
    weir_type_bytes(type) >= 4 && (class == 'u' || class == 's' || class == 'b');
}

static bool stays(const struct weir_cfg *cfg, const struct weir_block *block, const struct weir_operand *o) {
  if (o->kind == WEIR_OPERAND_INTEGER) return true;
  return width_of(o) && !is_written(cfg, block, weir_operand_register(o));
}

// Which side of the comparison counts, and is it what the rest asks for? tested: its operands 1 and 2, where it stands.
static bool decide(const struct weir_assembly *a, const struct weir_block *block, const struct weir_sum *tested,
                   struct weir_counted *loop) {
  const struct weir_operand *o = loop->comparison->operands;
  const unsigned bytes = weir_type_bytes((enum weir_type)loop->comparison->form.type);
  for (unsigned side = 1; side <= 2; side++) {
    if (width_of(&o[side]) != bytes || !stays(&a->cfg, block, &o[3 - side]) || !tested[side].known) continue;
    const struct weir_sum next = sum_at(a, tested[side].base);
    if (!next.known || next.base != tested[side].base || !next.offset) continue;
    enum weir_compare c = plain((enum weir_compare)loop->comparison->form.compare);
    if (side == 2) c = swapped(c);
    if (loop->negated) c = inverted(c);
    loop->counter = tested[side].base;
    loop->step = next.offset;
    loop->tested = tested[side].offset;
    loop->bound = o[3 - side];
    loop->compare = c;
    loop->type = (enum weir_type)loop->comparison->form.type;
    return approaches(c, loop->step);
  }
  return false;
}

static bool counts(struct weir_assembly *a, const struct weir_block *block, struct weir_counted *loop) {
  const uint32_t predicate = weir_guard_register(loop->branch);
  struct weir_sum tested[3] = {{0}};
  struct weir_registers r;
  a->stamp++;
  for (uint32_t k = 0; k < block->count; k++) {
    const struct weir_instruction *in = a->cfg.instructions[block->first + k];
    weir_registers_of(in, &r);
    if (writes(in, predicate)) {
      loop->comparison = is_comparison(in, predicate) ? in : NULL;
      for (unsigned q = 1; loop->comparison && q <= 2; q++)
        tested[q] =
          width_of(&in->operands[q]) ? sum_at(a, weir_operand_register(&in->operands[q])) : (struct weir_sum){0};
    }
    struct weir_sum s = sum_of(a, in);
    s.stamp = a->stamp;
    for (unsigned q = 0; q < r.dst_count; q++) a->sums[r.dst[q]] = s;
  }
  return loop->comparison && decide(a, block, tested, loop);
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

// ---- how often ------------------------------------------------------------------------------------------------------

static bool is_number(const struct weir_instruction *in) {
  return in->opcode == WEIR_OP_MOV && !in->guard && in->operand_count == 2 && width_of(&in->operands[0]) &&
    in->operands[1].kind == WEIR_OPERAND_INTEGER;
}

void weir_counted_open(struct weir_assembly *a) {
  struct weir_registers r;
  a->ways = weir_new_array(struct weir_ways, a->cfg.block_count + 1);
  a->constants = weir_new_array(struct weir_constant, a->from->register_count + 1);
  a->sums = weir_new_array(struct weir_sum, a->from->register_count + 1);
  a->stamp = 0;
  for (uint32_t b = 0; b < a->cfg.block_count; b++) {
    for (uint32_t k = 0; k < a->cfg.blocks[b].next_count; k++) {
      struct weir_ways *to = &a->ways[a->cfg.blocks[b].next[k]];
      to->count++;
      to->all ^= b;
    }
  }
  a->ways[0].count++; // the function's begin
  for (uint32_t i = 0; i < a->cfg.instruction_count; i++) {
    const struct weir_instruction *in = a->cfg.instructions[i];
    weir_registers_of(in, &r);
    for (unsigned d = 0; d < r.dst_count; d++) {
      struct weir_constant *c = &a->constants[r.dst[d]];
      c->writes++;
      c->known = c->writes == 1 && is_number(in);
      if (c->known) c->value = in->operands[1].bits;
    }
  }
}

void weir_counted_close(struct weir_assembly *a) {
  weir_free(a->ways);
  weir_free(a->constants);
  weir_free(a->sums);
}

enum { FARTHEST = 8 }; // blocks before the loop: a bound on work alone

// What the register holds whenever the loop is come to from outside.
static bool find_start(const struct weir_assembly *a, uint32_t b, const struct weir_counted *loop, uint64_t *value) {
  const uint32_t latch = loop->leaves ? b + 1 : b;
  if (!b || a->ways[b].count != 2 || (loop->leaves && a->ways[latch].count != 1)) return false;
  uint32_t at = a->ways[b].all ^ latch;
  for (unsigned n = 0; n < FARTHEST; n++) {
    const struct weir_block *block = &a->cfg.blocks[at];
    for (uint32_t k = block->count; k-- > 0;) {
      const struct weir_instruction *in = a->cfg.instructions[block->first + k];
      if (!writes(in, loop->counter)) continue;
      if (in->opcode != WEIR_OP_MOV || in->guard || in->operand_count != 2) return false;
      const struct weir_operand *o = &in->operands[1];
      *value = o->bits;
      if (is_number(in)) return true;
      if (!width_of(o) || width_of(o) != width_of(&in->operands[0])) return false;
      *value = a->constants[weir_operand_register(o)].value;
      return a->constants[weir_operand_register(o)].known;
    }
    if (!at || a->ways[at].count != 1) return false;
    at = a->ways[at].all;
  }
  return false;
}

static int64_t number(enum weir_type type, uint64_t bits) {
  if (weir_type_bytes(type) == 8) return (int64_t)bits;
  return weir_type_class(type) == 's' ? (int32_t)bits : (int64_t)(uint32_t)bits;
}

enum { FAR = 62 }; // numbers of 64 bits with more bits than that are not counted with

static bool is_far(int64_t n) {
  return n >> FAR && n >> FAR != -1;
}

// 0: it wraps round, runs for ever, or is not known.
static uint64_t runs_from(const struct weir_counted *loop, uint64_t start) {
  const enum weir_type type = loop->type;
  const bool up = loop->step > 0, is_unsigned = weir_type_class(type) != 's';
  const int64_t first = number(type, start + (uint64_t)loop->tested), bound = number(type, loop->bound.bits);
  if (is_far(first) || is_far(bound) || is_far(loop->step)) return 0;
  if (is_unsigned && (first < 0 || bound < 0)) return 0;
  const int64_t away = up ? bound - first : first - bound, step = up ? loop->step : -loop->step;
  const bool included = loop->compare == WEIR_CMP_LE || loop->compare == WEIR_CMP_GE;
  if (away < 0 || (!included && away == 0)) return loop->compare == WEIR_CMP_NE && away ? 0 : 1;
  if (loop->compare == WEIR_CMP_NE && away % step) return 0;
  const int64_t n = included ? away / step + 1 : (away + step - 1) / step;
  if (n > UINT32_MAX) return 0;
  const int64_t last = weir_wrapped_sum(first, (int64_t)((uint64_t)n * (uint64_t)loop->step));
  return last == number(type, (uint64_t)last) && (last >= 0 || !is_unsigned) ? (uint64_t)n + 1 : 0;
}

bool weir_find_counted(struct weir_assembly *a, uint32_t b, struct weir_counted *loop) {
  const struct weir_cfg *cfg = &a->cfg;
  const struct weir_block *block = &cfg->blocks[b];
  *loop = (struct weir_counted){0};
  if (!closes(cfg, b, loop) || has_part(cfg, block)) return false;
  if (!counts(a, block, loop)) return false;
  uint64_t start;
  if (loop->bound.kind == WEIR_OPERAND_INTEGER && find_start(a, b, loop, &start)) loop->runs = runs_from(loop, start);
  return true;
}
