// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which loops an assembler unrolls: those of one block of which it can tell, when they begin, how often they run.
#include "exec/estimate/estimate.h"
#include "exec/estimate/private.h"

#include <string.h>

// ptxas copies the body of a loop that runs a known number of times four times, as its machine code shows. For Kepler ours is
// copied less often where it would be longer than UNROLLED_MOST. From Volta on ptxas 13 was asked, with loops that differ in one
// thing (docs/VALIDATION.md, "Order of instructions"): it copies a body that weighs no more than HEAVIEST with the COUNTING of those loops.
enum { UNROLLED = WEIR_UNROLLED, UNROLLED_MOST = 200, HEAVIEST = 50, COUNTING = 4, HEAVIEST_WITHOUT_LOAD = 18 };

static bool is_loop(const struct weir_sass *s, uint32_t b) {
  const struct weir_block *block = &s->cfg->blocks[b];
  for (uint32_t k = 0; k < block->next_count; k++)
    if (block->next[k] == b) return true;
  // `@p bra out; bra.uni begin`: LLVM's way to close a loop
  for (uint32_t k = 0; k < block->next_count; k++) {
    if (block->next[k] >= s->cfg->block_count) continue;
    const struct weir_block *n = &s->cfg->blocks[block->next[k]];
    if (n->count == 1 && n->next_count == 1 && n->next[0] == b) return true;
  }
  return false;
}

// A barrier, a call or a clock: their number is part of what the loop does.
static bool is_fence(const struct weir_instruction *in) {
  const enum weir_effect effect = weir_opcode_effect(in->opcode);
  return effect == WEIR_EFFECT_BARRIER || effect == WEIR_EFFECT_CALLEE ||
    (in->opcode == WEIR_OP_MOV && in->operands[1].kind == WEIR_OPERAND_SPECIAL);
}

// ptxas 13 copies barriers, and no fences.
static bool has_fence(const struct weir_sass *s, const struct weir_block *block) {
  for (uint32_t k = 0; k < block->count; k++) {
    const struct weir_instruction *in = s->cfg->instructions[block->first + k];
    const enum weir_effect effect = weir_opcode_effect(in->opcode);
    if (s->assembles ? effect == WEIR_EFFECT_FENCE || (is_fence(in) && effect != WEIR_EFFECT_BARRIER) : is_fence(in))
      return true;
  }
  return false;
}

static bool adds_immediate(const struct weir_instruction *in, const struct weir_operand *to) {
  return in->opcode == WEIR_OP_ADD && weir_sass_is_integer(in->form.type) && in->operand_count == 3 &&
    in->operands[0].kind == WEIR_OPERAND_REGISTER && in->operands[2].kind == WEIR_OPERAND_INTEGER &&
    weir_operand_register(&in->operands[0]) == weir_operand_register(to);
}

// A comparison with a register to which the block adds an immediate: how often it runs is known when it begins.
static bool counts(const struct weir_sass *s, const struct weir_block *block) {
  for (uint32_t k = 0; k < block->count; k++) {
    const struct weir_instruction *c = s->cfg->instructions[block->first + k];
    if (c->opcode != WEIR_OP_SETP) continue;
    for (unsigned o = 1; o < c->operand_count; o++)
      for (uint32_t d = 0; d < block->count && c->operands[o].kind == WEIR_OPERAND_REGISTER; d++)
        if (adds_immediate(s->cfg->instructions[block->first + d], &c->operands[o])) return true;
  }
  return false;
}

// What keeps ptxas for Volta and later from unrolling: textures, divisions that are sequences; and ptxas 11.8, to which registers were fitted,
// atomics and a 64-bit counter.
static bool keeps_rolled(const struct weir_sass *s, const struct weir_instruction *in) {
  if (in->opcode == WEIR_OP_SETP)
    return !s->assembles && weir_sass_is_integer(in->form.type) && weir_type_bytes(in->form.type) == 8;
  switch (weir_opcode_effect(in->opcode)) {
  case WEIR_EFFECT_ATOMIC: return !s->assembles;
  case WEIR_EFFECT_TEXTURE:
  case WEIR_EFFECT_SURFACE_LOAD:
  case WEIR_EFFECT_SURFACE_STORE: return true;
  default: return in->opcode == WEIR_OP_DIV || in->opcode == WEIR_OP_REM ? weir_sass_scratch(s, in) > 4 : false;
  }
}

// What an instruction counts for. As much as the loop may hold of it says so: 43 of most, 22 loads, 7 square roots.
static uint32_t weight_of(const struct weir_sass *s, const struct weir_instruction *in) {
  const bool is_special = weir_type_class((enum weir_type)in->form.type) == 'f' && in->form.approx;
  const uint32_t guarded = in->guard && weir_opcode_flow(in->opcode) == WEIR_FLOW_NEXT;
  if (weir_opcode_effect(in->opcode) == WEIR_EFFECT_ATOMIC) return 12; // three are copied with a load, four are not
  switch (in->opcode) {
  case WEIR_OP_MOV:
  case WEIR_OP_CVTA: return guarded;
  case WEIR_OP_NEG:
  case WEIR_OP_ABS: return weir_type_class((enum weir_type)in->form.type) == 'f' ? 0 : 1 + guarded;
  case WEIR_OP_LD: return (in->form.space == WEIR_SPACE_CONST || in->form.space == WEIR_SPACE_PARAM ? 1 : 2) + guarded;
  case WEIR_OP_DIV:
  case WEIR_OP_REM: return is_special || in->form.full ? 12 : 1 + 4 * (uint32_t)weir_sass_scratch(s, in);
  default: return (is_special ? 6 : 1) + guarded;
  }
}

static uint32_t target_of(const struct weir_sass *s, const struct weir_instruction *in) {
  return weir_cfg_label(s->cfg, in->operands[0].symbol);
}

// Does a block jump to one that stands before it in the text, and is not the loop that stands right before?
static bool jumps_back(const struct weir_sass *s) {
  for (uint32_t b = 1; b < s->cfg->block_count; b++) {
    const struct weir_block *block = &s->cfg->blocks[b];
    const struct weir_instruction *last = s->cfg->instructions[block->first + block->count - 1];
    if (last->opcode == WEIR_OP_BRA && !last->guard && target_of(s, last) < block->first &&
        (block->count > 1 || target_of(s, last) != s->cfg->blocks[b - 1].first))
      return true;
  }
  return false;
}

void weir_sass_find_loops(struct weir_sass *s) {
  for (uint32_t k = 0; k < s->function->statement_count; k++) {
    const struct weir_statement *t = &s->function->statements[k];
    const uint32_t at = s->cfg->at_statement[k];
    if (t->kind == WEIR_STMT_PRAGMA && strstr(t->text, "nounroll") && at < s->cfg->instruction_count)
      s->blocks[s->cfg->block_of[at]].rolled = true;
  }
  s->jumps_back = jumps_back(s);
}

// ptxas leaves a loop as it is whose branch is taken where its predicate does not hold; or one whose branch leads out, to what
// stands right behind the jump back, unless blocks of the function stand in another order than they are run in.
static bool is_turned(const struct weir_sass *s, uint32_t b) {
  const struct weir_block *block = &s->cfg->blocks[b];
  const struct weir_instruction *last = s->cfg->instructions[block->first + block->count - 1];
  if (last->guard_negated || last->opcode != WEIR_OP_BRA) return true;
  const uint32_t to = target_of(s, last);
  return to != block->first && to == block->first + block->count + 1 && !s->jumps_back;
}

// What counts, and what each copy adds to an address, is not written in each.
static bool is_counting(const struct weir_instruction *in, const struct weir_instruction *branch) {
  if (in == branch) return true;
  if (in->opcode == WEIR_OP_SETP)
    return in->operands[0].kind == WEIR_OPERAND_REGISTER &&
      weir_operand_register(&in->operands[0]) == weir_guard_register(branch);
  return !in->guard && in->operand_count == 3 && in->operands[1].kind == WEIR_OPERAND_REGISTER &&
    adds_immediate(in, &in->operands[1]);
}

// A sum of 64 bits that the block accesses memory by is part of the accesses.
static bool is_address(const struct weir_sass *s, const struct weir_block *block, const struct weir_instruction *in) {
  if (in->opcode != WEIR_OP_ADD || weir_type_bytes((enum weir_type)in->form.type) != 8 || !in->operand_count ||
      in->operands[0].kind != WEIR_OPERAND_REGISTER)
    return false;
  for (uint32_t k = 0; k < block->count; k++) {
    const struct weir_instruction *access = s->cfg->instructions[block->first + k];
    for (uint32_t o = 0; o < access->operand_count; o++)
      if (access->operands[o].kind == WEIR_OPERAND_ADDRESS && access->operands[o].base_is_register &&
          weir_operand_register(&access->operands[o]) == weir_operand_register(&in->operands[0]))
        return true;
  }
  return false;
}

static bool is_store(const struct weir_instruction *in) {
  return weir_opcode_effect(in->opcode) == WEIR_EFFECT_STORE;
}

static uint32_t copies_for_volta(const struct weir_sass *s, uint32_t b) {
  const struct weir_block *block = &s->cfg->blocks[b];
  const struct weir_instruction *last = s->cfg->instructions[block->first + block->count - 1];
  if (is_turned(s, b)) return 1;
  uint32_t weight = 0;
  bool loads = false;
  for (uint32_t k = 0; k < block->count; k++) {
    const struct weir_instruction *in = s->cfg->instructions[block->first + k];
    if (keeps_rolled(s, in)) return 1;
    if (!s->assembles)
      weight += weight_of(s, in);
    else if (!is_counting(in, last) && !is_address(s, block, in))
      weight += weight_of(s, in) + is_store(in);
    if (weight > HEAVIEST) return 1;
    loads |= weir_opcode_effect(in->opcode) == WEIR_EFFECT_LOAD;
  }
  if (!s->assembles) return weight <= HEAVIEST ? UNROLLED : 1;
  return weight <= (loads ? HEAVIEST - COUNTING : HEAVIEST_WITHOUT_LOAD) ? UNROLLED : 1;
}

uint32_t weir_sass_copies(const struct weir_sass *s, uint32_t b) {
  const struct weir_block *block = &s->cfg->blocks[b];
  if (s->unrolled || s->blocks[b].rolled || !is_loop(s, b) || has_fence(s, block) || !counts(s, block)) return 1;
  if (weir_sass_is_volta(s)) return copies_for_volta(s, b);
  uint32_t n = UNROLLED;
  while (n > 1 && n * block->count > UNROLLED_MOST) n /= 2;
  return n;
}

// ---- a known number of runs -------------------------------------------------------------------------------------------

// ptxas 13 was asked with loops of 1 to 128 multiply-adds, of loads or of stores, that run 2 to 8000 times (docs/VALIDATION.md, "Order of
// instructions"). Of a body that weighs no more than HEAVIEST_KNOWN as many copies stand in the loop as do not weigh more than
// MOST_WEIGHT together with those before it. All of them, without a loop, are written of those below.
enum { HEAVIEST_KNOWN = 72, MOST_WEIGHT = 350, WHOLE = 390, WHOLE_LIGHT = 440, WHOLE_SQUARE = 23200 };
enum { LONGEST = 16384 }; // instructions of all copies: a bound on work alone

static bool is_whole(uint64_t weight, uint64_t runs, uint64_t count) {
  if (runs > LONGEST || runs * count > LONGEST) return false;
  return weight * runs <= WHOLE ||
    (weight <= HEAVIEST_KNOWN && (weight * runs <= WHOLE_LIGHT || (weight + 1) * (weight + 1) * runs <= WHOLE_SQUARE));
}

// Here loads that fill a register's low bits alone weigh more, and atomics less.
static uint64_t known_weight(const struct weir_sass *s, const struct weir_instruction *in) {
  switch (weir_opcode_effect(in->opcode)) {
  case WEIR_EFFECT_ATOMIC: return 9;
  case WEIR_EFFECT_LOAD: return weight_of(s, in) + (weir_type_bytes((enum weir_type)in->form.type) < 4);
  default: return weight_of(s, in) + is_store(in);
  }
}

struct weir_copies weir_sass_known_copies(const struct weir_sass *s, uint32_t b, uint64_t runs) {
  const struct weir_block *block = &s->cfg->blocks[b];
  const struct weir_copies rolled = {1, 0};
  const struct weir_instruction *branch = s->cfg->instructions[block->first + block->count - 1];
  if (s->blocks[b].rolled || is_turned(s, b) || has_fence(s, block)) return rolled;
  uint64_t weight = 0;
  for (uint32_t k = 0; k < block->count; k++) {
    const struct weir_instruction *in = s->cfg->instructions[block->first + k];
    if (keeps_rolled(s, in)) return rolled;
    if (!is_counting(in, branch)) weight += known_weight(s, in);
  }
  if (is_whole(weight, runs, block->count)) return (struct weir_copies){(uint32_t)runs, 0};
  if (weight > HEAVIEST_KNOWN) return rolled;
  const uint64_t most = MOST_WEIGHT / (weight ? weight : 1);
  for (uint64_t n = most; n > 1; n--)
    if (n + runs % n <= most) return (struct weir_copies){(uint32_t)n, (uint32_t)(runs % n)};
  return rolled;
}
