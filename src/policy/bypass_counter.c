// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Counter-based dead-block prediction in its access-interval (AIP) form, as Tian et al. (GPGPU 2015, section 3.3 and 4.1)
// set it against theirs. Per line: how many accesses its set saw since its own last one (interval), the largest such
// interval between two of its accesses in this generation (longest) and in the last one (learnt, from a table indexed by
// hashed PC of the miss and hashed block number), and whether the last two generations agreed (confident). A line is
// expired once its interval exceeds both. (Kharbutli and Solihin, ICCD 2005, section 3.2; IEEE Transactions on Computers
// 2008 adds bypassing.)
//
// Expired lines are named to the replace policy by the hook `dead`, so that the one nearest to its victim goes first.
// A block whose last generation had no second access is dead on arrival and bypasses, unless the set holds an expired line
// to replace; a bypass leaves no generation to learn from, so one of some bypasses is let in as a probe (both inferred).
#include "policy/bimodal.h"
#include "policy/fold.h"
#include "policy/table.h"

enum { PC_BITS, BLOCK_BITS, BYPASS, EXPIRED_FIRST, FILL_FREE, PROBE_PERIOD, STORES_ARE_REUSE };
enum { PREDICTIONS, PREDICTED_BYPASSES, PROBES, EXPIRED_VICTIMS, TRAININGS };
enum { INTERVAL_BITS = 4, LONGEST_INTERVAL = (1 << INTERVAL_BITS) - 1, CONFIDENT = 1 << INTERVAL_BITS };

struct line {
  uint32_t entry; // of the table: hashed PC and hashed block number (the latter is no storage: the tag has it)
  uint8_t interval, longest, learnt;
  bool confident, valid; // valid mirrors the cache's bit
};

struct set {
  uint8_t newest; // the most recently used way, which never expires
};

struct state {
  uint32_t probe_counter;
  uint8_t table[]; // longest interval and CONFIDENT
};

static size_t entries(const double *knobs) {
  return (size_t)1 << (unsigned)(knobs[PC_BITS] + knobs[BLOCK_BITS]);
}

static size_t cache_bytes(const struct weir_geometry *g) {
  return sizeof(struct state) + entries(g->knobs);
}

static uint32_t entry_of(const struct weir_cache_view *c, const struct weir_access *a) {
  unsigned block_bits = (unsigned)c->knobs[BLOCK_BITS];
  uint32_t row = weir_fold(weir_instruction_number(a->pc), (unsigned)c->knobs[PC_BITS]);
  return row << block_bits | weir_fold(a->line / c->line_bytes, block_bits);
}

static bool counts(const struct weir_cache_view *c, const struct weir_access *a) {
  return a->kind == WEIR_ACCESS_LOAD || c->knobs[STORES_ARE_REUSE] != 0;
}

// An access to the set: every line in it is one access older.
static struct line *age(struct weir_cache_view *c, uint32_t set) {
  struct line *lines = weir_line_state(c, set, 0);
  for (uint32_t way = 0; way < c->ways; way++)
    lines[way].interval = (uint8_t)(lines[way].interval + (lines[way].interval < LONGEST_INTERVAL));
  return lines;
}

static void set_newest(struct weir_cache_view *c, uint32_t set, uint32_t way) {
  ((struct set *)weir_set_state(c, set))->newest = (uint8_t)way;
}

static void hit(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool pending) {
  (void)pending;
  if (!counts(c, a)) return;
  struct line *line = age(c, a->set) + way;
  line->longest = line->interval > line->longest ? line->interval : line->longest;
  line->interval = 0;
  set_newest(c, a->set, way);
}

static bool is_expired(struct weir_cache_view *c, uint32_t set, uint32_t way) {
  const struct line *line = weir_line_state(c, set, way);
  return line->valid && line->confident && line->interval > line->longest && line->interval > line->learnt &&
    ((const struct set *)weir_set_state(c, set))->newest != way;
}

static uint64_t dead(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  uint64_t expired = 0;
  for (uint64_t rest = candidates; rest; rest &= rest - 1)
    expired |= (uint64_t)is_expired(c, a->set, weir_lowest(rest)) << weir_lowest(rest);
  c->counters[EXPIRED_VICTIMS] += expired != 0;
  return expired;
}

// Whether the set has a line whose place may be had for nothing.
static bool has_room(struct weir_cache_view *c, uint32_t set) {
  const struct line *lines = weir_line_state(c, set, 0);
  for (uint32_t way = 0; way < c->ways; way++)
    if ((!lines[way].valid && c->knobs[FILL_FREE] != 0) || (is_expired(c, set, way) && c->knobs[EXPIRED_FIRST] != 0))
      return true;
  return false;
}

static bool miss(struct weir_cache_view *c, struct weir_access *a) {
  if (!counts(c, a)) return false;
  age(c, a->set);
  if (a->kind != WEIR_ACCESS_LOAD || c->knobs[BYPASS] == 0) return false;
  struct state *s = c->state;
  c->counters[PREDICTIONS]++;
  if (s->table[entry_of(c, a)] != CONFIDENT || has_room(c, a->set)) return false;
  uint32_t period = (uint32_t)c->knobs[PROBE_PERIOD];
  bool probes = period && weir_bimodal_rare(&s->probe_counter, period);
  c->counters[probes ? PROBES : PREDICTED_BYPASSES]++;
  return !probes;
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  const struct state *s = c->state;
  uint32_t entry = entry_of(c, a);
  *(struct line *)weir_line_state(c, a->set, way) = (struct line){
    .entry = entry,
    .learnt = s->table[entry] & LONGEST_INTERVAL,
    .confident = s->table[entry] & CONFIDENT,
    .valid = true,
  };
  set_newest(c, a->set, way);
}

static void evict(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool reused) {
  (void)reused;
  struct state *s = c->state;
  const struct line *line = weir_line_state(c, a->set, way);
  s->table[line->entry] = (uint8_t)(line->longest | (line->longest == line->learnt ? CONFIDENT : 0));
  c->counters[TRAININGS]++;
}

static void invalidate(struct weir_cache_view *c, uint32_t set, uint32_t way) {
  ((struct line *)weir_line_state(c, set, way))->valid = false;
}

// 10.625 KiB for the paper's 16 KiB L1: 128 x 128 entries of 5 bits, and 20 bits per line (7 of hashed PC, three
// intervals of 4, the confidence bit).
static uint64_t cost_bits(const struct weir_geometry *g) {
  uint64_t line_bits = (uint64_t)g->knobs[PC_BITS] + 3 * INTERVAL_BITS + 1;
  return entries(g->knobs) * (INTERVAL_BITS + 1) + (uint64_t)g->sets * g->ways * line_bits;
}

static const struct weir_knob knobs[] = {
  [PC_BITS] = {"pc_bits", WEIR_KNOB_INT, 7, 1, 12, NULL, false, "of hashed PC: the table's rows (Tian section 4.1)"},
  [BLOCK_BITS] = {"block_bits", WEIR_KNOB_INT, 7, 1, 12, NULL, false,
                  "of hashed block number: the table's columns (Tian section 4.1)"},
  [BYPASS] = {"bypass", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false, "bypass what is dead on arrival; off: only name victims"},
  [EXPIRED_FIRST] = {"expired_first", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false,
                     "replace an expired line rather than bypass (Kharbutli 2008, as described by Liu 2008)"},
  [FILL_FREE] = {"fill_free", WEIR_KNOB_BOOL, 0, 0, 1, NULL, false,
                 "fill an invalid way rather than bypass (inferred)"},
  [PROBE_PERIOD] = {"probe_period", WEIR_KNOB_INT, 32, 0, 65536, NULL, false,
                    "one of so many predicted bypasses is cached to learn from; 0: none (inferred)"},
  [STORES_ARE_REUSE] = {"stores_are_reuse", WEIR_KNOB_BOOL, 0, 0, 1, NULL, false,
                        "stores and atomics count as accesses (inferred)"},
  {0},
};

static const struct weir_policy_counter counters[] = {
  [PREDICTIONS] = {"predictions", "misses", "misses of loads that asked the table", true},
  [PREDICTED_BYPASSES] = {"predicted_bypasses", "misses", "of those, bypassed as dead on arrival", false},
  [PROBES] = {"probes", "misses", "of those, cached although dead on arrival, to learn", false},
  [EXPIRED_VICTIMS] = {"expired_victims", "evictions", "victims sought while a line of the set was expired", false},
  [TRAININGS] = {"trainings", "updates", "generations written to the table", true},
  {0},
};

const struct weir_policy weir_bypass_counter = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_BYPASS,
  .name = "counter",
  .summary = "counter-based dead blocks (AIP): expired lines leave first, blocks dead on arrival are not cached",
  .citation = "Kharbutli and Solihin, Counter-based cache replacement and bypassing algorithms, IEEE TC 2008",
  .knobs = knobs,
  .counters = counters,
  .cache_bytes = cache_bytes,
  .set_bytes = sizeof(struct set),
  .line_bytes = sizeof(struct line),
  .cost_bits = cost_bits,
  .hit = hit,
  .insert = insert,
  .evict = evict,
  .invalidate = invalidate,
  .dead = dead,
  .miss = miss,
};
