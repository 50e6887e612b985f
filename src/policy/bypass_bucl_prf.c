// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// BUCL-Prf (Zhao et al., section IV.B): each launch begins with every SM at a TUCD of its own; after the profile all take
// that of the SM that issued most. Inferred: access-level bypassing is at work from the start; of equals the first SM
// wins; a launch that ends before its profile decides nothing, and the next one profiles anew.
#include "policy/bucl.h"
#include "policy/table.h"

enum { PROFILE = WEIR_BUCL_KNOBS };
enum { PROFILES = WEIR_BUCL_COUNTERS, CHOSEN };
enum { CANDIDATES = 15, ALONE = 5 };

struct state {
  struct weir_bucl bucl; // first: what both forms share expects it there
  bool profiling;
};

// Table II has one for each of 15 SMs. Inferred: fewer SMs take some of them, evenly spread from the first to the last; more
// begin again from the first; a single one, with none to compare with, has table II's initial TUCD of Dyn.
static uint32_t candidate(uint32_t sm, uint32_t sms) {
  static const uint8_t tucds[CANDIDATES] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 22, 25};
  if (sms <= 1) return ALONE;
  return tucds[sms < CANDIDATES ? sm * (CANDIDATES - 1) / (sms - 1) : sm % CANDIDATES];
}

static size_t cache_bytes(const struct weir_geometry *g) {
  (void)g;
  return sizeof(struct state);
}

static void profile(struct weir_cache_view *c) {
  struct state *s = c->state;
  s->bucl.tucd = (uint8_t)candidate(c->instance, c->instances);
  s->profiling = true;
}

static void init(struct weir_cache_view *c) {
  weir_bucl_start(c->state, 0);
  profile(c);
}

static void launch(struct weir_cache_view *c, uint64_t number) {
  (void)number;
  if (c->knobs[WEIR_BUCL_RESET] != 0) weir_bucl_start(c->state, 0);
  profile(c);
}

static void choose(struct weir_cache_view *c, const struct weir_sensors *sensors) {
  struct state *s = c->state;
  uint32_t best = 0;
  for (uint32_t i = 1; i < sensors->cores; i++)
    if (sensors->core[i].launch_instructions > sensors->core[best].launch_instructions) best = i;
  s->bucl.tucd = (uint8_t)candidate(best, sensors->cores);
  s->profiling = false;
  if (c->instance) return;
  c->counters[PROFILES]++;
  c->counters[CHOSEN] += s->bucl.tucd;
}

static void epoch(struct weir_cache_view *c, const struct weir_sensors *sensors) {
  const struct state *s = c->state;
  weir_bucl_latch(c, sensors);
  if (s->profiling && sensors->launch_cycles >= (weir_cycle)c->knobs[PROFILE]) choose(c, sensors);
}

// Each SM has a TUCD of its own and counts the instructions that it issues, two per cycle at most.
static uint64_t cost_bits(const struct weir_geometry *g) {
  return weir_bucl_bits_for(25) + weir_bucl_bits_for(2 * (uint64_t)g->knobs[PROFILE]) + weir_bucl_shared_bits(g, 0);
}

static const char *reject(const struct weir_geometry *g) {
  if ((uint64_t)g->knobs[PROFILE] % (uint64_t)g->knobs[WEIR_BUCL_PERIOD])
    return "profile_cycles must be a multiple of period";
  return weir_bucl_reject(g);
}

static const struct weir_knob knobs[] = {
  WEIR_BUCL_KNOB_TABLE,
  [PROFILE] = {"profile_cycles", WEIR_KNOB_INT, 5000, 1, 1000000000, NULL, false,
               "length of the profile in core cycles: a multiple of period (table II: 5000 and 10000)"},
  {0},
};

static const struct weir_policy_counter counters[] = {
  WEIR_BUCL_COUNTER_TABLE,
  [PROFILES] = {"profiles", "launches", "launches that outlasted their profile", false},
  [CHOSEN] = {"chosen_tucd_sum", "accesses per load", "sum over them of the TUCD that all SMs took", false},
  {0},
};

const struct weir_policy weir_bypass_bucl_prf = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_BYPASS,
  .name = "bucl-prf",
  .summary = "loads of many accesses bypass, above the limit of the SM that did best at each launch's start",
  .citation = "Zhao et al., Selectively GPU cache bypassing for un-coalesced loads",
  .knobs = knobs,
  .counters = counters,
  .cache_bytes = cache_bytes,
  .cost_bits = cost_bits,
  .reject = reject,
  .epoch_cycles = weir_bucl_period,
  .epochs_restart = true,
  .init = init,
  .launch = launch,
  .epoch = epoch,
  .load = weir_bucl_load,
  .stall = weir_bucl_stall,
};
