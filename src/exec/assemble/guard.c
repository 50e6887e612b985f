// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Short branches become guards, as NVIDIA's assembler makes them:
//
//         @p bra L            →         @!p body
//         body                        L:
//      L:
//
// and likewise `@p bra L; body; bra M; L: other; M:`. What the bodies compute for themselves alone is computed by all lanes. A branch
// around a jump is one branch. Which are short ptxas was asked (docs/VALIDATION.md, "Order of instructions").
#include "base/alloc.h"
#include "exec/assemble/private.h"
#include "exec/decode/decode.h"
#include "exec/estimate/estimate.h"

// Machine instructions of a body: alone, before another one, and of that.
enum { ALONE = 8, FIRST = 6, SECOND = 7 };

struct register_counts {
  uint32_t reads, writes;
};

struct guarding {
  struct weir_assembly *a;
  struct weir_cfg cfg; // of what is there so far
  uint32_t *statement; // [instruction]
  uint32_t *entries;   // [block] from so many blocks, and from the function's begin
  bool *in_loop;       // [block] it stands between a jump back and where that goes
  // [instruction] machine instructions that it becomes, and of these, to move its operands; NULL until a body may be short.
  uint8_t *machine, *moves;
  struct register_counts *counts; // [register] of the function
  bool *gone;                     // [statement]
  bool changed;
};

static struct weir_instruction *at(const struct guarding *g, uint32_t i) {
  return g->cfg.instructions[i];
}

static struct weir_instruction *last_of(const struct guarding *g, uint32_t b) {
  return at(g, g->cfg.blocks[b].first + g->cfg.blocks[b].count - 1);
}

// The block that a branch under a guard goes to; NONE: it ends in none, or in one that leads to the next block, or behind the last.
#define NONE UINT32_MAX

static uint32_t target_of(const struct guarding *g, uint32_t b) {
  const struct weir_block *block = &g->cfg.blocks[b];
  if (last_of(g, b)->opcode != WEIR_OP_BRA || !last_of(g, b)->guard || block->next_count != 2) return NONE;
  return block->next[1] < g->cfg.block_count ? block->next[1] : NONE;
}

static bool jumps(const struct guarding *g, uint32_t b) {
  return last_of(g, b)->opcode == WEIR_OP_BRA && !last_of(g, b)->guard;
}

// Where a block leads that has one way out.
static uint32_t next_of(const struct guarding *g, uint32_t b) {
  return g->cfg.blocks[b].next_count == 1 ? g->cfg.blocks[b].next[0] : NONE;
}

// ---- which bodies are short -----------------------------------------------------------------------------------------

static bool may_have_guard(const struct weir_instruction *in) {
  if (in->guard || weir_opcode_flow(in->opcode) != WEIR_FLOW_NEXT ||
      weir_opcode_convergence(in->opcode) != WEIR_CONVERGENCE_LANE)
    return false;
  switch (weir_opcode_effect(in->opcode)) {
  case WEIR_EFFECT_NONE:
  case WEIR_EFFECT_QUERY:
  case WEIR_EFFECT_UNIFORM: return true;
  case WEIR_EFFECT_LOAD:
  case WEIR_EFFECT_STORE: return in->form.order == WEIR_ORDER_WEAK;
  default: return false;
  }
}

static bool is_far_load(const struct weir_instruction *in) {
  return weir_opcode_effect(in->opcode) == WEIR_EFFECT_LOAD &&
    (in->form.space == WEIR_SPACE_GLOBAL || in->form.space == WEIR_SPACE_GENERIC);
}

static bool stores_nearby(const struct weir_instruction *in) {
  return weir_opcode_effect(in->opcode) == WEIR_EFFECT_STORE && in->form.space == WEIR_SPACE_SHARED;
}

// Outside of loops ptxas leaves the branch where its body would wait for a load from global memory, but for one that it stores to shared
// memory.
static bool waits_for_load(const struct guarding *g, uint32_t first, uint32_t count) {
  struct weir_registers load, use;
  for (uint32_t k = 0; k < count; k++) {
    if (!is_far_load(at(g, first + k))) continue;
    weir_registers_of(at(g, first + k), &load);
    for (uint32_t q = k + 1; q < count; q++) {
      weir_registers_of(at(g, first + q), &use);
      for (unsigned d = 0; d < load.dst_count; d++)
        if (weir_has_register(use.src, use.src_count, load.dst[d]) && !stores_nearby(at(g, first + q))) return true;
    }
  }
  return false;
}

// It costs more than all else here.
static void estimate(struct guarding *g) {
  if (g->machine) return;
  g->machine = weir_new_array(uint8_t, g->cfg.instruction_count + 1);
  g->moves = weir_new_array(uint8_t, g->cfg.instruction_count + 1);
  weir_estimate_machine(g->a->to, &g->cfg, g->a->assembler, g->machine, g->moves);
}

// What moves parameters and factors of addresses comes later; what is stored does not.
static unsigned weight_of(const struct guarding *g, uint32_t i) {
  const bool stores = weir_opcode_effect(at(g, i)->opcode) == WEIR_EFFECT_STORE;
  return stores ? g->machine[i] : g->machine[i] - g->moves[i];
}

// `count` instructions of block b, which are run where `branch` does not go, or where it goes.
static bool is_short(struct guarding *g, uint32_t b, uint32_t count, const struct weir_instruction *branch,
                     unsigned most) {
  const uint32_t first = g->cfg.blocks[b].first, guard = weir_guard_register(branch);
  unsigned weight = 0;
  struct weir_registers r;
  for (uint32_t k = 0; k < count; k++) {
    if (!may_have_guard(at(g, first + k))) return false;
    weir_registers_of(at(g, first + k), &r);
    if (weir_has_register(r.dst, r.dst_count, guard)) return false;
  }
  estimate(g);
  for (uint32_t k = 0; k < count; k++) weight += weight_of(g, first + k);
  if (weight > most) return false;
  return g->in_loop[b] || !waits_for_load(g, first, count);
}

// ---- guards ---------------------------------------------------------------------------------------------------------

// Nothing but these instructions reads what `in` writes, or writes it.
static bool is_local(const struct guarding *g, uint32_t first, uint32_t count, const struct weir_instruction *in) {
  struct weir_registers mine, r;
  weir_registers_of(in, &mine);
  if (weir_opcode_effect(in->opcode) != WEIR_EFFECT_NONE || !mine.dst_count) return false;
  for (unsigned d = 0; d < mine.dst_count; d++) {
    struct register_counts here = {0};
    for (uint32_t k = 0; k < count; k++) {
      weir_registers_of(at(g, first + k), &r);
      here.reads += weir_has_register(r.src, r.src_count, mine.dst[d]);
      here.writes += weir_has_register(r.dst, r.dst_count, mine.dst[d]);
      if (r.keeps && weir_has_register(r.dst, r.dst_count, mine.dst[d])) return false;
    }
    if (here.reads != g->counts[mine.dst[d]].reads || here.writes != g->counts[mine.dst[d]].writes) return false;
  }
  return true;
}

// Do `count` instructions write all that `in` writes, before they read it?
static bool rewrite(const struct guarding *g, uint32_t first, uint32_t count, const struct weir_instruction *in) {
  struct weir_registers mine, r;
  weir_registers_of(in, &mine);
  for (unsigned d = 0; d < mine.dst_count; d++) {
    bool written = false;
    for (uint32_t k = first; k < first + count && !written; k++) {
      weir_registers_of(at(g, k), &r);
      if (weir_has_register(r.src, r.src_count, mine.dst[d])) return false;
      written = weir_has_register(r.dst, r.dst_count, mine.dst[d]);
    }
    if (!written) return false;
  }
  return true;
}

// `count` instructions of block b; `others` of the next one have the opposite guard.
static void guard(struct guarding *g, uint32_t b, uint32_t count, uint32_t others,
                  const struct weir_instruction *branch, bool negated) {
  const uint32_t first = g->cfg.blocks[b].first;
  for (uint32_t k = first; k < first + count; k++) {
    if (is_local(g, first, count, at(g, k))) continue;
    struct weir_instruction *in = weir_assembly_own(g->a, g->statement[k]);
    in->guard = branch->guard;
    in->guard_index = branch->guard_index;
    in->guard_negated = negated;
    in->fresh = others && rewrite(g, g->cfg.blocks[b + 1].first, others, in);
  }
}

static void remove_last(struct guarding *g, uint32_t b) {
  g->gone[g->statement[g->cfg.blocks[b].first + g->cfg.blocks[b].count - 1]] = true;
  g->changed = true;
}

// `@p bra L; bra M; L:` is `@!p bra M`.
static bool turn(struct guarding *g, uint32_t b, uint32_t to) {
  struct weir_instruction *branch = last_of(g, b);
  if (to != b + 2 || g->cfg.blocks[b + 1].count != 1 || !jumps(g, b + 1)) return false;
  branch->operands[0] = last_of(g, b + 1)->operands[0];
  branch->guard_negated = !branch->guard_negated;
  remove_last(g, b + 1);
  return true;
}

static bool guard_one(struct guarding *g, uint32_t b, uint32_t to) {
  struct weir_instruction *branch = last_of(g, b);
  const uint32_t count = g->cfg.blocks[b + 1].count - jumps(g, b + 1);
  if (next_of(g, b + 1) != to || !is_short(g, b + 1, count, branch, ALONE)) return false;
  guard(g, b + 1, count, 0, branch, !branch->guard_negated);
  remove_last(g, b);
  return true;
}

static bool guard_both(struct guarding *g, uint32_t b, uint32_t to) {
  struct weir_instruction *branch = last_of(g, b);
  if (to != b + 2 || !jumps(g, b + 1) || g->entries[to] != 1 || next_of(g, b + 1) == NONE ||
      next_of(g, b + 1) != next_of(g, to))
    return false;
  const uint32_t first = g->cfg.blocks[b + 1].count - 1, second = g->cfg.blocks[to].count - jumps(g, to);
  if (!is_short(g, b + 1, first, branch, FIRST) || !is_short(g, to, second, branch, SECOND)) return false;
  guard(g, b + 1, first, second, branch, !branch->guard_negated);
  guard(g, to, second, 0, branch, branch->guard_negated);
  remove_last(g, b);
  remove_last(g, b + 1);
  return true;
}

// ---- a function -----------------------------------------------------------------------------------------------------

static void find_loops(struct guarding *g) {
  uint32_t *begin = weir_new_array(uint32_t, g->cfg.block_count + 1), inside = 0;
  uint32_t *end = weir_new_array(uint32_t, g->cfg.block_count + 1);
  for (uint32_t b = 0; b < g->cfg.block_count; b++) {
    for (uint32_t n = 0; n < g->cfg.blocks[b].next_count; n++) {
      const uint32_t to = g->cfg.blocks[b].next[n];
      if (to < g->cfg.block_count) g->entries[to]++;
      if (to <= b) begin[to]++, end[b]++;
    }
  }
  g->entries[0]++;
  for (uint32_t b = 0; b < g->cfg.block_count; b++) {
    inside += begin[b];
    g->in_loop[b] = inside;
    inside -= end[b];
  }
  weir_free(begin);
  weir_free(end);
}

static void count_registers(struct guarding *g) {
  struct weir_registers r;
  for (uint32_t i = 0; i < g->cfg.instruction_count; i++) {
    weir_registers_of(at(g, i), &r);
    for (unsigned k = 0; k < r.src_count; k++) g->counts[r.src[k]].reads++;
    for (unsigned k = 0; k < r.dst_count; k++) g->counts[r.dst[k]].writes++;
  }
}

static void open(struct guarding *g, struct weir_assembly *a) {
  *g = (struct guarding){.a = a};
  weir_cfg_build(&g->cfg, a->to);
  g->statement = weir_new_array(uint32_t, g->cfg.instruction_count + 1);
  g->entries = weir_new_array(uint32_t, g->cfg.block_count + 1);
  g->in_loop = weir_new_array(bool, g->cfg.block_count + 1);
  g->counts = weir_new_array(struct register_counts, a->to->register_count + 1);
  g->gone = weir_new_array(bool, a->to->statement_count + 1);
  for (uint32_t s = 0, i = 0; s < a->to->statement_count; s++)
    if (a->to->statements[s].kind == WEIR_STMT_INSTRUCTION) g->statement[i++] = s;
  find_loops(g);
  count_registers(g);
}

static void close(struct guarding *g) {
  weir_free(g->statement);
  weir_free(g->machine);
  weir_free(g->moves);
  weir_free(g->entries);
  weir_free(g->in_loop);
  weir_free(g->counts);
  weir_free(g->gone);
  weir_cfg_free(&g->cfg);
}

// True: there may be more, since a block has become longer.
static bool once(struct weir_assembly *a) {
  struct guarding g;
  open(&g, a);
  for (uint32_t b = 0; b + 2 < g.cfg.block_count; b++) {
    const uint32_t to = target_of(&g, b);
    if (to == NONE || g.entries[b + 1] != 1) continue;
    if (turn(&g, b, to) || guard_one(&g, b, to))
      b++;
    else if (guard_both(&g, b, to))
      b += 2;
  }
  weir_assembly_drop(a, g.gone);
  close(&g);
  return g.changed;
}

enum { MOST_ROUNDS = 16 }; // a bound on work alone

bool weir_assembly_guard(struct weir_assembly *a) {
  bool changed = false;
  for (unsigned k = 0; k < MOST_ROUNDS && once(a); k++) changed = true;
  return changed;
}
