// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptx/cfg.h"

#include "base/alloc.h"
#include "ptx/dominate.h"

#include <assert.h>

static bool is_branch(const struct weir_instruction *i) {
  return weir_opcode_flow(i->opcode) == WEIR_FLOW_JUMP;
}

static bool ends_thread(const struct weir_instruction *i) {
  return weir_opcode_flow(i->opcode) == WEIR_FLOW_END;
}

// The labels a branch may go to: its operand, or those of a target list.
static uint32_t targets_of(const struct weir_instruction *i, const struct weir_symbol *const **targets) {
  uint32_t which = i->opcode == WEIR_OP_BRX ? 1 : 0;
  if (!is_branch(i) || i->operand_count <= which) return 0;
  const struct weir_operand *o = &i->operands[which];
  if (o->kind != WEIR_OPERAND_SYMBOL || !o->symbol) return 0;
  *targets = o->symbol->kind == WEIR_SYM_TARGETS ? o->symbol->targets : &o->symbol;
  return o->symbol->kind == WEIR_SYM_TARGETS ? o->symbol->target_count : 1;
}

static bool is_label(const struct weir_symbol *s) {
  return s && s->kind == WEIR_SYM_LABEL;
}

static void number_instructions(struct weir_cfg *cfg, const struct weir_function *f) {
  cfg->instructions = weir_arena_array(&cfg->arena, struct weir_instruction *, f->statement_count);
  cfg->at_statement = weir_arena_array(&cfg->arena, uint32_t, f->statement_count);
  for (uint32_t s = 0; s < f->statement_count; s++) {
    cfg->at_statement[s] = cfg->instruction_count;
    if (f->statements[s].kind == WEIR_STMT_INSTRUCTION)
      cfg->instructions[cfg->instruction_count++] = f->statements[s].instruction;
  }
}

uint32_t weir_cfg_label(const struct weir_cfg *cfg, const struct weir_symbol *label) {
  assert(is_label(label));
  return cfg->at_statement[label->statement];
}

// A block begins at the top, behind whatever may leave, and where a branch goes.
static bool *find_starts(const struct weir_cfg *cfg) {
  bool *starts = weir_new_array(bool, cfg->instruction_count + 1);
  starts[0] = true;
  for (uint32_t i = 0; i < cfg->instruction_count; i++) {
    const struct weir_instruction *in = cfg->instructions[i];
    const struct weir_symbol *const *targets;
    if (is_branch(in) || ends_thread(in)) starts[i + 1] = true;
    uint32_t count = targets_of(in, &targets);
    for (uint32_t t = 0; t < count; t++)
      if (is_label(targets[t])) starts[weir_cfg_label(cfg, targets[t])] = true;
  }
  return starts;
}

static void cut_blocks(struct weir_cfg *cfg) {
  bool *starts = find_starts(cfg);
  cfg->block_of = weir_arena_array(&cfg->arena, uint32_t, cfg->instruction_count);
  for (uint32_t i = 0; i < cfg->instruction_count; i++) {
    cfg->block_count += starts[i];
    cfg->block_of[i] = cfg->block_count - 1;
  }
  weir_free(starts);
  cfg->blocks = weir_arena_array(&cfg->arena, struct weir_block, cfg->block_count);
  for (uint32_t i = cfg->instruction_count; i--;) {
    cfg->blocks[cfg->block_of[i]].first = i;
    cfg->blocks[cfg->block_of[i]].count++;
  }
}

// The block at an instruction; the exit behind the last.
static uint32_t block_at(const struct weir_cfg *cfg, uint32_t instruction) {
  return instruction < cfg->instruction_count ? cfg->block_of[instruction] : cfg->block_count;
}

static void add_next(uint32_t *next, uint32_t *count, uint32_t block) {
  for (uint32_t i = 0; i < *count && i < 2; i++)
    if (next[i] == block) return; // both ways to one block
  next[(*count)++] = block;
}

static void connect(struct weir_cfg *cfg, struct weir_block *b) {
  uint32_t last = b->first + b->count - 1;
  const struct weir_instruction *in = cfg->instructions[last];
  const struct weir_symbol *const *targets = NULL;
  uint32_t count = targets_of(in, &targets);
  uint32_t *next = weir_arena_array(&cfg->arena, uint32_t, count + 2);
  b->next = next;
  bool leaves = is_branch(in) || ends_thread(in);
  if (!leaves || in->guard) add_next(next, &b->next_count, block_at(cfg, last + 1));
  if (ends_thread(in)) add_next(next, &b->next_count, cfg->block_count);
  for (uint32_t t = 0; t < count; t++)
    if (is_label(targets[t])) add_next(next, &b->next_count, block_at(cfg, weir_cfg_label(cfg, targets[t])));
}

void weir_cfg_build(struct weir_cfg *cfg, const struct weir_function *f) {
  *cfg = (struct weir_cfg){0};
  number_instructions(cfg, f);
  cut_blocks(cfg);
  for (uint32_t b = 0; b < cfg->block_count; b++) connect(cfg, &cfg->blocks[b]);
  weir_cfg_post_dominate(cfg);
}

void weir_cfg_free(struct weir_cfg *cfg) {
  weir_arena_free(&cfg->arena);
  *cfg = (struct weir_cfg){0};
}

uint32_t weir_cfg_reconvergence(const struct weir_cfg *cfg, uint32_t i) {
  uint32_t block = cfg->blocks[cfg->block_of[i]].post_dominator;
  return block == cfg->block_count ? WEIR_CFG_EXIT : cfg->blocks[block].first;
}
