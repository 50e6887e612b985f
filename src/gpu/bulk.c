// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "gpu/bulk.h"

#include "base/alloc.h"
#include "gpu/copies.h"
#include "gpu/pending.h"
#include "gpu/request.h"

#include <string.h>

// A segment of one, of which [at, end) is left. The last one ends the copy.
struct weir_bulk_copy {
  struct weir_memory_op op; // without transactions
  uint64_t at, end;
  uint8_t fetches;
  bool last;
};

enum { LINE = 128, WRITTEN = 32 };

// While so many copies wait, no memory instruction issues (inferred: the hardware's queue must have some length).
enum { MOST_WAITING = 64 };

static void note_room(struct weir_sm *m) {
  m->queue_room = m->bulk.waiting < MOST_WAITING ? m->shared->config->memory_queue : 0;
}

static const struct weir_bulk_copy *oldest(const struct weir_bulk_queue *q) {
  return &q->copies[q->first];
}

static void push(struct weir_bulk_queue *q, const struct weir_bulk_copy *c) {
  if (q->first && q->first + q->count == q->capacity) { // back to the front
    memmove(q->copies, q->copies + q->first, q->count * sizeof *q->copies);
    q->first = 0;
  }
  uint32_t end = q->first + q->count++;
  *weir_push(q->copies, end, q->capacity) = *c;
}

// ---- taking an instruction ------------------------------------------------------------------------------------------------

// Bytes of a request: of a load, a sector of the cache behind the network; of what writes, the 32 of which it can say which are written.
static uint32_t unit_of(const struct weir_sm *m, const struct weir_static *s) {
  return s->op_class == WEIR_CLASS_LOAD ? m->shared->piece_bytes : WRITTEN;
}

static uint32_t requests_of(const struct weir_segment *s, uint32_t unit) {
  return (uint32_t)((s->address + s->bytes - 1) / unit - s->address / unit + 1);
}

static uint32_t requests(const struct weir_sm *m, const struct weir_winstr *w) {
  const uint32_t unit = unit_of(m, w->what);
  uint32_t n = 0;
  for (uint32_t s = 0; s < w->segment_count; s++) n += requests_of(&w->segments[s], unit);
  return n < UINT16_MAX ? n : UINT16_MAX;
}

static void count(struct weir_sm *m, const struct weir_memory_op *op, const struct weir_winstr *w) {
  enum { WORD = 4 };
  struct weir_pc_stats *s = &m->shared->pcs[op->pc];
  struct weir_pc_counts *n = weir_counts_of(m, op);
  n->executions++;
  n->transactions += op->count;
  s->by_transactions[weir_transactions_counted(op)]++;
  m->shared->stats->global_load_requests += op->what->op_class == WEIR_CLASS_LOAD;
  m->shared->stats->global_store_requests += op->what->op_class == WEIR_CLASS_STORE;
  for (uint32_t k = 0; k < w->segment_count; k++)
    weir_pc_extend(s, w->segments[k].address, w->segments[k].address + w->segments[k].bytes - WORD);
}

// What it has not sent stands for one that remains of its pending load.
static uint32_t begin(struct weir_sm *m, const struct weir_memory_op *op, uint32_t barrier, weir_cycle now) {
  const uint32_t load = weir_take_pending(m);
  m->pending[load] = (struct weir_pending_load){
    .pc = op->pc, .remaining = 1, .issued = now, .counts = weir_counts_of(m, op), .warp = op->warp};
  weir_copies_begin(m, &m->pending[load], WEIR_COPIES_IN_BULK, barrier);
  m->warps[op->warp].loads++;
  m->bulk.waiting++;
  m->stirred |= WEIR_STIRRED_BULK;
  return load;
}

void weir_bulk_take(struct weir_sm *m, uint32_t warp, const struct weir_winstr *w, weir_cycle now) {
  const struct weir_core_config *k = m->shared->config;
  struct weir_bulk_copy c = {.op = {.what = w->what,
                                    .pc = w->pc,
                                    .ready = now + k->operand_cycles,
                                    .policy = w->what->has_policy ? w->policy : 0,
                                    .warp = (uint16_t)warp,
                                    .space = WEIR_MEM_GLOBAL,
                                    .ready_warps = (uint8_t)weir_sm_ready_warps(m),
                                    .count = (uint16_t)requests(m, w),
                                    .skips = true},
                             .fetches = w->fetches};
  if (!w->segment_count) return;
  count(m, &c.op, w);
  for (uint32_t s = 0; s < w->segment_count; s++) {
    const struct weir_segment *at = &w->segments[s];
    if (!s || at->lane != at[-1].lane) c.op.load = begin(m, &c.op, w->arrives_at, now);
    c.at = at->address;
    c.end = at->address + at->bytes;
    c.last = s + 1 == w->segment_count || at[1].lane != at->lane;
    push(&m->bulk, &c);
  }
  note_room(m);
}

// ---- sending its requests -------------------------------------------------------------------------------------------------

// So many bytes from `at` on, of one unit.
static struct weir_transaction transaction(uint64_t at, uint32_t bytes, uint32_t unit, bool loads) {
  const uint32_t within = (uint32_t)(at % unit);
  return (struct weir_transaction){.address = at - within,
                                   .bytes = (uint16_t)unit,
                                   .full = bytes == unit,
                                   .used = loads ? 0 : (uint32_t)(weir_mask(bytes) << within),
                                   .lanes = 1};
}

// Its request for so many of the next bytes; false: the network does not take it now.
static bool send(struct weir_sm *m, struct weir_bulk_copy *c, uint32_t bytes, uint32_t unit) {
  struct weir_transaction t = transaction(c->at, bytes, unit, c->op.what->op_class == WEIR_CLASS_LOAD);
  c->op.transactions = &t;
  c->op.next = 0;
  struct weir_mreq *r = weir_make_request(m, &c->op);
  const uint32_t pieces = weir_pieces_of_request(m, r);
  const bool store = r->kind == WEIR_MREQ_STORE;
  if (c->fetches) r->l2_prefetch = c->fetches & 3u;
  if (store) r->token = c->op.load + 1; // so that its answers are told from others'
  if (!weir_inject(m, r)) {
    weir_mreq_release(m->shared->pool, r);
    return false;
  }
  m->pending[c->op.load].remaining += pieces;
  if (r->kind == WEIR_MREQ_ATOMIC)
    weir_cache_show_past(&m->l1, r);
  else
    weir_cache_count_skipped(&m->l1, r);
  return true;
}

// A cycle's requests: what the oldest segment has left of a line. False: there is more of it.
static bool send_line(struct weir_sm *m, struct weir_bulk_copy *c) {
  const uint32_t unit = unit_of(m, c->op.what);
  do {
    const uint64_t left = c->end - c->at, room = unit - c->at % unit;
    const uint32_t bytes = (uint32_t)(left < room ? left : room);
    if (!send(m, c, bytes, unit)) return false;
    c->at += bytes;
  } while (c->at < c->end && c->at % LINE);
  return c->at == c->end;
}

void weir_bulk_move(struct weir_sm *m, weir_cycle now) {
  struct weir_bulk_queue *q = &m->bulk;
  struct weir_bulk_copy *c = &q->copies[q->first];
  if (!q->count || c->op.ready > now || !send_line(m, c)) return;
  const uint32_t load = c->op.load;
  const bool last = c->last;
  q->count--;
  q->first = q->count ? q->first + 1 : 0;
  if (!last) return;
  q->waiting--;
  note_room(m);
  weir_copies_read(m, &m->pending[load]);
  weir_complete_pending(m, load, now);
}

weir_cycle weir_bulk_wake(const struct weir_sm *m, weir_cycle now) {
  const weir_cycle ready = oldest(&m->bulk)->op.ready;
  return ready > now ? ready : now + 1;
}
