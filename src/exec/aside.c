// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/aside.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "exec/machine.h"

// ---- putting off --------------------------------------------------------------------------------------------------------

static void include(struct weir_put_off *p, uint64_t address, uint64_t bytes) {
  if (address < p->low) p->low = address;
  if (address + bytes > p->high) p->high = address + bytes;
}

// Where its bytes are, if every lane's address is one of device memory; of a matrix's lines of 32 bytes as many may lie behind what is
// told (exec/matrix/move.c).
static void find_range(struct weir_put_off *p, const struct weir_winstr *out) {
  const uint32_t told = out->what->access_bytes, bytes = told == 32 ? 2 * told : told;
  if (out->spread != WEIR_SPREAD_UNKNOWN) {
    p->low = out->low;
    p->high = out->high + bytes;
    return;
  }
  p->low = UINT64_MAX;
  for (uint32_t s = 0; out->what->is_bulk && s < out->segment_count; s++)
    include(p, out->segments[s].address, out->segments[s].bytes);
  for (uint64_t m = out->what->is_bulk ? 0 : p->mask; m; m &= m - 1) include(p, out->address[weir_lowest(m)], bytes);
}

bool weir_aside_takes(struct weir_aside *a, struct weir_warp *w, const struct weir_insn *i, uint64_t mask,
                      const struct weir_winstr *out, enum weir_data_move move) {
  if (i->reach == WEIR_REACH_LOCAL || i->reach == WEIR_REACH_FRAME || i->reach == WEIR_REACH_KERNEL) return false;
  // Of the block, and so of this core: clusters of several blocks have one thread.
  const bool own = i->reach == WEIR_REACH_SHARED || i->reach == WEIR_REACH_CLUSTER;
  if (own && !a->shared_follow) return false;
  struct weir_put_off *p = weir_push(a->list, a->count, a->capacity);
  *p = (struct weir_put_off){.warp = w, .insn = i, .mask = mask, .core = a->core};
  if (own) return true;
  // Lanes of a generic access may lie in different spaces.
  const bool anywhere = i->reach == WEIR_REACH_GENERIC && out->spread == WEIR_SPREAD_UNKNOWN;
  p->writes = move == WEIR_MOVE_STORE || move == WEIR_MOVE_IMAGE_STORE;
  p->in_turn = a->strays;
  if (anywhere || move == WEIR_MOVE_IMAGE_LOAD || move == WEIR_MOVE_IMAGE_STORE)
    p->high = UINT64_MAX;
  else
    find_range(p, out);
  a->shared_follow |= anywhere || move == WEIR_MOVE_COPY;
  a->ordered |= p->writes || p->in_turn;
  a->strays = false;
  return true;
}

// ---- doing it -------------------------------------------------------------------------------------------------------------

static void perform(struct weir_put_off *p) {
  if (!p->warp) return;
  // It was checked when it was put off, and nothing that is checked has changed.
  p->insn->memory(p->warp, p->insn, p->mask, NULL);
  p->warp = NULL;
}

// What is written in this cycle: beyond the last range they are joined.
enum { RANGES = 32 };
struct written {
  uint64_t low[RANGES], high[RANGES];
  uint32_t count;
};

static void note(struct written *w, const struct weir_put_off *p) {
  uint32_t at = w->count;
  if (at < RANGES) {
    w->low[at] = p->low;
    w->high[at] = p->high;
    w->count++;
    return;
  }
  at--;
  if (p->low < w->low[at]) w->low[at] = p->low;
  if (p->high > w->high[at]) w->high[at] = p->high;
}

static bool meets(const struct written *w, const struct weir_put_off *p) {
  bool met = false;
  for (uint32_t k = 0; k < w->count; k++) met |= p->low < w->high[k] && w->low[k] < p->high;
  return met;
}

// All that a core has put off keeps its order. What it loads waits for its turn, too, if anybody writes it in this cycle: a core
// before this one, whose value it finds, or one behind it, whose value it must not find.
static void settle_core(struct weir_put_off *list, uint32_t count, const struct written *w) {
  bool ordered = false;
  for (uint32_t k = 0; k < count; k++) ordered |= list[k].writes || list[k].in_turn || meets(w, &list[k]);
  for (uint32_t k = 0; k < count && ordered; k++) perform(&list[k]);
}

static uint32_t of_core(const struct weir_aside *a, uint32_t from, uint32_t core) {
  uint32_t n = 0;
  while (from + n < a->count && a->list[from + n].core == core) n++;
  return n;
}

void weir_aside_settle(struct weir_aside *const *asides, uint32_t count, const uint8_t *owners, uint32_t cores) {
  uint32_t next[UINT8_MAX + 1] = {0};
  struct written w = {.count = 0};
  bool ordered = false;
  for (uint32_t k = 0; k < count; k++) {
    for (uint32_t at = 0; asides[k]->ordered && at < asides[k]->count; at++)
      if (asides[k]->list[at].writes) note(&w, &asides[k]->list[at]);
    ordered |= asides[k]->ordered;
    asides[k]->ordered = false;
  }
  if (!ordered) return;
  for (uint32_t core = 0; core < cores; core++) {
    const struct weir_aside *a = asides[owners[core]];
    const uint32_t from = next[owners[core]], n = of_core(a, from, core);
    if (n) settle_core(a->list + from, n, &w);
    next[owners[core]] = from + n;
  }
}

void weir_aside_finish(struct weir_aside *a) {
  for (uint32_t k = 0; k < a->count; k++) perform(&a->list[k]);
  a->count = 0;
}

void weir_aside_free(struct weir_aside *a) {
  weir_free(a->list);
  *a = (struct weir_aside){0};
}
