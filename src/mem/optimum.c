// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/optimum.h"

#include "base/alloc.h"

// What one set holds: the next uses of its sectors, each an event's number, in a heap with the latest on top. Uses that have
// come are left in it: they are earlier than all others, and so come to the top when nothing else is left.
struct set {
  uint64_t *uses;
  uint32_t count, capacity;
  uint32_t held; // of them, those to come
};

struct optimum {
  const struct weir_access_log *log;
  uint64_t *next;       // by event
  uint64_t *kept_until; // by sector: the event up to which it is held; 0: it is not
  uint32_t *filler;     // by sector: 1 + the instruction whose fill has not been used again yet, or 0
  struct set *sets;     // one, if it is `pooled`
  uint32_t room;        // sectors of a set
  bool pooled;
  struct weir_bound_counts *total, *pcs;
  uint32_t pc_count;
};

static void swap(uint64_t *a, uint64_t *b) {
  const uint64_t t = *a;
  *a = *b;
  *b = t;
}

static void push(struct set *s, uint64_t use) {
  uint32_t at = s->count;
  *weir_push(s->uses, s->count, s->capacity) = use;
  for (; at && s->uses[(at - 1) / 2] < s->uses[at]; at = (at - 1) / 2) swap(&s->uses[(at - 1) / 2], &s->uses[at]);
}

static void pop(struct set *s) {
  s->uses[0] = s->uses[--s->count];
  for (uint32_t at = 0, child; (child = 2 * at + 1) < s->count; at = child) {
    child += child + 1 < s->count && s->uses[child + 1] > s->uses[child];
    if (s->uses[at] >= s->uses[child]) break;
    swap(&s->uses[at], &s->uses[child]);
  }
}

static size_t sector_of(const struct optimum *o, const struct weir_log_event *e) {
  return (size_t)e->line * o->log->sectors + e->sector;
}

static struct set *set_of(const struct optimum *o, const struct weir_log_event *e) {
  return &o->sets[o->pooled ? 0 : o->log->lines[e->line].set];
}

// The sector that is used latest goes.
static void give_up(struct optimum *o, struct set *s) {
  o->kept_until[sector_of(o, &o->log->events[s->uses[0]])] = 0;
  pop(s);
  s->held--;
}

// Leaves out the uses that have come, `now` among them.
static void clean(struct set *s, uint64_t now) {
  const uint32_t count = s->count;
  s->count = 0;
  for (uint32_t i = 0; i < count; i++)
    if (s->uses[i] > now) push(s, s->uses[i]);
}

static void keep(struct optimum *o, struct set *s, size_t sector, uint64_t use, uint64_t now) {
  if (s->count > 2 * o->room + 64) clean(s, now);
  push(s, use);
  s->held++;
  o->kept_until[sector] = use;
}

// The sector of event i, which is used again, is held if all that is held is not used sooner.
static void bring(struct optimum *o, struct set *s, size_t sector, uint64_t i) {
  const uint64_t use = o->next[i];
  if (s->held == o->room) {
    if (!s->held || s->uses[0] <= use) return;
    give_up(o, s);
  }
  keep(o, s, sector, use, i);
}

static struct weir_bound_counts *counts_of(const struct optimum *o, uint32_t pc) {
  return pc < o->pc_count ? &o->pcs[pc] : NULL;
}

#define COUNT(o, pc, what)                                                                                             \
  do {                                                                                                                 \
    (o)->total->what++;                                                                                                \
    struct weir_bound_counts *own = counts_of(o, pc);                                                                  \
    if (own) own->what++;                                                                                              \
  } while (0)

static void count_unkept(struct optimum *o, size_t sector) {
  if (o->filler[sector]) COUNT(o, o->filler[sector] - 1, unkept_fills);
  o->filler[sector] = 0;
}

static void access_at(struct optimum *o, uint64_t i) {
  const struct weir_log_event *e = &o->log->events[i];
  struct set *s = set_of(o, e);
  const size_t sector = sector_of(o, e);
  const bool hits = o->kept_until[sector] == i && i;
  COUNT(o, e->pc, accesses);
  if (e->result >= WEIR_ACCESS_MISS) COUNT(o, e->pc, misses);
  if (e->result >= WEIR_ACCESS_MISS && !e->store) COUNT(o, e->pc, load_misses);
  if (hits) {
    s->held--;
    o->kept_until[sector] = 0;
    o->filler[sector] = 0;
  } else {
    COUNT(o, e->pc, least_misses);
    if (!e->store) COUNT(o, e->pc, least_load_misses);
    count_unkept(o, sector);
  }
  if (e->result == WEIR_ACCESS_MISS && !e->store) {
    COUNT(o, e->pc, fills);
    o->filler[sector] = e->pc + 1;
  }
  if (o->next[i] == WEIR_LOG_NEVER)
    count_unkept(o, sector);
  else
    bring(o, s, sector, i);
}

// What is put here costs nothing, and may be held from now on. It is not held yet: nobody had to wait for it.
static void place_at(struct optimum *o, uint64_t i) {
  const struct weir_log_event *e = &o->log->events[i];
  const size_t sector = sector_of(o, e);
  if (o->next[i] != WEIR_LOG_NEVER) bring(o, set_of(o, e), sector, i);
}

static void set_room(struct optimum *o, uint32_t room) {
  o->room = room;
  for (uint32_t i = 0; i < (o->pooled ? 1 : o->log->sets); i++)
    while (o->sets[i].held > room) give_up(o, &o->sets[i]);
}

// pooled: of one set that has all the data. Else of each set with its ways.
static void count_all(const struct weir_access_log *l, bool pooled, struct weir_bound_counts *total,
                      struct weir_bound_counts *pcs, uint32_t pc_count) {
  const uint32_t sets = pooled ? 1 : l->sets;
  const size_t sectors = (size_t)l->line_count * l->sectors;
  struct optimum o = {.log = l,
                      .next = weir_access_log_next_uses(l, true),
                      .kept_until = weir_new_array(uint64_t, sectors),
                      .filler = weir_new_array(uint32_t, sectors),
                      .sets = weir_new_array(struct set, sets),
                      .room = l->ways * l->sectors * (pooled ? l->sets : 1),
                      .pooled = pooled,
                      .total = total,
                      .pcs = pcs,
                      .pc_count = pc_count};
  for (uint64_t i = 0; i < l->count; i++) {
    const struct weir_log_event *e = &l->events[i];
    if (e->kind == (pooled ? WEIR_LOG_DATA : WEIR_LOG_WAYS)) set_room(&o, e->line * l->sectors);
    if (e->kind == WEIR_LOG_PLACE) place_at(&o, i);
    if (weir_log_needs_line(e)) access_at(&o, i);
  }
  for (size_t i = 0; i < sectors; i++) count_unkept(&o, i);
  for (uint32_t i = 0; i < sets; i++) weir_free(o.sets[i].uses);
  weir_free(o.next);
  weir_free(o.kept_until);
  weir_free(o.filler);
  weir_free(o.sets);
}

static bool has_pool(const struct weir_access_log *l) {
  uint64_t i = 0;
  while (i < l->count && l->events[i].kind != WEIR_LOG_DATA) i++;
  return i < l->count;
}

static void add(struct weir_bound_counts *to, const struct weir_bound_counts *more) {
#define X(name, ...) to->name += more->name;
  WEIR_BOUND_FIELDS(X)
#undef X
}

// Of sets that share their data neither the ways alone nor the data alone say how little may miss: the larger of both does.
void weir_optimum(const struct weir_access_log *l, struct weir_bound_counts *total, struct weir_bound_counts *pcs,
                  uint32_t pc_count) {
  struct weir_bound_counts sums[2] = {{0}}, *own[2];
  if (!has_pool(l)) {
    count_all(l, false, total, pcs, pc_count);
    return;
  }
  for (unsigned i = 0; i < 2; i++) {
    own[i] = weir_new_array(struct weir_bound_counts, pc_count);
    count_all(l, i, &sums[i], own[i], pc_count);
  }
  const unsigned best = sums[1].least_misses > sums[0].least_misses;
  add(total, &sums[best]);
  for (uint32_t pc = 0; pc < pc_count; pc++) add(&pcs[pc], &own[best][pc]);
  for (unsigned i = 0; i < 2; i++) weir_free(own[i]);
}
