// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The private caches. A miss of an L1 reaches the L2 after the L1's latency, and what the L2 has is back after the L2's; what
// comes from below goes through to the L1 in the cycle in which it arrives.
#include "cpu/core_private.h"

enum { LEVEL_L1I = 13, LEVEL_L1D, LEVEL_L2 }; // of no cache elsewhere, and at most 15 (weir_mreq.mshr_level)

struct weir_mreq *weir_cpu_request(struct weir_cpu_core *c, enum weir_mreq_kind kind, uint64_t address, uint32_t pc) {
  struct weir_mreq *r = weir_mreq_new(c->pool);
  r->kind = kind & 7;
  r->address = r->place = address;
  r->bytes = 1; // within one line: more the caches need not know
  r->pc = pc;
  r->core = c->port;
  r->requester = c->requester;
  r->lanes = r->transactions = 1;
  return r;
}

static void init_cache(struct weir_cpu_core *c, struct weir_cache *cache, const struct weir_cpu_cache_config *k,
                       uint8_t level, struct weir_level_stats *stats) {
  struct weir_cache_params p = {.sets = k->size_bytes / (k->ways * k->line_bytes),
                                .ways = k->ways,
                                .line_bytes = k->line_bytes,
                                .sector_bytes = k->line_bytes,
                                .allocate = WEIR_ALLOCATE_ON_FILL,
                                .write_hit = WEIR_WRITE_BACK,
                                .write_miss = WEIR_WRITE_ALLOCATE_LAZY,
                                .mshrs = k->mshrs,
                                .mshr_merges = UINT32_MAX,
                                .fetch_pieces = 1,
                                .level = level};
  weir_policy_defaults(&p.replace, weir_policy_find(WEIR_POLICY_REPLACE, "lru"));
  weir_cache_init(cache, &p, c->pool, stats, NULL);
}

void weir_cpu_memory_init(struct weir_cpu_core *c, struct weir_level_stats levels[3]) {
  init_cache(c, &c->l1i, &c->config.l1i, LEVEL_L1I, &levels[0]);
  init_cache(c, &c->l1d, &c->config.l1d, LEVEL_L1D, &levels[1]);
  init_cache(c, &c->l2, &c->config.l2, LEVEL_L2, &levels[2]);
}

// ---- up -----------------------------------------------------------------------------------------------------------------

static void serve_l1i(struct weir_cpu_core *c, weir_cycle now) {
  while (c->l1i.ready.head) {
    struct weir_mreq *r = weir_cache_take(&c->l1i);
    if (!r->token) c->fetch_at = now; // the front end waits for it
    weir_mreq_release(c->pool, r);
  }
}

static void serve_l1d(struct weir_cpu_core *c, weir_cycle now) {
  while (c->l1d.ready.head) {
    struct weir_mreq *r = weir_cache_take(&c->l1d);
    c->loads_blocked = false;
    if (r->token < c->config.window)
      weir_cpu_load_answer(c, r, now);
    else
      weir_cpu_store_answer(c, r);
    weir_mreq_release(c->pool, r);
  }
}

static void fill_l1(struct weir_cpu_core *c, struct weir_mreq *r, weir_cycle now) {
  weir_cache_fill(weir_cache_waits_for(&c->l1i, r) ? &c->l1i : &c->l1d, r, now);
}

void weir_cpu_answer(struct weir_cpu_core *c, struct weir_mreq *answer, weir_cycle now) {
  weir_cache_fill(&c->l2, answer, now);
  while (c->l2.ready.head) fill_l1(c, weir_cache_take(&c->l2), now);
}

void weir_cpu_memory_up(struct weir_cpu_core *c, weir_cycle now) {
  while (c->to_l1.head && c->to_l1.head->ready <= now) fill_l1(c, weir_queue_pop(&c->to_l1), now);
  serve_l1i(c, now);
  serve_l1d(c, now);
}

// ---- down ---------------------------------------------------------------------------------------------------------------

static void descend(struct weir_cpu_core *c, struct weir_cache *from, uint32_t cycles, weir_cycle now) {
  while (from->miss_queue.head) {
    struct weir_mreq *r = weir_queue_pop(&from->miss_queue);
    r->place = r->address; // write-backs have none yet
    r->ready = now + cycles;
    weir_queue_push(&c->to_l2, r);
  }
}

// One look-up per cycle, in order.
static void look_up_l2(struct weir_cpu_core *c, weir_cycle now) {
  struct weir_mreq *r = c->to_l2.head, *next = r ? r->next : NULL;
  if (!r || r->ready > now) return;
  enum weir_stall why;
  const bool writes_back = r->kind == WEIR_MREQ_WRITEBACK;
  switch (weir_cache_access(&c->l2, r, now, &why)) {
  case WEIR_OUTCOME_REFUSED: c->l2.stats->stalls[why]++; return;
  case WEIR_OUTCOME_HIT:
  case WEIR_OUTCOME_WRITTEN:
    weir_queue_advance(&c->to_l2, next);
    if (writes_back) {
      weir_mreq_release(c->pool, r);
      return;
    }
    r->ready = now + c->config.l2.latency_cycles;
    weir_queue_push(&c->to_l1, r);
    return;
  default: weir_queue_advance(&c->to_l2, next);
  }
}

void weir_cpu_memory_down(struct weir_cpu_core *c, weir_cycle now) {
  descend(c, &c->l1i, c->config.l1i.latency_cycles, now);
  descend(c, &c->l1d, c->config.l1d.latency_cycles, now);
  look_up_l2(c, now);
  while (c->l2.miss_queue.head) weir_queue_push(&c->out, weir_queue_pop(&c->l2.miss_queue));
}

weir_cycle weir_cpu_memory_wake(const struct weir_cpu_core *c, weir_cycle now) {
  weir_cycle next = WEIR_NEVER;
  if (c->to_l1.head) next = weir_sooner(next, weir_later(c->to_l1.head->ready, now + 1));
  if (c->to_l2.head) next = weir_sooner(next, weir_later(c->to_l2.head->ready, now + 1));
  return next;
}
