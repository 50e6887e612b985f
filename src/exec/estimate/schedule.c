// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// List scheduling of one block, as an assembler does it: what leads to a load goes first, so that loads are under way
// early, as long as no more registers than `target` are live; everything else goes in order as soon as its operands are
// there, at most `window` operations ahead (struct weir_sass_habits).
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/estimate/private.h"

#include <string.h>

struct edge {
  uint32_t to, next;
  bool data;   // a result, otherwise an order to be kept
  bool memory; // of two that touch memory
};

struct progress { // of one operation
  uint64_t ready_at;
  uint32_t waits;  // operations that it waits for
  uint32_t stores; // of these, operations that are to touch memory before it
  uint32_t feeds;  // the first load that it is or that needs its result, or WEIR_NO_OP
  uint32_t first;  // of its edges, or WEIR_NO_OP
  bool issued;
};

struct schedule {
  const struct weir_sass *s;
  const struct weir_sass_habits *habits;
  struct weir_sass_block *b;
  struct progress *ops;
  struct edge *edges;
  uint32_t edge_count, edge_capacity;
  uint32_t *ready; // operations that wait for none
  uint32_t ready_count;
  uint32_t oldest; // that is still to be issued
  uint32_t target; // registers, no more than which what leads to loads may take
  uint32_t live, most, calls;
};

static void add_edge(struct schedule *c, uint32_t from, uint32_t to, bool data) {
  if (from == to) return;
  const struct edge e = {to, c->ops[from].first, data, false};
  *weir_push(c->edges, c->edge_count, c->edge_capacity) = e;
  c->ops[from].first = c->edge_count - 1;
  c->ops[to].waits++;
}

static bool apart(const struct weir_sass_op *a, const struct weir_sass_op *b) {
  return a->base != WEIR_NO_OP && a->base == b->base && weir_apart(a->offset, a->bytes, b->offset, b->bytes);
}

// Memory operations keep their order where one of them writes what the other may touch.
static void order_memory(struct schedule *c, uint32_t to) {
  const struct weir_sass_op *o = &c->b->ops[to];
  if (o->memory == WEIR_SASS_PLAIN) return;
  for (uint32_t k = to; k-- > 0;) {
    const struct weir_sass_op *before = &c->b->ops[k];
    if (before->splits) return;
    if (!before->alive || before->memory == WEIR_SASS_PLAIN || !(before->spaces & o->spaces)) continue;
    if (before->memory == WEIR_SASS_LOAD && o->memory == WEIR_SASS_LOAD) continue;
    if (before->memory != WEIR_SASS_FENCE && o->memory != WEIR_SASS_FENCE && apart(before, o)) continue;
    add_edge(c, k, to, false);
    c->edges[c->edge_count - 1].memory = true;
    c->ops[to].stores++;
    if (before->memory == WEIR_SASS_FENCE) return;
  }
}

// A subroutine that is jumped to splits the block: nothing moves over it.
static void order_splits(struct schedule *c) {
  uint32_t since = 0, split = WEIR_NO_OP;
  for (uint32_t k = 0; k < c->b->op_count; k++) {
    if (!c->b->ops[k].alive) continue;
    if (split != WEIR_NO_OP) add_edge(c, split, k, false);
    if (!c->b->ops[k].splits) continue;
    for (uint32_t q = since; q < k; q++)
      if (c->b->ops[q].alive && q != split) add_edge(c, q, k, false);
    since = split = k;
  }
}

// A register that is written again keeps its place: its readers go before the next write.
static void order_rewrites(struct schedule *c) {
  struct weir_sass_block *b = c->b;
  for (uint32_t v = 0; v < b->value_count; v++) {
    const struct weir_sass_value *value = &b->values[v];
    if (value->before != WEIR_NO_OP && b->ops[value->op].alive) b->values[value->before].writer = value->op;
  }
  for (uint32_t k = 0; k < b->op_count; k++) {
    const struct weir_sass_op *o = &b->ops[k];
    for (uint32_t u = 0; o->alive && u < o->use_count; u++) {
      const uint32_t to = b->values[b->uses[o->first_use + u]].writer;
      if (to != WEIR_NO_OP && to > k) add_edge(c, k, to, false);
    }
  }
}

static void find_loads(struct schedule *c) {
  for (uint32_t k = c->b->op_count; k-- > 0;) {
    if (c->b->ops[k].memory == WEIR_SASS_LOAD) c->ops[k].feeds = k;
    for (uint32_t e = c->ops[k].first; e != WEIR_NO_OP && c->b->ops[k].memory == WEIR_SASS_PLAIN; e = c->edges[e].next)
      if (c->edges[e].data && c->ops[c->edges[e].to].feeds < c->ops[k].feeds)
        c->ops[k].feeds = c->ops[c->edges[e].to].feeds;
  }
}

static void build(struct schedule *c) {
  const struct weir_sass_block *b = c->b;
  for (uint32_t k = 0; k < b->op_count; k++) {
    const struct weir_sass_op *o = &b->ops[k];
    if (!o->alive) continue;
    for (uint32_t u = 0; u < o->use_count; u++) {
      const uint32_t from = b->values[b->uses[o->first_use + u]].op;
      if (from != WEIR_NO_OP) add_edge(c, from, k, true);
    }
    order_memory(c, k);
  }
  order_splits(c);
  order_rewrites(c);
  find_loads(c);
}

static int growth(const struct schedule *c, uint32_t op, uint32_t *freed) {
  const struct weir_sass_op *o = &c->b->ops[op];
  int n = 0;
  *freed = 0;
  for (uint32_t u = 0; u < o->use_count; u++) {
    const uint32_t v = c->b->uses[o->first_use + u];
    if (c->b->values[v].uses == 1 && !c->b->values[v].stays) *freed += c->b->values[v].width;
  }
  for (uint32_t d = 0; d < o->def_count; d++) {
    const uint32_t v = o->first_def + d;
    if (c->b->values[v].uses || c->b->values[v].stays) n += c->b->values[v].width;
  }
  return n - (int)*freed;
}

// c->live is what lives behind the call, its results included.
static void call(struct schedule *c, const struct weir_sass_op *o) {
  uint32_t across = c->live;
  for (uint32_t v = o->first_def; v < o->first_def + o->def_count; v++)
    if (c->b->values[v].uses || c->b->values[v].stays) across -= c->b->values[v].width;
  const uint32_t need = across ? c->habits->callee + across : c->habits->least_caller;
  if (need > c->calls) c->calls = need;
}

static void issue(struct schedule *c, uint32_t op, uint64_t time) {
  const struct weir_sass_op *o = &c->b->ops[op];
  uint32_t freed;
  const int grows = growth(c, op, &freed);
  uint32_t dead = 0;
  for (uint32_t d = 0; d < o->def_count; d++) {
    const uint32_t v = o->first_def + d;
    if (!c->b->values[v].uses && !c->b->values[v].stays) dead += c->b->values[v].width;
  }
  const uint32_t after = (uint32_t)((int)c->live + grows);
  if (c->live + o->extra > c->most) c->most = c->live + o->extra;
  if (after + dead > c->most) c->most = after + dead;
  c->live = after;
  if (o->calls) call(c, o);
  for (uint32_t u = 0; u < o->use_count; u++) c->b->values[c->b->uses[o->first_use + u]].uses--;
  for (uint32_t e = c->ops[op].first; e != WEIR_NO_OP; e = c->edges[e].next) {
    const uint32_t to = c->edges[e].to;
    if (c->edges[e].memory) c->ops[to].stores--;
    if (c->edges[e].data && time + o->latency > c->ops[to].ready_at) c->ops[to].ready_at = time + o->latency;
    if (!--c->ops[to].waits) c->ready[c->ready_count++] = to;
  }
}

// Of two operations that lead to loads: whether `a` goes first. One that has its operands does, so that loads whose addresses come
// from others' results wait for none that could be under way.
static bool leads(const struct schedule *c, uint32_t a, uint32_t b, uint64_t time) {
  const uint64_t a_at = c->ops[a].ready_at > time ? c->ops[a].ready_at : time,
                 b_at = c->ops[b].ready_at > time ? c->ops[b].ready_at : time;
  if (a_at != b_at && weir_sass_is_volta(c->s)) return a_at < b_at;
  return c->ops[a].feeds != c->ops[b].feeds ? c->ops[a].feeds < c->ops[b].feeds : a < b;
}

// Index in `ready` of the next operation: what leads to a load that may go, while registers last; else in order.
static uint32_t choose(const struct schedule *c, uint64_t time) {
  uint32_t load = WEIR_NO_OP, next = WEIR_NO_OP, soonest = WEIR_NO_OP, least = 0, freed;
  int least_growth = INT32_MAX;
  for (uint32_t k = 0; k < c->ready_count; k++) {
    const uint32_t op = c->ready[k];
    const int grows = growth(c, op, &freed);
    if (grows < least_growth || (grows == least_growth && op < c->ready[least])) least = k, least_growth = grows;
    if (grows > 0 && c->live + (uint32_t)grows > c->target) continue;
    const bool feeds = c->ops[op].feeds != WEIR_NO_OP && !c->ops[c->ops[op].feeds].stores;
    if (!feeds && op > c->oldest + c->habits->window) continue;
    if (soonest == WEIR_NO_OP || c->ops[op].ready_at < c->ops[c->ready[soonest]].ready_at ||
        (c->ops[op].ready_at == c->ops[c->ready[soonest]].ready_at && op < c->ready[soonest]))
      soonest = k;
    if (c->ops[op].ready_at <= time && (next == WEIR_NO_OP || op < c->ready[next])) next = k;
    if (feeds && (load == WEIR_NO_OP || leads(c, op, c->ready[load], time))) load = k;
  }
  return load != WEIR_NO_OP ? load : next != WEIR_NO_OP ? next : soonest != WEIR_NO_OP ? soonest : least;
}

// The 32-bit registers of a set.
static uint32_t words_of(const struct weir_sass *s, const uint64_t *set) {
  uint32_t words = 0;
  for (uint32_t w = 0; w < s->words; w++)
    for (uint64_t m = set[w]; m; m &= m - 1) words += weir_sass_width(s, s->members[w * 64 + weir_lowest(m)]);
  return words;
}

enum { ROOM = 8 };

static void begin(struct schedule *c, uint32_t block) {
  const struct weir_sass *s = c->s;
  c->live += words_of(s, s->in + (size_t)block * s->words);
  const uint32_t behind = words_of(s, s->out + (size_t)block * s->words);
  for (uint32_t v = 0; v < c->b->value_count; v++) {
    struct weir_sass_value *value = &c->b->values[v];
    value->stays = weir_sass_stays(s, block, value);
  }
  c->most = c->live;
  c->target = c->habits->target;
  if (s->unrolled)
    while (c->target < (c->live > behind ? c->live : behind) + ROOM) c->target += 8;
}

static void run(struct schedule *c) {
  for (uint32_t k = 0; k < c->b->op_count; k++)
    if (c->b->ops[k].alive && !c->ops[k].waits) c->ready[c->ready_count++] = k;
  for (uint64_t time = 0; c->ready_count; time++) {
    while (c->ops[c->oldest].issued || !c->b->ops[c->oldest].alive) c->oldest++;
    const uint32_t k = choose(c, time), op = c->ready[k];
    c->ready[k] = c->ready[--c->ready_count];
    if (c->ops[op].ready_at > time) time = c->ops[op].ready_at;
    c->ops[op].issued = true;
    c->b->order[c->b->order_count++] = op;
    issue(c, op, time);
  }
}

uint32_t weir_sass_schedule(struct weir_sass *s, uint32_t block, const struct weir_sass_habits *habits,
                            uint32_t *calls) {
  struct weir_sass_block *b = &s->blocks[block];
  struct schedule c = {.s = s,
                       .habits = habits,
                       .b = b,
                       .ops = weir_new_array(struct progress, b->op_count + 1),
                       .ready = weir_new_array(uint32_t, b->op_count + 1)};
  for (uint32_t k = 0; k < b->op_count; k++) c.ops[k].feeds = c.ops[k].first = WEIR_NO_OP;
  b->order = weir_new_array(uint32_t, b->op_count + 1);
  begin(&c, block);
  build(&c);
  run(&c);
  weir_free(c.ops);
  weir_free(c.edges);
  weir_free(c.ready);
  if (c.calls > *calls) *calls = c.calls;
  return c.most;
}
