// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/combine.h"

static uint64_t sector_of(const struct weir_cache *c, const struct weir_mreq *r) {
  return r->address >> c->sector_shift;
}

// The one that waits for this sector, unlinked from the queue if `take`; NULL: none does.
static struct weir_mreq *find(struct weir_cache *c, uint64_t sector, bool take) {
  struct weir_mreq *before = NULL, *r = c->combining.head;
  while (r && sector_of(c, r) != sector) {
    before = r;
    r = r->next;
  }
  if (!r || !take) return r;
  *(before ? &before->next : &c->combining.head) = r->next;
  if (!r->next) c->combining.tail = before;
  c->combining.count--;
  return r;
}

static bool is_whole(const struct weir_mreq *r) {
  return r->full || !r->used || r->used == UINT32_MAX;
}

enum weir_outcome weir_combine_pass(struct weir_cache *c, struct weir_mreq *r, weir_cycle now) {
  struct weir_mreq *held = c->combining.head ? find(c, sector_of(c, r), false) : NULL;
  if (held && held->l2_hint == r->l2_hint) {
    held->used |= r->full ? UINT32_MAX : r->used;
    held->full = held->used == UINT32_MAX;
    held->lanes = (uint8_t)(held->lanes + r->lanes);
    c->stats->combined_stores++;
    if (held->full) weir_queue_push(&c->miss_queue, find(c, sector_of(c, r), true));
    return WEIR_OUTCOME_WRITTEN;
  }
  if (!c->params.combine_cycles || is_whole(r)) {
    weir_queue_push(&c->miss_queue, r);
    return WEIR_OUTCOME_PASSED;
  }
  if (c->combining.count == c->params.combine_stores) weir_queue_push(&c->miss_queue, weir_queue_pop(&c->combining));
  r->ready = now + c->params.combine_cycles;
  weir_queue_push(&c->combining, r);
  return WEIR_OUTCOME_PASSED;
}

void weir_combine_read(struct weir_cache *c, uint64_t sector) {
  struct weir_mreq *held = c->combining.head ? find(c, sector, true) : NULL;
  if (held) weir_queue_push(&c->miss_queue, held);
}

void weir_combine_release(struct weir_cache *c, weir_cycle now, bool all) {
  struct weir_mreq *r;
  while ((r = c->combining.head) && (all || r->ready <= now) && !weir_queue_full(&c->miss_queue))
    weir_queue_push(&c->miss_queue, weir_queue_pop(&c->combining));
}
