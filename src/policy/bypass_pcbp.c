// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// PC-based bypassing (Tian et al., Adaptive GPU cache bypassing, GPGPU 2015, section 3 and Listing 1). A table of
// saturating counters, indexed by the hashed PC of the instruction that touched a line last: a hit says that this PC's
// lines are used again (down), an eviction that they are not (up). A load that misses and whose own counter has reached
// the threshold bypasses; a mark that the next cache keeps (pcbp-verify) corrects it when the line is asked for again.
//
// The defaults are Listing 1's: every access that hits trains, a store's too, and the victim of a correction does not.
// The paper leaves open, and knobs decide: the threshold, the hash, the counters' start, what hits on misses train, and
// "set dueling" and "sampling", two words on a slide of its talk.
#include "policy/dueling.h"
#include "policy/fold.h"
#include "policy/table.h"

enum {
  ENTRIES,
  COUNTER_BITS,
  THRESHOLD,
  HASH,
  INITIAL,
  L2_CORRECTION,
  TRAIN_ON_CORRECTION,
  INSTALL_ON_MERGE,
  PENDING_IS_REUSE,
  STORES_ARE_REUSE,
  FLUSH_TRAINS,
  DUELING,
  LEADERS,
  PSEL_BITS,
  SAMPLED_SETS,
};
enum { HASH_FOLD, HASH_MODULO };
enum { PREDICTIONS, PREDICTED_BYPASSES, CORRECTIONS, CORRECTED_REUSES, MERGE_INSTALLS, LIVE_TRAININGS, DEAD_TRAININGS };

struct line {
  uint16_t last_pc; // hashed
  bool corrected;   // predicted to have no reuse, installed on the next cache's word, and not hit since; a measurement
};

struct state {
  uint64_t correcting;         // the line that a reply is about to install, plus one; 0: none
  struct weir_dueling dueling; // A: never bypass, B: as predicted
  uint32_t sample_stride;      // a set trains if its number is a multiple
  uint16_t entry_bits;
  uint8_t highest, threshold;
  bool folds, duels;
  uint8_t table[];
};

static size_t cache_bytes(const struct weir_geometry *g) {
  return sizeof(struct state) + (size_t)g->knobs[ENTRIES];
}

static uint32_t sampled_sets(uint32_t sets, const double *knobs) {
  uint32_t wanted = (uint32_t)knobs[SAMPLED_SETS];
  return wanted == 0 || wanted > sets ? sets : wanted;
}

static void init(struct weir_cache_view *c) {
  struct state *s = c->state;
  uint32_t entries = (uint32_t)c->knobs[ENTRIES];
  s->entry_bits = (uint16_t)weir_log2(entries);
  s->highest = (uint8_t)weir_mask((unsigned)c->knobs[COUNTER_BITS]);
  s->threshold = (uint8_t)c->knobs[THRESHOLD];
  s->folds = c->knobs[HASH] == HASH_FOLD;
  s->duels = c->knobs[DUELING] != 0;
  if (s->duels) s->dueling = weir_dueling_start(c->sets, 1, (uint32_t)c->knobs[LEADERS], (uint32_t)c->knobs[PSEL_BITS]);
  s->sample_stride = (uint32_t)weir_div_up(c->sets, sampled_sets(c->sets, c->knobs));
  for (uint32_t i = 0; i < entries; i++) s->table[i] = (uint8_t)c->knobs[INITIAL];
}

static uint16_t hash(const struct state *s, uint32_t pc) {
  uint32_t number = weir_instruction_number(pc);
  return (uint16_t)(s->folds ? weir_fold(number, s->entry_bits) : number & weir_mask(s->entry_bits));
}

static bool is_load(const struct weir_access *a) {
  return a->kind == WEIR_ACCESS_LOAD;
}

static bool trains(const struct state *s, uint32_t set) {
  return set % s->sample_stride == 0;
}

static void count_corrected(struct weir_cache_view *c, struct line *line, bool load) {
  c->counters[CORRECTED_REUSES] += line->corrected && load;
  line->corrected = line->corrected && !load;
}

static void hit(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool pending) {
  struct state *s = c->state;
  count_corrected(c, weir_line_state(c, a->set, way), is_load(a));
  if (!trains(s, a->set) || (!is_load(a) && c->knobs[STORES_ARE_REUSE] == 0)) return;
  struct line *line = weir_line_state(c, a->set, way);
  if (!pending || c->knobs[PENDING_IS_REUSE] != 0) {
    s->table[line->last_pc] = (uint8_t)(s->table[line->last_pc] - (s->table[line->last_pc] > 0));
    c->counters[LIVE_TRAININGS]++;
  }
  line->last_pc = hash(s, a->pc);
}

static bool miss(struct weir_cache_view *c, struct weir_access *a) {
  struct state *s = c->state;
  if (s->correcting == a->line + 1) // that install never came
    s->correcting = 0;
  if (!is_load(a)) return false;
  bool bypasses = s->table[hash(s, a->pc)] >= s->threshold;
  c->counters[PREDICTIONS]++;
  if (s->duels) {
    enum weir_dueling_role role = weir_dueling_role(&s->dueling, a->set);
    weir_dueling_miss(&s->dueling, role);
    bypasses = bypasses && weir_dueling_uses_b(&s->dueling, role);
  }
  c->counters[PREDICTED_BYPASSES] += bypasses;
  return bypasses;
}

// The PC of the last touch is charged, whether the line was reused before or not.
static void train_dead(struct weir_cache_view *c, uint32_t set, uint32_t way) {
  struct state *s = c->state;
  uint8_t *counter = &s->table[((struct line *)weir_line_state(c, set, way))->last_pc];
  *counter = (uint8_t)(*counter + (*counter < s->highest));
  c->counters[DEAD_TRAININGS]++;
}

static void evict(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool reused) {
  (void)reused;
  const struct state *s = c->state;
  if (trains(s, a->set) && (s->correcting != a->line + 1 || c->knobs[TRAIN_ON_CORRECTION] != 0))
    train_dead(c, a->set, way);
}

static void invalidate(struct weir_cache_view *c, uint32_t set, uint32_t way) {
  if (trains(c->state, set) && c->knobs[FLUSH_TRAINS] != 0) train_dead(c, set, way);
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  struct state *s = c->state;
  bool corrects = s->correcting == a->line + 1;
  *(struct line *)weir_line_state(c, a->set, way) = (struct line){hash(s, a->pc), corrects};
  if (corrects) s->correcting = 0;
}

static bool reply(struct weir_cache_view *c, struct weir_access *a, bool merged) {
  struct state *s = c->state;
  bool corrects = a->reply_mark && c->knobs[L2_CORRECTION] != 0;
  bool keeps = !corrects && merged && c->knobs[INSTALL_ON_MERGE] != 0;
  c->counters[CORRECTIONS] += corrects;
  c->counters[MERGE_INSTALLS] += keeps;
  s->correcting = corrects ? a->line + 1 : 0;
  return corrects || keeps;
}

// The table, and a hashed PC with every line of the sets that train: 512 + 1792 bits for the paper's 16 KiB L1. (The
// paper prints 224 bytes, which is the lines' part alone.)
static uint64_t cost_bits(const struct weir_geometry *g) {
  uint64_t entries = (uint64_t)g->knobs[ENTRIES];
  uint64_t stride = weir_div_up(g->sets, sampled_sets(g->sets, g->knobs));
  return entries * (uint64_t)g->knobs[COUNTER_BITS] + weir_div_up(g->sets, stride) * g->ways * weir_log2(entries) +
    (g->knobs[DUELING] != 0 ? (uint64_t)g->knobs[PSEL_BITS] : 0);
}

static const char *reject(const struct weir_geometry *g) {
  uint64_t highest = weir_mask((unsigned)g->knobs[COUNTER_BITS]);
  if ((uint64_t)g->knobs[THRESHOLD] > highest)
    return "threshold is above the largest value of a counter of counter_bits";
  if ((uint64_t)g->knobs[INITIAL] > highest) return "initial is above the largest value of a counter of counter_bits";
  return g->knobs[DUELING] != 0 ? weir_dueling_reject(g) : NULL;
}

static const char *const hash_names[] = {"fold", "modulo", NULL};

static const struct weir_knob knobs[] = {
  [ENTRIES] = {"entries", WEIR_KNOB_INT, 128, 2, 65536, NULL, true, "counters in the table (section 4.1)"},
  [COUNTER_BITS] = {"counter_bits", WEIR_KNOB_INT, 4, 1, 8, NULL, false, "width of a counter (section 4.1)"},
  [THRESHOLD] = {"threshold", WEIR_KNOB_INT, 8, 1, 255, NULL, false, "bypass from this value on (inferred: half)"},
  [HASH] = {"hash", WEIR_KNOB_CHOICE, HASH_FOLD, 0, 1, hash_names, false,
            "of the instruction's number: exclusive or of its groups, or remainder (inferred)"},
  [INITIAL] = {"initial", WEIR_KNOB_INT, 0, 0, 255, NULL, false,
               "value of all counters at reset (inferred: cache all)"},
  [L2_CORRECTION] = {"l2_correction", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false,
                     "install what the next cache marks as bypassed before (section 3.2)"},
  [TRAIN_ON_CORRECTION] = {"train_on_correction", WEIR_KNOB_BOOL, 0, 0, 1, NULL, false,
                           "the line evicted for a correction trains (Listing 1: off)"},
  [INSTALL_ON_MERGE] = {"install_on_merge", WEIR_KNOB_BOOL, 0, 0, 1, NULL, false,
                        "install a bypassed line for which others waited too (inferred)"},
  [PENDING_IS_REUSE] = {"pending_is_reuse", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false,
                        "a hit on a line in flight trains as a hit (inferred)"},
  [STORES_ARE_REUSE] = {"stores_are_reuse", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false,
                        "stores and atomics that hit train as loads do (Listing 1: \"each L1 access\")"},
  [FLUSH_TRAINS] =
    {"flush_trains", WEIR_KNOB_BOOL, 0, 0, 1, NULL, false,
     "a line invalidated before it is replaced, as at a kernel's end, trains as an eviction does (inferred)"},
  [DUELING] = {"dueling", WEIR_KNOB_BOOL, 0, 0, 1, NULL, false,
               "leader sets decide whether the others bypass at all (the talk's slide; details inferred)"},
  [LEADERS] = WEIR_DUELING_LEADERS_KNOB,
  [PSEL_BITS] = WEIR_DUELING_PSEL_KNOB,
  [SAMPLED_SETS] = {"sampled_sets", WEIR_KNOB_INT, 0, 0, 65536, NULL, false,
                    "sets that train, evenly spread; 0: all (the talk's slide; details inferred)"},
  {0},
};

static const struct weir_policy_counter counters[] = {
  [PREDICTIONS] = {"predictions", "misses", "misses of loads that asked the table", true},
  [PREDICTED_BYPASSES] = {"predicted_bypasses", "misses", "of those, predicted to have no reuse", false},
  [CORRECTIONS] = {"corrections", "lines", "bypassed lines installed after all, as the next cache marked them", false},
  [CORRECTED_REUSES] = {"corrected_reuses", "lines",
                        "of those, hit while in the cache: a prediction of no reuse was wrong", false},
  [MERGE_INSTALLS] = {"merge_installs", "lines", "bypassed lines installed as several requests waited for them", false},
  [LIVE_TRAININGS] = {"live_trainings", "updates", "counters moved down by a hit", true},
  [DEAD_TRAININGS] = {"dead_trainings", "updates", "counters moved up by an eviction", true},
  {0},
};

const struct weir_policy weir_bypass_pcbp = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_BYPASS,
  .name = "pcbp",
  .summary = "PC-based bypassing: loads whose lines are seldom used again are not cached",
  .citation = "Tian et al., Adaptive GPU cache bypassing, GPGPU 2015",
  .knobs = knobs,
  .counters = counters,
  .cache_bytes = cache_bytes,
  .line_bytes = sizeof(struct line),
  .cost_bits = cost_bits,
  .reject = reject,
  .init = init,
  .hit = hit,
  .insert = insert,
  .evict = evict,
  .invalidate = invalidate,
  .miss = miss,
  .reply = reply,
};
