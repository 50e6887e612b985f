// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/slice.h"

#include "base/bits.h"
#include "mem/cache_lines.h"
#include "mem/pieces.h"

void weir_slice_init(struct weir_slice *s, const struct weir_stage_params *stages, unsigned count,
                     const struct weir_address_map *map, struct weir_mreq_pool *pool, struct weir_level_stats *stats,
                     uint32_t to_dram_capacity, uint32_t answers_capacity) {
  s->count = count;
  s->map = map;
  s->pool = pool;
  s->answers_capacity = answers_capacity;
  s->to_dram.capacity = to_dram_capacity;
  s->to_host.capacity = stages[0].input_queue;
  for (unsigned i = 0; i < count; i++) {
    s->stages[i].input_delay_cycles = stages[i].input_delay_cycles;
    s->stages[i].hit_latency_cycles = stages[i].hit_latency_cycles;
    s->stages[i].input.capacity = stages[i].input_queue;
    weir_cache_init(&s->stages[i].cache, &stages[i].cache, pool, &stats[i], NULL);
  }
}

void weir_slice_free(struct weir_slice *s) {
  weir_l2_coalescer_free(s->coalescer);
  for (unsigned i = 0; i < s->count; i++) weir_cache_free(&s->stages[i].cache);
}

void weir_slice_pair(struct weir_slice *a, uint32_t number_a, struct weir_slice *b, uint32_t number_b,
                     uint32_t crossing_cycles) {
  a->other = b;
  b->other = a;
  a->number = (uint16_t)number_a;
  b->number = (uint16_t)number_b;
  a->crossing_cycles = b->crossing_cycles = crossing_cycles;
  a->guests.capacity = b->guests.capacity = a->stages[0].input.capacity;
}

static uint32_t pieces_of(const struct weir_stage *g, const struct weir_mreq *r) {
  unsigned shift = g->cache.sector_shift;
  return (uint32_t)(((r->address + weir_extent_of(r) - 1) >> shift) - (r->address >> shift)) + 1;
}

// ---- on the way down ------------------------------------------------------------------------------------------------------

// A piece is let into the stage, unless it is a read that another will answer.
static inline void let_in(struct weir_slice *s, struct weir_stage *g, struct weir_mreq_queue *to,
                          struct weir_mreq *piece) {
  if (s->coalescer && to == &s->stages[0].delay && weir_l2_coalescer_joins(s->coalescer, piece))
    g->cache.stats->coalesced_reads++;
  else
    weir_queue_push(to, piece);
}

// The pieces are let in when they are ready, or go to the host. The request is not written between copies of it: what was just written
// piece by piece, the host is slow to copy as a whole.
static void split(struct weir_slice *s, struct weir_stage *g, struct weir_mreq *r, weir_cycle ready, bool host) {
  const uint64_t start = r->address, line_end = g->cache.params.line_bytes - 1;
  struct weir_mreq_queue *to = host ? &s->to_host : &g->delay;
  struct weir_pieces p = weir_pieces_of(&g->cache, r);
  if (!host) weir_cache_expect_set(&g->cache, r->place);
  for (; weir_pieces_more(&p); weir_pieces_advance(&p)) {
    if (!host && !(p.next & line_end)) weir_cache_expect_set(&g->cache, r->place + (p.next - start));
    if (weir_piece_is_gap(&p, r)) continue;
    struct weir_mreq *piece = weir_mreq_take(s->pool);
    *piece = *r;
    weir_narrow(piece, p.at, p.next, weir_piece_full(&p));
    piece->ready = ready;
    let_in(s, g, to, piece);
  }
  weir_narrow(r, p.at, p.end, p.full);
  r->ready = ready;
  let_in(s, g, to, r);
}

void weir_slice_enter(struct weir_slice *s, struct weir_stage *g, struct weir_mreq *r, weir_cycle now) {
  split(s, g, r, now + g->input_delay_cycles, false);
}

static bool is_for_host(const struct weir_slice *s, const struct weir_mreq *r) {
  return s->host && weir_host_memory_access(s->host, r->address, weir_slice_is_written(r)) != WEIR_ACCESS_DEVICE;
}

// Takes a packet from the network, if there is room.
static void receive(struct weir_slice *s, struct weir_network *requests, uint32_t output, weir_cycle now,
                    weir_cycle network_now) {
  struct weir_stage *first = &s->stages[0];
  const struct weir_mreq *packet = weir_network_peek(requests, output, network_now);
  if (!packet) return;
  const bool host = is_for_host(s, packet);
  if (!weir_queue_room(host ? &s->to_host : &first->input, pieces_of(first, packet))) return;
  struct weir_mreq *r = weir_network_receive(requests, output);
  if (host)
    split(s, first, r, r->ready, true);
  else
    weir_slice_enter(s, first, r, now);
}

// To the other partition. There is room: a fetch has its MSHR, and what is written has asked.
static void cross(struct weir_slice *s, struct weir_mreq *r, weir_cycle now) {
  if (!weir_slice_is_written(r)) s->stages[0].cache.stats->far_reads++;
  r->ready = now + s->crossing_cycles;
  weir_queue_push(&s->crossing, r);
}

// Lets a request that came out of a miss queue into what lies below stage i, if there is room.
static bool descend(struct weir_slice *s, unsigned i, struct weir_mreq *r, weir_cycle now) {
  if (r->far) {
    cross(s, r, now);
    return true;
  }
  if (i + 1 == s->count) {
    if (weir_queue_full(&s->to_dram)) return false;
    weir_queue_push(&s->to_dram, r);
    return true;
  }
  struct weir_stage *below = &s->stages[i + 1];
  if (!weir_queue_room(&below->input, pieces_of(below, r))) return false;
  weir_slice_enter(s, below, r, now);
  return true;
}

// The queue's oldest request (there is one) goes down.
static void drain(struct weir_slice *s, unsigned i, struct weir_mreq_queue *q, weir_cycle now) {
  struct weir_mreq *r = q->head, *next = r->next;
  if (r->kind == WEIR_MREQ_WRITEBACK) r->slice = (uint16_t)weir_slice_of(s->map, r->address, &r->place);
  if (!descend(s, i, r, now)) return;
  weir_queue_advance(q, next);
}

static void answer(struct weir_slice *s, struct weir_stage *g, struct weir_mreq *r, weir_cycle ready) {
  if (r->kind == WEIR_MREQ_WRITEBACK) {
    weir_mreq_release(s->pool, r);
    return;
  }
  if (r->kind == WEIR_MREQ_ATOMIC && !r->is_reply && s->atomics) ++*s->atomics;
  r->is_reply = true;
  r->ready = r->guest ? ready + s->crossing_cycles : ready;
  weir_queue_push(r->guest ? &s->returning : &g->answers, r);
}

static void fill(struct weir_slice *s, struct weir_stage *g, weir_cycle now) {
  struct weir_mreq *r = weir_queue_pop(&g->fills);
  if (weir_cache_waits_for(&g->cache, r))
    weir_cache_fill(&g->cache, r, now);
  else
    answer(s, g, r, now + 1);
}

// The other partition's copy of what has been written here ends.
static void end_copy(struct weir_slice *s, uint64_t address, uint64_t place, weir_cycle now) {
  weir_cache_invalidate(&s->other->stages[0].cache, address, place, now);
}

// The queue's oldest request (there is one) is looked up. False: refused.
static bool look_up(struct weir_slice *s, struct weir_stage *g, struct weir_mreq_queue *q, weir_cycle now) {
  enum weir_stall why;
  struct weir_mreq *r = q->head, *next = r->next;
  const uint64_t address = r->address, place = r->place;
  const bool ends_copy = s->other && weir_slice_is_written(r);
  switch (weir_cache_access(&g->cache, r, now, &why)) {
  case WEIR_OUTCOME_REFUSED: g->cache.stats->stalls[why]++; return false;
  case WEIR_OUTCOME_HIT:
  case WEIR_OUTCOME_WRITTEN: answer(s, g, r, now + g->hit_latency_cycles); break;
  case WEIR_OUTCOME_PENDING:
  case WEIR_OUTCOME_MISS:
  case WEIR_OUTCOME_PASSED: break;
  }
  if (ends_copy) end_copy(s, address, place, now);
  weir_queue_advance(q, next);
  return true;
}

// What follows is compiled twice: for a slice of one cache in one partition, as most are, and for any. `s` is `plain`: it has one
// stage, and nothing of it comes from, or goes to, another.
#define FOR_KIND static inline __attribute__((always_inline))

// May the stage serve the request? Its answer waits for the network, for the cache above, or for the way to the other partition.
FOR_KIND bool has_room(const struct weir_slice *s, const struct weir_stage *g, const struct weir_mreq *r, bool plain) {
  if (plain) return g->answers.count < s->answers_capacity;
  if (r->far && weir_slice_is_written(r)) return s->crossing.count < s->answers_capacity;
  return (r->guest ? &s->returning : &g->answers)->count < s->answers_capacity;
}

// In order, as many as there are free banks for.
FOR_KIND void look_up_queue(struct weir_slice *s, struct weir_stage *g, struct weir_mreq_queue *q,
                            struct weir_bank_claims *claims, weir_cycle now, bool plain) {
  while (q->head) {
    bool room = has_room(s, g, q->head, plain);
    if (!room || !weir_cache_claim_bank(&g->cache, q->head->place, claims)) {
      if (!room || claims->made < g->cache.params.banks)
        g->cache.stats->stalls[room ? WEIR_STALL_BANK : WEIR_STALL_QUEUE]++;
      return;
    }
    if (!plain && q->head->far && weir_slice_is_written(q->head))
      cross(s, weir_queue_pop(q), now);
    else if (!look_up(s, g, q, now))
      return;
  }
}

// Guests first: their partition waits for them, and they for none.
FOR_KIND void look_up_all(struct weir_slice *s, struct weir_stage *g, weir_cycle now, bool plain) {
  struct weir_bank_claims claims = {0};
  if (!plain && s->guests.head) look_up_queue(s, g, &s->guests, &claims, now, plain);
  if (g->input.head) look_up_queue(s, g, &g->input, &claims, now, plain);
}

// A request that has crossed.
static void welcome(struct weir_slice *s, weir_cycle now) {
  struct weir_mreq_queue *q = &s->other->crossing;
  if (!q->head || q->head->ready > now || weir_queue_full(&s->guests)) return;
  struct weir_mreq *r = weir_queue_pop(q);
  r->far = 0;
  r->guest = 1;
  r->slice = s->number;
  weir_queue_push(&s->guests, r);
}

// An answer that has come back: a fill, or it goes on to its core.
static void take_back(struct weir_slice *s, weir_cycle now) {
  struct weir_mreq_queue *q = &s->other->returning;
  struct weir_stage *g = &s->stages[0];
  if (!q->head || q->head->ready > now) return;
  const bool is_fill = q->head->mshr != WEIR_NO_MSHR && q->head->mshr_level == g->cache.params.level;
  if (!is_fill && g->answers.count >= s->answers_capacity) return;
  struct weir_mreq *r = weir_queue_pop(q);
  r->guest = 0;
  if (is_fill)
    weir_cache_fill(&g->cache, r, now);
  else
    answer(s, g, r, now + 1);
}

// As many as may be looked up per cycle.
static void leave_delay(struct weir_stage *g, weir_cycle now) {
  uint32_t n = g->cache.params.banks ? g->cache.params.banks : 1;
  while (n-- && g->delay.head && g->delay.head->ready <= now && !weir_queue_full(&g->input)) {
    const struct weir_mreq *r = g->delay.head;
    weir_cache_expect_line(
      &g->cache, weir_index(g->cache.params.index, r->place >> g->cache.line_shift, g->cache.set_bits), r->address);
    weir_queue_push(&g->input, weir_queue_pop(&g->delay));
  }
}

FOR_KIND void tick_stage(struct weir_slice *s, unsigned i, weir_cycle now, bool plain) {
  struct weir_stage *g = &s->stages[i];
  if (g->cache.ready.head && has_room(s, g, g->cache.ready.head, plain))
    answer(s, g, weir_cache_take(&g->cache), now + 1);
  if (g->fills.head && (weir_cache_waits_for(&g->cache, g->fills.head) || has_room(s, g, g->fills.head, plain)))
    fill(s, g, now);
  if (g->cache.miss_queue.head) drain(s, i, &g->cache.miss_queue, now);
  if (g->cache.skipped.head) drain(s, i, &g->cache.skipped, now);
  look_up_all(s, g, now, plain);
  leave_delay(g, now);
}

// The answer goes to whoever asked, and to those who joined.
static void reply(struct weir_slice *s, struct weir_mreq *r, struct weir_network *replies, uint32_t input) {
  struct weir_mreq *joined = s->coalescer ? weir_l2_coalescer_leave(s->coalescer, r) : NULL;
  for (struct weir_mreq *j = joined; j; j = j->next) {
    j->is_reply = true;
    j->reply_mark = r->reply_mark;
  }
  if (joined)
    weir_network_send_copied(replies, input, r, joined);
  else
    weir_network_send(replies, input, r);
}

// Answers of stage i go to the cache above, or onto the reply network.
static void ascend(struct weir_slice *s, unsigned i, weir_cycle now, struct weir_network *replies, uint32_t input) {
  struct weir_mreq_queue *q = &s->stages[i].answers;
  if (!q->head || q->head->ready > now) return;
  if (i) {
    if (s->stages[i - 1].fills.count < s->answers_capacity) weir_queue_push(&s->stages[i - 1].fills, weir_queue_pop(q));
  } else if (weir_network_accepts(replies, input, q->head)) {
    reply(s, weir_queue_pop(q), replies, input);
  }
}

// When the stage next has something to do by itself.
static weir_cycle stage_wake(const struct weir_stage *g, weir_cycle now) {
  const struct weir_cache *c = &g->cache;
  if (g->input.head || c->ready.head || g->fills.head || c->miss_queue.head || c->skipped.head) return now + 1;
  weir_cycle next = WEIR_NEVER;
  if (g->delay.head) next = weir_sooner(next, g->delay.head->ready);
  if (g->answers.head) next = weir_sooner(next, g->answers.head->ready);
  return next > now ? next : now + 1;
}

static weir_cycle not_before(const struct weir_mreq_queue *q, weir_cycle now) {
  if (!q->head) return WEIR_NEVER;
  return q->head->ready > now ? q->head->ready : now + 1;
}

weir_cycle weir_slice_hands_over(const struct weir_slice *s, weir_cycle now) {
  return weir_sooner(not_before(&s->crossing, now), not_before(&s->returning, now));
}

uint64_t weir_slice_occupancy(struct weir_slice *s, weir_cycle now) {
  s->occupancy += (now - s->occupancy_at) * s->stages[0].input.count;
  s->occupancy_at = now;
  return s->occupancy;
}

// ---- what a cycle to come wants of the host's memory ----------------------------------------------------------------------

static void expect_head(const struct weir_mreq_queue *q) {
  if (q->head) __builtin_prefetch(q->head, 1);
}

void weir_slice_ahead(const struct weir_slice *s) {
  const char *from = (const char *)s, *to = (const char *)&s->stages[0].cache.sets;
  for (; from <= to; from += 64) __builtin_prefetch(from, 1);
  __builtin_prefetch(&s->stages[0].cache.params);
  __builtin_prefetch(&s->stages[0].cache.mshrs);
}

void weir_slice_ahead_heads(const struct weir_slice *s, const struct weir_mreq *packet) {
  const struct weir_stage *g = &s->stages[0];
  if (packet) __builtin_prefetch(packet, 1);
  expect_head(&g->delay);
  expect_head(&g->input);
  expect_head(&g->answers);
  expect_head(&g->fills);
  expect_head(&g->cache.miss_queue);
  expect_head(&s->guests);
}

void weir_slice_ahead_work(const struct weir_slice *s) {
  const struct weir_stage *g = &s->stages[0];
  const struct weir_mreq *first = g->input.head, *fill = g->fills.head;
  if (first) weir_cache_expect(&g->cache, first->address, first->place);
  if (g->delay.head) weir_cache_expect_set(&g->cache, g->delay.head->place);
  if (!fill || !weir_cache_waits_for(&g->cache, fill)) return;
  __builtin_prefetch(&g->cache.mshrs[fill->mshr], 1);
  weir_cache_expect(&g->cache, fill->address, fill->place);
}

FOR_KIND weir_cycle tick(struct weir_slice *s, weir_cycle now, weir_cycle network_now, struct weir_network *requests,
                         uint32_t output, struct weir_network *replies, uint32_t input, bool plain) {
  const unsigned count = plain ? 1 : s->count;
  weir_cycle next = WEIR_NEVER;
  weir_slice_occupancy(s, now);
  for (unsigned i = 0; i < count; i++) ascend(s, i, now, replies, input);
  receive(s, requests, output, now, network_now);
  for (unsigned i = 0; i < count; i++) {
    tick_stage(s, i, now, plain);
    if (!plain && s->other) take_back(s, now);
    next = weir_sooner(next, stage_wake(&s->stages[i], now));
  }
  if (!plain && s->other) {
    welcome(s, now);
    next = weir_sooner(next, s->guests.head ? now + 1 : weir_slice_hands_over(s->other, now));
  }
  return next;
}

static __attribute__((noinline)) weir_cycle tick_any(struct weir_slice *s, weir_cycle now, weir_cycle network_now,
                                                     struct weir_network *requests, uint32_t output,
                                                     struct weir_network *replies, uint32_t input) {
  return tick(s, now, network_now, requests, output, replies, input, false);
}

weir_cycle weir_slice_tick(struct weir_slice *s, weir_cycle now, weir_cycle network_now, struct weir_network *requests,
                           uint32_t output, struct weir_network *replies, uint32_t input) {
  if (s->count > 1 || s->other) return tick_any(s, now, network_now, requests, output, replies, input);
  return tick(s, now, network_now, requests, output, replies, input, true);
}

bool weir_slice_answer(struct weir_slice *s, struct weir_mreq *r) {
  struct weir_stage *last = &s->stages[s->count - 1];
  if (last->fills.count >= s->answers_capacity) return false;
  if (weir_cache_waits_for(&last->cache, r)) __builtin_prefetch(&last->cache.mshrs[r->mshr], 1);
  weir_queue_push(&last->fills, r);
  return true;
}

void weir_slice_answer_host(struct weir_slice *s, struct weir_mreq *r, weir_cycle now) {
  answer(s, &s->stages[0], r, now + 1);
}

void weir_slice_drop(struct weir_slice *s, uint64_t address, uint64_t place, weir_cycle now) {
  for (unsigned i = 0; i < s->count; i++) weir_cache_invalidate(&s->stages[i].cache, address, place, now);
}

void weir_slice_place(struct weir_slice *s, uint64_t address, uint64_t place, uint32_t sectors, weir_cycle now) {
  struct weir_cache *c = &s->stages[0].cache;
  if (!s->other) {
    weir_cache_place(c, address, place, sectors, now);
    return;
  }
  for (; sectors--; address += c->params.sector_bytes, place += c->params.sector_bytes) {
    weir_cache_place(c, address, place, 1, now);
    end_copy(s, address, place, now);
  }
}

static void warm_from(struct weir_slice *s, unsigned stage, uint64_t address, uint64_t place, enum weir_warming how,
                      weir_cycle now);

// A dirty line that goes is written to the cache below, if there is one.
static void warm(struct weir_slice *s, unsigned stage, uint64_t address, uint64_t place, enum weir_warming how,
                 weir_cycle now) {
  const uint64_t victim = weir_cache_warm(&s->stages[stage].cache, address, place, how, now);
  uint64_t there;
  if (victim == WEIR_NO_LINE || stage + 1 == s->count) return;
  weir_slice_of(s->map, victim, &there);
  warm_from(s, stage + 1, victim, there, WEIR_WARM_WRITE, now);
}

// What comes with a sector that is read and missed.
static void warm_around(struct weir_slice *s, unsigned stage, uint64_t address, uint64_t place, weir_cycle now) {
  const struct weir_cache *c = &s->stages[stage].cache;
  const uint64_t size = c->params.fetch_bytes, first = address & ~(size - 1);
  for (uint64_t at = first; size && at < first + size; at += c->params.sector_bytes) {
    const uint64_t there = place - address + at;
    if (at >> c->sector_shift != address >> c->sector_shift && !weir_cache_holds(c, at, there))
      warm(s, stage, at, there, WEIR_WARM_READ, now);
  }
}

static void warm_from(struct weir_slice *s, unsigned stage, uint64_t address, uint64_t place, enum weir_warming how,
                      weir_cycle now) {
  bool ends = false; // here, as a hit or a write that is kept
  for (unsigned i = stage; i < s->count && !ends; i++) {
    const struct weir_cache *c = &s->stages[i].cache;
    const bool held = weir_cache_holds(c, address, place);
    ends = held || (how != WEIR_WARM_READ && c->params.write_hit == WEIR_WRITE_BACK);
    warm(s, i, address, place, how, now);
    if (!held && how == WEIR_WARM_READ) warm_around(s, i, address, place, now);
  }
}

void weir_slice_warm(struct weir_slice *s, uint64_t address, uint64_t place, enum weir_warming how, weir_cycle now) {
  warm_from(s, 0, address, place, how, now);
  if (s->other) end_copy(s, address, place, now);
}
