// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Dynamic RRIP (RRIP, section 4.3): SRRIP and BRRIP duel for the sets. Inferred: which of them counts PSEL up (SRRIP, as
// LRU does in DIP), and that write-backs do not.
#include "policy/bimodal.h"
#include "policy/dueling.h"
#include "policy/rrip.h"
#include "policy/table.h"

enum { PERIOD = WEIR_RRIP_KNOBS, LEADERS, PSEL_BITS, SCOPE };

struct state {                 // of a scope
  struct weir_dueling dueling; // A: SRRIP, B: BRRIP
  uint32_t brrip_counter;
};

static size_t scope_bytes(const struct weir_geometry *g) {
  (void)g;
  return sizeof(struct state);
}

static void init(struct weir_cache_view *c) {
  struct state *s = c->scope->state;
  s->dueling = weir_dueling_start(c->sets, c->scope->count, (uint32_t)c->knobs[LEADERS], (uint32_t)c->knobs[PSEL_BITS]);
  weir_rrip_init(c);
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  struct state *s = c->scope->state;
  enum weir_dueling_role role = weir_dueling_role(&s->dueling, a->set);
  if (a->kind != WEIR_ACCESS_WRITEBACK) weir_dueling_miss(&s->dueling, role);
  bool is_long =
    !weir_dueling_uses_b(&s->dueling, role) || weir_bimodal_rare(&s->brrip_counter, (uint32_t)c->knobs[PERIOD]);
  c->counters[is_long ? 0 : 1]++;
  weir_rrip_insert(c, a->set, way, is_long);
}

static uint64_t scope_bits(const struct weir_geometry *g) {
  return weir_bimodal_bits((uint32_t)g->knobs[PERIOD]) + (uint64_t)g->knobs[PSEL_BITS];
}

static const struct weir_knob knobs[] = {
  WEIR_RRIP_KNOB_TABLE,
  [PERIOD] = {"period", WEIR_KNOB_INT, 32, 1, 65536, NULL, false,
              "1/epsilon: one of so many of BRRIP's lines enters with a long interval (inferred: as BIP)"},
  [LEADERS] = WEIR_DUELING_LEADERS_KNOB,
  [PSEL_BITS] = WEIR_DUELING_PSEL_KNOB,
  [SCOPE] = WEIR_DUELING_SCOPE_KNOB,
  {0},
};

static const struct weir_policy_counter counters[] = {
  {"long_insertions", "lines", "lines that entered with a long re-reference interval", false},
  {"distant_insertions", "lines", "lines that entered with a distant re-reference interval", false},
  {0},
};

const struct weir_policy weir_replace_drrip = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "drrip",
  .summary = "dynamic RRIP: SRRIP or BRRIP, whichever misses less in its leader sets",
  .citation = "Jaleel et al., High performance cache replacement using re-reference interval prediction, ISCA 2010",
  .knobs = knobs,
  .counters = counters,
  .scope_bytes = scope_bytes,
  .line_bytes = 1,
  .cost_bits = weir_rrip_bits,
  .scope_bits = scope_bits,
  .reject = weir_dueling_reject,
  .init = init,
  .hit = weir_rrip_hit,
  .insert = insert,
  .victim = weir_rrip_victim,
};
