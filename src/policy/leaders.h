// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Leader sets of a cache that several requesters share (Holey et al., TACO 2014, section 3.1 and Figure 8): every n-th set from
// set 0 on leads for one policy, every n-th from set 1 on for another, and so on; all else follows. Invariant: no set leads
// for two. Everybody who asks for as many leaders in the same cache finds the same n, so that policies that work together
// can divide the offsets: HeLM has 0 and 1, the thread-aware policies two for each requester from 2 on.
//
// Inferred: the paper's 32 sets (of 4096) are those of the level, and each of its caches has its share; small caches have
// fewer, so that half of their sets follow.
#ifndef WEIR_POLICY_LEADERS_H
#define WEIR_POLICY_LEADERS_H

#include "policy/policy.h"

enum { WEIR_LEADERS_OF_HELM = 2, WEIR_LEADERS_LEVEL = 32 };
#define WEIR_NO_LEADER UINT32_MAX

struct weir_leaders {
  uint32_t count, stride; // leader sets per role, and how far they lie apart
};

// wanted: leader sets per role in the whole level, 0 for as many as the paper's.
static inline struct weir_leaders weir_leaders_start(uint32_t sets, uint32_t instances, uint32_t requesters,
                                                     uint32_t wanted) {
  uint32_t roles = WEIR_LEADERS_OF_HELM + 2 * requesters;
  uint32_t level = wanted ? wanted : WEIR_LEADERS_LEVEL, caches = instances ? instances : 1;
  uint32_t share = (level + caches - 1) / caches;
  uint32_t most = sets / (wanted ? roles : 2 * roles);
  uint32_t count = share < most ? share : most ? most : 1;
  return (struct weir_leaders){count, sets / count};
}

// The role that a set leads for: its offset among those that lie `stride` apart; WEIR_NO_LEADER where those have ended.
static inline uint32_t weir_leaders_role(const struct weir_leaders *l, uint32_t set) {
  return set / l->stride < l->count ? set % l->stride : WEIR_NO_LEADER;
}

#define WEIR_LEADERS_KNOB                                                                                                        \
  {                                                                                                                              \
    "leaders", WEIR_KNOB_INT, 0, 0, 4096, NULL, false,                                                                           \
      "leader sets per policy and requester in the whole level; 0: 32 (Holey section 3.1), or fewer in a small cache (inferred)" \
  }

#endif
