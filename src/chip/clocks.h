// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Clock domains, and from one to another. Private to src/chip. Invariant: a part has something to do in its wake cycle or later;
// a domain's wake is the earliest of its parts'.
#ifndef WEIR_CHIP_CLOCKS_H
#define WEIR_CHIP_CLOCKS_H

#include "base/time.h"
#include "mem/network.h"

#include <stdint.h>

// Parts of one kind, in one clock domain, in the order in which they are served at equal times.
struct weir_domain {
  weir_time period;  // picoseconds per cycle
  weir_cycle *wakes; // per part: [places[part]], where the parts that one thread serves lie side by side
  uint32_t *places;
  uint8_t *owners; // per part: the thread that serves it, where several do
  uint32_t parts;
  weir_cycle wake; // the earliest of them
};

// The domains of a chip but those of its CPU cores (chip/cpus.h).
struct weir_clocks {
  struct weir_domain drams, slices, network, cores;
};

static inline weir_cycle weir_clock_at_or_after(const struct weir_domain *d, weir_time t) {
  return (t + d->period - 1) / d->period;
}

static inline weir_cycle weir_clock_after(const struct weir_domain *d, weir_time t) {
  return t / d->period + 1;
}

// A part has something to do. Answers whether it thought that it had not, so early.
static inline bool weir_clock_wake_part(struct weir_domain *d, uint32_t part, weir_cycle when) {
  weir_cycle *wake = &d->wakes[d->places[part]];
  if (when >= *wake) return false;
  *wake = when;
  return true;
}

static inline void weir_clock_wake(struct weir_domain *d, uint32_t part, weir_cycle when) {
  if (weir_clock_wake_part(d, part, when) && when < d->wake) d->wake = when;
}

static inline weir_time weir_clock_wake_time(const struct weir_domain *d) {
  return d->wake == WEIR_NEVER ? WEIR_NEVER : d->wake * d->period;
}

// The first cycle of `to` that begins with or after `cycle` of `from`.
static inline weir_cycle weir_clock_converted(const struct weir_domain *to, const struct weir_domain *from,
                                              weir_cycle cycle) {
  return to->period == from->period ? cycle : weir_clock_at_or_after(to, cycle * from->period);
}

// The cycle of `to` in which cycle `now` of `from` begins.
static inline weir_cycle weir_clock_meanwhile(const struct weir_domain *to, const struct weir_domain *from,
                                              weir_cycle now) {
  return to->period == from->period ? now : now * from->period / to->period;
}

// When a part behind an output of a network should look at it again.
static inline weir_cycle weir_clock_arrival(const struct weir_clocks *c, const struct weir_network *n, uint32_t output,
                                            const struct weir_domain *d, weir_cycle now) {
  const struct weir_mreq *r = n->out[output].queue.head;
  if (!r) return WEIR_NEVER;
  const weir_cycle when = weir_clock_converted(d, &c->network, r->ready);
  return when > now ? when : now + 1;
}

// Nobody has anything to do. Of so many `threads`, owner(context, part) serves a part; NULL: one serves all.
void weir_clock_init(struct weir_domain *d, double mhz, uint32_t parts,
                     uint8_t (*owner)(const void *context, uint32_t part), const void *context);
void weir_clock_free(struct weir_domain *d);

#endif
