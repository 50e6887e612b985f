// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How far an address advances from one iteration of a main loop to the next, where that is a constant. A hint for which
// structures gain nothing, so that a counter which wraps does no harm.
#include "base/alloc.h"
#include "sl1/kernel.h"

enum { LONGEST = 24, NOT_DEFINED = UINT32_MAX, TWICE = UINT32_MAX - 1 };

struct strider {
  const struct weir_sl1_analysis *a;
  const struct weir_sl1_main *main;
  uint32_t index;   // of main
  uint32_t *define; // [register] → the only instruction of the loop that sets it
};

struct step {
  bool known;
  int64_t bytes;
};

static void define(struct strider *s, const struct weir_operand *o, uint32_t i) {
  if (o->kind == WEIR_OPERAND_REGISTER) {
    uint32_t *d = &s->define[weir_operand_register(o)];
    *d = *d == NOT_DEFINED ? i : TWICE;
  }
  for (uint32_t k = 0; k < o->part_count; k++) define(s, &o->parts[k], i);
}

// Whatever stands first is taken to be set: at worst a stride is not found.
static void define_all(struct strider *s) {
  const struct weir_sl1_analysis *a = s->a;
  for (uint32_t r = 0; r < a->f->register_count; r++) s->define[r] = NOT_DEFINED;
  for (uint32_t i = 0; i < a->cfg.instruction_count; i++) {
    const struct weir_instruction *in = a->cfg.instructions[i];
    if (a->main_of[a->cfg.block_of[i]] == s->index && in->operand_count && in->opcode != WEIR_OP_ST)
      define(s, &in->operands[0], i);
  }
}

// Whether the block is executed once in every iteration: in no inner loop, on the way to every edge back.
static bool is_regular(const struct strider *s, uint32_t block) {
  const struct weir_sl1_analysis *a = s->a;
  if (a->loops.loop_of[block] != s->main->loop) return false;
  const uint32_t header = a->loops.loops[s->main->loop].header;
  for (uint32_t b = 0; b < a->cfg.block_count; b++)
    for (uint32_t k = 0; a->main_of[b] == s->index && k < a->cfg.blocks[b].next_count; k++)
      if (a->cfg.blocks[b].next[k] == header && !weir_loops_dominates(&a->loops, block, b)) return false;
  return true;
}

static const struct weir_instruction *definition(const struct strider *s, uint32_t r) {
  const uint32_t i = s->define[r];
  if (i == NOT_DEFINED || i == TWICE) return NULL;
  return s->a->cfg.instructions[i]->guard ? NULL : s->a->cfg.instructions[i];
}

static int64_t constant(const struct weir_instruction *in, uint32_t operand) {
  const uint64_t bits = in->operands[operand].bits;
  return weir_type_bytes(in->form.type) == 4 ? (int32_t)bits : (int64_t)bits;
}

static bool is_constant(const struct weir_instruction *in, uint32_t operand) {
  return operand < in->operand_count && in->operands[operand].kind == WEIR_OPERAND_INTEGER;
}

static bool is_register(const struct weir_instruction *in, uint32_t operand) {
  return operand < in->operand_count && in->operands[operand].kind == WEIR_OPERAND_REGISTER;
}

// A register that is set to itself and a constant, by any number of moves and additions.
static struct step induction(const struct strider *s, uint32_t r) {
  uint32_t at = r;
  int64_t sum = 0;
  for (unsigned k = 0; k < LONGEST; k++) {
    const struct weir_instruction *in = definition(s, at);
    if (!in || !is_register(in, 1) || !is_regular(s, s->a->cfg.block_of[s->define[at]])) break;
    const bool adds = in->opcode == WEIR_OP_ADD && is_constant(in, 2);
    const bool subtracts = in->opcode == WEIR_OP_SUB && is_constant(in, 2);
    if (!adds && !subtracts && in->opcode != WEIR_OP_MOV) break;
    if (adds) sum += constant(in, 2);
    if (subtracts) sum -= constant(in, 2);
    at = weir_operand_register(&in->operands[1]);
    if (at == r) return (struct step){true, sum};
  }
  return (struct step){false, 0};
}

static struct step step_of(const struct strider *s, const struct weir_operand *o, unsigned depth);

static struct step combine(struct step x, int64_t scale, struct step y) {
  return (struct step){x.known && y.known, x.bytes + scale * y.bytes};
}

static struct step scaled(const struct strider *s, const struct weir_instruction *in, unsigned depth) {
  const struct step none = {true, 0}, unknown = {false, 0};
  if (!is_constant(in, 2)) return unknown;
  const int64_t by = in->opcode == WEIR_OP_SHL ? (int64_t)1 << (constant(in, 2) & 31) : constant(in, 2);
  return combine(none, by, step_of(s, &in->operands[1], depth));
}

static struct step computed(const struct strider *s, const struct weir_instruction *in, unsigned depth) {
  const struct step unknown = {false, 0};
  switch ((enum weir_opcode)in->opcode) {
  case WEIR_OP_MOV:
  case WEIR_OP_CVT:
  case WEIR_OP_CVTA: return step_of(s, &in->operands[1], depth);
  case WEIR_OP_ADD: return combine(step_of(s, &in->operands[1], depth), 1, step_of(s, &in->operands[2], depth));
  case WEIR_OP_SUB: return combine(step_of(s, &in->operands[1], depth), -1, step_of(s, &in->operands[2], depth));
  case WEIR_OP_MUL:
  case WEIR_OP_SHL: return scaled(s, in, depth);
  case WEIR_OP_MAD: return combine(step_of(s, &in->operands[3], depth), 1, scaled(s, in, depth));
  case WEIR_OP_AND: // the zero extension of an index
    return is_constant(in, 2) && in->operands[2].bits == UINT32_MAX ? step_of(s, &in->operands[1], depth) : unknown;
  default: return unknown;
  }
}

static struct step step_of(const struct strider *s, const struct weir_operand *o, unsigned depth) {
  const struct step none = {true, 0}, unknown = {false, 0};
  if (o->kind == WEIR_OPERAND_INTEGER || o->kind == WEIR_OPERAND_SPECIAL) return none;
  if ((o->kind != WEIR_OPERAND_REGISTER && o->kind != WEIR_OPERAND_ADDRESS) || depth == 0) return unknown;
  const uint32_t r = weir_operand_register(o);
  if (s->define[r] == NOT_DEFINED) return none;
  const struct step own = induction(s, r);
  if (own.known) return own;
  const struct weir_instruction *in = definition(s, r);
  if (!in || s->a->loops.loop_of[s->a->cfg.block_of[s->define[r]]] != s->main->loop) return unknown;
  return computed(s, in, depth - 1);
}

bool weir_sl1_strides(const struct weir_sl1_analysis *a, const struct weir_sl1_main *main, uint32_t i) {
  enum { DEEPEST = 8 };
  const struct weir_operand *address = weir_sl1_address(a->cfg.instructions[i]);
  if (!address->base_is_register || a->loops.loop_of[a->cfg.block_of[i]] != main->loop) return false;
  struct strider s = {.a = a,
                      .main = main,
                      .index = (uint32_t)(main - a->mains),
                      .define = weir_new_array(uint32_t, a->f->register_count + 1)};
  define_all(&s);
  const struct step step = step_of(&s, address, DEEPEST);
  weir_free(s.define);
  const uint64_t distance = step.bytes < 0 ? -(uint64_t)step.bytes : (uint64_t)step.bytes;
  return step.known && distance >= a->o->line_bytes;
}
