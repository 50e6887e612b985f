// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/estimate/estimate.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "exec/estimate/private.h"

#include <string.h>

static void set_bit(uint64_t *set, uint32_t k) {
  set[k / 64] |= UINT64_C(1) << (k % 64);
}

// ---- what is alive --------------------------------------------------------------------------------------------------

static bool is_alive(const struct weir_sass *s, const struct weir_sass_block *b, const struct weir_sass_op *o) {
  for (uint32_t d = 0; d < o->def_count; d++) {
    const struct weir_sass_value *v = &b->values[o->first_def + d];
    if (v->needed || (v->out && s->registers[v->reg].wanted)) return true;
  }
  return o->effect;
}

// Whether it found something new.
static bool mark_block(struct weir_sass *s, struct weir_sass_block *b) {
  bool changed = false;
  for (uint32_t k = b->op_count; k-- > 0;) {
    struct weir_sass_op *o = &b->ops[k];
    if (o->alive || !is_alive(s, b, o)) continue;
    o->alive = changed = true;
    for (uint32_t u = 0; u < o->use_count; u++) {
      struct weir_sass_value *v = &b->values[b->uses[o->first_use + u]];
      v->needed = true;
      if (v->op == WEIR_NO_OP) s->registers[v->reg].wanted = true;
    }
  }
  return changed;
}

static void mark(struct weir_sass *s) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = s->cfg->block_count; b-- > 0;) changed |= mark_block(s, &s->blocks[b]);
  }
}

static void count_uses(struct weir_sass_block *b) {
  for (uint32_t k = 0; k < b->op_count; k++) {
    const struct weir_sass_op *o = &b->ops[k];
    for (uint32_t u = 0; o->alive && u < o->use_count; u++) b->values[b->uses[o->first_use + u]].uses++;
  }
}

// ---- liveness between blocks ----------------------------------------------------------------------------------------

static void transfer(const struct weir_sass *s, uint32_t block, uint64_t *in) {
  const struct weir_sass_block *b = &s->blocks[block];
  memcpy(in, s->out + (size_t)block * s->words, s->words * sizeof *in);
  for (uint32_t v = 0; v < b->value_count; v++) {
    const struct weir_sass_value *value = &b->values[v];
    if (value->op != WEIR_NO_OP) in[value->reg / 64] &= ~(UINT64_C(1) << (value->reg % 64));
  }
  for (uint32_t v = 0; v < b->value_count; v++)
    if (b->values[v].op == WEIR_NO_OP && b->values[v].uses) set_bit(in, b->values[v].reg);
}

// `now` holds one set.
static void solve(struct weir_sass *s, uint64_t *now) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = s->cfg->block_count; b-- > 0;) {
      const struct weir_block *block = &s->cfg->blocks[b];
      uint64_t *out = s->out + (size_t)b * s->words, *in = s->in + (size_t)b * s->words;
      for (uint32_t n = 0; n < block->next_count; n++)
        for (uint32_t w = 0; block->next[n] < s->cfg->block_count && w < s->words; w++)
          out[w] |= s->in[(size_t)block->next[n] * s->words + w];
      transfer(s, b, now);
      changed |= memcmp(now, in, s->words * sizeof *now) != 0;
      memcpy(in, now, s->words * sizeof *now);
    }
  }
}

// ---- the estimate ---------------------------------------------------------------------------------------------------

// Registers that ptxas uses beyond those that are live at once: R1, which always points to the stack, and what is lost
// to pairs, groups and spreading. But it does not pass STEP for that alone: so many has each of Kepler's 2048 threads.
// LOST and LOST_PERCENT were fitted to the training half of the kernels of docs/VALIDATION.md.
enum { STACK_POINTER = 1, LOST = 1, LOST_PERCENT = 12, STEP = 32 };

static uint32_t allocate(uint32_t live) {
  const uint32_t spread = (live * (100 + LOST_PERCENT) + 50) / 100 + LOST + STACK_POINTER;
  return spread > STEP && live + STACK_POINTER <= STEP ? STEP : spread;
}

uint32_t weir_estimate_registers(const struct weir_function *f, const struct weir_cfg *cfg) {
  const uint32_t n = f->register_count, words = (n + 63) / 64;
  const size_t sets = (size_t)words * cfg->block_count;
  uint64_t *memory = weir_new_array(uint64_t, 2 * sets + words + 1);
  struct weir_sass s = {.function = f,
                        .cfg = cfg,
                        .words = words,
                        .in = memory,
                        .out = memory + sets,
                        .registers = weir_new_array(struct weir_sass_register, n + 1),
                        .blocks = weir_new_array(struct weir_sass_block, cfg->block_count + 1)};
  weir_sass_fold(&s);
  mark(&s);
  for (uint32_t b = 0; b < cfg->block_count; b++) count_uses(&s.blocks[b]);
  solve(&s, memory + 2 * sets);
  uint32_t most = 0, calls = 0;
  for (uint32_t b = 0; b < cfg->block_count; b++) {
    const uint32_t here = weir_sass_schedule(&s, b, &calls);
    if (here > most) most = here;
    weir_free(s.blocks[b].values);
    weir_free(s.blocks[b].ops);
    weir_free(s.blocks[b].uses);
  }
  weir_free(s.blocks);
  weir_free(s.registers);
  weir_free(memory);
  const uint32_t registers = allocate(most);
  return registers > calls ? registers : calls;
}
