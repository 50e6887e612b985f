// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// TAP-RRIP: thread-aware DRRIP in which an insensitive GPU's lines enter as BRRIP's and leave first, and the GPU's hits do
// not promote while it is insensitive or comes much more often than the CPU programs (policy/tap.h, policy/ta_rrip.h).
//
// Inferred: the table of insertions, promotions and victims by verdict and ratio (recalled, the text is not public); that
// the two sampled cores move no PSEL. Holey et al., section 4.2, tell of a stronger form, always_demote.
#include "policy/ta_rrip.h"
#include "policy/table.h"
#include "policy/tap.h"

enum { PERIOD = WEIR_TA_KNOBS, LONG_INSERTION, ALWAYS_DEMOTE, SCOPE, TAP };
enum { LONG_INSERTIONS, DISTANT_INSERTIONS, UNPROMOTED_HITS, TAP_COUNTERS };
enum { AS_LONG, AS_NEAR };

static const char *const insertion_names[] = {"long", "near", NULL};

static size_t cache_bytes(const struct weir_geometry *g) {
  (void)g;
  return sizeof(struct weir_ta);
}

static size_t scope_bytes(const struct weir_geometry *g) {
  (void)g;
  return sizeof(struct weir_tap);
}

static void init(struct weir_cache_view *c) {
  struct weir_tap *tap = c->scope->state;
  tap->ratio = 1;
  weir_ta_start(c, c->state);
}

static void look(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  struct weir_tap *tap = c->scope->state;
  if (a->kind == WEIR_ACCESS_WRITEBACK) return;
  tap->accesses[a->requester]++;
  if (way == WEIR_NO_WAY && weir_tap_core(c->knobs + TAP, a) == WEIR_TAP_FOLLOWS) weir_ta_miss(c, c->state, a);
}

static void hit(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool pending) {
  const struct weir_tap *tap = c->scope->state;
  if (a->requester == 0 && (tap->insensitive || tap->ratio > 1 || c->knobs[ALWAYS_DEMOTE] != 0))
    c->counters[UNPROMOTED_HITS]++;
  else
    weir_rrip_hit(c, a, way, pending);
}

static bool is_long(const struct weir_cache_view *c, const struct weir_access *a) {
  const struct weir_tap *tap = c->scope->state;
  switch (weir_tap_core(c->knobs + TAP, a)) {
  case WEIR_TAP_SHORT: return false;
  case WEIR_TAP_LONG: return true;
  case WEIR_TAP_FOLLOWS: break;
  }
  return a->requester == 0 && tap->insensitive ? weir_ta_brrip_is_long(c, c->state, 0)
                                               : weir_ta_is_long(c, c->state, a);
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  bool enters_long = is_long(c, a);
  c->counters[enters_long ? LONG_INSERTIONS : DISTANT_INSERTIONS]++;
  weir_rrip_insert(c, a->set, way, enters_long);
  if (c->knobs[LONG_INSERTION] == AS_NEAR && weir_tap_core(c->knobs + TAP, a) == WEIR_TAP_LONG)
    *(uint8_t *)weir_line_state(c, a->set, way) = 0;
  weir_ta_note_requester(c, a, way);
}

static uint32_t victim(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  const struct weir_tap *tap = c->scope->state;
  return weir_ta_victim(c, a, candidates, tap->insensitive || c->knobs[ALWAYS_DEMOTE] != 0);
}

static void warmed_up(struct weir_cache_view *c) {
  weir_tap_forget(c->scope->state);
}

static uint32_t epoch_cycles(const struct weir_geometry *g) {
  return (uint32_t)g->knobs[PERIOD];
}

static void epoch(struct weir_cache_view *c, const struct weir_sensors *sensors) {
  weir_tap_end(c, c->scope->state, sensors, TAP, TAP_COUNTERS);
}

static uint64_t cost_bits(const struct weir_geometry *g) {
  return weir_ta_line_bits(g, true) + weir_ta_duel_bits(g) + weir_tap_bits();
}

static const struct weir_knob knobs[] = {
  WEIR_TA_KNOB_TABLE(3, "M, width of the RRPV (3: the authors' simulator)"),
  [PERIOD] = {"tap_period", WEIR_KNOB_INT, 5e6, 1000, 1e9, NULL, false, "core cycles of an epoch (5M: public code)"},
  [LONG_INSERTION] = {"long_insertion", WEIR_KNOB_CHOICE, AS_LONG, 0, 1, insertion_names, false,
                      "interval with which the lines of the long core enter (inferred)"},
  [ALWAYS_DEMOTE] = {"always_demote", WEIR_KNOB_BOOL, 0, 0, 1, NULL, false,
                     "the GPU never promotes and leaves first, sensitive or not (as Holey section 4.2 has it)"},
  [SCOPE] = WEIR_SCOPE_KNOB(WEIR_SCOPE_LEVEL,
                            "whose accesses are compared, for which lifetimes are normalised (inferred: the level's)"),
  WEIR_TAP_KNOB_TABLE(TAP),
  [TAP + WEIR_TAP_KNOBS] = {0},
};

static const struct weir_policy_counter counters[] = {
  [LONG_INSERTIONS] = {"long_insertions", "lines", "lines that entered with a long re-reference interval", false},
  [DISTANT_INSERTIONS] = {"distant_insertions", "lines", "lines that entered with a distant re-reference interval",
                          false},
  [UNPROMOTED_HITS] = {"unpromoted_hits", "hits", "hits of the GPU that left the interval as it was", false},
  WEIR_TAP_COUNTER_TABLE(TAP_COUNTERS),
  {0},
};

const struct weir_policy weir_replace_tap_rrip = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "tap-rrip",
  .summary = "thread-aware DRRIP that gives way to CPU programs where caching does not speed the GPU up",
  .citation =
    "Lee and Kim, TAP: A TLP-aware cache management policy for a CPU-GPU heterogeneous architecture, HPCA 2012",
  .knobs = knobs,
  .counters = counters,
  .cache_bytes = cache_bytes,
  .scope_bytes = scope_bytes,
  .set_bytes = WEIR_TA_SET_BYTES,
  .line_bytes = 1,
  .cost_bits = cost_bits,
  .scope_bits = weir_tap_scope_bits,
  .reject = weir_ta_reject,
  .epoch_cycles = epoch_cycles,
  .init = init,
  .epoch = epoch,
  .warmed_up = warmed_up,
  .look = look,
  .hit = hit,
  .insert = insert,
  .victim = victim,
};
