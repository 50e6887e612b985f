// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Dynamic insertion policy (DIP, section 5): LRU and BIP duel for the sets. Inferred: write-backs, for which no program waits,
// do not move PSEL.
#include "policy/bimodal.h"
#include "policy/dueling.h"
#include "policy/recency.h"
#include "policy/table.h"

enum { PERIOD, LEADERS, PSEL_BITS, SCOPE };

struct state {                 // of a scope
  struct weir_dueling dueling; // A: LRU, B: BIP
  uint32_t bip_counter;
};

static size_t scope_bytes(const struct weir_geometry *g) {
  (void)g;
  return sizeof(struct state);
}

static void init(struct weir_cache_view *c) {
  struct state *s = c->scope->state;
  s->dueling = weir_dueling_start(c->sets, c->scope->count, (uint32_t)c->knobs[LEADERS], (uint32_t)c->knobs[PSEL_BITS]);
  weir_recency_init(c);
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  struct state *s = c->scope->state;
  enum weir_dueling_role role = weir_dueling_role(&s->dueling, a->set);
  if (a->kind != WEIR_ACCESS_WRITEBACK) weir_dueling_miss(&s->dueling, role);
  bool at_lru =
    weir_dueling_uses_b(&s->dueling, role) && !weir_bimodal_rare(&s->bip_counter, (uint32_t)c->knobs[PERIOD]);
  c->counters[at_lru ? 1 : 0]++;
  if (at_lru)
    weir_recency_demote(c, a->set, way);
  else
    weir_recency_promote(c, a->set, way);
}

static uint64_t cost_bits(const struct weir_geometry *g) {
  return g->sets * weir_recency_bits(g->ways);
}

static uint64_t scope_bits(const struct weir_geometry *g) {
  return weir_bimodal_bits((uint32_t)g->knobs[PERIOD]) + (uint64_t)g->knobs[PSEL_BITS];
}

static const struct weir_knob knobs[] = {
  [PERIOD] = {"period", WEIR_KNOB_INT, 32, 1, 65536, NULL, false,
              "1/epsilon: one of so many of BIP's lines enters at MRU (DIP section 4.4)"},
  [LEADERS] = WEIR_DUELING_LEADERS_KNOB,
  [PSEL_BITS] = WEIR_DUELING_PSEL_KNOB,
  [SCOPE] = WEIR_DUELING_SCOPE_KNOB,
  {0},
};

static const struct weir_policy_counter counters[] = {
  {"mru_insertions", "lines", "lines that entered at the MRU position", false},
  {"lru_insertions", "lines", "lines that entered at the LRU position", false},
  {0},
};

const struct weir_policy weir_replace_dip = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "dip",
  .summary = "dynamic insertion policy: LRU or BIP, whichever misses less in its leader sets",
  .citation = "Qureshi et al., Adaptive insertion policies for high performance caching, ISCA 2007",
  .knobs = knobs,
  .counters = counters,
  .scope_bytes = scope_bytes,
  .set_bytes = WEIR_RECENCY_SET_BYTES,
  .line_bytes = WEIR_RECENCY_LINE_BYTES,
  .cost_bits = cost_bits,
  .scope_bits = scope_bits,
  .reject = weir_dueling_reject,
  .init = init,
  .hit = weir_recency_hit,
  .insert = insert,
  .victim = weir_recency_victim,
};
