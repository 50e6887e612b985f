// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// HeLM's rules without a cache (Holey et al., TACO 2014, section 3): from what an epoch measured to the threshold that holds
// in the next one (Algorithm 1), and how the two thresholds move (Table I, Figure 9).
// Invariant: least <= low <= high <= most.
#ifndef WEIR_POLICY_HELM_H
#define WEIR_POLICY_HELM_H

#include "policy/policy.h"

enum weir_helm_choice { WEIR_HELM_HIGH, WEIR_HELM_LOW }; // less bypassing, more bypassing
enum weir_helm_move { WEIR_HELM_STAY, WEIR_HELM_UP, WEIR_HELM_DOWN };

// ---- which threshold -----------------------------------------------------------------------------------------------------

// One CPU program in the leader sets of either threshold.
struct weir_helm_misses {
  uint64_t low, high; // misses
  uint64_t low_accesses, high_accesses;
};

enum { WEIR_HELM_BY_HIGH, WEIR_HELM_BY_LOW, WEIR_HELM_BY_ACCESSES }; // what a difference in misses is a part of

// The misses that less bypassing costs this program. The paper has a threshold in per cent, and does not say of what; nor is
// MissHigh always the greater, as it says (both inferred). Fewer than `fewest` say nothing: a program that computes is no
// sensitive one.
static inline double weir_helm_miss_delta(const struct weir_helm_misses *m, unsigned base, uint64_t fewest) {
  if (m->high < fewest || m->high <= m->low) return 0;
  double difference = (double)(m->high - m->low);
  switch (base) {
  case WEIR_HELM_BY_HIGH: return difference / (double)m->high;
  case WEIR_HELM_BY_LOW: return difference / (double)(m->low ? m->low : 1);
  default: break;
  }
  double high = (double)m->high / (double)(m->high_accesses ? m->high_accesses : 1);
  double low = (double)m->low / (double)(m->low_accesses ? m->low_accesses : 1);
  return high > low ? high - low : 0;
}

// What more bypassing costs the GPU, in parts of the speed with less; negative: it is faster.
static inline double weir_helm_speed_delta(uint64_t low_instructions, uint64_t high_instructions) {
  return high_instructions ? ((double)high_instructions - (double)low_instructions) / (double)high_instructions : 0;
}

struct weir_helm_limits {
  double miss, speed;    // mThreshold, pThreshold
  bool miss_must_exceed; // the text's "greater than", not Algorithm 1's "at least"
  bool relative;         // Algorithm 1's delta(x, t): (t - x) / t, else t - x (it is not defined; inferred)
};

static inline double weir_helm_headroom(double x, double limit, bool relative) {
  return relative ? (limit - x) / limit : limit - x;
}

static inline bool weir_helm_cpu_is_sensitive(const struct weir_helm_limits *l, double miss_delta) {
  return l->miss_must_exceed ? miss_delta > l->miss : miss_delta >= l->miss;
}

// Algorithm 1. miss_delta: the largest of all CPU programs'. tie: what its last line ("energy considerations") chooses.
static inline enum weir_helm_choice weir_helm_choose(const struct weir_helm_limits *l, double miss_delta,
                                                     double speed_delta, enum weir_helm_choice tie, bool *tied) {
  *tied = false;
  if (weir_helm_cpu_is_sensitive(l, miss_delta)) return WEIR_HELM_LOW;
  if (speed_delta > l->speed) return WEIR_HELM_HIGH;
  if (weir_helm_headroom(speed_delta, l->speed, l->relative) >= weir_helm_headroom(miss_delta, l->miss, l->relative))
    return WEIR_HELM_LOW;
  *tied = true;
  return tie;
}

// ---- where the thresholds are ----------------------------------------------------------------------------------------------

struct weir_helm_thresholds {
  uint8_t low, high; // LowThr = L, HighThr = U
  uint8_t least, most;
  uint8_t held; // epochs for which they still stay
  uint8_t last; // enum weir_helm_move of the last epoch; WEIR_HELM_STAY: forgotten
};

// Section 3.2: three quarters and one quarter of the range.
static inline void weir_helm_reset(struct weir_helm_thresholds *t) {
  unsigned range = t->most - t->least;
  t->high = (uint8_t)(t->least + range * 3 / 4);
  t->low = (uint8_t)(t->least + range / 4);
}

// Table I, rounded down.
static inline void weir_helm_chop(struct weir_helm_thresholds *t, enum weir_helm_move move) {
  uint8_t middle = (uint8_t)((t->high + t->low) / 2);
  if (move == WEIR_HELM_UP) {
    t->high = (uint8_t)((t->most + t->high) / 2);
    t->low = middle;
  } else {
    t->low = (uint8_t)((t->low + t->least) / 2);
    t->high = middle;
  }
}

// An epoch's move. A change of direction is a toggle: the thresholds stay, in this epoch and in `hold` more, and then start
// anew (`restarts`, Figure 9's phase 4; else they go on from where they are) with the direction forgotten. Returns whether
// they moved.
static inline bool weir_helm_move(struct weir_helm_thresholds *t, enum weir_helm_move move, uint32_t hold,
                                  bool restarts, bool *toggled) {
  *toggled = !t->held && t->last != WEIR_HELM_STAY && t->last != move;
  if (t->held) {
    if (--t->held == 0 && restarts) weir_helm_reset(t);
    return false;
  }
  if (*toggled) {
    t->held = (uint8_t)hold;
    t->last = WEIR_HELM_STAY;
    if (!hold && restarts) weir_helm_reset(t);
    return false;
  }
  t->last = (uint8_t)move;
  weir_helm_chop(t, move);
  return true;
}

#endif
