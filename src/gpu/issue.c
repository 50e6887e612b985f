// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The schedulers: each cycle each picks one ready warp, executes its next instruction and sends it on its way.
#include "gpu/collect.h"
#include "gpu/copies.h"
#include "gpu/scoreboard.h"

#include "base/bits.h"

#define NONE UINT32_MAX
enum { COLLECTOR_QUEUE = 2 }; // instructions between issue and a collector

// ---- function units ---------------------------------------------------------------------------------------------------

static struct weir_unit *soonest(struct weir_unit *units, uint32_t n) {
  struct weir_unit *best = units;
  for (uint32_t i = 1; i < n; i++)
    if (units[i].free_from < best->free_from) best = &units[i];
  return best;
}

// The units that a scheduler's warps may use: `first` of the core's, and how many.
struct unit_range {
  uint32_t first, count;
};

static struct unit_range units_of(const struct weir_core_config *k, enum weir_unit_kind kind, uint32_t scheduler) {
  const uint32_t all = kind == WEIR_UNIT_MAIN ? k->main_units
    : kind == WEIR_UNIT_SPECIAL               ? k->special_units
                                              : k->matrix_units;
  if (!k->partitioned) return (struct unit_range){0, all};
  return (struct unit_range){all / k->schedulers * scheduler, all / k->schedulers};
}

static struct weir_unit *unit_of(struct weir_sm *m, enum weir_unit_kind kind, uint32_t scheduler) {
  const struct unit_range r = units_of(m->shared->config, kind, scheduler);
  return soonest(m->units[kind] + r.first, r.count);
}

// The collectors that gather operands for units of this kind, and how many there are; 0: any number. Matrix units have theirs with the
// ordinary ones.
static struct weir_places *collectors_of(struct weir_sm *m, enum weir_unit_kind kind, uint32_t *count) {
  const bool special = kind == WEIR_UNIT_SPECIAL;
  *count = special ? m->shared->config->special_collectors : m->shared->config->main_collectors;
  return special ? &m->special_collectors : &m->main_collectors;
}

// The cycle from which a collector is free (0: no limit).
static weir_cycle collector_free(struct weir_sm *m, enum weir_unit_kind kind) {
  uint32_t count;
  const struct weir_places *p = collectors_of(m, kind, &count);
  return count ? weir_places_free(p) : 0;
}

static bool has_address_room(const struct weir_sm *m, uint32_t scheduler, weir_cycle now) {
  const struct weir_address_unit *u = &m->address_units[scheduler];
  return m->shared->config->address_cycles ? u->places_free_from[u->next] <= now : m->memory_issued != now;
}

// Does a unit's queue (a collector, then its backlog) take one more? Callers name the kind.
static inline __attribute__((always_inline)) bool has_room(struct weir_sm *m, enum weir_unit_kind kind,
                                                           uint32_t scheduler, weir_cycle now) {
  const struct weir_core_config *k = m->shared->config;
  if (kind == WEIR_UNIT_MEMORY) return weir_lsu_has_room(m) && has_address_room(m, scheduler, now);
  const struct weir_unit *u = unit_of(m, kind, scheduler);
  return u->free_from <= now + k->operand_cycles + (uint64_t)k->unit_backlog * u->occupancy &&
    collector_free(m, kind) <= now + COLLECTOR_QUEUE;
}

// The first cycle from `from` on in which the unit can take an instruction whose result is not in another's way. Beyond the
// window of results nothing is known to be.
static weir_cycle fits(struct weir_unit *u, weir_cycle from, uint32_t latency) {
  weir_cycle at = u->free_from > from ? u->free_from : from;
  while (at + latency - u->results_from < 64 && u->results >> (at + latency - u->results_from) & 1) at++;
  return at;
}

// Chooses the unit that can begin first, where no two results of a unit may meet. An instruction holds its collector until it
// moves to one of the places before the units (as many as there are units), and that until it enters the unit, a cycle
// before the unit begins (GPGPU-Sim shader.cc: execute, dispatch_ready_cu; shader.h: can_issue).
static struct weir_unit *enter(struct weir_sm *m, enum weir_unit_kind kind, uint32_t scheduler, uint32_t latency,
                               weir_cycle now, weir_cycle *collected, weir_cycle *begin) {
  const struct weir_core_config *k = m->shared->config;
  const struct unit_range range = units_of(k, kind, scheduler);
  struct weir_unit *units = m->units[kind] + range.first, *best = NULL;
  weir_cycle *place = &units[0].place_from, first = WEIR_NEVER;
  const uint32_t n = range.count;
  for (uint32_t i = 1; i < n; i++)
    if (units[i].place_from < *place) place = &units[i].place_from;
  weir_cycle moves = *begin - 2 > *place ? *begin - 2 : *place;
  for (uint32_t i = 0; i < n && first > moves + 2; i++) { // until one can begin at once
    weir_cycle at = fits(&units[i], moves + 2, latency);
    if (at >= first) continue;
    first = at;
    best = &units[i];
  }
  if (first + latency - now < 64) {
    best->results = now - best->results_from < 64 ? best->results >> (now - best->results_from) : 0;
    best->results |= UINT64_C(1) << (first + latency - now);
    best->results_from = now;
  }
  *collected = moves;
  *place = first - 1;
  *begin = first;
  return best;
}

// Operands, then the unit: when its pipeline begins. operand_cycles is issue to there with no conflict.
static weir_cycle begin_of(struct weir_sm *m, uint32_t warp, uint32_t scheduler, const struct weir_decoded *d,
                           weir_cycle now) {
  const struct weir_core_config *k = m->shared->config;
  uint32_t count;
  struct weir_places *collectors = collectors_of(m, d->unit, &count);
  weir_cycle read = weir_sm_collect(m, warp, d, now, count ? weir_places_free(collectors) : 0);
  weir_cycle begin = read + k->operand_cycles - 2, collected = read + 1;
  struct weir_unit *u;
  if (k->unit_conflicts) {
    u = enter(m, d->unit, scheduler, d->latency, now, &collected, &begin);
  } else {
    u = unit_of(m, d->unit, scheduler);
    if (u->free_from > begin) begin = u->free_from;
  }
  if (count) weir_places_take(collectors, count, collected);
  u->occupancy = d->occupancy;
  u->free_from = begin + d->occupancy;
  return begin;
}

// An instruction of an ordinary, special or matrix unit: its results are there after operands, latency and writeback.
static void send(struct weir_sm *m, uint32_t warp, uint32_t scheduler, const struct weir_winstr *w,
                 const struct weir_decoded *d, weir_cycle now) {
  weir_cycle begin = begin_of(m, warp, scheduler, d, now);
  if (!d->results) {
    if (d->beside && w->active) weir_copies_multiply(m, warp, now, begin + d->result_cycles);
    return;
  }
  weir_cycle done = begin + d->result_cycles;
  if (done < now + d->least_cycles) done = now + d->least_cycles;
  weir_scoreboard_reserve(m, warp, d);
  weir_sm_write_registers(m, warp, d, done);
  m->warps[warp].events++;
  weir_wheel_add(&m->wheel, now, done, WEIR_EVENT_WRITEBACK, warp)->pc = w->pc;
}

// ---- what follows an instruction ----------------------------------------------------------------------------------------

// Warps that waited at a barrier which is now complete go on: at once, or in cycle `when`.
static void release_barrier(struct weir_sm *m, const struct weir_block_slot *b, weir_cycle now, weir_cycle when) {
  uint64_t waiting =
    m->view.waiting & ~(m->fences | m->at_cluster | m->leaving) & (weir_mask(b->warps) << b->first_warp);
  for (; waiting; waiting &= waiting - 1) {
    uint32_t i = weir_lowest(waiting);
    if (weir_warp_waiting(m->warps[i].warp)) continue;
    if (when > now) {
      weir_sm_leave_barrier_at(m, i, now, when);
      continue;
    }
    m->view.waiting &= ~(UINT64_C(1) << i);
    weir_sm_look_ahead(m, i);
  }
}

// A core's barriers take one warp after the other: when those go on that wait for this one, if it is the last.
static weir_cycle arrive(struct weir_sm *m, const struct weir_winstr *w, weir_cycle now) {
  const struct weir_core_config *k = m->shared->config;
  if (!(k->barrier_cycles | k->barrier_interval_cycles) || w->what->op_class != WEIR_CLASS_BARRIER || !w->active)
    return now;
  m->barrier_free = (m->barrier_free > now ? m->barrier_free : now) + k->barrier_interval_cycles;
  const weir_cycle when = m->barrier_free + k->barrier_cycles, last = now + WEIR_WHEEL_CYCLES - 1;
  return when < last ? when : last;
}

// The warp's next instruction issues so many cycles later at the earliest.
static void go_on_later(struct weir_sm *m, uint32_t warp, weir_cycle now, uint32_t cycles) {
  struct weir_warp_slot *w = &m->warps[warp];
  m->stalled_until[warp] = now + cycles;
  if (!w->buffered) return; // it waits for a fetch, too
  weir_wheel_add(&m->wheel, now, m->stalled_until[warp], WEIR_EVENT_FETCHED, warp)->count = w->buffered;
  w->buffered = 0;
}

// Where the warp goes on. Fetch runs straight ahead, and a taken branch shows when it issues: what the warp had fetched
// behind it is dropped in the next cycle; if it had nothing, the next fetch is of the path not taken.
static void advance(struct weir_sm *m, uint32_t warp, uint32_t issued_pc, uint32_t next) {
  struct weir_warp_slot *w = &m->warps[warp];
  uint64_t bit = UINT64_C(1) << warp;
  w->pc = next;
  w->buffered--;
  bool jumps = w->pc != issued_pc + 1;
  if (!w->buffered) {
    m->can_fetch |= bit;
    if (jumps) m->taken |= bit;
  } else if (jumps) {
    w->buffered = 0;
    m->flushed |= bit;
  }
}

static void after_exit(struct weir_sm *m, uint32_t warp, weir_cycle now) {
  uint64_t bit = UINT64_C(1) << warp;
  m->exited |= bit;
  m->ready &= ~bit;
  if (m->throttling.count) weir_throttle_end(m, warp);
  release_barrier(m, &m->blocks[m->warps[warp].block], now, now);
  weir_sm_try_retire(m, warp);
}

// Behind barrier.cluster.wait: until the others have arrived (weir_sm_see_meetings), or what was met before is known here.
static void wait_for_cluster(struct weir_sm *m, uint32_t warp, weir_cycle now) {
  const uint64_t bit = UINT64_C(1) << warp;
  const bool met = !weir_warp_waiting(m->warps[warp].warp);
  const weir_cycle when = weir_warp_met(m->warps[warp].warp) + m->shared->config->cluster_barrier_cycles;
  if (met && when <= now) return;
  m->view.waiting |= bit;
  m->at_cluster |= bit;
  if (met) weir_sm_leave_barrier_at(m, warp, now, when);
}

// `when`: as others that wait there go on.
static void after_barrier(struct weir_sm *m, uint32_t warp, const struct weir_winstr *w, weir_cycle now,
                          weir_cycle when) {
  if (!w->what->is_cluster_barrier)
    m->view.waiting |= (uint64_t)(weir_warp_waiting(m->warps[warp].warp) || (when > now && !w->arrives)) << warp;
  else if (w->active && !w->arrives)
    wait_for_cluster(m, warp, now);
}

static void after(struct weir_sm *m, uint32_t warp, const struct weir_decoded *d, const struct weir_winstr *w,
                  enum weir_step step, weir_cycle now) {
  uint64_t bit = UINT64_C(1) << warp;
  if (step == WEIR_STEP_EXITED) {
    after_exit(m, warp, now);
    return;
  }
  const bool awaits = w->what->copy_role && w->active && weir_copies_follow(m, warp, w->what);
  if (w->what->op_class == WEIR_CLASS_FENCE || awaits) {
    m->view.waiting |= bit;
    m->fences |= bit;
  }
  const bool meets = step == WEIR_STEP_BARRIER;
  const weir_cycle when = meets && !w->what->is_cluster_barrier ? arrive(m, w, now) : now;
  if (meets) after_barrier(m, warp, w, now, when);
  advance(m, warp, w->pc, w->next);
  if (d->stall_cycles) go_on_later(m, warp, now, d->stall_cycles);
  weir_sm_look_ahead(m, warp);
  if (meets) release_barrier(m, &m->blocks[m->warps[warp].block], now, when);
  if (m->fences & bit) weir_sm_settle_fence(m, warp);
}

// ---- the schedulers ---------------------------------------------------------------------------------------------------

static inline __attribute__((always_inline)) void issue(struct weir_sm *m, uint32_t warp, uint32_t scheduler,
                                                        weir_cycle now) {
  struct weir_winstr w;
  const struct weir_decoded *d = m->warps[warp].next;
  enum weir_step step = weir_warp_step(m->warps[warp].warp, &w, &m->fault);
  if (step == WEIR_STEP_FAULT) return;
  m->shared->stats->warp_instructions++;
  m->shared->stats->machine_instructions += d->slots;
  m->instructions++;
  m->shared->stats->thread_instructions += w.active == UINT32_MAX ? 32 : weir_popcount(w.active);
  if (d->unit == WEIR_UNIT_MEMORY) {
    m->memory_issued = now;
    m->memory_turn = (warp + 1) % m->shared->config->schedulers;
    weir_lsu_take(m, warp, &w, d, now);
  } else {
    send(m, warp, scheduler, &w, d, now);
  }
  if (m->throttling.count) weir_throttle_issued(m, warp, &w, now);
  after(m, warp, d, &w, step, now);
}

// The first of the oldest block that has any. Mostly blocks have taken the places of those that ended in the order of these.
static uint32_t oldest(const struct weir_sm *m, uint64_t warps) {
  const uint64_t from_oldest = warps & ~weir_below(m->oldest_warp);
  if (m->ages_in_turn) return weir_lowest(from_oldest ? from_oldest : warps);
  const uint64_t all = weir_mask(m->warps_per_block);
  for (uint32_t i = 0;; i++) {
    const uint64_t here = warps & all << m->blocks[m->by_age[i]].first_warp;
    if (here) return weir_lowest(here);
  }
}

// The last of the youngest block that has any.
static uint32_t youngest(const struct weir_sm *m, uint64_t warps) {
  const uint64_t all = weir_mask(m->warps_per_block);
  for (uint32_t i = m->resident_blocks;;) {
    const uint64_t here = warps & all << m->blocks[m->by_age[--i]].first_warp;
    if (here) return weir_log2(here);
  }
}

static uint32_t choose(const struct weir_sm *m, uint64_t warps, uint32_t last) {
  switch (m->shared->config->scheduler) {
  case WEIR_SCHEDULE_GTO: return last != NONE && warps >> last & 1 ? last : oldest(m, warps);
  case WEIR_SCHEDULE_OLDEST: return oldest(m, warps);
  case WEIR_SCHEDULE_GTY: return last != NONE && warps >> last & 1 ? last : youngest(m, warps);
  case WEIR_SCHEDULE_LRR: break;
  }
  uint64_t after = last == NONE ? 0 : warps & ~weir_upto(last);
  return weir_lowest(after ? after : warps);
}

// Of warps whose next instruction goes to a special or a matrix unit, those that it can take.
static __attribute__((noinline)) uint64_t room_apart(struct weir_sm *m, uint64_t warps, uint32_t scheduler,
                                                     weir_cycle now) {
  uint64_t matrix = 0;
  for (uint64_t w = m->shared->config->matrix_units ? warps : 0; w; w &= w - 1)
    if (m->warps[weir_lowest(w)].next->unit == WEIR_UNIT_MATRIX) matrix |= w & -w;
  const uint64_t special = warps & ~matrix;
  if (special && !has_room(m, WEIR_UNIT_SPECIAL, scheduler, now)) warps &= ~special;
  if (matrix && !has_room(m, WEIR_UNIT_MATRIX, scheduler, now)) warps &= ~matrix;
  return warps;
}

// A scheduler's ready warps whose unit can take their instruction.
static uint64_t issuable(struct weir_sm *m, uint64_t warps, uint32_t scheduler, weir_cycle now) {
  const uint64_t memory = warps & m->memory_next, special = warps & m->special_next,
                 ordinary = warps & ~(memory | special);
  if (memory && !has_room(m, WEIR_UNIT_MEMORY, scheduler, now)) warps &= ~memory;
  if (special) warps = (warps & ~special) | room_apart(m, special, scheduler, now);
  if (ordinary && !has_room(m, WEIR_UNIT_MAIN, scheduler, now)) warps &= ~ordinary;
  return warps;
}

// Who goes first. By the cycle alone, one scheduler may win the load/store unit again and again: a warp whose lanes lie apart
// keeps it for 32 cycles, and each time that it becomes free is the same scheduler's turn.
static uint32_t first_scheduler(struct weir_sm *m, weir_cycle now) {
  const struct weir_core_config *k = m->shared->config;
  uint32_t by_cycle = (uint32_t)(now % k->schedulers);
  if (k->memory_turn == WEIR_TURN_CYCLE) return by_cycle;
  uint64_t memory = m->ready & m->memory_next;
  if (memory && m->throttling.count) memory = weir_throttle_pass(m, memory);
  return memory && has_room(m, WEIR_UNIT_MEMORY, by_cycle, now) ? m->memory_turn : by_cycle;
}

void weir_sm_issue(struct weir_sm *m, weir_cycle now) {
  uint32_t n = m->shared->config->schedulers, first = first_scheduler(m, now);
  for (uint32_t k = 0; k < n && !m->fault.raised; k++) {
    uint32_t s = first + k < n ? first + k : first + k - n;
    if (m->schedulers[s].busy_until > now) continue;
    uint64_t warps = issuable(m, m->ready & m->schedulers[s].let_go, s, now);
    if (!warps) {
      m->shared->stats->issue_slots_idle += (m->resident & m->schedulers[s].warps) != 0;
      if (m->throttling.count) weir_throttle_count(m, s, 1);
      continue;
    }
    uint32_t i = choose(m, warps, m->schedulers[s].last_issued);
    m->schedulers[s].last_issued = i;
    m->schedulers[s].busy_until = now + m->warps[i].next->slots;
    issue(m, i, s, now);
  }
}
