// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Signature-based hit prediction, by PC (SHiP-PC; Wu et al., MICRO 2011, section 3.1): over SRRIP, a table of counters
// (SHCT), indexed by the hashed PC of the access that brought a line, learns whether such lines are used again. A line of a
// PC whose counter is 0 enters with a distant interval, any other with a long one. A hit counts its line's signature up, an
// eviction without one counts it down; SHiP-S lets only the lines of some sets count (section 7.1).
//
// Inferred: the counters' first value; that write-backs, which have no PC, enter distant, teach nothing and promote nothing.
#include "policy/fold.h"
#include "policy/rrip.h"
#include "policy/table.h"

#include <string.h>

enum { TABLE = WEIR_RRIP_KNOBS, COUNTER_BITS, INITIAL, SAMPLED_SETS, TABLES };
enum { LONG_INSERTIONS, DISTANT_INSERTIONS, REUSES, DEAD_EVICTIONS };
enum { SHARED, PRIVATE };

static const char *const table_names[] = {"shared", "private", NULL};

struct line {
  uint32_t entry; // of the table, the line's requester's part of it included
  bool trains, reused;
};

struct state {
  uint32_t stride; // every so manieth set trains
  uint8_t *counters;
  struct line lines[];
};

static uint32_t tables(const struct weir_geometry *g) {
  return g->knobs[TABLES] == PRIVATE ? weir_requester_count(g) : 1;
}

static size_t lines_bytes(uint32_t sets, uint32_t ways) {
  return sizeof(struct state) + (size_t)sets * ways * sizeof(struct line);
}

static size_t cache_bytes(const struct weir_geometry *g) {
  return lines_bytes(g->sets, g->ways) + (size_t)g->knobs[TABLE] * tables(g);
}

static uint32_t training_sets(const struct weir_geometry *g) {
  uint32_t wanted = (uint32_t)g->knobs[SAMPLED_SETS];
  return wanted && wanted < g->sets ? wanted : g->sets;
}

static void init(struct weir_cache_view *c) {
  struct weir_geometry g = {.sets = c->sets, .ways = c->ways, .knobs = c->knobs, .requesters = c->requesters};
  struct state *s = c->state;
  s->stride = c->sets / training_sets(&g);
  s->counters = (uint8_t *)c->state + lines_bytes(c->sets, c->ways);
  uint8_t most = (uint8_t)weir_mask((unsigned)c->knobs[COUNTER_BITS]);
  uint8_t initial = c->knobs[INITIAL] < most ? (uint8_t)c->knobs[INITIAL] : most;
  memset(s->counters, initial, (size_t)c->knobs[TABLE] * tables(&g));
  weir_rrip_init(c);
}

static uint32_t entry_of(const struct weir_cache_view *c, const struct weir_access *a) {
  uint32_t size = (uint32_t)c->knobs[TABLE], signature = weir_fold(weir_access_instruction(a), weir_log2(size));
  return c->knobs[TABLES] == PRIVATE ? a->requester * size + signature : signature;
}

static struct line *line_of(const struct weir_cache_view *c, uint32_t set, uint32_t way) {
  struct state *s = c->state;
  return &s->lines[(size_t)set * c->ways + way];
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  struct state *s = c->state;
  bool demand = a->kind != WEIR_ACCESS_WRITEBACK;
  uint32_t entry = entry_of(c, a);
  *line_of(c, a->set, way) = (struct line){.entry = entry, .trains = demand && a->set % s->stride == 0};
  bool is_long = demand && s->counters[entry] != 0;
  c->counters[is_long ? LONG_INSERTIONS : DISTANT_INSERTIONS]++;
  weir_rrip_insert(c, a->set, way, is_long);
}

static void hit(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool pending) {
  if (a->kind == WEIR_ACCESS_WRITEBACK) return;
  struct state *s = c->state;
  struct line *line = line_of(c, a->set, way);
  uint8_t *counter = &s->counters[line->entry];
  if (line->trains && *counter < weir_mask((unsigned)c->knobs[COUNTER_BITS])) ++*counter;
  c->counters[REUSES] += line->trains;
  line->reused = true;
  weir_rrip_hit(c, a, way, pending);
}

// The cache's own `reused` is not asked: a write-back that hits is no reuse here.
static void evict(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool reused) {
  (void)reused;
  struct state *s = c->state;
  const struct line *line = line_of(c, a->set, way);
  if (!line->trains || line->reused) return;
  c->counters[DEAD_EVICTIONS]++;
  s->counters[line->entry] = (uint8_t)(s->counters[line->entry] - (s->counters[line->entry] > 0));
}

// The table, and a signature and an outcome bit for each line that trains.
static uint64_t cost_bits(const struct weir_geometry *g) {
  uint64_t table = (uint64_t)g->knobs[TABLE] * tables(g) * (uint64_t)g->knobs[COUNTER_BITS];
  uint64_t line_bits = weir_log2((uint64_t)g->knobs[TABLE]) + 1;
  return weir_rrip_bits(g) + table + (uint64_t)training_sets(g) * g->ways * line_bits;
}

static const struct weir_knob knobs[] = {
  WEIR_RRIP_KNOB_TABLE,
  [TABLE] = {"table", WEIR_KNOB_INT, 16384, 2, 65536, NULL, true, "counters of a table (SHiP section 4.1: 16K)"},
  [COUNTER_BITS] = {"counter_bits", WEIR_KNOB_INT, 3, 1, 8, NULL, false, "width of a counter (SHiP section 4.1: 3)"},
  [INITIAL] = {"initial", WEIR_KNOB_INT, 1, 0, 255, NULL, false,
               "what a counter starts with, at most its largest value (inferred)"},
  [SAMPLED_SETS] = {"sampled_sets", WEIR_KNOB_INT, 0, 0, 65536, NULL, false,
                    "sets whose lines train (SHiP-S, section 7.1); 0: all"},
  [TABLES] = {"tables", WEIR_KNOB_CHOICE, SHARED, 0, 1, table_names, false,
              "one table for all requesters, or one for each (SHiP section 6)"},
  {0},
};

static const struct weir_policy_counter counters[] = {
  [LONG_INSERTIONS] = {"long_insertions", "lines", "lines that entered with a long re-reference interval", true},
  [DISTANT_INSERTIONS] = {"distant_insertions", "lines", "lines that entered with a distant re-reference interval",
                          true},
  [REUSES] = {"reuses", "hits", "hits that counted a signature up", true},
  [DEAD_EVICTIONS] = {"dead_evictions", "evictions", "lines that left without a hit and counted their signature down",
                      true},
  {0},
};

const struct weir_policy weir_replace_ship = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "ship",
  .summary = "SRRIP whose lines enter by what became of earlier lines of the same PC (SHiP-PC)",
  .citation = "Wu et al., SHiP: Signature-based hit predictor for high performance caching, MICRO 2011",
  .knobs = knobs,
  .counters = counters,
  .cache_bytes = cache_bytes,
  .line_bytes = 1,
  .cost_bits = cost_bits,
  .init = init,
  .hit = hit,
  .insert = insert,
  .evict = evict,
  .victim = weir_rrip_victim,
};
