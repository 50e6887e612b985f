// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Compilers write the end of a loop before its begin where they have turned it:
//
//         bra L                  →   L:  body, branch to M
//      M: end, branch to L               else, bra N
//         bra N                      M:  end, branch to L
//      L: body, branch to M          N:
//         else, bra M
//      N:
//
// Blocks between a jump and what it goes to, to which nothing before them leads, are put behind the last one that leads to them, which
// must not go on to the one behind it. So what runs one after the other stands so, and short branches around it are found.
#include "base/alloc.h"
#include "exec/assemble/private.h"
#include "exec/decode/decode.h"

#define NONE UINT32_MAX

enum { MOST_BLOCKS = 64, MOST_ROUNDS = 8 }; // bounds on work alone

struct placing {
  struct weir_assembly *a;
  struct weir_cfg cfg;
  uint32_t *begin; // [block] the first statement that is its own; one more for the end
  uint32_t *first; // [block] in `from`; one more for the end
  uint32_t *from;  // blocks that lead to it
  struct weir_statement *to;
  uint32_t count;
};

static const struct weir_instruction *last_of(const struct placing *p, uint32_t b) {
  const struct weir_block *block = &p->cfg.blocks[b];
  return p->cfg.instructions[block->first + block->count - 1];
}

static bool jumps(const struct placing *p, uint32_t b) {
  return last_of(p, b)->opcode == WEIR_OP_BRA && !last_of(p, b)->guard;
}

// The block that a jump at its end goes to, or NONE.
static uint32_t target_of(const struct placing *p, uint32_t b) {
  if (!jumps(p, b)) return NONE;
  const uint32_t i = weir_cfg_label(&p->cfg, last_of(p, b)->operands[0].symbol);
  return i < p->cfg.instruction_count ? p->cfg.block_of[i] : NONE;
}

static bool goes_on(const struct placing *p, uint32_t b) {
  const enum weir_flow flow = weir_opcode_flow(last_of(p, b)->opcode);
  return last_of(p, b)->guard || (!jumps(p, b) && flow != WEIR_FLOW_END);
}

// Of what leads to blocks `first` to `end` from elsewhere, the last; NONE: nothing does, or something before `end`.
static uint32_t last_way(const struct placing *p, uint32_t first, uint32_t end) {
  uint32_t last = NONE;
  for (uint32_t k = p->first[first]; k < p->first[end]; k++) {
    const uint32_t b = p->from[k];
    if (b >= first && b < end) continue;
    if (b < first) return NONE;
    if (last == NONE || b > last) last = b;
  }
  return last;
}

static void copy(struct placing *p, uint32_t first, uint32_t end, bool without_last) {
  const uint32_t until = p->begin[end] - without_last; // a block's last statement is its last instruction
  for (uint32_t s = p->begin[first]; s < until; s++) p->to[p->count++] = p->a->to->statements[s];
}

// Block b and, if it is a jump over blocks that can stand behind, those and what is before them there. The block after these.
static uint32_t place(struct placing *p, uint32_t b) {
  const uint32_t to = target_of(p, b), first = b + 1;
  const uint32_t last = to != NONE && to > first && to - first <= MOST_BLOCKS ? last_way(p, first, to) : NONE;
  if (last == NONE || goes_on(p, last)) {
    copy(p, b, b + 1, false);
    return b + 1;
  }
  const struct weir_statement jump = p->a->to->statements[p->begin[first] - 1];
  copy(p, b, first, true);
  copy(p, to, last + 1, target_of(p, last) == first);
  copy(p, first, to, target_of(p, to - 1) == last + 1);
  if (goes_on(p, to - 1)) p->to[p->count++] = jump;
  return last + 1;
}

static bool find_statements(struct placing *p) {
  const struct weir_function *f = p->a->to;
  uint32_t i = 0, b = 0, depth = 0;
  for (uint32_t s = 0; s < f->statement_count; s++) {
    if (b < p->cfg.block_count && i == p->cfg.blocks[b].first + p->cfg.blocks[b].count) {
      p->begin[++b] = s;
      if (depth) return false;
    }
    depth += f->statements[s].kind == WEIR_STMT_OPEN;
    depth -= f->statements[s].kind == WEIR_STMT_CLOSE;
    i += f->statements[s].kind == WEIR_STMT_INSTRUCTION;
  }
  if (b < p->cfg.block_count) p->begin[++b] = f->statement_count;
  return b == p->cfg.block_count;
}

static void find_ways(struct placing *p) {
  const struct weir_cfg *cfg = &p->cfg;
  for (uint32_t b = 0; b < cfg->block_count; b++)
    for (uint32_t k = 0; k < cfg->blocks[b].next_count; k++)
      if (cfg->blocks[b].next[k] < cfg->block_count) p->first[cfg->blocks[b].next[k] + 1]++;
  for (uint32_t b = 0; b < cfg->block_count; b++) p->first[b + 1] += p->first[b];
  uint32_t *at = weir_new_array(uint32_t, cfg->block_count + 1);
  p->from = weir_new_array(uint32_t, p->first[cfg->block_count] + 1);
  for (uint32_t b = 0; b < cfg->block_count; b++)
    for (uint32_t k = 0; k < cfg->blocks[b].next_count; k++) {
      const uint32_t to = cfg->blocks[b].next[k];
      if (to < cfg->block_count) p->from[p->first[to] + at[to]++] = b;
    }
  weir_free(at);
}

static bool once(struct weir_assembly *a) {
  struct placing p = {.a = a};
  bool changed = false;
  weir_cfg_build(&p.cfg, a->to);
  p.begin = weir_new_array(uint32_t, p.cfg.block_count + 2);
  p.first = weir_new_array(uint32_t, p.cfg.block_count + 2);
  if (p.cfg.block_count && find_statements(&p)) {
    find_ways(&p);
    const uint32_t rest = p.begin[p.cfg.block_count];
    p.to = weir_new_array(struct weir_statement, a->to->statement_count + p.cfg.block_count);
    for (uint32_t b = 0, next; b < p.cfg.block_count; b = next) {
      next = place(&p, b);
      changed |= next > b + 1;
    }
    for (uint32_t s = rest; s < a->to->statement_count; s++) p.to[p.count++] = a->to->statements[s];
    weir_free(a->to->statements);
    a->to->statements = p.to;
    a->to->statement_count = p.count;
    a->statement_capacity = p.count;
    for (uint32_t s = 0; s < p.count; s++)
      if (p.to[s].kind == WEIR_STMT_LABEL) p.to[s].symbol->statement = s;
  }
  weir_free(p.begin);
  weir_free(p.first);
  weir_free(p.from);
  weir_cfg_free(&p.cfg);
  return changed;
}

bool weir_assembly_place(struct weir_assembly *a) {
  bool changed = false;
  for (unsigned k = 0; k < MOST_ROUNDS && once(a); k++) changed = true;
  return changed;
}
