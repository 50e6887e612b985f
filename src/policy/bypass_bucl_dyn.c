// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// BUCL-Dyn (Zhao et al., section IV.B): TUCD follows the hit rate, one step per epoch. A low hit rate lowers it until the
// loads that the L1 still serves hit often, or its minimum is reached; that is the paper's rule to the letter. Inferred:
// epochs and TUCD run on from one launch into the next.
#include "policy/bucl.h"
#include "policy/table.h"

enum { INITIAL = WEIR_BUCL_KNOBS, LOWEST, HIGHEST };
enum { RAISES = WEIR_BUCL_COUNTERS, FALLS };

static void init(struct weir_cache_view *c) {
  weir_bucl_start(c->state, (uint32_t)c->knobs[INITIAL]);
}

static void launch(struct weir_cache_view *c, uint64_t number) {
  (void)number;
  if (c->knobs[WEIR_BUCL_RESET] != 0) init(c);
}

static void move(struct weir_cache_view *c, int by) {
  struct weir_bucl *b = c->state;
  int next = b->tucd + by;
  if (!by || next < (int)c->knobs[LOWEST] || next > (int)c->knobs[HIGHEST]) return;
  b->tucd = (uint8_t)next;
  if (c->instance == 0) c->counters[by > 0 ? RAISES : FALLS]++;
}

static void epoch(struct weir_cache_view *c, const struct weir_sensors *s) {
  move(c, weir_bucl_latch(c, s));
}

static uint64_t cost_bits(const struct weir_geometry *g) {
  return weir_bucl_shared_bits(g, weir_bucl_bits_for((uint64_t)g->knobs[HIGHEST]));
}

static const char *reject(const struct weir_geometry *g) {
  if (g->knobs[INITIAL] < g->knobs[LOWEST] || g->knobs[INITIAL] > g->knobs[HIGHEST])
    return "initial_tucd must lie between min_tucd and max_tucd";
  return weir_bucl_reject(g);
}

static const struct weir_knob knobs[] = {
  WEIR_BUCL_KNOB_TABLE,
  [INITIAL] = {"initial_tucd", WEIR_KNOB_INT, 5, 1, 64, NULL, false, "TUCD of the first epoch (table II)"},
  [LOWEST] = {"min_tucd", WEIR_KNOB_INT, 2, 1, 64, NULL, false, "TUCD falls no further (section V)"},
  [HIGHEST] = {"max_tucd", WEIR_KNOB_INT, 25, 1, 64, NULL, false, "TUCD rises no further (section V)"},
  {0},
};

static const struct weir_policy_counter counters[] = {
  WEIR_BUCL_COUNTER_TABLE,
  [RAISES] = {"tucd_raises", "epochs", "after which TUCD rose: fewer loads bypass", false},
  [FALLS] = {"tucd_falls", "epochs", "after which TUCD fell: more loads bypass", false},
  {0},
};

const struct weir_policy weir_bypass_bucl_dyn = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_BYPASS,
  .name = "bucl-dyn",
  .summary = "loads of many accesses bypass, the more the less hits; so do accesses that would stall",
  .citation = "Zhao et al., Selectively GPU cache bypassing for un-coalesced loads",
  .knobs = knobs,
  .counters = counters,
  .cache_bytes = weir_bucl_bytes,
  .cost_bits = cost_bits,
  .reject = reject,
  .epoch_cycles = weir_bucl_period,
  .init = init,
  .launch = launch,
  .epoch = epoch,
  .load = weir_bucl_load,
  .stall = weir_bucl_stall,
};
