// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Sampling dead-block prediction (Khan et al., MICRO 2010; its full text is not public: the mechanism is that of public
// code and of descriptions of both). A few sets of the cache have a sampler: partial tags with true LRU, each with the hashed
// PC of its last access and what was then predicted. A tag that is hit says that its PC was not its line's last; one that
// leaves says that it was. Three tables of counters, each with a hash of its own, vote: a line whose last access was by
// a PC with a sum of at least the threshold is dead. The level has one set of tables, which all its parts train (inferred: Holey
// et al., Table V, has the bits of one); samplers are of their sets.
//
// Invariant: a sampler set's entries stand in the order of their use, most recent first. Write-backs take no part.
#ifndef WEIR_POLICY_SDBP_H
#define WEIR_POLICY_SDBP_H

#include "policy/fold.h"

#include <string.h>

enum { WEIR_SDBP_SETS, WEIR_SDBP_WAYS, WEIR_SDBP_THRESHOLD, WEIR_SDBP_LIVE, WEIR_SDBP_SCOPE, WEIR_SDBP_KNOBS };
enum { WEIR_SDBP_DECREMENT, WEIR_SDBP_MIXED };
enum {
  WEIR_SDBP_TABLES = 3,
  WEIR_SDBP_INDEX_BITS = 12,
  WEIR_SDBP_MOST = 3,
  WEIR_SDBP_COUNTER_BITS = 2,
  WEIR_SDBP_PC_BITS = 15,
  WEIR_SDBP_TAG_BITS = 15,
  WEIR_SDBP_MAX_WAYS = 64
};

static const char *const weir_sdbp_live[] = {"decrement", "mixed", NULL};

#define WEIR_SDBP_KNOB_TABLE                                                                                           \
  [WEIR_SDBP_SETS] =                                                                                                   \
    {"sampler_sets",                                                                                                   \
     WEIR_KNOB_INT,                                                                                                    \
     32,                                                                                                               \
     1,                                                                                                                \
     65536,                                                                                                            \
     NULL,                                                                                                             \
     false,                                                                                                            \
     "sets that have a sampler, of each part of a shared cache (32: public code; in four: Holey Table V)"},            \
  [WEIR_SDBP_WAYS] = {"sampler_ways",     WEIR_KNOB_INT, 12,    1,                                                     \
                      WEIR_SDBP_MAX_WAYS, NULL,          false, "entries of a sampler set (12: public code)"},         \
  [WEIR_SDBP_THRESHOLD] = {"threshold", WEIR_KNOB_INT, 8, 1, 9, NULL, false, "sum that means dead (8: public code)"},  \
  [WEIR_SDBP_LIVE] =                                                                                                   \
    {"live",                                                                                                           \
     WEIR_KNOB_CHOICE,                                                                                                 \
     WEIR_SDBP_DECREMENT,                                                                                              \
     0,                                                                                                                \
     1,                                                                                                                \
     weir_sdbp_live,                                                                                                   \
     false,                                                                                                            \
     "what a hit does: one off each counter (inferred), or, of the second table, half (public code)"},                 \
  [WEIR_SDBP_SCOPE] =                                                                                                  \
    WEIR_SCOPE_KNOB(WEIR_SCOPE_LEVEL, "who has tables (inferred: the level, and all its parts train them)")

struct weir_sdbp_entry {
  uint16_t tag, pc;
  bool valid, dead;
};

struct weir_sdbp_tables {
  uint8_t counters[WEIR_SDBP_TABLES][1 << WEIR_SDBP_INDEX_BITS];
};

struct weir_sdbp {
  uint32_t sampled, stride, ways;
  struct weir_sdbp_entry sampler[];
};

static inline uint32_t weir_sdbp_sampled(uint32_t sets, double wanted) {
  return wanted < sets ? (uint32_t)wanted : sets;
}

static inline size_t weir_sdbp_bytes(const struct weir_geometry *g) {
  size_t entries = weir_sdbp_sampled(g->sets, g->knobs[WEIR_SDBP_SETS]) * (size_t)g->knobs[WEIR_SDBP_WAYS];
  return sizeof(struct weir_sdbp) + entries * sizeof(struct weir_sdbp_entry);
}

static inline size_t weir_sdbp_scope_bytes(const struct weir_geometry *g) {
  (void)g;
  return sizeof(struct weir_sdbp_tables);
}

static inline void weir_sdbp_start(struct weir_cache_view *c, struct weir_sdbp *s) {
  s->sampled = weir_sdbp_sampled(c->sets, c->knobs[WEIR_SDBP_SETS]);
  s->stride = c->sets / s->sampled;
  s->ways = (uint32_t)c->knobs[WEIR_SDBP_WAYS];
}

static inline uint32_t weir_sdbp_pc(const struct weir_access *a) {
  return weir_fold(weir_access_instruction(a), WEIR_SDBP_PC_BITS);
}

// Three mixes of 15 bits into 12, by multiplication with different odd numbers.
static inline uint8_t *weir_sdbp_counter(struct weir_sdbp_tables *t, unsigned table, uint32_t pc) {
  static const uint32_t factors[WEIR_SDBP_TABLES] = {0x9E3779B1u, 0x85EBCA77u, 0xC2B2AE3Du};
  return &t->counters[table][pc * factors[table] >> (32 - WEIR_SDBP_INDEX_BITS)];
}

static inline bool weir_sdbp_predicts(const struct weir_cache_view *c, uint32_t pc) {
  uint32_t sum = 0;
  for (unsigned t = 0; t < WEIR_SDBP_TABLES; t++) sum += *weir_sdbp_counter(c->scope->state, t, pc);
  return sum >= c->knobs[WEIR_SDBP_THRESHOLD];
}

static inline void weir_sdbp_train(const struct weir_cache_view *c, uint32_t pc, bool dead) {
  for (unsigned t = 0; t < WEIR_SDBP_TABLES; t++) {
    uint8_t *counter = weir_sdbp_counter(c->scope->state, t, pc);
    if (dead)
      *counter = (uint8_t)(*counter + (*counter < WEIR_SDBP_MOST));
    else if (t == 1 && c->knobs[WEIR_SDBP_LIVE] == WEIR_SDBP_MIXED)
      *counter /= 2;
    else
      *counter = (uint8_t)(*counter - (*counter > 0));
  }
}

// Which entry a tag that is not there takes: an invalid one, else the first (in the order of use) that was predicted dead,
// else the least recent.
static inline uint32_t weir_sdbp_victim(const struct weir_sdbp *s, const struct weir_sdbp_entry *set) {
  for (uint32_t i = 0; i < s->ways; i++)
    if (!set[i].valid) return i;
  for (uint32_t i = 0; i < s->ways; i++)
    if (set[i].dead) return i;
  return s->ways - 1;
}

// An access to the cache. Returns whether it went through the sampler.
static inline bool weir_sdbp_look(const struct weir_cache_view *c, struct weir_sdbp *s, const struct weir_access *a) {
  uint32_t number = a->set / s->stride, i = 0;
  if (a->kind == WEIR_ACCESS_WRITEBACK || a->set % s->stride || number >= s->sampled) return false;
  struct weir_sdbp_entry *set = s->sampler + (size_t)number * s->ways;
  uint16_t tag = (uint16_t)(a->line / c->line_bytes / c->sets & weir_mask(WEIR_SDBP_TAG_BITS));
  while (i < s->ways && !(set[i].valid && set[i].tag == tag)) i++;
  bool hit = i < s->ways;
  if (!hit) i = weir_sdbp_victim(s, set);
  if (set[i].valid) weir_sdbp_train(c, set[i].pc, !hit);
  memmove(set + 1, set, i * sizeof *set);
  uint32_t pc = weir_sdbp_pc(a);
  set[0] = (struct weir_sdbp_entry){tag, (uint16_t)pc, true, weir_sdbp_predicts(c, pc)};
  return true;
}

// The sampler (partial tag and PC, valid and prediction bit, place in its stack), and a bit per line.
static inline uint64_t weir_sdbp_bits(const struct weir_geometry *g) {
  uint32_t ways = (uint32_t)g->knobs[WEIR_SDBP_WAYS];
  uint64_t entry = WEIR_SDBP_TAG_BITS + WEIR_SDBP_PC_BITS + 2 + (ways > 1 ? weir_log2(ways - 1) + 1 : 0);
  return weir_sdbp_sampled(g->sets, g->knobs[WEIR_SDBP_SETS]) * ways * entry + (uint64_t)g->sets * g->ways;
}

// The tables.
static inline uint64_t weir_sdbp_scope_bits(const struct weir_geometry *g) {
  (void)g;
  return WEIR_SDBP_TABLES * (UINT64_C(1) << WEIR_SDBP_INDEX_BITS) * WEIR_SDBP_COUNTER_BITS;
}

#endif
