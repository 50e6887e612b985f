// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "chip/serve.h"

#include "chip/machine.h"
#include "gpu/ahead.h"

// Whose parts: a member's number; those of all; or those of the only member, which lie in their places in order. What follows is
// compiled for each.
enum { ALL = UINT32_MAX, ALONE = UINT32_MAX - 1 };
#define FOR_WHOM static inline __attribute__((always_inline))

FOR_WHOM bool is_of(const struct weir_domain *d, uint32_t part, uint32_t whose) {
  return whose == ALL || whose == ALONE || d->owners[part] == whose;
}

FOR_WHOM weir_cycle *wake_of(const struct weir_domain *d, uint32_t part, uint32_t whose) {
  return &d->wakes[whose == ALONE ? part : d->places[part]];
}

// Side by side, if so many had something to do the last time: starting and awaiting a piece of the crew's work costs 0.13 us, a core's
// cycle some 0.3 to 1 us, a slice's a quarter of it, a channel's less.
enum { LEAST_CORES = 2, LEAST_SLICES = 4, LEAST_DRAMS = 8 };

static bool pays(const struct weir_chip *c, uint32_t served, uint32_t least) {
  return c->members.side_by_side && served >= least;
}

// ---- DRAM channels ------------------------------------------------------------------------------------------------------

struct delivery {
  struct weir_chip *chip;
  weir_cycle wake; // the first that a slice is woken for
};

static bool deliver(void *context, struct weir_mreq *r) {
  struct delivery *d = context;
  struct weir_chip *c = d->chip;
  if (!weir_slice_answer(&c->slices[r->slice], r)) return false;
  const weir_cycle when = weir_clock_at_or_after(&c->clocks.slices, c->now);
  weir_clock_wake_part(&c->clocks.slices, r->slice, when);
  d->wake = weir_sooner(d->wake, when);
  return true;
}

// One request per command cycle goes from the channel's slices, in turn, to its controller.
static bool feed(struct weir_chip *c, uint32_t channel, weir_cycle now) {
  uint32_t per = c->config->dram.slices_per_channel;
  struct weir_dram *d = &c->drams[channel];
  for (uint32_t k = 0; k < per && weir_dram_accepts(d); k++) {
    uint32_t s = (c->next_slice[channel] + k) % per;
    struct weir_mreq_queue *q = &c->slices[channel * per + s].to_dram;
    if (!q->head) continue;
    weir_dram_send(d, weir_queue_pop(q), now);
    c->next_slice[channel] = (s + 1) % per;
    break;
  }
  bool more = false;
  for (uint32_t s = 0; s < per; s++) more |= c->slices[channel * per + s].to_dram.head != NULL;
  return more && weir_dram_accepts(d);
}

static weir_cycle serve_dram(struct weir_chip *c, uint32_t i, weir_cycle now, struct delivery *to) {
  weir_cycle next = weir_dram_tick(&c->drams[i], now, deliver, to);
  if (feed(c, i, now)) return now + 1;
  weir_cycle arrives = c->drams[i].arriving.head ? c->drams[i].arriving.head->ready : WEIR_NEVER;
  if (arrives < next) next = arrives > now ? arrives : now + 1;
  return next;
}

FOR_WHOM void serve_drams(struct weir_chip *c, uint32_t whose, struct weir_chip_member *m) {
  struct weir_domain *d = &c->clocks.drams;
  const weir_cycle now = d->wake;
  struct delivery to = {c, WEIR_NEVER};
  weir_cycle next = WEIR_NEVER;
  uint32_t served = 0;
  for (uint32_t i = 0; i < d->parts; i++) {
    if (!is_of(d, i, whose)) continue;
    weir_cycle *wake = wake_of(d, i, whose);
    if (*wake <= now) {
      *wake = serve_dram(c, i, now, &to);
      served++;
    }
    next = weir_sooner(next, *wake);
  }
  m->drams = next;
  m->slices = to.wake;
  m->served = served;
}

static void drams_share(void *context, unsigned k) {
  struct weir_chip *c = context;
  serve_drams(c, k, &c->members.all[k]);
}

// ---- members' shares, put together -----------------------------------------------------------------------------------------

static uint32_t total_served(const struct weir_chip_members *m, unsigned count) {
  uint32_t n = 0;
  for (unsigned k = 0; k < count; k++) n += m->all[k].served;
  return n;
}

void weir_chip_serve_drams(struct weir_chip *c) {
  struct weir_chip_members *m = &c->members;
  const bool together = pays(c, m->drams_served, LEAST_DRAMS);
  const unsigned shares = together ? m->count : 1;
  if (together)
    weir_crew_run(m->crew, drams_share, c);
  else if (m->crew)
    serve_drams(c, ALL, m->all);
  else
    serve_drams(c, ALONE, m->all);
  weir_cycle wake = WEIR_NEVER, slices = WEIR_NEVER;
  for (unsigned k = 0; k < shares; k++) {
    wake = weir_sooner(wake, m->all[k].drams);
    slices = weir_sooner(slices, m->all[k].slices);
  }
  c->clocks.drams.wake = wake;
  if (slices < c->clocks.slices.wake) c->clocks.slices.wake = slices;
  m->drams_served = total_served(m, shares);
}

// ---- slices -------------------------------------------------------------------------------------------------------------

// The slice's like in the other partition is woken for what it is sent; when.
static weir_cycle hand_over(struct weir_chip *c, uint32_t i, weir_cycle now) {
  const weir_cycle when = weir_slice_hands_over(&c->slices[i], now);
  weir_clock_wake_part(&c->clocks.slices, c->slices[i].other->number, when);
  return when;
}

// Which of the parts have something to do; `next`: when the others have.
FOR_WHOM uint32_t find_due(const struct weir_domain *d, uint32_t whose, weir_cycle now, uint32_t *due,
                           weir_cycle *next) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < d->parts; i++) {
    if (!is_of(d, i, whose)) continue;
    const weir_cycle wake = *wake_of(d, i, whose);
    if (wake <= now)
      due[count++] = i;
    else
      *next = weir_sooner(*next, wake);
  }
  return count;
}

// Few parts are mostly in the host's second cache, where fetching ahead costs more than it saves.
enum { FEW_PARTS = 32 };

// Of many slices: the step of this number.
static inline void slice_ahead(const struct weir_chip *c, uint32_t i, uint32_t step) {
  const struct weir_slice *s = &c->slices[i];
  switch (step) {
  case 0: weir_slice_ahead(s); return;
  case 1: weir_slice_ahead_heads(s, weir_network_first(&c->fabric.requests, i)); return;
  default: weir_slice_ahead_work(s); return;
  }
}

// One cycle of a slice; when it has something to do again. Wakes its channel, if that is sent something: true in *to_dram.
FOR_WHOM weir_cycle serve_slice(struct weir_chip *c, uint32_t i, uint32_t whose, weir_cycle now, weir_cycle network_now,
                                bool *to_dram) {
  struct weir_domain *d = &c->clocks.slices;
  struct weir_fabric *f = &c->fabric;
  weir_cycle *wake = wake_of(d, i, whose);
  const weir_cycle own = weir_slice_tick(&c->slices[i], now, network_now, &f->requests, i, &f->replies, i);
  *wake = weir_sooner(own, weir_clock_arrival(&c->clocks, &f->requests, i, d, now));
  const weir_cycle other = c->slices[i].other ? hand_over(c, i, now) : WEIR_NEVER;
  if (c->slices[i].to_dram.head) {
    weir_clock_wake_part(&c->clocks.drams, i / c->config->dram.slices_per_channel,
                         weir_clock_after(&c->clocks.drams, c->now));
    *to_dram = true;
  }
  return weir_sooner(other, *wake);
}

FOR_WHOM void serve_slices(struct weir_chip *c, uint32_t whose, struct weir_chip_member *m) {
  const struct weir_domain *d = &c->clocks.slices;
  const weir_cycle now = d->wake, network_now = weir_clock_meanwhile(&c->clocks.network, d, now);
  weir_cycle next = WEIR_NEVER;
  uint32_t served = 0;
  bool to_dram = false;
  if (d->parts > FEW_PARTS) {
    served = find_due(d, whose, now, m->due, &next);
    for (uint32_t turn = 0; turn < served + WEIR_SLICE_AHEAD_STEPS; turn++) {
      for (uint32_t step = 0; step < WEIR_SLICE_AHEAD_STEPS; step++)
        if (turn - step < served) slice_ahead(c, m->due[turn - step], step); // wraps, where none is so far ahead
      if (turn < WEIR_SLICE_AHEAD_STEPS) continue;
      next =
        weir_sooner(next, serve_slice(c, m->due[turn - WEIR_SLICE_AHEAD_STEPS], whose, now, network_now, &to_dram));
    }
  } else {
    for (uint32_t i = 0; i < d->parts; i++) {
      if (!is_of(d, i, whose)) continue;
      const weir_cycle wake = *wake_of(d, i, whose);
      served += wake <= now;
      next = weir_sooner(next, wake <= now ? serve_slice(c, i, whose, now, network_now, &to_dram) : wake);
    }
  }
  m->served = served;
  m->slices = next;
  m->drams = to_dram ? weir_clock_after(&c->clocks.drams, c->now) : WEIR_NEVER;
}

static void slices_share(void *context, unsigned k) {
  struct weir_chip *c = context;
  serve_slices(c, k, &c->members.all[k]);
}

// What several threads have sent onto a network is seen.
static void see_sent(struct weir_chip *c) {
  for (unsigned k = 0; c->members.crew && k < c->members.count; k++) {
    weir_network_see(&c->fabric.requests, &c->members.all[k].requests);
    weir_network_see(&c->fabric.replies, &c->members.all[k].replies);
  }
}

void weir_chip_serve_slices(struct weir_chip *c) {
  struct weir_chip_members *m = &c->members;
  const weir_cycle now = c->clocks.slices.wake;
  const bool together = m->slices_side_by_side && pays(c, m->slices_served, LEAST_SLICES);
  const unsigned shares = together ? m->count : 1;
  if (together)
    weir_crew_run(m->crew, slices_share, c);
  else if (m->crew)
    serve_slices(c, ALL, m->all);
  else
    serve_slices(c, ALONE, m->all);
  see_sent(c);
  weir_cycle wake = WEIR_NEVER, drams = WEIR_NEVER;
  for (unsigned k = 0; k < shares; k++) {
    wake = weir_sooner(wake, m->all[k].slices);
    drams = weir_sooner(drams, m->all[k].drams);
  }
  c->clocks.slices.wake = wake;
  if (drams < c->clocks.drams.wake) c->clocks.drams.wake = drams;
  m->slices_served = total_served(m, shares);
  if (c->fabric.replies.waiting)
    weir_clock_wake(&c->clocks.network, 0, weir_clock_converted(&c->clocks.network, &c->clocks.slices, now));
}

// ---- cores --------------------------------------------------------------------------------------------------------------

// Of many cores: the step of this number.
static inline void core_ahead(const struct weir_chip *c, uint32_t i, uint32_t step, weir_cycle now,
                              weir_cycle network_now) {
  struct weir_sm *m = &c->sms[i];
  const struct weir_network *n = &c->fabric.replies;
  switch (step) {
  case 0: weir_ahead_core(m, now); return;
  case 1: weir_ahead_heads(m, weir_network_first(n, i), now); return;
  case 2: weir_ahead_work(m, weir_network_peek(n, i, network_now), now); return;
  default: weir_ahead_data(m, weir_network_peek(n, i, network_now), now); return;
  }
}

// One cycle of a core; when it has something to do again.
FOR_WHOM weir_cycle serve_core(struct weir_chip *c, uint32_t i, uint32_t whose, weir_cycle now, weir_cycle network_now,
                               struct weir_chip_member *m, struct weir_aside *aside) {
  struct weir_domain *d = &c->clocks.cores;
  struct weir_sm *sm = &c->sms[i];
  weir_cycle *wake = wake_of(d, i, whose);
  const bool busy = !weir_sm_idle(sm);
  if (aside) weir_aside_begin(aside, i);
  const weir_cycle own = weir_sm_tick(sm, now, network_now);
  if (busy && weir_sm_idle(sm)) c->epochs.busy[i].cycles += now + 1 - c->epochs.busy[i].since;
  if (sm->fault.raised) m->faulty = i + 1;
  return *wake = weir_sooner(own, weir_clock_arrival(&c->clocks, &c->fabric.replies, i, d, now));
}

// aside: where what they do to memory that they share is put off; NULL: it is done at once.
FOR_WHOM void serve_few_cores(struct weir_chip *c, uint32_t whose, struct weir_chip_member *m,
                              struct weir_aside *aside) {
  const struct weir_domain *d = &c->clocks.cores;
  const weir_cycle now = d->wake, network_now = weir_clock_meanwhile(&c->clocks.network, d, now);
  weir_cycle next = WEIR_NEVER;
  uint32_t served = 0;
  for (uint32_t i = 0; i < d->parts; i++) {
    if (!is_of(d, i, whose)) continue;
    weir_cycle wake = *wake_of(d, i, whose);
    if (wake <= now) {
      const bool alone = whose == ALL || whose == ALONE; // else the next cores are other threads'
      if (alone && i + 2 < d->parts && *wake_of(d, i + 2, whose) <= now) weir_ahead_core(&c->sms[i + 2], now);
      if (alone && i + 1 < d->parts && *wake_of(d, i + 1, whose) <= now)
        weir_ahead_next(&c->sms[i + 1], weir_network_peek(&c->fabric.replies, i + 1, network_now));
      wake = serve_core(c, i, whose, now, network_now, m, aside);
      served++;
    }
    next = weir_sooner(next, wake);
  }
  m->cores = next;
  m->served = served;
}

FOR_WHOM void serve_many_cores(struct weir_chip *c, uint32_t whose, struct weir_chip_member *m,
                               struct weir_aside *aside) {
  const struct weir_domain *d = &c->clocks.cores;
  const weir_cycle now = d->wake, network_now = weir_clock_meanwhile(&c->clocks.network, d, now);
  weir_cycle next = WEIR_NEVER;
  const uint32_t count = find_due(d, whose, now, m->due, &next);
  for (uint32_t turn = 0; turn < count + WEIR_AHEAD_STEPS; turn++) {
    for (uint32_t step = 0; step < WEIR_AHEAD_STEPS; step++)
      if (turn - step < count)
        core_ahead(c, m->due[turn - step], step, now, network_now); // wraps, where none is so far ahead
    if (turn < WEIR_AHEAD_STEPS) continue;
    next = weir_sooner(next, serve_core(c, m->due[turn - WEIR_AHEAD_STEPS], whose, now, network_now, m, aside));
  }
  m->cores = next;
  m->served = count;
}

FOR_WHOM void serve_cores(struct weir_chip *c, uint32_t whose, struct weir_chip_member *m, struct weir_aside *aside) {
  m->faulty = 0;
  if (c->clocks.cores.parts > FEW_PARTS)
    serve_many_cores(c, whose, m, aside);
  else
    serve_few_cores(c, whose, m, aside);
}

static void cores_share(void *context, unsigned k) {
  struct weir_chip *c = context;
  struct weir_chip_member *m = &c->members.all[k];
  weir_aside_finish(&m->aside);
  m->clocked.aside = &m->aside;
  serve_cores(c, k, m, &m->aside);
  m->clocked.aside = NULL;
}

static void serve_side_by_side(struct weir_chip *c) {
  struct weir_chip_members *m = &c->members;
  enum { CYCLES_BETWEEN_BALANCES = 256 };
  weir_crew_run(m->crew, cores_share, c);
  weir_aside_settle(m->asides, m->count, c->clocks.cores.owners, c->clocks.cores.parts);
  if (c->core_cycle % CYCLES_BETWEEN_BALANCES == 0) weir_mreq_pools_balance(m->pools, m->count);
}

static void serve_in_turn(struct weir_chip *c) {
  struct weir_chip_members *m = &c->members;
  for (unsigned k = 0; m->side_by_side && k < m->count; k++) weir_aside_finish(&m->all[k].aside);
  if (m->crew)
    serve_cores(c, ALL, m->all, NULL);
  else
    serve_cores(c, ALONE, m->all, NULL);
}

void weir_chip_serve_cores(struct weir_chip *c, struct weir_fault *fault) {
  struct weir_chip_members *m = &c->members;
  const bool together = pays(c, m->cores_served, LEAST_CORES);
  const unsigned shares = together ? m->count : 1;
  c->core_cycle = c->clocks.cores.wake;
  if (together)
    serve_side_by_side(c);
  else
    serve_in_turn(c);
  see_sent(c);
  weir_cycle wake = WEIR_NEVER;
  uint32_t faulty = 0;
  for (unsigned k = 0; k < shares; k++) {
    wake = weir_sooner(wake, m->all[k].cores);
    if (m->all[k].faulty > faulty) faulty = m->all[k].faulty;
  }
  c->clocks.cores.wake = wake;
  m->cores_served = total_served(m, shares);
  if (faulty) *fault = c->sms[faulty - 1].fault;
}
