// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which loops an assembler unrolls: those of one block of which it can tell, when they begin, how often they run.
#include "exec/estimate/estimate.h"
#include "exec/estimate/private.h"

#include <string.h>

// ptxas copies the body of a loop that runs a known number of times four times, as its machine code shows. For Kepler ours is
// copied less often where it would be longer than UNROLLED_MOST. From Volta on ptxas 13 was asked, with loops that differ in one
// thing (docs/VALIDATION.md, "Order of instructions"): it copies a body that weighs no more than HEAVIEST.
enum { UNROLLED = WEIR_UNROLLED, UNROLLED_MOST = 200, HEAVIEST = 50 };

void weir_sass_find_pragmas(struct weir_sass *s) {
  for (uint32_t k = 0; k < s->function->statement_count; k++) {
    const struct weir_statement *t = &s->function->statements[k];
    const uint32_t at = s->cfg->at_statement[k];
    if (t->kind == WEIR_STMT_PRAGMA && strstr(t->text, "nounroll") && at < s->cfg->instruction_count)
      s->blocks[s->cfg->block_of[at]].rolled = true;
  }
}

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
static bool has_fence(const struct weir_sass *s, const struct weir_block *block) {
  for (uint32_t k = 0; k < block->count; k++) {
    const struct weir_instruction *in = s->cfg->instructions[block->first + k];
    const enum weir_effect effect = weir_opcode_effect(in->opcode);
    if (effect == WEIR_EFFECT_BARRIER || effect == WEIR_EFFECT_CALLEE) return true;
    if (in->opcode == WEIR_OP_MOV && in->operands[1].kind == WEIR_OPERAND_SPECIAL) return true;
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

// What keeps ptxas for Volta and later from unrolling: atomics, textures, divisions that are sequences, a 64-bit counter.
static bool keeps_rolled(const struct weir_sass *s, const struct weir_instruction *in) {
  if (in->opcode == WEIR_OP_SETP) return weir_sass_is_integer(in->form.type) && weir_type_bytes(in->form.type) == 8;
  switch (weir_opcode_effect(in->opcode)) {
  case WEIR_EFFECT_ATOMIC:
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

// ptxas leaves a loop as it is whose branch is taken where its predicate does not hold; or one whose branch leads out, to what
// stands right behind the jump back, unless blocks of the function stand in another order than they are run in.
static bool is_turned(const struct weir_sass *s, uint32_t b) {
  const struct weir_block *block = &s->cfg->blocks[b];
  const struct weir_instruction *last = s->cfg->instructions[block->first + block->count - 1];
  if (last->guard_negated || last->opcode != WEIR_OP_BRA) return true;
  const uint32_t to = target_of(s, last);
  return to != block->first && to == block->first + block->count + 1 && !jumps_back(s);
}

static uint32_t copies_for_volta(const struct weir_sass *s, uint32_t b) {
  const struct weir_block *block = &s->cfg->blocks[b];
  if (is_turned(s, b)) return 1;
  uint32_t weight = 0;
  for (uint32_t k = 0; k < block->count; k++) {
    const struct weir_instruction *in = s->cfg->instructions[block->first + k];
    if (keeps_rolled(s, in)) return 1;
    weight += weight_of(s, in);
  }
  return weight <= HEAVIEST ? UNROLLED : 1;
}

uint32_t weir_sass_copies(const struct weir_sass *s, uint32_t b) {
  const struct weir_block *block = &s->cfg->blocks[b];
  if (s->unrolled || s->blocks[b].rolled || !is_loop(s, b) || has_fence(s, block) || !counts(s, block)) return 1;
  if (weir_sass_is_volta(s)) return copies_for_volta(s, b);
  uint32_t n = UNROLLED;
  while (n > 1 && n * block->count > UNROLLED_MOST) n /= 2;
  return n;
}
