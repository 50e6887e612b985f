// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Instruction fetch: each cycle one warp whose buffer is empty, round robin, gets the next instructions of its line of the
// instruction cache; the instruction of PC i lies at byte 8 × i.
#include "gpu/sm.h"

#include "base/bits.h"

enum { INSTRUCTION_BYTES = 8 };
#define PROGRAM_BASE UINT64_C(0xF0000000) // where GPGPU-Sim puts the program (PROGRAM_MEM_START)

static void deliver(struct weir_sm *m, uint32_t warp, uint32_t count, weir_cycle now) {
  const weir_cycle done = now + m->shared->config->decode_cycles;
  weir_wheel_add(&m->wheel, now, done, WEIR_EVENT_FETCHED, warp)->count = (uint8_t)count;
}

// The warp's line may be missing: it then waits for it.
static void look_up(struct weir_sm *m, uint32_t warp, weir_cycle now) {
  const uint32_t pc = m->warps[warp].pc;
  const uint64_t address = PROGRAM_BASE + (uint64_t)pc * INSTRUCTION_BYTES;
  if (weir_cache_hits_latest(&m->instruction_cache, address)) {
    m->can_fetch &= ~(UINT64_C(1) << warp);
    deliver(m, warp, m->shared->config->fetch_instructions, now);
    return;
  }
  struct weir_mreq *r = weir_mreq_new(m->shared->pool);
  r->kind = WEIR_MREQ_INSTRUCTION;
  r->address = r->place = address;
  r->bytes = INSTRUCTION_BYTES;
  r->core = (uint16_t)m->number;
  r->warp = (uint16_t)warp;
  r->pc = pc * INSTRUCTION_BYTES;
  enum weir_stall why;
  enum weir_outcome o = weir_cache_access(&m->instruction_cache, r, now, &why);
  m->stirred |= WEIR_STIRRED_INSTRUCTION;
  if (o != WEIR_OUTCOME_REFUSED) m->can_fetch &= ~(UINT64_C(1) << warp);
  m->shared->stats->instruction_cache_misses += o == WEIR_OUTCOME_MISS;
  if (o == WEIR_OUTCOME_HIT) deliver(m, warp, m->shared->config->fetch_instructions, now);
  if (o == WEIR_OUTCOME_HIT || o == WEIR_OUTCOME_REFUSED) weir_mreq_release(m->shared->pool, r);
}

static void fetch_one(struct weir_sm *m, weir_cycle now) {
  if (m->stirred & WEIR_STIRRED_INSTRUCTION && m->instruction_cache.ready.head) {
    struct weir_mreq *r = weir_cache_take(&m->instruction_cache);
    deliver(m, r->warp, m->shared->config->fetch_instructions, now);
    weir_mreq_release(m->shared->pool, r);
    return;
  }
  if (!m->can_fetch) return;
  uint64_t after = m->can_fetch & ~weir_upto(m->last_fetched);
  uint32_t warp = weir_lowest(after ? after : m->can_fetch);
  m->last_fetched = warp;
  uint64_t bit = UINT64_C(1) << warp;
  if (m->taken & bit) {
    m->taken &= ~bit;
    m->can_fetch &= ~bit;
    deliver(m, warp, 0, now);
  } else {
    look_up(m, warp, now);
  }
}

void weir_sm_fetch(struct weir_sm *m, weir_cycle now) {
  fetch_one(m, now);
  m->can_fetch |= m->flushed;
  m->flushed = 0;
}

weir_cycle weir_sm_fetch_wake(const struct weir_sm *m, weir_cycle now) {
  const struct weir_cache *c = &m->instruction_cache;
  if (m->can_fetch) return now + 1;
  return m->stirred & WEIR_STIRRED_INSTRUCTION && (c->ready.head || c->miss_queue.head) ? now + 1 : WEIR_NEVER;
}
