// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What is counted of accesses, with one meaning each wherever it stands: of a level, a core, an instruction, a requester or
// a sample. Invariants: accesses = hits + hits_on_miss + misses; bypasses are some of the misses.
#ifndef WEIR_POLICY_COUNTS_H
#define WEIR_POLICY_COUNTS_H

#include <stdint.h>

// What an access that a cache has taken comes to.
enum weir_access_result {
  WEIR_ACCESS_HIT,
  WEIR_ACCESS_HIT_ON_MISS,
  WEIR_ACCESS_MISS,
  WEIR_ACCESS_BYPASS, // a miss that brings no line in
};

// clang-format off
#define WEIR_ACCESS_FIELDS(X)                                                                                         \
  X(accesses, "accesses", "requests that reached this cache and were served or passed on (each counted once, "        \
                          "however often it was refused first)")                                                      \
  X(hits, "accesses", "served from a valid line")                                                                     \
  X(hits_on_miss, "accesses", "found their line being filled and waited for it")                                      \
  X(misses, "accesses", "found neither, bypassed ones included")                                                      \
  X(bypasses, "accesses", "of the misses, those that went past this cache without a fill: a policy or a cache "       \
                          "operator kept them out")
// clang-format on

struct weir_access_counts {
#define X(name, unit, meaning) uint64_t name;
  WEIR_ACCESS_FIELDS(X)
#undef X
};

static inline void weir_count_access(struct weir_access_counts *n, enum weir_access_result result) {
  n->accesses++;
  n->hits += result == WEIR_ACCESS_HIT;
  n->hits_on_miss += result == WEIR_ACCESS_HIT_ON_MISS;
  n->misses += result >= WEIR_ACCESS_MISS;
  n->bypasses += result == WEIR_ACCESS_BYPASS;
}

// after − before.
static inline struct weir_access_counts weir_access_difference(struct weir_access_counts after,
                                                               const struct weir_access_counts *before) {
#define X(name, unit, meaning) after.name -= before->name;
  WEIR_ACCESS_FIELDS(X)
#undef X
  return after;
}

#endif
