// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Bypassing for un-coalesced loads (BUCL; Zhao et al., Selectively GPU cache bypassing for un-coalesced loads, section IV):
// what its two forms share. They differ in how they choose the threshold of un-coalescing degree (transactions per request), TUCD.
//
// A global load that became more than TUCD accesses goes past the L1 with all of them. An access that the L1 cannot take goes
// past it while the L1's hit rate and the utilisation of the target slice's input buffer were both below their thresholds
// in the last epoch.
//
// Invariant: the paper has one update logic for all SMs. Here each L1's policy has a copy, fed by the same sensors, so that
// all copies but Prf's TUCD while it profiles are equal at all times. What is counted of that logic is counted at L1 0.
// The knobs of both forms come first in their tables, and so do the counters.
#ifndef WEIR_POLICY_BUCL_H
#define WEIR_POLICY_BUCL_H

#include "policy/policy.h"

enum { WEIR_BUCL_PAPER_SLICES = 12, WEIR_BUCL_PAPER_BUFFER = 8 };

enum {
  WEIR_BUCL_PERIOD,
  WEIR_BUCL_HIT_RATE,
  WEIR_BUCL_UTILISATION,
  WEIR_BUCL_INSTRUCTION_LEVEL,
  WEIR_BUCL_ACCESS_LEVEL,
  WEIR_BUCL_TRACKED,
  WEIR_BUCL_PENDING_HITS,
  WEIR_BUCL_COUNT_BYPASSES,
  WEIR_BUCL_RESET,
  WEIR_BUCL_ON_NO_WAY,
  WEIR_BUCL_ON_MSHR_FULL,
  WEIR_BUCL_ON_MERGE_FULL,
  WEIR_BUCL_ON_MISS_QUEUE,
  WEIR_BUCL_KNOBS
};

enum {
  WEIR_BUCL_LOAD_BYPASSES,
  WEIR_BUCL_STALL_BYPASSES,
  WEIR_BUCL_PERIODS,
  WEIR_BUCL_HELD,
  WEIR_BUCL_LOW_HIT_RATES,
  WEIR_BUCL_BUSY_SLICES,
  WEIR_BUCL_TUCD_SUM,
  WEIR_BUCL_COUNTERS
};

enum weir_bucl_tracked { WEIR_BUCL_RESIDENT, WEIR_BUCL_FIRST, WEIR_BUCL_ALL };

struct weir_bucl {
  uint64_t busy[WEIR_MAX_SLICES / 64]; // slices whose utilisation reached its threshold in the last epoch
  uint8_t tucd;
  bool low; // the hit rate of the last epoch that had one was below its threshold
};

static inline size_t weir_bucl_bytes(const struct weir_geometry *g) {
  (void)g;
  return sizeof(struct weir_bucl);
}

// Inferred: a hit rate of 1 before the first epoch ends, so that no access is bypassed in it.
static inline void weir_bucl_start(struct weir_bucl *b, uint32_t tucd) {
  *b = (struct weir_bucl){.tucd = (uint8_t)tucd};
}

static inline uint32_t weir_bucl_period(const struct weir_geometry *g) {
  return (uint32_t)g->knobs[WEIR_BUCL_PERIOD];
}

// ---- the two decisions --------------------------------------------------------------------------------------------------

static inline bool weir_bucl_load(struct weir_cache_view *c, struct weir_access *a) {
  const struct weir_bucl *b = c->state;
  bool bypass = a->kind == WEIR_ACCESS_LOAD && a->transactions > b->tucd && c->knobs[WEIR_BUCL_INSTRUCTION_LEVEL] != 0;
  c->counters[WEIR_BUCL_LOAD_BYPASSES] += bypass;
  return bypass;
}

// Section II.B tells three causes of a stall apart from "any resource": no register, no way, a full queue. The fourth, a
// register whose line takes no more loads, is off: that line is on its way and in demand, not of low locality.
static inline bool weir_bucl_is_cause(const double *knobs, enum weir_stall why) {
  switch (why) {
  case WEIR_STALL_NO_WAY: return knobs[WEIR_BUCL_ON_NO_WAY] != 0;
  case WEIR_STALL_MSHR_FULL: return knobs[WEIR_BUCL_ON_MSHR_FULL] != 0;
  case WEIR_STALL_MERGE_FULL: return knobs[WEIR_BUCL_ON_MERGE_FULL] != 0;
  case WEIR_STALL_MISS_QUEUE: return knobs[WEIR_BUCL_ON_MISS_QUEUE] != 0;
  default: return false;
  }
}

// The third condition, room in the SM's request queue, is the cache's own: it asks only when it could pass the access on.
static inline bool weir_bucl_stall(struct weir_cache_view *c, struct weir_access *a, enum weir_stall why) {
  const struct weir_bucl *b = c->state;
  bool busy = a->slice >= WEIR_MAX_SLICES || b->busy[a->slice / 64] >> a->slice % 64 & 1;
  bool bypass = b->low && !busy && a->kind == WEIR_ACCESS_LOAD && c->knobs[WEIR_BUCL_ACCESS_LEVEL] != 0 &&
    weir_bucl_is_cause(c->knobs, why);
  c->counters[WEIR_BUCL_STALL_BYPASSES] += bypass;
  return bypass;
}

// ---- the end of an epoch ------------------------------------------------------------------------------------------------

struct weir_bucl_rate {
  uint64_t hits, accesses;
};

static inline void weir_bucl_add(struct weir_bucl_rate *r, const struct weir_core_sensors *s, const double *knobs) {
  bool pending = knobs[WEIR_BUCL_PENDING_HITS] != 0;
  r->hits += s->loads.hits + (pending ? s->loads.hits_on_miss : 0);
  r->accesses += s->loads.accesses - s->loads.bypasses + (knobs[WEIR_BUCL_COUNT_BYPASSES] != 0 ? s->stall_bypasses : 0);
}

// Of the L1 or L1s that are tracked (section V.D: one; inferred: which). No accesses: nothing is known.
static inline struct weir_bucl_rate weir_bucl_measure(const struct weir_sensors *s, const double *knobs) {
  struct weir_bucl_rate r = {0};
  enum weir_bucl_tracked tracked = (enum weir_bucl_tracked)knobs[WEIR_BUCL_TRACKED];
  for (uint32_t i = 0; i < s->cores; i++) {
    if (tracked == WEIR_BUCL_RESIDENT && !s->core[i].occupied) continue;
    weir_bucl_add(&r, &s->core[i], knobs);
    if (tracked != WEIR_BUCL_ALL) break;
  }
  return r;
}

static inline void weir_bucl_latch_slices(struct weir_cache_view *c, const struct weir_sensors *s) {
  struct weir_bucl *b = c->state;
  for (uint32_t i = 0; i < s->slices && i < WEIR_MAX_SLICES; i++) {
    uint64_t bit = UINT64_C(1) << i % 64;
    bool busy = s->slice[i].input_utilisation >= c->knobs[WEIR_BUCL_UTILISATION];
    b->busy[i / 64] = busy ? b->busy[i / 64] | bit : b->busy[i / 64] & ~bit;
    if (c->instance == 0) c->counters[WEIR_BUCL_BUSY_SLICES] += busy;
  }
}

// Keeps what both decisions need of the epoch. Answers how TUCD should move: up if more than the threshold hit (less is
// bypassed then), down otherwise. Inferred: nothing moves, and the last hit rate stands, if the tracked L1 served no load.
static inline int weir_bucl_latch(struct weir_cache_view *c, const struct weir_sensors *s) {
  struct weir_bucl *b = c->state;
  struct weir_bucl_rate r = weir_bucl_measure(s, c->knobs);
  double rate = (double)r.hits / (double)(r.accesses ? r.accesses : 1), threshold = c->knobs[WEIR_BUCL_HIT_RATE];
  weir_bucl_latch_slices(c, s);
  if (r.accesses) b->low = rate < threshold;
  if (c->instance == 0) {
    c->counters[WEIR_BUCL_PERIODS]++;
    c->counters[WEIR_BUCL_HELD] += !r.accesses;
    c->counters[WEIR_BUCL_LOW_HIT_RATES] += b->low;
    c->counters[WEIR_BUCL_TUCD_SUM] += b->tucd;
  }
  if (!r.accesses) return 0;
  return rate > threshold ? 1 : -1;
}

// ---- tables -------------------------------------------------------------------------------------------------------------

static inline uint64_t weir_bucl_bits_for(uint64_t highest) {
  return highest ? weir_log2(highest) + 1 : 0;
}

// Section V.D prices nothing; counted here of the logic that all SMs share: hits and accesses of an epoch (one of them per
// cycle at most), whether their ratio was low, and for each of table II's 12 slices a sum of its buffer's occupancy (8
// entries, as on fermi-bucl) and one bit of its outcome. An L1 is charged its share.
static inline uint64_t weir_bucl_shared_bits(const struct weir_geometry *g, uint64_t more) {
  uint64_t period = (uint64_t)g->knobs[WEIR_BUCL_PERIOD], sms = g->instances ? g->instances : 1;
  uint64_t bits = 2 * weir_bucl_bits_for(period) + 1 +
    WEIR_BUCL_PAPER_SLICES * (weir_bucl_bits_for(WEIR_BUCL_PAPER_BUFFER * period) + 1) + more;
  return weir_div_up(bits, sms);
}

static inline const char *weir_bucl_reject(const struct weir_geometry *g) {
  return g->warps ? NULL : "it belongs at the first level, in front of a core";
}

static const char *const weir_bucl_tracked_names[] = {"resident", "first", "all", NULL};

#define WEIR_BUCL_KNOB_TABLE                                                                                           \
  [WEIR_BUCL_PERIOD] = {"period", WEIR_KNOB_INT,                                                                       \
                        1000,     1,                                                                                   \
                        10000000, NULL,                                                                                \
                        false,    "core cycles of an epoch: the paper's sampling period (table II)"},                  \
  [WEIR_BUCL_HIT_RATE] = {"hit_rate_threshold", WEIR_KNOB_REAL, 0.8, 0, 1, NULL, false, "L1DHR-threshold (table II)"}, \
  [WEIR_BUCL_UTILISATION] = {"utilisation_threshold",   WEIR_KNOB_REAL, 0.7, 0, 1, NULL, false,                        \
                             "UIB-threshold (table II)"},                                                              \
  [WEIR_BUCL_INSTRUCTION_LEVEL] = {"instruction_level",                                                                \
                                   WEIR_KNOB_BOOL,                                                                     \
                                   1,                                                                                  \
                                   0,                                                                                  \
                                   1,                                                                                  \
                                   NULL,                                                                               \
                                   false,                                                                              \
                                   "loads of more than TUCD accesses bypass (section IV.A)"},                          \
  [WEIR_BUCL_ACCESS_LEVEL] =                                                                                           \
    {"access_level", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false, "accesses that would stall bypass (section IV.A)"},         \
  [WEIR_BUCL_TRACKED] = {"tracked",                                                                                    \
                         WEIR_KNOB_CHOICE,                                                                             \
                         WEIR_BUCL_RESIDENT,                                                                           \
                         0,                                                                                            \
                         2,                                                                                            \
                         weir_bucl_tracked_names,                                                                      \
                         false,                                                                                        \
                         "whose hit rate: of the first core with a block resident, of core 0, of all "                 \
                         "(section V.D: one; inferred: which)"},                                                       \
  [WEIR_BUCL_PENDING_HITS] = {"pending_is_hit",                                                                        \
                              WEIR_KNOB_BOOL,                                                                          \
                              0,                                                                                       \
                              0,                                                                                       \
                              1,                                                                                       \
                              NULL,                                                                                    \
                              false,                                                                                   \
                              "the hit rate counts a hit on a line in flight as one (section II.B: a miss)"},          \
  [WEIR_BUCL_COUNT_BYPASSES] = {"bypass_is_miss",                                                                      \
                                WEIR_KNOB_BOOL,                                                                        \
                                0,                                                                                     \
                                0,                                                                                     \
                                1,                                                                                     \
                                NULL,                                                                                  \
                                false,                                                                                 \
                                "an access bypassed for a stall is a miss in the hit rate (inferred: not in it)"},     \
  [WEIR_BUCL_RESET] = {"reset_at_launch",                                                                              \
                       WEIR_KNOB_BOOL,                                                                                 \
                       0,                                                                                              \
                       0,                                                                                              \
                       1,                                                                                              \
                       NULL,                                                                                           \
                       false,                                                                                          \
                       "each launch forgets what the epochs before it measured (inferred: it does not)"},              \
  [WEIR_BUCL_ON_NO_WAY] = {"on_no_way", WEIR_KNOB_BOOL,                                                                \
                           1,           0,                                                                             \
                           1,           NULL,                                                                          \
                           false,       "access level: where every way of the set is reserved (section II.B)"},        \
  [WEIR_BUCL_ON_MSHR_FULL] =                                                                                           \
    {"on_mshr_full", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false, "… where no miss-status register is free (section II.B)"},  \
  [WEIR_BUCL_ON_MERGE_FULL] = {"on_merge_full",                                                                        \
                               WEIR_KNOB_BOOL,                                                                         \
                               0,                                                                                      \
                               0,                                                                                      \
                               1,                                                                                      \
                               NULL,                                                                                   \
                               false,                                                                                  \
                               "… where the line's takes no more loads (inferred: no; not named in section II.B)"},    \
  [WEIR_BUCL_ON_MISS_QUEUE] = {                                                                                        \
    "on_miss_queue", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false, "… where the queue of misses is full (section II.B)"}

#define WEIR_BUCL_COUNTER_TABLE                                                                                        \
  [WEIR_BUCL_LOAD_BYPASSES] = {"load_bypasses", "accesses", "accesses of loads of more than TUCD of them: sent past",  \
                               false},                                                                                 \
  [WEIR_BUCL_STALL_BYPASSES] = {"stall_bypasses", "accesses", "accesses that stalled and were sent past", false},      \
  [WEIR_BUCL_PERIODS] = {"periods", "epochs", "that ended", false},                                                    \
  [WEIR_BUCL_HELD] = {"held_periods", "epochs", "in which the tracked L1 served no load", false},                      \
  [WEIR_BUCL_LOW_HIT_RATES] = {"low_hit_rates", "epochs", "after which stalled accesses may bypass", false},           \
  [WEIR_BUCL_BUSY_SLICES] = {"busy_slices", "slices", "sum over epochs: slices that none may bypass to", false},       \
  [WEIR_BUCL_TUCD_SUM] = {"tucd_sum", "accesses per load", "sum over epochs of the TUCD in force at L1 0", false}

#endif
