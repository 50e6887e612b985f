// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/dram.h"

#include "base/bits.h"

#include <assert.h>

void weir_dram_init(struct weir_dram *d, const struct weir_dram_params *p, const struct weir_address_map *map,
                    struct weir_mreq_pool *pool, struct weir_dram_stats *stats) {
  *d = (struct weir_dram){.params = *p, .map = map, .pool = pool, .stats = stats};
  // Neighbouring banks lie in different groups (GPGPU-Sim's dram_bnkgrp_indexing_policy 1).
  for (uint32_t i = 0; i < p->banks; i++) d->banks[i].group = (uint8_t)(i % p->bank_groups);
}

bool weir_dram_accepts(const struct weir_dram *d) {
  return d->taken < d->params.outstanding;
}

void weir_dram_send(struct weir_dram *d, struct weir_mreq *r, weir_cycle now) {
  d->taken++;
  r->ready = now + d->params.fixed_latency;
  weir_queue_push(&d->arriving, r);
}

bool weir_dram_writes(const struct weir_dram *d) {
  return d->queued[1] || (d->params.write_queue && (d->serving || d->transfer_count));
}

static bool is_write(const struct weir_mreq *r) {
  return r->kind == WEIR_MREQ_WRITEBACK || r->kind == WEIR_MREQ_STORE;
}

static void not_before(weir_cycle *t, weir_cycle when) {
  if (*t < when) *t = when;
}

// ---- scheduling: first ready, first come first served (Rixner et al., ISCA 2000), bank by bank --------------------------

// The oldest request to the open row, else the oldest; unlinked from the queue.
static struct weir_mreq *choose(const struct weir_dram_bank *b, struct weir_dram_queue *q) {
  struct weir_mreq **link = &q->head, *previous = NULL;
  if (b->open)
    for (struct weir_mreq *before = NULL, **l = &q->head; *l; before = *l, l = &(*l)->next)
      if ((*l)->row == b->open_row) {
        link = l;
        previous = before;
        break;
      }
  struct weir_mreq *r = *link;
  *link = r->next;
  if (!r->next) q->tail = previous;
  return r;
}

// Says which queue is served, and returns from when on that is another one if nothing comes (WEIR_NEVER: not before).
static weir_cycle turn(struct weir_dram *d, weir_cycle now) {
  const struct weir_dram_params *p = &d->params;
  if (!p->write_queue) return WEIR_NEVER;
  if (d->queued[0]) d->read_seen = now;
  if (d->queued[1] >= p->write_high) d->draining = true;
  if (d->queued[1] < p->write_low) d->draining = false;
  const bool alone = d->queued[1] && !d->queued[0];
  d->writing = d->draining || (alone && now >= d->read_seen + p->write_idle);
  return alone && !d->writing ? d->read_seen + p->write_idle : WEIR_NEVER;
}

// Gives one bank that serves nothing its next request.
static void schedule(struct weir_dram *d, weir_cycle now) {
  uint64_t idle = d->waiting[d->writing] & ~d->serving;
  if (!idle) return;
  d->issue_from = now;
  uint64_t after = idle & ~weir_below(d->first_bank);
  uint32_t i = weir_lowest(after ? after : idle);
  struct weir_dram_bank *b = &d->banks[i];
  struct weir_dram_queue *q = &b->queues[d->writing];
  b->current = choose(b, q);
  b->left = b->current->bytes;
  b->row = b->current->row;
  b->write = is_write(b->current);
  b->opened_for_current = b->closed_for_current = false;
  if (!q->head) d->waiting[d->writing] &= ~(UINT64_C(1) << i);
  d->serving |= UINT64_C(1) << i;
  d->queued[d->writing]--;
  d->first_bank = (d->first_bank + 1) % d->params.banks;
}

static bool waits_with_writes(const struct weir_dram *d, const struct weir_mreq *r) {
  return d->params.write_queue && is_write(r);
}

static bool has_room(const struct weir_dram *d, const struct weir_mreq *r) {
  return waits_with_writes(d, r) ? d->queued[1] < d->params.write_queue : d->queued[0] < d->params.queue;
}

static void enqueue(struct weir_dram *d, weir_cycle now) {
  if (!d->arriving.head || d->arriving.head->ready > now || !has_room(d, d->arriving.head)) return;
  struct weir_mreq *r = weir_queue_pop(&d->arriving);
  weir_row_and_bank(d->map, r->address, &r->row, &r->bank);
  r->bank = (uint8_t)(r->bank % d->params.banks);
  struct weir_dram_bank *b = &d->banks[r->bank];
  r->next = NULL;
  const bool write = waits_with_writes(d, r);
  struct weir_dram_queue *q = &b->queues[write];
  if (q->head)
    q->tail->next = r;
  else
    q->head = r;
  q->tail = r;
  d->waiting[write] |= UINT64_C(1) << r->bank;
  d->queued[write]++;
}

// ---- commands -----------------------------------------------------------------------------------------------------------

static inline weir_cycle column_time(const struct weir_dram *d, const struct weir_dram_bank *b) {
  const weir_cycle t = weir_later(d->column_from, d->group_column_from[b->group]);
  return b->write ? weir_later(t, weir_later(b->write_from, d->write_from))
                  : weir_later(t, weir_later(b->read_from, d->read_from));
}

// When the command that the bank needs next may issue.
static inline weir_cycle command_time(const struct weir_dram *d, const struct weir_dram_bank *b, bool *column) {
  *column = b->open && b->open_row == b->row;
  if (*column) return column_time(d, b);
  if (b->open) return weir_later(b->precharge_from, d->group_precharge_from[b->group]);
  return weir_later(b->activate_from, d->activate_from);
}

// Bytes count by burst; all else by request, at its first burst.
static void count_burst(struct weir_dram *d, struct weir_dram_bank *b, bool write) {
  bool first = b->left == b->current->bytes;
  struct weir_traffic_counts *p = d->ports ? &d->ports[b->current->core] : NULL;
  d->stats->bytes += d->params.atom_bytes;
  d->stats->written_bytes += write ? d->params.atom_bytes : 0;
  if (p) p->dram_bytes += d->params.atom_bytes;
  if (!first) return;
  if (p) p->dram_writes += write;
  if (p) p->dram_reads += !write;
  d->stats->writes += write;
  d->stats->reads += !write;
  d->stats->row_hits += !b->opened_for_current;
}

static void issue_column(struct weir_dram *d, uint32_t i, weir_cycle now) {
  struct weir_dram_bank *b = &d->banks[i];
  const struct weir_dram_params *p = &d->params;
  const bool write = b->write;
  count_burst(d, b, write);
  d->column_from = now + p->ccd;
  d->group_column_from[b->group] = now + p->ccdl;
  if (write) {
    not_before(&d->read_from, now + p->wl + p->burst_cycles + p->cdlr);
    not_before(&b->precharge_from, now + p->wl + p->burst_cycles + p->wr);
  } else {
    not_before(&d->write_from, now + p->cl + p->burst_cycles + 2 - p->wl);
    not_before(&b->precharge_from, now + p->burst_cycles);
    not_before(&d->group_precharge_from[b->group], now + p->rtpl);
  }
  b->left = b->left > p->atom_bytes ? b->left - p->atom_bytes : 0;
  struct weir_dram_transfer *t = &d->transfers[(d->transfer_head + d->transfer_count++) % WEIR_MAX_TRANSFERS];
  assert(d->transfer_count <= WEIR_MAX_TRANSFERS);
  *t = (struct weir_dram_transfer){b->left ? NULL : b->current, now + (write ? p->wl : p->cl)};
  if (b->left) return;
  b->current = NULL;
  d->serving &= ~(UINT64_C(1) << i);
}

static void issue_row(struct weir_dram *d, uint32_t i, weir_cycle now) {
  struct weir_dram_bank *b = &d->banks[i];
  const struct weir_dram_params *p = &d->params;
  d->first_bank = (i + 1) % p->banks;
  if (b->open) {
    b->open = false;
    b->closed_for_current = true;
    d->stats->row_conflicts++;
    not_before(&b->activate_from, now + p->rp);
    return;
  }
  b->open = true;
  b->opened_for_current = true;
  d->stats->row_misses += !b->closed_for_current;
  b->open_row = b->row;
  d->stats->activates++;
  if (d->ports) d->ports[b->current->core].dram_activates++;
  d->activate_from = now + p->rrd;
  b->read_from = now + p->rcd;
  b->write_from = now + (p->rcd > p->wl + 1 ? p->rcd - (p->wl + 1) : 0);
  not_before(&b->precharge_from, now + p->ras);
  not_before(&b->activate_from, now + p->rc);
}

// At most one column and one row command; returns a cycle before which no further one can issue.
static weir_cycle issue(struct weir_dram *d, weir_cycle now) {
  bool column_done = false, row_done = false;
  weir_cycle next = WEIR_NEVER;
  uint64_t from_first = d->serving & ~weir_below(d->first_bank), order[2] = {from_first, d->serving & ~from_first};
  for (int half = 0; half < 2; half++)
    for (uint64_t left = order[half]; left; left &= left - 1) {
      uint32_t i = weir_lowest(left);
      bool column;
      weir_cycle t = command_time(d, &d->banks[i], &column);
      if (t < next) next = t;
      if (t > now || (column ? column_done : column_done || row_done)) continue;
      if (column)
        issue_column(d, i, now);
      else
        issue_row(d, i, now);
      column_done |= column;
      row_done |= !column;
    }
  return weir_later(next, now + 1);
}

// ---- the data bus and the way back ------------------------------------------------------------------------------------

static void finish(struct weir_dram *d, weir_cycle now) {
  while (d->transfer_count && d->transfers[d->transfer_head].done <= now) {
    struct weir_mreq *r = d->transfers[d->transfer_head].request;
    d->transfer_head = (d->transfer_head + 1) % WEIR_MAX_TRANSFERS;
    d->transfer_count--;
    if (!r) continue;
    if (r->kind == WEIR_MREQ_WRITEBACK) {
      weir_mreq_release(d->pool, r);
      d->taken--;
    } else {
      r->is_reply = true;
      weir_queue_push(&d->returns, r);
    }
  }
}

static void deliver_one(struct weir_dram *d, bool (*deliver)(void *context, struct weir_mreq *r), void *context) {
  struct weir_mreq *r = d->returns.head;
  if (!r) return;
  struct weir_mreq_queue kept = d->returns;
  weir_queue_pop(&d->returns);
  if (deliver(context, r)) {
    d->taken--;
    return;
  }
  r->next = kept.count > 1 ? d->returns.head : NULL;
  d->returns = kept;
}

weir_cycle weir_dram_tick(struct weir_dram *d, weir_cycle now, bool (*deliver)(void *context, struct weir_mreq *r),
                          void *context) {
  deliver_one(d, deliver, context);
  finish(d, now);
  turn(d, now);
  schedule(d, now);
  if (d->serving && d->issue_from <= now) d->issue_from = issue(d, now);
  weir_cycle next = d->serving ? d->issue_from : WEIR_NEVER;
  enqueue(d, now);
  next = weir_sooner(next, turn(d, now));
  if (d->transfer_count) next = weir_sooner(next, weir_later(d->transfers[d->transfer_head].done, now + 1));
  if (d->returns.head || (d->waiting[d->writing] & ~d->serving)) next = now + 1;
  if (d->arriving.head && has_room(d, d->arriving.head))
    next = weir_sooner(next, weir_later(d->arriving.head->ready, now + 1));
  return next;
}
