// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptx/loops.h"

#include "base/alloc.h"
#include "ptx/dominate.h"

struct finder {
  struct weir_loops *l;
  const struct weir_cfg *cfg;
  uint32_t *into, *into_first; // predecessors of block b: into[into_first[b] .. into_first[b + 1])
  uint32_t *enter, *leave;     // when a walk of the dominator tree comes to a block and is done with it
  uint32_t *order;             // blocks as that walk comes to them
  uint32_t reached;
  uint32_t *outer; // [loop] → one around it, towards the outermost known
  uint32_t *stack;
};

bool weir_loops_dominates(const struct weir_loops *l, uint32_t a, uint32_t b) {
  if (l->dominator[b] == WEIR_CFG_EXIT) return false;
  while (b != a && l->dominator[b] != b) b = l->dominator[b];
  return a == b;
}

static bool dominates(const struct finder *f, uint32_t a, uint32_t b) {
  return f->enter[a] <= f->enter[b] && f->leave[b] <= f->leave[a];
}

static bool is_reached(const struct finder *f, uint32_t block) {
  return f->l->dominator[block] != WEIR_CFG_EXIT;
}

static void list_predecessors(struct finder *f, struct weir_arena *arena) {
  const struct weir_cfg *cfg = f->cfg;
  f->into_first = weir_arena_array(arena, uint32_t, cfg->block_count + 2);
  for (uint32_t b = 0; b < cfg->block_count; b++)
    for (uint32_t k = 0; k < cfg->blocks[b].next_count; k++) f->into_first[cfg->blocks[b].next[k] + 1]++;
  for (uint32_t b = 0; b <= cfg->block_count; b++) f->into_first[b + 1] += f->into_first[b];
  f->into = weir_arena_array(arena, uint32_t, f->into_first[cfg->block_count + 1]);
  uint32_t *fill = weir_arena_array(arena, uint32_t, cfg->block_count + 1);
  for (uint32_t b = 0; b < cfg->block_count; b++)
    for (uint32_t k = 0; k < cfg->blocks[b].next_count; k++) {
      const uint32_t to = cfg->blocks[b].next[k];
      f->into[f->into_first[to] + fill[to]++] = b;
    }
}

// Walks the dominator tree. Its edges are made in lists: first child of a block, next child of its parent.
static void walk_tree(struct finder *f, struct weir_arena *arena) {
  const uint32_t blocks = f->cfg->block_count;
  uint32_t *child = weir_arena_array(arena, uint32_t, blocks), *next = weir_arena_array(arena, uint32_t, blocks);
  for (uint32_t b = blocks; --b;)
    if (is_reached(f, b)) next[b] = child[f->l->dominator[b]], child[f->l->dominator[b]] = b;
  uint32_t depth = 0, time = 0;
  f->stack[depth++] = 0;
  f->order[f->reached++] = 0;
  while (depth) {
    const uint32_t at = f->stack[depth - 1], down = child[at];
    if (!down) {
      f->leave[at] = time++;
      depth--;
      continue;
    }
    child[at] = next[down];
    f->enter[down] = ++time;
    f->order[f->reached++] = down;
    f->stack[depth++] = down;
  }
}

static uint32_t outermost(struct finder *f, uint32_t loop) {
  while (f->outer[loop] != loop) loop = f->outer[loop] = f->outer[f->outer[loop]];
  return loop;
}

// The blocks into `block` join the loop's work list, but those of the loop `inside`, which has been found.
static void add_predecessors(struct finder *f, uint32_t block, uint32_t inside, uint32_t *depth) {
  for (uint32_t k = f->into_first[block]; k < f->into_first[block + 1]; k++) {
    const uint32_t from = f->into[k];
    if (!is_reached(f, from)) continue;
    if (inside != WEIR_NO_LOOP && f->l->loop_of[from] != WEIR_NO_LOOP && outermost(f, f->l->loop_of[from]) == inside)
      continue;
    f->stack[(*depth)++] = from;
  }
}

static void fill_loop(struct finder *f, uint32_t loop, uint32_t depth) {
  const uint32_t header = f->l->loops[loop].header;
  while (depth) {
    const uint32_t b = f->stack[--depth], inner = f->l->loop_of[b];
    if (inner == WEIR_NO_LOOP) {
      f->l->loop_of[b] = loop;
      if (b != header) add_predecessors(f, b, WEIR_NO_LOOP, &depth);
      continue;
    }
    const uint32_t sub = outermost(f, inner);
    if (sub == loop) continue;
    f->l->loops[sub].parent = f->outer[sub] = loop;
    add_predecessors(f, f->l->loops[sub].header, sub, &depth);
  }
}

static void find_loop(struct finder *f, uint32_t header) {
  uint32_t depth = 0;
  for (uint32_t k = f->into_first[header]; k < f->into_first[header + 1]; k++)
    if (is_reached(f, f->into[k]) && dominates(f, header, f->into[k])) f->stack[depth++] = f->into[k];
  if (!depth) return;
  const uint32_t loop = f->l->loop_count++;
  f->l->loops[loop] = (struct weir_loop){header, WEIR_NO_LOOP};
  f->outer[loop] = loop;
  fill_loop(f, loop, depth);
}

// Depth first over the program: an edge back to a block that is still being searched closes a cycle.
static void find_irreducible(struct finder *f, struct weir_arena *arena) {
  const uint32_t blocks = f->cfg->block_count;
  uint32_t *cursor = weir_arena_array(arena, uint32_t, blocks), depth = 0;
  uint8_t *state = weir_arena_array(arena, uint8_t, blocks); // 1: being searched, 2: done
  bool *told = weir_arena_array(arena, bool, blocks);
  f->stack[depth++] = 0;
  state[0] = 1;
  while (depth) {
    const uint32_t at = f->stack[depth - 1];
    if (cursor[at] == f->cfg->blocks[at].next_count) {
      state[at] = 2;
      depth--;
      continue;
    }
    const uint32_t to = f->cfg->blocks[at].next[cursor[at]++];
    if (to == blocks) continue;
    if (state[to] == 1 && !dominates(f, to, at) && !told[to]) {
      told[to] = true;
      f->l->irreducible[f->l->irreducible_count++] = to;
    }
    if (state[to]) continue;
    state[to] = 1;
    f->stack[depth++] = to;
  }
}

void weir_loops_find(struct weir_loops *l, const struct weir_cfg *cfg) {
  *l = (struct weir_loops){0};
  const uint32_t blocks = cfg->block_count;
  l->loops = weir_arena_array(&l->arena, struct weir_loop, blocks + 1);
  l->loop_of = weir_arena_array(&l->arena, uint32_t, blocks + 1);
  l->dominator = weir_arena_array(&l->arena, uint32_t, blocks + 1);
  l->irreducible = weir_arena_array(&l->arena, uint32_t, blocks + 1);
  for (uint32_t b = 0; b < blocks; b++) l->loop_of[b] = WEIR_NO_LOOP;
  if (!blocks) return;
  weir_cfg_dominate(cfg, l->dominator);
  struct weir_arena arena = {0};
  struct finder f = {.l = l, .cfg = cfg};
  list_predecessors(&f, &arena);
  f.stack = weir_arena_array(&arena, uint32_t, 2 * (size_t)f.into_first[blocks + 1] + blocks + 1);
  f.enter = weir_arena_array(&arena, uint32_t, blocks);
  f.leave = weir_arena_array(&arena, uint32_t, blocks);
  f.order = weir_arena_array(&arena, uint32_t, blocks);
  f.outer = weir_arena_array(&arena, uint32_t, blocks + 1);
  walk_tree(&f, &arena);
  for (uint32_t k = f.reached; k--;) find_loop(&f, f.order[k]);
  find_irreducible(&f, &arena);
  weir_arena_free(&arena);
}

void weir_loops_free(struct weir_loops *l) {
  weir_arena_free(&l->arena);
  *l = (struct weir_loops){0};
}
