// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What TAP-UCP and TAP-RRIP share (Lee and Kim, TAP: A TLP-aware cache management policy for a CPU-GPU heterogeneous
// architecture, HPCA 2012; its full text is not public: the rules are those that Holey et al. tell of it, of public code,
// and what is marked as inferred).
//
// Core sampling: one GPU core's lines enter where they leave soon, another's where they stay long. If the two cores' cycles
// per instruction do not differ by more than alpha of the larger, caching does not help the GPU: it is insensitive.
// Lifetime normalisation: how many times as often the GPU comes to the cache as the CPU program that comes most often;
// below a bound it counts as 1.
#ifndef WEIR_POLICY_TAP_H
#define WEIR_POLICY_TAP_H

#include "policy/policy.h"

#include <string.h>

enum {
  WEIR_TAP_ALPHA,
  WEIR_TAP_BETA,
  WEIR_TAP_SHORT_CORE,
  WEIR_TAP_LONG_CORE,
  WEIR_TAP_LEAST_RATIO,
  WEIR_TAP_LEAST_INSTRUCTIONS,
  WEIR_TAP_KNOBS
};
enum { WEIR_TAP_INSENSITIVE, WEIR_TAP_MILD, WEIR_TAP_STRONG, WEIR_TAP_UNKNOWN, WEIR_TAP_COUNTERS };
enum { WEIR_TAP_RATIO_BITS = 10, WEIR_TAP_INSTRUCTION_BITS = 20 };

// These follow a policy's other knobs, from `first` on; the functions below are given them alone.
#define WEIR_TAP_KNOB_TABLE(first)                                                                                     \
  [(first) +                                                                                                           \
    WEIR_TAP_ALPHA] = {"alpha", WEIR_KNOB_REAL,                                                                        \
                       0.05,    0,                                                                                     \
                       1,       NULL,                                                                                  \
                       false,   "least difference in cycles per instruction that matters (5 %: public code)"},         \
    [(first) + WEIR_TAP_BETA] =                                                                                        \
      {"beta", WEIR_KNOB_REAL,                                                                                         \
       0.1,    0,                                                                                                      \
       1,      NULL,                                                                                                   \
       false,  "difference from which the GPU counts as strongly sensitive; reported only (inferred)"},                \
    [(first) +                                                                                                         \
      WEIR_TAP_SHORT_CORE] = {"short_core", WEIR_KNOB_INT, 0,     0,                                                   \
                              65535,        NULL,          false, "GPU core whose lines leave soon (inferred)"},       \
    [(first) + WEIR_TAP_LONG_CORE] = {"long_core", WEIR_KNOB_INT, 1,     0,                                            \
                                      65535,       NULL,          false, "GPU core whose lines stay long (inferred)"}, \
    [(first) + WEIR_TAP_LEAST_RATIO] = {"least_ratio",                                                                 \
                                        WEIR_KNOB_REAL,                                                                \
                                        10,                                                                            \
                                        0,                                                                             \
                                        1023,                                                                          \
                                        NULL,                                                                          \
                                        false,                                                                         \
                                        "ratio of accesses above which lifetimes are normalised (10: public code)"},   \
    [(first) + WEIR_TAP_LEAST_INSTRUCTIONS] = {"least_instructions",                                                   \
                                               WEIR_KNOB_INT,                                                          \
                                               1000,                                                                   \
                                               0,                                                                      \
                                               1e9,                                                                    \
                                               NULL,                                                                   \
                                               false,                                                                  \
                                               "of both cores in an epoch, else the last verdict stands (inferred)"}

#define WEIR_TAP_COUNTER_TABLE(first)                                                                                  \
  [(first) +                                                                                                           \
    WEIR_TAP_INSENSITIVE] = {"insensitive_periods", "epochs", "caching did not help the GPU, per cache", false},       \
    [(first) + WEIR_TAP_MILD] = {"mild_periods", "epochs", "it helped by less than beta, per cache", false},           \
    [(first) + WEIR_TAP_STRONG] = {"strong_periods", "epochs", "it helped by beta or more, per cache", false},         \
    [(first) + WEIR_TAP_UNKNOWN] = {"unknown_periods", "epochs", "a sampling core did too little, per cache", false}

// One per scope.
struct weir_tap {
  uint64_t accesses[WEIR_MAX_REQUESTERS]; // of the epoch so far
  bool insensitive;
  uint32_t ratio; // at least 1
};

enum weir_tap_core { WEIR_TAP_FOLLOWS, WEIR_TAP_SHORT, WEIR_TAP_LONG };

// Whether the GPU core that asks is one that is sampled.
static inline enum weir_tap_core weir_tap_core(const double *knobs, const struct weir_access *a) {
  if (a->requester || knobs[WEIR_TAP_SHORT_CORE] == knobs[WEIR_TAP_LONG_CORE]) return WEIR_TAP_FOLLOWS;
  return a->core == knobs[WEIR_TAP_SHORT_CORE] ? WEIR_TAP_SHORT
    : a->core == knobs[WEIR_TAP_LONG_CORE]     ? WEIR_TAP_LONG
                                               : WEIR_TAP_FOLLOWS;
}

static inline void weir_tap_forget(struct weir_tap *t) {
  memset(t->accesses, 0, sizeof t->accesses);
}

// A 10-bit register. Where no CPU program came at all, the ratio is as large as it can be; where there is none, it is 1.
static inline uint32_t weir_tap_ratio(const uint64_t *accesses, uint32_t requesters, double least) {
  uint64_t most = 0;
  for (uint32_t i = 1; i < requesters; i++) most = accesses[i] > most ? accesses[i] : most;
  if (requesters == 1 || !accesses[0] || (double)accesses[0] <= least * (double)most) return 1;
  uint64_t ratio = most ? accesses[0] / most : UINT64_MAX, limit = weir_mask(WEIR_TAP_RATIO_BITS);
  return ratio > limit ? (uint32_t)limit : ratio ? (uint32_t)ratio : 1;
}

// Where the two cores' difference puts the GPU; WEIR_TAP_UNKNOWN: one of them does not exist, or did too little.
static inline unsigned weir_tap_judge(const double *knobs, const struct weir_sensors *s) {
  uint32_t one = (uint32_t)knobs[WEIR_TAP_SHORT_CORE], two = (uint32_t)knobs[WEIR_TAP_LONG_CORE];
  if (one == two || one >= s->cores || two >= s->cores) return WEIR_TAP_UNKNOWN;
  double a = (double)s->core[one].instructions, b = (double)s->core[two].instructions;
  double fewer = a < b ? a : b, more = a < b ? b : a;
  if (fewer < knobs[WEIR_TAP_LEAST_INSTRUCTIONS] || fewer <= 0) return WEIR_TAP_UNKNOWN;
  double difference = 1 - fewer / more; // of cycles per instruction, in parts of the larger: both had the same cycles
  return difference < knobs[WEIR_TAP_ALPHA] ? WEIR_TAP_INSENSITIVE
    : difference < knobs[WEIR_TAP_BETA]     ? WEIR_TAP_MILD
                                            : WEIR_TAP_STRONG;
}

// An epoch has ended for the scope. first_knob, first_counter: where TAP's begin among the policy's.
static inline void weir_tap_end(const struct weir_cache_view *c, struct weir_tap *t, const struct weir_sensors *s,
                                unsigned first_knob, unsigned first_counter) {
  const double *knobs = c->knobs + first_knob;
  unsigned verdict = weir_tap_judge(knobs, s);
  if (verdict != WEIR_TAP_UNKNOWN) t->insensitive = verdict == WEIR_TAP_INSENSITIVE;
  t->ratio = weir_tap_ratio(t->accesses, c->requesters, knobs[WEIR_TAP_LEAST_RATIO]);
  for (uint32_t i = 0; i < c->scope->count; i++) c->scope->caches[i]->counters[first_counter + verdict]++;
  weir_tap_forget(t);
}

// Each cache has the ratio and the verdict.
static inline uint64_t weir_tap_bits(void) {
  return WEIR_TAP_RATIO_BITS + 1;
}

// Holey et al., Table V: 20-bit instruction counters of four GPU cores and 10-bit core numbers in four tiles.
static inline uint64_t weir_tap_scope_bits(const struct weir_geometry *g) {
  (void)g;
  return 4 * WEIR_TAP_INSTRUCTION_BITS + 4 * 10;
}

#endif
