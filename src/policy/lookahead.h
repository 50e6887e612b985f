// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// UCP's look-ahead partitioning: how many of a cache's ways each requester gets. Everybody has a minimum; while ways are left,
// for every requester the largest gain per way over one or more further ways is sought, and who gains most gets just these.
// So a requester whose misses fall only with its fourth way is seen across the three that bring nothing.
//
// Inferred: of a requester's equal gains the fewest ways count; of requesters with equal gains the one with fewer ways goes first,
// then the lower number, so that ways that bring nothing to anybody are shared evenly.
#ifndef WEIR_POLICY_LOOKAHEAD_H
#define WEIR_POLICY_LOOKAHEAD_H

#include "policy/policy.h"

struct weir_lookahead {
  uint32_t requesters, ways, least;    // requesters × least ≤ ways
  const uint64_t *hits;                // [requester × ways + place]: gained by the place-th further way
  double divisor[WEIR_MAX_REQUESTERS]; // a requester's hits count for so much less; at least 1
  bool excluded[WEIR_MAX_REQUESTERS];  // gets its minimum, and no more while there are others
};

// The best gain per way of 1 to `most` further ways, and how many those are.
static inline double weir_lookahead_gain(const struct weir_lookahead *l, uint32_t requester, uint32_t from,
                                         uint32_t most, uint32_t *ways) {
  double best = -1;
  uint64_t sum = 0;
  for (uint32_t k = 1; k <= most; k++) {
    sum += l->hits[requester * l->ways + from + k - 1];
    double gain = (double)sum / k;
    if (gain > best) {
      best = gain;
      *ways = k;
    }
  }
  return best / l->divisor[requester];
}

static inline void weir_lookahead(const struct weir_lookahead *l, uint8_t *quota) {
  uint32_t left = l->ways - l->requesters * l->least, others = 0;
  for (uint32_t i = 0; i < l->requesters; i++) {
    quota[i] = (uint8_t)l->least;
    others += !l->excluded[i];
  }
  while (left) {
    uint32_t winner = 0, taken = 0;
    double best = -1;
    for (uint32_t i = 0; i < l->requesters; i++) {
      uint32_t ways = 0;
      if (others && l->excluded[i]) continue;
      double gain = weir_lookahead_gain(l, i, quota[i], left, &ways);
      if (gain < best || (taken && !(gain > best) && quota[i] >= quota[winner])) continue;
      best = gain;
      winner = i;
      taken = ways;
    }
    quota[winner] = (uint8_t)(quota[winner] + taken);
    left -= taken;
  }
}

#endif
