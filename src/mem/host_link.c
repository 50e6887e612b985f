// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/host_link.h"

#include "mem/slice.h"

// inferred: long enough for the sectors of a warp's line, which come one by one
enum { GATHER_PS = 50000 };
// inferred: what first-level caches may miss does not fill it, and stores feel it when the link lags behind
enum { MOST_WAITING = 2048 };
enum { PS_PER_NS = 1000 };

void weir_host_link_init(struct weir_host_link *l, const struct weir_link *link, struct weir_host_memory *memory,
                         struct weir_run_stats *stats) {
  *l = (struct weir_host_link){.link = link, .memory = memory, .stats = stats, .batch_ends = WEIR_NEVER};
}

// Atomics are performed by the host, and answered.
static bool is_posted(const struct weir_mreq *r) {
  return r->kind == WEIR_MREQ_STORE || r->kind == WEIR_MREQ_WRITEBACK;
}

bool weir_host_link_accepts(const struct weir_host_link *l) {
  return l->reads.count + l->writes.count < MOST_WAITING;
}

bool weir_host_link_busy(const struct weir_host_link *l) {
  return l->reads.head || l->writes.head || l->coming.head || l->written.head || l->faults.head || l->batch.head;
}

static void push(struct weir_mreq_queue *q, struct weir_mreq *r, weir_time ready) {
  r->ready = ready;
  weir_queue_push(q, r);
}

void weir_host_link_send(struct weir_host_link *l, struct weir_mreq *r, weir_time now) {
  const bool write = weir_slice_is_written(r);
  switch (weir_host_memory_access(l->memory, r->address, write)) {
  case WEIR_ACCESS_REMOTE: push(is_posted(r) ? &l->writes : &l->reads, r, now + GATHER_PS); break;
  case WEIR_ACCESS_MOVING: push(&l->batch, r, now); break;
  case WEIR_ACCESS_FAULT:
  case WEIR_ACCESS_DEVICE: push(&l->faults, r, now); break; // it has come while the request was on its way here
  }
}

// ---- packets ----------------------------------------------------------------------------------------------------------------

// The queue's oldest request, and those behind it that go on where it ends or end where it begins, within its line.
static uint32_t take_packet(struct weir_mreq_queue *q, uint32_t line_bytes, struct weir_mreq_queue *packet) {
  struct weir_mreq *first = weir_queue_pop(q);
  const uint64_t line = first->address / line_bytes;
  uint64_t from = first->address, end = from + first->bytes;
  const bool alone = first->kind == WEIR_MREQ_ATOMIC;
  weir_queue_push(packet, first);
  for (struct weir_mreq *before = NULL, *r = q->head, *next; !alone && r; r = next) {
    next = r->next;
    const bool joins =
      r->address / line_bytes == line && r->kind == first->kind && (r->address == end || r->address + r->bytes == from);
    if (!joins) {
      before = r;
      continue;
    }
    from = r->address < from ? r->address : from;
    end = r->address + r->bytes > end ? r->address + r->bytes : end;
    if (before)
      before->next = next;
    else
      q->head = next;
    if (!next) q->tail = before;
    q->count--;
    weir_queue_push(packet, r);
  }
  return (uint32_t)(end - from);
}

// `row`, which only DRAM uses, marks a packet's last request.
static void hand_on(struct weir_mreq_queue *packet, struct weir_mreq_queue *to, weir_time ready) {
  while (packet->head) {
    struct weir_mreq *r = weir_queue_pop(packet);
    r->row = !packet->head;
    push(to, r, ready);
  }
}

// The request goes out, its answer comes back.
static void send_reads(struct weir_host_link *l, weir_time now) {
  const struct weir_link *link = l->link;
  while (l->under_way < link->kernels.reads && l->reads.head && l->reads.head->ready <= now) {
    struct weir_mreq_queue packet = {0};
    const uint32_t bytes = take_packet(&l->reads, link->kernels.request_bytes, &packet);
    const weir_time round_trip = (weir_time)link->kernels.round_trip_ns * PS_PER_NS;
    l->to_host_free = weir_later(now, l->to_host_free) + weir_rate_ps(link->to_host.header_bytes, link->raw_mb_per_s);
    l->to_device_free =
      weir_later(l->to_host_free + round_trip, l->to_device_free) + weir_link_wire_ps(link, &link->to_device, bytes);
    l->stats->host_read_bytes += bytes;
    l->under_way++;
    hand_on(&packet, &l->coming, l->to_device_free);
  }
}

static void send_writes(struct weir_host_link *l, weir_time now) {
  while (l->to_host_free <= now && l->writes.head && l->writes.head->ready <= now) {
    struct weir_mreq_queue packet = {0};
    const uint32_t bytes = take_packet(&l->writes, l->link->kernels.request_bytes, &packet);
    l->to_host_free = now + weir_link_wire_ps(l->link, &l->link->to_host, bytes);
    l->stats->host_written_bytes += bytes;
    hand_on(&packet, &l->written, l->to_host_free);
  }
}

static void answer_due(struct weir_host_link *l, weir_time now, const struct weir_host_ends *to) {
  while (l->written.head && l->written.head->ready <= now) to->answer(to->context, weir_queue_pop(&l->written));
  while (l->coming.head && l->coming.head->ready <= now) {
    struct weir_mreq *r = weir_queue_pop(&l->coming);
    l->under_way -= r->row;
    to->answer(to->context, r);
  }
}

// ---- faults -----------------------------------------------------------------------------------------------------------------

// Faults of one page are one. What has come meanwhile, with another fault or before, goes on at once.
static void begin_batch(struct weir_host_link *l, weir_time now, const struct weir_host_ends *to) {
  const struct weir_link *link = l->link;
  struct weir_mreq_queue waiting = l->faults;
  struct weir_host_moved moved = {0};
  uint32_t faults = 0;
  l->faults = (struct weir_mreq_queue){0};
  while (waiting.head) {
    struct weir_mreq *r = weir_queue_pop(&waiting);
    const bool write = weir_slice_is_written(r);
    const enum weir_host_access access = weir_host_memory_access(l->memory, r->address, write);
    if (access == WEIR_ACCESS_DEVICE) {
      to->let_in(to->context, r);
    } else if (access == WEIR_ACCESS_FAULT && faults == link->kernels.faults) {
      weir_queue_push(&l->faults, r);
    } else {
      if (access == WEIR_ACCESS_FAULT) {
        const struct weir_host_moved one = weir_host_memory_fault(l->memory, r->address, write);
        moved.in += one.in;
        moved.out += one.out;
        faults++;
      }
      weir_queue_push(&l->batch, r);
    }
  }
  if (!faults) return;
  l->stats->page_faults += faults;
  l->stats->migrated_bytes += moved.in;
  l->stats->evicted_bytes += moved.out;
  weir_time served = now + (weir_time)link->kernels.fault_ns * PS_PER_NS;
  if (moved.out)
    served = l->to_host_free = weir_later(served, l->to_host_free) + weir_link_wire_ps(link, &link->to_host, moved.out);
  if (moved.in)
    served = l->to_device_free =
      weir_later(served, l->to_device_free) + weir_link_wire_ps(link, &link->to_device, moved.in);
  l->batch_ends = served;
}

static void end_batch(struct weir_host_link *l, const struct weir_host_ends *to) {
  weir_host_memory_arrive(l->memory);
  l->batch_ends = WEIR_NEVER;
  while (l->batch.head) to->let_in(to->context, weir_queue_pop(&l->batch));
}

weir_time weir_host_link_serve(struct weir_host_link *l, weir_time now, const struct weir_host_ends *to) {
  answer_due(l, now, to);
  if (l->batch_ends <= now) end_batch(l, to);
  if (l->batch_ends == WEIR_NEVER && l->faults.head) begin_batch(l, now, to);
  send_writes(l, now);
  send_reads(l, now);
  weir_time next = l->batch_ends;
  if (l->coming.head) next = weir_sooner(next, l->coming.head->ready);
  if (l->written.head) next = weir_sooner(next, l->written.head->ready);
  if (l->reads.head && l->under_way < l->link->kernels.reads) next = weir_sooner(next, l->reads.head->ready);
  if (l->writes.head) next = weir_sooner(next, weir_later(l->writes.head->ready, l->to_host_free));
  return next;
}
