// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Heterogeneous LLC management (Holey et al., TACO 2014, section 3): a miss of the GPU bypasses if its core had more ready
// wavefronts, as it was made, than the threshold. There are two, low and high: of the cache's sets some lead for either, and so
// do two of the GPU's cores; all others use the one that Algorithm 1 chose from the CPU programs' misses in those sets and
// from those cores' speed. Rules without a cache are in helm.h.
//
// Inferred: that a set's leadership comes before a core's; that the GPU's write misses bypass too, and are forwarded; how
// "energy considerations" decide (the threshold whose leader sets used less); until an epoch has ended, the high threshold. A
// request of another requester that waits for a line that bypasses brings it in.
#include "policy/helm.h"
#include "policy/leaders.h"
#include "policy/table.h"

#include <string.h>

enum {
  PERIOD,
  MISS_LIMIT,
  SPEED_LIMIT,
  LEADERS,
  LOW_CORE,
  HIGH_CORE,
  HOLD,
  LEAST,
  MOST,
  STORES,
  MISS_BASE,
  FEWEST,
  MUST_EXCEED,
  HEADROOM,
  TIE,
  CHOP_BY,
  RESTARTS,
  KEEPS_CHOICE,
  PARALLELISM,
  BUSY,
  GPU_FIRST,
  FILLS_ROOM,
  TAG_ENERGY,
  READ_ENERGY,
  WRITE_ENERGY,
  DRAM_ENERGY,
  SCOPE,
};
enum { LOADS, STORES_FORWARDED, LOW_PERIODS, HIGH_PERIODS, TIES, UPS, DOWNS, TOGGLES, HELD, SILENT_PERIODS };
enum { BY_ENERGY, BY_HABIT };
enum { BY_THRESHOLD, BY_GPU };
enum { INSTANT, MEAN };
enum { CORES = 64, WINDOW_CYCLES = 1024, DIRTY = 1, GPUS = 2 };

static const char *const base_names[] = {"high", "low", "accesses", NULL};
static const char *const headroom_names[] = {"relative", "absolute", NULL};
static const char *const tie_names[] = {"energy", "keep", NULL};
static const char *const chop_names[] = {"threshold", "gpu", NULL};
static const char *const parallelism_names[] = {"instant", "mean", NULL};

// What happened in the leader sets of one threshold, for the energy of it.
struct events {
  uint64_t tags, reads, writes, dram;
};

// Ready wavefronts of a core, averaged over its requests of the last whole window.
struct window {
  uint64_t number;
  uint32_t sum, count;
  uint8_t mean;
};

struct state { // of a cache
  struct weir_leaders leaders;
  struct window windows[CORES];
};

struct shared { // of a scope
  struct weir_helm_thresholds thresholds;
  struct weir_helm_misses misses[WEIR_MAX_REQUESTERS]; // [0] unused
  struct events events[2];                             // by enum weir_helm_choice
  enum weir_helm_choice choice;
  double speed_delta;
};

static size_t cache_bytes(const struct weir_geometry *g) {
  (void)g;
  return sizeof(struct state);
}

static size_t scope_bytes(const struct weir_geometry *g) {
  (void)g;
  return sizeof(struct shared);
}

static void init(struct weir_cache_view *c) {
  struct state *own = c->state;
  struct shared *s = c->scope->state;
  own->leaders = weir_leaders_start(c->sets, c->instances, c->requesters, (uint32_t)c->knobs[LEADERS]);
  s->thresholds.least = (uint8_t)c->knobs[LEAST];
  s->thresholds.most = (uint8_t)c->knobs[MOST];
  weir_helm_reset(&s->thresholds);
  s->choice = WEIR_HELM_HIGH;
}

// Whether the set leads, and for which threshold.
static bool leads(const struct weir_cache_view *c, uint32_t set, enum weir_helm_choice *threshold) {
  const struct state *own = c->state;
  uint32_t role = weir_leaders_role(&own->leaders, set);
  *threshold = role == 0 ? WEIR_HELM_LOW : WEIR_HELM_HIGH;
  return role < WEIR_LEADERS_OF_HELM;
}

// ---- the decision --------------------------------------------------------------------------------------------------------

static enum weir_helm_choice threshold_for(const struct weir_cache_view *c, const struct weir_access *a) {
  const struct shared *s = c->scope->state;
  enum weir_helm_choice threshold;
  if (leads(c, a->set, &threshold)) return threshold;
  if (a->core == c->knobs[LOW_CORE]) return WEIR_HELM_LOW;
  return a->core == c->knobs[HIGH_CORE] ? WEIR_HELM_HIGH : s->choice;
}

static void sample(struct state *own, const struct weir_access *a) {
  struct window *w = &own->windows[a->core % CORES];
  if (a->now / WINDOW_CYCLES != w->number) {
    if (w->count) w->mean = (uint8_t)(w->sum / w->count);
    *w = (struct window){.number = a->now / WINDOW_CYCLES, .mean = w->mean};
  }
  w->sum += a->ready_warps;
  w->count++;
}

static bool bypasses(const struct weir_cache_view *c, const struct weir_access *a) {
  const struct state *own = c->state;
  const struct shared *s = c->scope->state;
  if (a->requester || (a->room && c->knobs[FILLS_ROOM] != 0)) return false;
  unsigned ready = c->knobs[PARALLELISM] == MEAN ? own->windows[a->core % CORES].mean : a->ready_warps;
  return ready > (threshold_for(c, a) == WEIR_HELM_LOW ? s->thresholds.low : s->thresholds.high);
}

static bool miss(struct weir_cache_view *c, struct weir_access *a) {
  bool yes = a->kind == WEIR_ACCESS_LOAD && bypasses(c, a);
  c->counters[LOADS] += yes;
  return yes;
}

static bool store_miss(struct weir_cache_view *c, struct weir_access *a) {
  struct shared *s = c->scope->state;
  enum weir_helm_choice threshold;
  if (c->knobs[STORES] == 0 || !bypasses(c, a)) return false;
  c->counters[STORES_FORWARDED]++;
  if (leads(c, a->set, &threshold)) s->events[threshold].dram++;
  return true;
}

static bool reply(struct weir_cache_view *c, struct weir_access *a, bool merged) {
  (void)c, (void)merged;
  return a->shared_reply;
}

// ---- what is measured ------------------------------------------------------------------------------------------------------

static void count_misses(struct shared *s, const struct weir_access *a, enum weir_helm_choice threshold, bool missed) {
  struct weir_helm_misses *m = &s->misses[a->requester];
  if (threshold == WEIR_HELM_LOW) {
    m->low += missed;
    m->low_accesses++;
  } else {
    m->high += missed;
    m->high_accesses++;
  }
}

static void look(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  struct shared *s = c->scope->state;
  enum weir_helm_choice threshold;
  if (a->requester == 0) sample(c->state, a);
  if (!leads(c, a->set, &threshold)) return;
  bool missed = way == WEIR_NO_WAY, fetches = a->kind == WEIR_ACCESS_LOAD || a->kind == WEIR_ACCESS_ATOMIC;
  s->events[threshold].tags++;
  s->events[threshold].dram += missed && fetches;
  if (a->requester && a->kind != WEIR_ACCESS_WRITEBACK) count_misses(s, a, threshold, missed);
}

static void note_access(struct weir_cache_view *c, const struct weir_access *a, uint32_t way, bool fills) {
  struct shared *s = c->scope->state;
  enum weir_helm_choice threshold;
  uint8_t *line = weir_line_state(c, a->set, way);
  bool writes = a->kind != WEIR_ACCESS_LOAD;
  if (fills) *line = a->requester == 0 ? GPUS : 0;
  *line |= writes ? DIRTY : 0;
  if (!leads(c, a->set, &threshold)) return;
  s->events[threshold].writes += fills || writes;
  s->events[threshold].reads += !fills && !writes;
}

static void hit(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool pending) {
  (void)pending;
  note_access(c, a, way, false);
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  note_access(c, a, way, true);
}

static void evict(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool reused) {
  (void)reused;
  struct shared *s = c->scope->state;
  enum weir_helm_choice threshold;
  if (!(*(const uint8_t *)weir_line_state(c, a->set, way) & DIRTY) || !leads(c, a->set, &threshold)) return;
  s->events[threshold].reads++;
  s->events[threshold].dram++;
}

static uint64_t dead(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  uint64_t gpus = 0;
  for (uint64_t rest = c->knobs[GPU_FIRST] != 0 ? candidates : 0; rest; rest &= rest - 1)
    if (*(const uint8_t *)weir_line_state(c, a->set, weir_lowest(rest)) & GPUS) gpus |= rest & -rest;
  return gpus;
}

// ---- the end of an epoch ---------------------------------------------------------------------------------------------------

static void warmed_up(struct weir_cache_view *c) {
  struct shared *s = c->scope->state;
  memset(s->events, 0, sizeof s->events);
  memset(s->misses, 0, sizeof s->misses);
}

// Every cache of the scope counts what they decided together.
static void count(const struct weir_cache_view *c, unsigned counter) {
  for (uint32_t i = 0; i < c->scope->count; i++) c->scope->caches[i]->counters[counter]++;
}

static double energy(const struct weir_cache_view *c, const struct events *e) {
  return (double)e->tags * c->knobs[TAG_ENERGY] + (double)e->reads * c->knobs[READ_ENERGY] +
    (double)e->writes * c->knobs[WRITE_ENERGY] + (double)e->dram * c->knobs[DRAM_ENERGY];
}

static enum weir_helm_choice tie_choice(const struct weir_cache_view *c) {
  const struct shared *s = c->scope->state;
  double low = energy(c, &s->events[WEIR_HELM_LOW]), high = energy(c, &s->events[WEIR_HELM_HIGH]);
  if (c->knobs[TIE] == BY_HABIT || (low <= high && high <= low)) return s->choice;
  return low < high ? WEIR_HELM_LOW : WEIR_HELM_HIGH;
}

// Keeps the last difference where a sampled core does not exist or had little to do.
static void measure_speed(struct weir_cache_view *c, const struct weir_sensors *sensors) {
  struct shared *s = c->scope->state;
  uint32_t low = (uint32_t)c->knobs[LOW_CORE], high = (uint32_t)c->knobs[HIGH_CORE];
  double least = c->knobs[BUSY] * (double)sensors->epoch_cycles;
  if (low == high || low >= sensors->cores || high >= sensors->cores ||
      (double)sensors->core[low].busy_cycles < least || (double)sensors->core[high].busy_cycles < least) {
    count(c, SILENT_PERIODS);
    return;
  }
  s->speed_delta = weir_helm_speed_delta(sensors->core[low].instructions, sensors->core[high].instructions);
}

static double largest_miss_delta(const struct weir_cache_view *c) {
  const struct shared *s = c->scope->state;
  double largest = 0;
  for (uint32_t i = 1; i < c->requesters; i++) {
    double delta = weir_helm_miss_delta(&s->misses[i], (unsigned)c->knobs[MISS_BASE], (uint64_t)c->knobs[FEWEST]);
    largest = delta > largest ? delta : largest;
  }
  return largest;
}

static void move(struct weir_cache_view *c, enum weir_helm_move direction) {
  struct shared *s = c->scope->state;
  bool toggled,
    moved = weir_helm_move(&s->thresholds, direction, (uint32_t)c->knobs[HOLD], c->knobs[RESTARTS] != 0, &toggled);
  count(c, moved ? direction == WEIR_HELM_UP ? UPS : DOWNS : toggled ? TOGGLES : HELD);
}

static void epoch(struct weir_cache_view *c, const struct weir_sensors *sensors) {
  struct shared *s = c->scope->state;
  const struct weir_helm_limits limits = {c->knobs[MISS_LIMIT], c->knobs[SPEED_LIMIT], c->knobs[MUST_EXCEED] != 0,
                                          c->knobs[HEADROOM] == 0};
  measure_speed(c, sensors);
  bool tied;
  enum weir_helm_choice choice = weir_helm_choose(&limits, largest_miss_delta(c), s->speed_delta, tie_choice(c), &tied);
  bool up = c->knobs[CHOP_BY] == BY_GPU ? s->speed_delta > limits.speed : choice == WEIR_HELM_HIGH;
  move(c, up ? WEIR_HELM_UP : WEIR_HELM_DOWN);
  bool stays = s->thresholds.last == WEIR_HELM_STAY; // a toggle, or held after one
  if (!(stays && c->knobs[KEEPS_CHOICE] != 0)) s->choice = choice;
  if (tied) count(c, TIES);
  count(c, s->choice == WEIR_HELM_LOW ? LOW_PERIODS : HIGH_PERIODS);
  warmed_up(c);
}

// ---- the descriptor --------------------------------------------------------------------------------------------------------

static uint32_t epoch_cycles(const struct weir_geometry *g) {
  return (uint32_t)g->knobs[PERIOD];
}

static const char *reject(const struct weir_geometry *g) {
  if (g->knobs[LEAST] > g->knobs[MOST]) return "knob least must not exceed knob most";
  return g->sets >= 2 ? NULL : "set dueling needs at least two sets";
}

// Table V's 166 bits for one CPU program: two counters of 20 bits, 20 for each of four GPU cores, a threshold of 6 and the
// numbers of the sampled cores at four tiles of 10. Each further program has two counters more. A tie decided by energy
// needs eight counters that the table has not.
static uint64_t scope_bits(const struct weir_geometry *g) {
  uint64_t programs = weir_requester_count(g) > 2 ? weir_requester_count(g) - 1 : 1;
  return 2 * 20 * programs + 4 * 20 + 6 + 4 * 10 + (g->knobs[TIE] == BY_ENERGY ? 8 * 20 : 0);
}

// Which lines are the GPU's is a bit per line.
static uint64_t cost_bits(const struct weir_geometry *g) {
  uint64_t lines = g->knobs[GPU_FIRST] != 0 ? (uint64_t)g->sets * g->ways : 0;
  uint64_t means = g->knobs[PARALLELISM] == MEAN ? 4 * (16 + 10 + 6) : 0; // sum, count and mean for each of four cores
  return lines + means;
}

static const struct weir_knob knobs[] = {
  [PERIOD] = {"period_cycles", WEIR_KNOB_INT, 1e6, 100, 1e9, NULL, false, "core cycles of an epoch (section 3.3: 1M)"},
  [MISS_LIMIT] = {"miss_threshold", WEIR_KNOB_REAL, 0.1, 0.001, 1, NULL, false, "mThreshold (section 3.1.1: 10 %)"},
  [SPEED_LIMIT] = {"speed_threshold", WEIR_KNOB_REAL, 0.05, 0.001, 1, NULL, false, "pThreshold (section 3.1.2: 5 %)"},
  [LEADERS] = WEIR_LEADERS_KNOB,
  [LOW_CORE] = {"low_core", WEIR_KNOB_INT, 0, 0, 65535, NULL, false, "GPU core that uses the low threshold (inferred)"},
  [HIGH_CORE] = {"high_core", WEIR_KNOB_INT, 1, 0, 65535, NULL, false,
                 "GPU core that uses the high threshold (inferred)"},
  [HOLD] = {"hold", WEIR_KNOB_INT, 5, 0, 255, NULL, false,
            "epochs that thresholds stay after a toggle (section 3.3: 5)"},
  [LEAST] = {"least", WEIR_KNOB_INT, 0, 0, 254, NULL, false, "lowest threshold (section 3.1: 0)"},
  [MOST] = {"most", WEIR_KNOB_INT, 63, 0, 254, NULL, false, "highest threshold (section 3.1: 63)"},
  [STORES] = {"stores", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false, "the GPU's write misses may bypass too (inferred)"},
  [MISS_BASE] = {"miss_base", WEIR_KNOB_CHOICE, WEIR_HELM_BY_HIGH, 0, WEIR_HELM_BY_ACCESSES, base_names, false,
                 "what the difference in misses is a part of: MissHigh, MissLow or the accesses (inferred)"},
  [FEWEST] = {"fewest_misses", WEIR_KNOB_INT, 32, 0, 1e6, NULL, false,
              "fewer in the high leader sets say nothing (inferred)"},
  [MUST_EXCEED] = {"must_exceed", WEIR_KNOB_BOOL, 0, 0, 1, NULL, false,
                   "a CPU program is sensitive above mThreshold (section 3.1.1), not from it on (Algorithm 1)"},
  [HEADROOM] =
    {"headroom", WEIR_KNOB_CHOICE, 0, 0, 1, headroom_names, false,
     "how far a difference is from its threshold, Algorithm 1's delta (inferred: in parts of the threshold)"},
  [TIE] = {"tie", WEIR_KNOB_CHOICE, BY_ENERGY, 0, 1, tie_names, false,
           "Algorithm 1's last line: the threshold that costs less energy (inferred), or the last one"},
  [CHOP_BY] = {"chop_by", WEIR_KNOB_CHOICE, BY_THRESHOLD, 0, 1, chop_names, false,
               "thresholds go up where the high one was chosen (section 3.2), or where the GPU is sensitive (3.3)"},
  [RESTARTS] = {"restarts", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false,
                "after a hold thresholds start anew (Figure 9, phase 4), or go on from where they are"},
  [KEEPS_CHOICE] = {"keeps_choice", WEIR_KNOB_BOOL, 0, 0, 1, NULL, false,
                    "a toggle and its hold keep the chosen threshold too (section 3.2), not only where both are (3.3)"},
  [PARALLELISM] = {"parallelism", WEIR_KNOB_CHOICE, INSTANT, 0, 1, parallelism_names, false,
                   "ready wavefronts at the request (section 3), or of the core's requests in the last 1024 cycles"},
  [BUSY] = {"busy", WEIR_KNOB_REAL, 0.5, 0, 1, NULL, false,
            "part of an epoch that both sampled cores must have had blocks, else the last speeds stand (inferred)"},
  [GPU_FIRST] = {"gpu_lines_first", WEIR_KNOB_BOOL, 0, 0, 1, NULL, false,
                 "the GPU's lines leave before all others, over any replacement (inferred)"},
  [FILLS_ROOM] =
    {"fills_room", WEIR_KNOB_BOOL, 0, 0, 1, NULL, false,
     "what finds a way without a line takes it, as it drives nothing out (section 3, literally: it bypasses)"},
  [TAG_ENERGY] = {"tag_pj", WEIR_KNOB_REAL, 22, 0, 1e6, NULL, false, "of a look-up (CACTI 7, 4 MB, 32 ways, 32 nm)"},
  [READ_ENERGY] = {"read_pj", WEIR_KNOB_REAL, 484, 0, 1e6, NULL, false, "of a line's read (likewise)"},
  [WRITE_ENERGY] = {"write_pj", WEIR_KNOB_REAL, 630, 0, 1e6, NULL, false, "of a line's write (likewise)"},
  [DRAM_ENERGY] = {"dram_pj", WEIR_KNOB_REAL, 7168, 0, 1e6, NULL, false, "of a line from or to memory (14 pJ per bit)"},
  [SCOPE] = WEIR_SCOPE_KNOB(WEIR_SCOPE_LEVEL, "who measures and decides (Table V has the bits of one: the level)"),
  {0},
};

static const struct weir_policy_counter counters[] = {
  [LOADS] = {"bypassed_loads", "misses", "loads of the GPU that bypassed", false},
  [STORES_FORWARDED] = {"bypassed_stores", "misses", "stores of the GPU that were forwarded", false},
  [LOW_PERIODS] = {"low_periods", "epochs", "that ended with the low threshold chosen, counted once per cache", false},
  [HIGH_PERIODS] = {"high_periods", "epochs", "that ended with the high threshold chosen, per cache", false},
  [TIES] = {"ties", "epochs", "in which Algorithm 1 came to its last line, per cache", false},
  [UPS] = {"moves_up", "epochs", "after which thresholds moved up, per cache", false},
  [DOWNS] = {"moves_down", "epochs", "after which thresholds moved down, per cache", false},
  [TOGGLES] = {"toggles", "epochs", "in which the direction changed, per cache", false},
  [HELD] = {"held_periods", "epochs", "in which thresholds stayed after a toggle, per cache", false},
  [SILENT_PERIODS] = {"silent_periods", "epochs", "in which a sampled core did not say how fast the GPU is, per cache",
                      false},
  {0},
};

const struct weir_policy weir_bypass_helm = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_BYPASS,
  .name = "helm",
  .summary = "a GPU's misses bypass while its cores have enough ready wavefronts; how many follows who needs the cache",
  .citation =
    "Holey et al., Performance-energy considerations for shared cache management in a heterogeneous multicore "
    "processor, TACO 2014",
  .knobs = knobs,
  .counters = counters,
  .cache_bytes = cache_bytes,
  .scope_bytes = scope_bytes,
  .line_bytes = 1,
  .cost_bits = cost_bits,
  .scope_bits = scope_bits,
  .reject = reject,
  .epoch_cycles = epoch_cycles,
  .init = init,
  .epoch = epoch,
  .warmed_up = warmed_up,
  .look = look,
  .hit = hit,
  .insert = insert,
  .evict = evict,
  .dead = dead,
  .miss = miss,
  .store_miss = store_miss,
  .reply = reply,
};
