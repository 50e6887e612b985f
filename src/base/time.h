// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One clock for everything: 64 bits of picoseconds since the chip's reset (213 days), and 64-bit cycle counts
// per clock domain. No part keeps a time in any other type, so none can be compared at the wrong width.
#ifndef WEIR_BASE_TIME_H
#define WEIR_BASE_TIME_H

#include <stdint.h>

typedef uint64_t weir_time;  // picoseconds
typedef uint64_t weir_cycle; // cycles of one clock domain

#define WEIR_NEVER UINT64_MAX

static inline weir_cycle weir_sooner(weir_cycle a, weir_cycle b) {
  return a < b ? a : b;
}

static inline weir_cycle weir_later(weir_cycle a, weir_cycle b) {
  return a > b ? a : b;
}

#endif
