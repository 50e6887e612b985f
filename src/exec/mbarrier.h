// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What mbarrier does to the 64 bits of a barrier in memory (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier").
// They are opaque to programs. Here: how many arrivals the running phase still waits for (bits 0 to 19) and how many a phase waits for
// (32 to 51), how many bytes of copies it waits for besides (a number with a sign, of which bits 20 to 31 are the low ones and 52 to 60 the high ones),
// and whether the phases before it are odd in number (63). A state that an arrival returns is what they were.
#ifndef WEIR_EXEC_MBARRIER_H
#define WEIR_EXEC_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

enum weir_mbarrier_op {
  WEIR_MBARRIER_INIT,
  WEIR_MBARRIER_INVALIDATE,
  WEIR_MBARRIER_ARRIVE,
  WEIR_MBARRIER_ARRIVE_NO_COMPLETE,
  WEIR_MBARRIER_DROP,
  WEIR_MBARRIER_DROP_NO_COMPLETE,
  WEIR_MBARRIER_ARRIVE_EXPECT, // one arrival, once so many bytes more are waited for
  WEIR_MBARRIER_DROP_EXPECT,
  WEIR_MBARRIER_EXPECT,      // so many bytes more are waited for
  WEIR_MBARRIER_TRANSFER,    // so many bytes have come
  WEIR_MBARRIER_TEST_STATE,  // has the phase of this state ended?
  WEIR_MBARRIER_TEST_PARITY, // has the phase of this parity?
  WEIR_MBARRIER_COPIES,      // copies have arrived whom nobody counted: nothing is left of it
};

// It asks, and changes nothing.
static inline bool weir_mbarrier_tests(unsigned op) {
  return op == WEIR_MBARRIER_TEST_STATE || op == WEIR_MBARRIER_TEST_PARITY;
}

enum { WEIR_MBARRIER_MOST = (1 << 20) - 1 }; // arrivals of a phase, and bytes that it waits for

struct weir_warp;

// So many bytes of a copy of this lane have come for the barrier. False: the fault is raised.
bool weir_mbarrier_transfer(struct weir_warp *w, unsigned lane, uint32_t bytes, uint64_t *barrier);

#endif
