// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The same numbers in every run: xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators",
// ACM Transactions on Mathematical Software 42(4), 2016).
#ifndef WEIR_CPU_RANDOM_H
#define WEIR_CPU_RANDOM_H

#include <stdint.h>

static uint64_t random_state = UINT64_C(0x9E3779B97F4A7C15);

static inline uint64_t random_next(void) {
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return random_state * UINT64_C(0x2545F4914F6CDD1D);
}

static inline uint32_t random_below(uint32_t n) {
  return (uint32_t)((random_next() >> 32) * n >> 32);
}

#endif
