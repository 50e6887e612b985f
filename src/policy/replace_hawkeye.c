// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Hawkeye: OPTgen tells of each line used again in a sampled set whether OPT would have kept it, and so trains a predictor of
// the PC that used it last; lines of friendly PCs age like LRU's, lines of averse ones leave first (section 3.3 and 3.4,
// Table 1). A friendly line that leaves all the same takes one off its PC's counter, if the history still has it.
//
// Inferred: how the history is divided among the sampled sets (evenly) and which these are; the counters' first value; that
// write-backs, which have no PC, teach nothing, change nothing where they hit, and enter averse.
#include "policy/fold.h"
#include "policy/optgen.h"
#include "policy/table.h"

enum { SAMPLED_SETS, QUANTUM, WINDOW, HISTORY, SLACK, PREDICTOR, COUNTER_BITS, INITIAL, AGING };
enum { OPT_HITS, OPT_MISSES, FRIENDLY, AVERSE, DETRAININGS };
enum { ALWAYS, UNTIL_OLDEST };
enum { RRIP_BITS = 3, RRIP_AVERSE = 7, RRIP_OLDEST = 6, ENTRY_BITS = 8 * (2 + 2 + 1) };

static const char *const aging_names[] = {"always", "until-oldest", NULL};

struct state {
  struct weir_optgen optgen;
  uint64_t *lines; // [sampled set × ways + way]: the cache's own tags, here kept again
  uint8_t *predictor;
  uint64_t memory[]; // OPTgen's, the lines', the predictor's
};

static struct weir_optgen geometry(uint32_t sets, uint32_t ways, const double *knobs) {
  uint32_t sampled = knobs[SAMPLED_SETS] < sets ? (uint32_t)knobs[SAMPLED_SETS] : sets;
  uint32_t window = (uint32_t)knobs[WINDOW] * ways, quantum = (uint32_t)knobs[QUANTUM];
  uint32_t share = (uint32_t)knobs[HISTORY] / sampled, entries = share && share < window ? share : window;
  uint32_t slack = (uint32_t)knobs[SLACK];
  return (struct weir_optgen){.sampled = sampled,
                              .stride = sets / sampled,
                              .quantum = quantum,
                              .slots = (window + quantum - 1) / quantum,
                              .entries = entries,
                              .capacity = slack < ways ? ways - slack : 1};
}

static size_t optgen_words(const struct weir_optgen *o) {
  return (weir_optgen_bytes(o) + 7) / 8;
}

static size_t cache_bytes(const struct weir_geometry *g) {
  struct weir_optgen o = geometry(g->sets, g->ways, g->knobs);
  return sizeof(struct state) + 8 * (optgen_words(&o) + (size_t)o.sampled * g->ways) + (size_t)g->knobs[PREDICTOR];
}

static uint8_t most(const struct weir_cache_view *c) {
  return (uint8_t)weir_mask((unsigned)c->knobs[COUNTER_BITS]);
}

static void init(struct weir_cache_view *c) {
  struct state *s = c->state;
  s->optgen = geometry(c->sets, c->ways, c->knobs);
  weir_optgen_start(&s->optgen, s->memory);
  s->lines = s->memory + optgen_words(&s->optgen);
  s->predictor = (uint8_t *)(s->lines + (size_t)s->optgen.sampled * c->ways);
  memset(s->predictor, c->knobs[INITIAL] < most(c) ? (uint8_t)c->knobs[INITIAL] : most(c), (size_t)c->knobs[PREDICTOR]);
  memset(c->line_state, RRIP_AVERSE, (size_t)c->sets * c->ways);
}

static uint32_t hashed_pc(const struct weir_cache_view *c, const struct weir_access *a) {
  uint32_t size = (uint32_t)c->knobs[PREDICTOR];
  return size > 1 ? weir_fold(weir_access_instruction(a), weir_log2(size)) : 0;
}

static void train(const struct weir_cache_view *c, uint32_t pc, bool up) {
  uint8_t *counter = &((struct state *)c->state)->predictor[pc];
  *counter = (uint8_t)(up ? *counter + (*counter < most(c)) : *counter - (*counter > 0));
}

static void look(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)way;
  struct state *s = c->state;
  uint32_t number = weir_optgen_set(&s->optgen, a->set), last_pc;
  if (a->kind == WEIR_ACCESS_WRITEBACK || number == WEIR_NO_WAY) return;
  enum weir_optgen_verdict v = weir_optgen_access(&s->optgen, number, a->line, hashed_pc(c, a), &last_pc);
  if (v == WEIR_OPTGEN_FIRST) return;
  c->counters[v == WEIR_OPTGEN_HIT ? OPT_HITS : OPT_MISSES]++;
  train(c, last_pc, v == WEIR_OPTGEN_HIT);
}

static bool is_friendly(const struct weir_cache_view *c, const struct weir_access *a) {
  const struct state *s = c->state;
  return s->predictor[hashed_pc(c, a)] >> ((unsigned)c->knobs[COUNTER_BITS] - 1);
}

static void hit(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool pending) {
  (void)pending;
  if (a->kind == WEIR_ACCESS_WRITEBACK) return;
  bool friendly = is_friendly(c, a);
  c->counters[friendly ? FRIENDLY : AVERSE]++;
  *(uint8_t *)weir_line_state(c, a->set, way) = friendly ? 0 : RRIP_AVERSE;
}

// All friendly lines but one age; none becomes averse by age.
static void age(struct weir_cache_view *c, uint32_t set, uint32_t but) {
  uint8_t *rrip = weir_line_state(c, set, 0);
  if (c->knobs[AGING] == UNTIL_OLDEST && memchr(rrip, RRIP_OLDEST, c->ways)) return;
  for (uint32_t way = 0; way < c->ways; way++)
    rrip[way] = (uint8_t)(rrip[way] + (way != but && rrip[way] < RRIP_OLDEST));
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  struct state *s = c->state;
  uint32_t number = weir_optgen_set(&s->optgen, a->set);
  if (number != WEIR_NO_WAY) s->lines[(size_t)number * c->ways + way] = a->line;
  bool friendly = a->kind != WEIR_ACCESS_WRITEBACK && is_friendly(c, a);
  c->counters[friendly ? FRIENDLY : AVERSE]++;
  *(uint8_t *)weir_line_state(c, a->set, way) = RRIP_AVERSE; // which does not count as the oldest friendly line
  if (friendly) {
    age(c, a->set, way);
    *(uint8_t *)weir_line_state(c, a->set, way) = 0;
  }
}

static void evict(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool reused) {
  (void)reused;
  const struct state *s = c->state;
  const struct weir_optgen *o = &s->optgen;
  uint32_t number = weir_optgen_set(o, a->set);
  if (number == WEIR_NO_WAY || *(const uint8_t *)weir_line_state(c, a->set, way) == RRIP_AVERSE) return;
  uint32_t place = weir_optgen_find(o, number, s->lines[(size_t)number * c->ways + way]);
  if (place == o->entries) return;
  train(c, o->history[(size_t)number * o->entries + place].pc, false);
  c->counters[DETRAININGS]++;
}

static void invalidate(struct weir_cache_view *c, uint32_t set, uint32_t way) {
  *(uint8_t *)weir_line_state(c, set, way) = RRIP_AVERSE;
}

static uint32_t victim(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  const uint8_t *rrip = weir_line_state(c, a->set, 0);
  uint32_t oldest = weir_lowest(candidates);
  for (uint64_t rest = candidates; rest; rest &= rest - 1)
    if (rrip[weir_lowest(rest)] > rrip[oldest]) oldest = weir_lowest(rest);
  return oldest;
}

// Three bits per line, the predictor, and per sampled set its occupancies (of log2 of the ways, as in section 3.1) and history.
static uint64_t cost_bits(const struct weir_geometry *g) {
  struct weir_optgen o = geometry(g->sets, g->ways, g->knobs);
  uint64_t occupancy_bits = g->ways > 1 ? weir_log2(g->ways - 1) + 1 : 1;
  return (uint64_t)g->sets * g->ways * RRIP_BITS + (uint64_t)(g->knobs[PREDICTOR] * g->knobs[COUNTER_BITS]) +
    o.sampled * (o.slots * occupancy_bits + (uint64_t)o.entries * ENTRY_BITS);
}

static const struct weir_knob knobs[] = {
  [SAMPLED_SETS] = {"sampled_sets", WEIR_KNOB_INT, 64, 1, 65536, NULL, false,
                    "that OPTgen watches (section 3.2.2: 64)"},
  [QUANTUM] = {"quantum", WEIR_KNOB_INT, 4, 1, 64, NULL, false, "accesses that share an occupancy (section 3.2.1: 4)"},
  [WINDOW] = {"window", WEIR_KNOB_INT, 8, 1, 64, NULL, false,
              "accesses that OPTgen looks back, in ways (section 3.1: 8)"},
  [HISTORY] = {"history", WEIR_KNOB_INT, 2400, 0, 1048576, NULL, false,
               "lines remembered in all sampled sets (section 3.2.2: 2400); 0: the whole window"},
  [SLACK] = {"slack", WEIR_KNOB_INT, 0, 0, 63, NULL, false, "ways that OPT does without (authors' code: 2)"},
  [PREDICTOR] = {"predictor", WEIR_KNOB_INT, 8192, 1, 65536, NULL, true,
                 "counters (section 3.3: 8K; authors' code: 2K)"},
  [COUNTER_BITS] = {"counter_bits", WEIR_KNOB_INT, 3, 1, 8, NULL, false, "of each (section 3.3: 3; authors' code: 5)"},
  [INITIAL] = {"initial", WEIR_KNOB_INT, 4, 0, 255, NULL, false,
               "what a counter starts with, at most its largest value (inferred: just friendly)"},
  [AGING] = {"aging", WEIR_KNOB_CHOICE, ALWAYS, 0, 1, aging_names, false,
             "friendly lines age always (Table 1), or until one is the oldest it can be (authors' code)"},
  {0},
};

static const struct weir_policy_counter counters[] = {
  [OPT_HITS] = {"opt_hits", "accesses", "uses in sampled sets that OPT would have hit", true},
  [OPT_MISSES] = {"opt_misses", "accesses", "uses in sampled sets that OPT would have missed", true},
  [FRIENDLY] = {"friendly", "accesses", "hits and fills of PCs predicted friendly", true},
  [AVERSE] = {"averse", "accesses", "hits and fills of PCs predicted averse", true},
  [DETRAININGS] = {"detrainings", "evictions", "friendly lines that left and counted their PC down", true},
  {0},
};

const struct weir_policy weir_replace_hawkeye = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_REPLACE,
  .name = "hawkeye",
  .summary = "keeps the lines of PCs whose lines Belady's algorithm would have kept",
  .citation =
    "Jain and Lin, Back to the future: Leveraging Belady's algorithm for improved cache replacement, ISCA 2016",
  .knobs = knobs,
  .counters = counters,
  .cache_bytes = cache_bytes,
  .line_bytes = 1,
  .cost_bits = cost_bits,
  .init = init,
  .look = look,
  .hit = hit,
  .insert = insert,
  .evict = evict,
  .invalidate = invalidate,
  .victim = victim,
};
