// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "chip/replay.h"

#include "chip/machine.h"
#include "gpu/carveout.h"
#include "mem/serve.h"

#include <assert.h>

// Nobody waits for a part of what passes the first-level cache, or is written; and all pieces of a line are there at once, of which the last one
// says so.
static bool part(void *context, const struct weir_mreq *answer) {
  const struct weir_replay *r = context;
  struct weir_cache *l1 = &r->chip->sms[answer->core].l1;
  if (!weir_cache_waits_for(l1, answer)) return true;
  if (!weir_cache_waits_for_more(l1, answer)) return false;
  weir_cache_fill_part(l1, answer);
  return true;
}

static void answered(void *context, struct weir_mreq *answer) {
  struct weir_replay *r = context;
  if (part(r, answer)) {
    weir_mreq_release(&r->chip->fabric.pool, answer);
    return;
  }
  answer->ready = r->now + r->latency;
  weir_queue_push(&r->in_flight, answer);
}

static void arrive(struct weir_replay *r) {
  struct weir_mreq *answer = weir_queue_pop(&r->in_flight);
  struct weir_cache *l1 = &r->chip->sms[answer->core].l1;
  weir_cache_fill(l1, answer, r->now);
  while (l1->ready.head) weir_mreq_release(&r->chip->fabric.pool, weir_cache_take(l1));
}

static void arrive_until(struct weir_replay *r, weir_cycle when) {
  while (r->in_flight.head && r->in_flight.head->ready <= when) arrive(r);
}

static void memory(void *context, uint64_t address, uint32_t bytes, bool writes) {
  struct weir_replay *r = context;
  if (writes)
    r->dram_writes++;
  else
    r->dram_reads++;
  r->dram_bytes += bytes;
  if (r->memory) r->memory(r->context, address, bytes, writes);
}

static void go_down(struct weir_replay *r, uint32_t core, struct weir_mreq *q) {
  struct weir_chip *c = r->chip;
  const struct weir_serve_ends ends = {answered, part, memory, r};
  q->core = (uint16_t)core;
  weir_address_request(&c->fabric, core, q);
  weir_slice_serve(&c->slices[q->slice], q, r->now, &ends);
}

static void drain(struct weir_replay *r, uint32_t core) {
  struct weir_cache *l1 = &r->chip->sms[core].l1;
  while (l1->miss_queue.head) go_down(r, core, weir_queue_pop(&l1->miss_queue));
  while (l1->skipped.head) go_down(r, core, weir_queue_pop(&l1->skipped));
}

enum { HELD_ANYWAY = 256 << 10 }; // bytes: what a core of the host has room for beside all else

void weir_replay_begin(struct weir_replay *r, struct weir_chip *chip) {
  *r = (struct weir_replay){.chip = chip};
  weir_chip_build(chip);
  const uint64_t cores = chip->config->core.count, bytes = weir_cache_looked_up_bytes(&chip->sms[0].l1);
  r->expects = cores * bytes > HELD_ANYWAY;
  r->shows_slices = !chip->sms[0].l1.plain_hints || chip->sms[0].l1.params.companion_count;
}

void weir_replay_launch(struct weir_replay *r, uint32_t carveout_kib, weir_cycle latency) {
  const struct weir_core_config *k = &r->chip->config->core;
  const uint32_t own = weir_carveout_for(k, (uint64_t)carveout_kib * 1024);
  r->latency = latency;
  for (uint32_t i = 0; i < k->count; i++) weir_sm_share_array(&r->chip->sms[i], own);
}

void weir_replay_end_launch(struct weir_replay *r) {
  arrive_until(r, WEIR_NEVER);
  if (!r->chip->config->caches[0].flush_at_kernel_end) return;
  for (uint32_t i = 0; i < r->chip->config->core.count; i++) {
    weir_sm_flush(&r->chip->sms[i]);
    drain(r, i);
  }
}

void weir_replay_copy(struct weir_replay *r, uint64_t address, uint64_t bytes) {
  if (r->chip->config->copies_pass_l2 && bytes) weir_chip_place_copy(r->chip, address, bytes);
}

struct weir_mreq *weir_replay_request(struct weir_replay *r) {
  struct weir_mreq *q = r->spare ? r->spare : weir_mreq_take(&r->chip->fabric.pool);
  r->spare = NULL;
  return q;
}

void weir_replay_expect(const struct weir_replay *r, uint32_t core, uint64_t address) {
  weir_cache_expect(&r->chip->sms[core].l1, address, address);
}

void weir_replay_access(struct weir_replay *r, struct weir_mreq *q, bool past) {
  struct weir_chip *c = r->chip;
  struct weir_cache *l1 = &c->sms[q->core].l1;
  if (past) {
    if (q->kind == WEIR_MREQ_LOAD) weir_cache_count_skipped(l1, q);
    go_down(r, q->core, q);
    return;
  }
  const uint32_t core = q->core;
  struct weir_spot spot;
  enum weir_stall why;
  enum weir_outcome o;
  arrive_until(r, r->now);
  if (weir_cache_takes_hit(l1, q, &spot, &o)) {
    r->spare = q;
    return;
  }
  if (r->shows_slices)
    q->slice = (uint16_t)weir_near_slice(&c->fabric, core, weir_slice_of(&c->fabric.map, q->address, &(uint64_t){0}));
  o = weir_cache_access_at(l1, q, &spot, r->now, &why);
  while (o == WEIR_OUTCOME_REFUSED) {
    do {
      assert(r->in_flight.head);
      arrive(r);
    } while (weir_cache_refuses_still(l1, q, why)); // it need not be looked up before
    o = weir_cache_access(l1, q, r->now, &why);
  }
  if (o == WEIR_OUTCOME_HIT || o == WEIR_OUTCOME_WRITTEN) r->spare = q;
  if (l1->miss_queue.head || l1->skipped.head) drain(r, core);
}
