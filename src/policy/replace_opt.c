// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Belady's choice: the line that is used latest gives way, and what is used later than that line bypasses. While the order of
// accesses is being recorded, no use is known, and the least recently used line gives way.
//
// The second run comes in another order than the record. A use that is overdue is first waited for; after `patience` times as many
// accesses as the cache has lines, its line counts as one that is not used again.
#include "policy/table.h"

enum { BYPASS, PATIENCE };

struct line {
  uint64_t next_use, last_use;
};

struct state {
  uint64_t clock; // of uses
};

static size_t cache_bytes(const struct weir_geometry *g) {
  (void)g;
  return sizeof(struct state);
}

static void use(struct weir_cache_view *c, const struct weir_access *a, uint32_t way) {
  struct state *s = c->state;
  *(struct line *)weir_line_state(c, a->set, way) = (struct line){a->next_use, ++s->clock};
}

static void hit(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool pending) {
  (void)pending;
  use(c, a, way);
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  use(c, a, way);
}

// When the line is used next, as far as `a` knows.
static uint64_t next_use_of(const struct weir_cache_view *c, const struct weir_access *a, uint32_t way) {
  const struct line *l = weir_line_state(c, a->set, way);
  const uint64_t patience = (uint64_t)c->knobs[PATIENCE] * c->sets * c->ways;
  return l->next_use < a->position && a->position - l->next_use > patience ? WEIR_NEVER : l->next_use;
}

static uint32_t victim(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  const struct line *lines = weir_line_state(c, a->set, 0);
  uint32_t latest = weir_lowest(candidates);
  for (uint64_t rest = candidates & (candidates - 1); rest; rest &= rest - 1) {
    const uint32_t way = weir_lowest(rest);
    const uint64_t one = next_use_of(c, a, way), best = next_use_of(c, a, latest);
    if (one > best || (one == best && lines[way].last_use < lines[latest].last_use)) latest = way;
  }
  return latest;
}

static bool keep(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  return c->knobs[BYPASS] != 0 && a->next_use && a->next_use >= next_use_of(c, a, way);
}

// No hardware knows the future.
static uint64_t cost_bits(const struct weir_geometry *g) {
  (void)g;
  return 0;
}

static const struct weir_knob knobs[] = {
  [BYPASS] = {"bypass", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false,
              "let in nothing that is used later than what it replaces"},
  [PATIENCE] = {"patience", WEIR_KNOB_INT, 16, 0, 1000000000, NULL, false,
                "accesses that an overdue use is waited for, in lines of the cache (chosen with results in sight)"},
  {0},
};

const struct weir_policy weir_replace_opt = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "opt",
  .summary = "evicts or bypasses what is used latest in a run recorded before: a bound, no hardware",
  .citation =
    "Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 1966 (MIN)",
  .knobs = knobs,
  .cache_bytes = cache_bytes,
  .line_bytes = sizeof(struct line),
  .cost_bits = cost_bits,
  .foresees = true,
  .hit = hit,
  .insert = insert,
  .victim = victim,
  .keep = keep,
};
