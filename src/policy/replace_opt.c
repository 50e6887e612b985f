// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Belady's choice: the line that is used latest gives way. While the order of accesses is being recorded, no use is known, and
// the least recently used line does.
#include "policy/table.h"

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

static uint32_t victim(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  const struct line *lines = weir_line_state(c, a->set, 0);
  uint32_t latest = weir_lowest(candidates);
  for (uint64_t rest = candidates & (candidates - 1); rest; rest &= rest - 1) {
    const struct line *one = &lines[weir_lowest(rest)], *best = &lines[latest];
    if (one->next_use > best->next_use || (one->next_use == best->next_use && one->last_use < best->last_use))
      latest = weir_lowest(rest);
  }
  return latest;
}

// No hardware knows the future.
static uint64_t cost_bits(const struct weir_geometry *g) {
  (void)g;
  return 0;
}

const struct weir_policy weir_replace_opt = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "opt",
  .summary = "evicts the line that is used latest in a run recorded before: a bound, no hardware",
  .citation =
    "Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 1966 (MIN)",
  .cache_bytes = cache_bytes,
  .line_bytes = sizeof(struct line),
  .cost_bits = cost_bits,
  .foresees = true,
  .hit = hit,
  .insert = insert,
  .victim = victim,
};
