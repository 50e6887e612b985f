// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): one word of state, so that every user owns a stream of its own and
// results depend on the seed alone.
#ifndef WEIR_BASE_RNG_H
#define WEIR_BASE_RNG_H

#include <stdint.h>

struct weir_rng {
  uint64_t state;
};

// A stream for `user` (a cache's index, a policy's, …) derived from the run's seed.
static inline struct weir_rng weir_rng_seed(uint64_t seed, uint64_t user) {
  return (struct weir_rng){seed ^ (user * UINT64_C(0xD1342543DE82EF95) + UINT64_C(0x9E3779B97F4A7C15))};
}

static inline uint64_t weir_rng_next(struct weir_rng *r) {
  uint64_t z = (r->state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

// Uniform in [0, n), n > 0 (bias below 2^-32 for n < 2^32).
static inline uint64_t weir_rng_below(struct weir_rng *r, uint64_t n) {
  return (uint64_t)(((__uint128_t)weir_rng_next(r) * n) >> 64);
}

// Uniform in [0, 1).
static inline double weir_rng_unit(struct weir_rng *r) {
  return (double)(weir_rng_next(r) >> 11) * 0x1p-53;
}

#endif
