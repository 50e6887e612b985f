// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How full the first input queues of the slices were. Private to src/chip. Invariant: readings only grow, so that what a period
// measured is the difference of two.
#ifndef WEIR_CHIP_QUEUE_USE_H
#define WEIR_CHIP_QUEUE_USE_H

#include "base/time.h"

#include <stdint.h>

struct weir_chip;

// Requests in a slice's first input queue, summed over the cycles of the slices' clock before `at`, without those in which no
// launch ran.
struct weir_slice_occupancy {
  uint64_t sum;
  weir_cycle at;
};

// The reading of a slice as a cycle of the cores begins.
struct weir_slice_occupancy weir_chip_read_slice(struct weir_chip *c, uint32_t slice, weir_cycle core_now);

// The cycle of the slices in which one of the cores begins.
weir_cycle weir_chip_slice_cycle(const struct weir_chip *c, weir_cycle core);

// The share of the queue that was taken, mean from one reading to another.
double weir_chip_utilisation(const struct weir_chip *c, const struct weir_slice_occupancy *from,
                             const struct weir_slice_occupancy *to);

#endif
