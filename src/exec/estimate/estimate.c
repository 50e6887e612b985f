// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/estimate/estimate.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "exec/estimate/private.h"

#include <string.h>

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
    const struct weir_sass_register *r = &s->registers[value->reg];
    if (value->op != WEIR_NO_OP && r->wanted) in[r->member / 64] &= ~(UINT64_C(1) << (r->member % 64));
  }
  for (uint32_t v = 0; v < b->value_count; v++) {
    const struct weir_sass_register *r = &s->registers[b->values[v].reg];
    if (b->values[v].op == WEIR_NO_OP && b->values[v].uses) in[r->member / 64] |= UINT64_C(1) << (r->member % 64);
  }
}

// Only what some block reads at its begin can be live between blocks: most registers of long functions are none of it.
static void make_sets(struct weir_sass *s, uint32_t registers) {
  uint32_t n = 0;
  s->members = weir_new_array(uint32_t, registers + 1);
  for (uint32_t r = 0; r < registers; r++) {
    if (!s->registers[r].wanted) continue;
    s->registers[r].member = n;
    s->members[n++] = r;
  }
  s->words = (n + 63) / 64;
  s->in = weir_new_array(uint64_t, 2 * (size_t)s->words * s->cfg->block_count + 1);
  s->out = s->in + (size_t)s->words * s->cfg->block_count;
}

static void solve(struct weir_sass *s) {
  uint64_t *now = weir_new_array(uint64_t, s->words + 1);
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
  weir_free(now);
}

// ---- the estimate ---------------------------------------------------------------------------------------------------

// `step`: registers of each thread where as many run as a multiprocessor holds. An assembler does not pass it for want of a
// better place alone. Kepler's numbers and the windows were fitted to the training half of the kernels of docs/VALIDATION.md;
// the targets from Volta on are 6 below the step, R1 and `RESERVED` among them. Calls are as machine code shows them.
static const struct assembler {
  struct weir_sass_habits habits;
  uint32_t step;
} assemblers[] = {
  [WEIR_ASSEMBLER_SM_35] = {{28, 16, 16, 14}, 32}, [WEIR_ASSEMBLER_SM_70] = {{26, 64, 24, 24}, 32},
  [WEIR_ASSEMBLER_SM_75] = {{58, 64, 24, 24}, 64}, [WEIR_ASSEMBLER_SM_86] = {{34, 64, 24, 24}, 40},
  [WEIR_ASSEMBLER_SM_90] = {{26, 64, 24, 24}, 32}, [WEIR_ASSEMBLER_SM_110] = {{34, 64, 24, 24}, 40},
};
// R1 points to the stack. RESERVED: from Volta on ptxas counts two more than its code names. UNIT: beyond the step a thread's
// registers are rounded up to it anyway.
enum { STACK_POINTER = 1, RESERVED = 2, UNIT = 8 };

// Registers that ptxas uses for Kepler beyond those that are live at once: R1, and what is lost to pairs, groups and spreading.
enum { LOST = 1, LOST_PERCENT = 12 };

static uint32_t spread(uint32_t live, uint32_t step) {
  const uint32_t n = (live * (100 + LOST_PERCENT) + 50) / 100 + LOST + STACK_POINTER;
  return n > step && live + STACK_POINTER <= step ? step : n;
}

// The step if `registers` are no more, otherwise the next unit.
static uint32_t limit_for(uint32_t registers, uint32_t step) {
  return registers <= step ? step : (uint32_t)weir_align_up(registers, UNIT);
}

static uint32_t allocate(struct weir_sass *s, uint32_t live, uint32_t step) {
  const uint32_t limit = limit_for(live + 2 * STACK_POINTER + RESERVED, step) - RESERVED;
  const uint32_t least = limit_for(live + STACK_POINTER + RESERVED, step);
  const uint32_t n = weir_sass_allocate(s, limit) + RESERVED;
  return n < least ? n : least;
}

static uint32_t count(struct weir_sass *s) {
  const struct assembler *a = &assemblers[s->assembler];
  uint32_t most = 0, calls = 0;
  for (uint32_t b = 0; b < s->cfg->block_count; b++) {
    const uint32_t here = weir_sass_schedule(s, b, &a->habits, &calls);
    if (here > most) most = here;
  }
  const uint32_t registers = weir_sass_is_volta(s) ? allocate(s, most, a->step) : spread(most, a->step);
  return registers > calls ? registers : calls;
}

// Folds the function, and finds what is live where.
static void open(struct weir_sass *s, const struct weir_function *f, const struct weir_cfg *cfg,
                 enum weir_assembler assembler, bool unrolled) {
  const uint32_t n = f->register_count + WEIR_SASS_NAMELESS;
  *s = (struct weir_sass){.function = f,
                          .cfg = cfg,
                          .assembler = assembler,
                          .unrolled = unrolled,
                          .registers = weir_new_array(struct weir_sass_register, n),
                          .blocks = weir_new_array(struct weir_sass_block, cfg->block_count + 1)};
  weir_sass_fold(s);
  mark(s);
  for (uint32_t b = 0; b < cfg->block_count; b++) count_uses(&s->blocks[b]);
  make_sets(s, n);
  solve(s);
}

static void shut(struct weir_sass *s) {
  for (uint32_t b = 0; b < s->cfg->block_count; b++) {
    weir_free(s->blocks[b].values);
    weir_free(s->blocks[b].ops);
    weir_free(s->blocks[b].uses);
    weir_free(s->blocks[b].order);
  }
  weir_free(s->blocks);
  weir_free(s->registers);
  weir_free(s->members);
  weir_free(s->in);
}

uint32_t weir_estimate_registers(const struct weir_function *f, const struct weir_cfg *cfg,
                                 enum weir_assembler assembler) {
  struct weir_sass s;
  open(&s, f, cfg, assembler, false);
  const uint32_t registers = count(&s);
  shut(&s);
  return registers;
}

struct weir_loops {
  struct weir_sass s;
};

struct weir_loops *weir_loops_open(const struct weir_function *f, const struct weir_cfg *cfg,
                                   enum weir_assembler assembler) {
  struct weir_loops *l = weir_new(struct weir_loops);
  l->s = (struct weir_sass){.function = f,
                            .cfg = cfg,
                            .assembler = assembler,
                            .assembles = true,
                            .blocks = weir_new_array(struct weir_sass_block, cfg->block_count + 1)};
  weir_sass_find_loops(&l->s);
  return l;
}

struct weir_copies weir_loops_copies(const struct weir_loops *l, uint32_t b, uint64_t runs) {
  if (runs && weir_sass_is_volta(&l->s)) return weir_sass_known_copies(&l->s, b, runs);
  return (struct weir_copies){weir_sass_copies(&l->s, b), 0};
}

void weir_loops_close(struct weir_loops *l) {
  weir_free(l->s.blocks);
  weir_free(l);
}

bool weir_estimate_splits(const struct weir_instruction *in, enum weir_assembler assembler) {
  const struct weir_sass s = {.assembler = assembler};
  return weir_sass_is_subroutine(&s, in);
}

void weir_estimate_order(const struct weir_function *f, const struct weir_cfg *cfg, enum weir_assembler assembler,
                         uint32_t *rank) {
  struct weir_sass s;
  uint32_t calls = 0;
  open(&s, f, cfg, assembler, true);
  memset(rank, 0xff, cfg->instruction_count * sizeof *rank);
  for (uint32_t b = 0; b < cfg->block_count; b++) {
    weir_sass_schedule(&s, b, &assemblers[assembler].habits, &calls);
    const struct weir_sass_block *block = &s.blocks[b];
    for (uint32_t k = 0; k < block->order_count; k++) {
      const uint32_t i = block->ops[block->order[k]].instruction;
      if (i != WEIR_NO_OP) rank[i] = k;
    }
  }
  shut(&s);
}

enum { ENTRY = 1 }; // of a kernel: it sets R1

void weir_estimate_machine(const struct weir_function *f, const struct weir_cfg *cfg, enum weir_assembler assembler,
                           uint8_t *machine, uint8_t *moves) {
  struct weir_sass s;
  open(&s, f, cfg, assembler, true);
  memset(machine, 0, cfg->instruction_count);
  if (moves) memset(moves, 0, cfg->instruction_count);
  for (uint32_t b = 0; b < cfg->block_count; b++) weir_sass_count(&s, b, machine, moves);
  for (uint32_t k = 0; f->entry && k < cfg->instruction_count; k++) {
    if (!machine[k]) continue;
    machine[k] = (uint8_t)(machine[k] + ENTRY);
    break;
  }
  shut(&s);
}
