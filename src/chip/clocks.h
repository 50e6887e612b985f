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
  weir_cycle *wakes; // per part
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

// A part has something to do.
static inline void weir_clock_wake(struct weir_domain *d, uint32_t part, weir_cycle when) {
  if (when < d->wakes[part]) d->wakes[part] = when;
  if (when < d->wake) d->wake = when;
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

void weir_clock_init(struct weir_domain *d, double mhz, uint32_t parts); // nobody has anything to do
void weir_clock_free(struct weir_domain *d);

#endif
