// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Cache-conscious wavefront scheduling (Rogers et al., MICRO 2012; details as in the authors' simulator, ccws-2012).
// Each warp has a victim tag array: the tags of lines that it brought and that were evicted. A load that misses and finds
// its line there has lost locality to the other warps, and its warp's score rises to
//
//   LLDS = hits in victim tags / instructions issued × k × cutoff, of the resident warps; cutoff = base × resident warps.
//
// Scores fall by one per cycle to `base`. Warps in order of their scores, the higher first, then the lower slot, may load
// until the sum of those scores reaches the cutoff; the rest may issue anything but global and local loads. With all
// scores at base that is everyone.
//
// Forward progress (inferred): the first in that order always may load. If it waits at a barrier, those that it waits
// for must not be held back; which they are cannot be seen, so all may load (waiting: release), or the order is that of
// the warps that do not wait (waiting: extend).
//
// No warp starves: hits in victim tags come from loads of warps that were let go. Once there are none, everyone may load
// after LLDS − base cycles at most; while there are, those with the higher scores run, and end. So a warp is held back no
// longer than others of its launch run, and k × cutoff cycles, times the accesses that an instruction may have.
//
// A tag that is evicted again is not entered again. The victim tags are looked up before the miss's own victim enters, and
// keep what they have when a warp ends; the next in its slot finds it. Both are as this model's caches call their policies.
#include "policy/table.h"

#include <string.h>

enum { K, BASE, ENTRIES, SETS, WAITING };
enum { WAITING_RELEASE, WAITING_EXTEND };
enum { LOST_LOCALITY, VICTIM_TAGS, DROPPED_TAGS };
enum { MAX_WARPS = 64, ADDRESS_BITS = 32, SCORE_BITS = 10, TOTAL_BITS = 32 };

struct line { // of the cache
  uint64_t tag;
  uint16_t warp; // that brought it
};

struct warp {
  uint64_t hits;      // in its victim tags, since it started
  weir_cycle at_base; // when its score is at base again
};

struct state {
  struct warp warps[MAX_WARPS];
  struct weir_allowance answer; // the last one, of
  uint64_t resident, waiting;   // these warps
  bool changed;                 // since then, a score rose, or a warp started or ended
  uint64_t tags[];              // per warp and set of its victim tags, the oldest first; 0: none
};

static size_t cache_bytes(const struct weir_geometry *g) {
  return sizeof(struct state) + g->warps * (size_t)g->knobs[ENTRIES] * sizeof(uint64_t);
}

static const char *reject(const struct weir_geometry *g) {
  return g->knobs[SETS] > g->knobs[ENTRIES] ? "vta_sets must not exceed vta_entries" : NULL;
}

// ---- victim tags ----------------------------------------------------------------------------------------------------------

static uint32_t ways(const struct weir_cache_view *c) {
  return (uint32_t)(c->knobs[ENTRIES] / c->knobs[SETS]);
}

static uint64_t tag_of(const struct weir_cache_view *c, const struct weir_access *a) {
  return a->line / c->line_bytes + 1;
}

static uint64_t *victims(const struct weir_cache_view *c, uint32_t warp, uint64_t tag) {
  struct state *s = c->state;
  uint32_t sets = (uint32_t)c->knobs[SETS];
  return s->tags + (warp * sets + ((tag - 1) & (sets - 1))) * (size_t)ways(c);
}

// Where the tag is, or ways().
static uint32_t find(const uint64_t *set, uint32_t n, uint64_t tag) {
  uint32_t i = 0;
  while (i < n && set[i] != tag) i++;
  return i;
}

// The tags after `at` move up, and the last place is free.
static void drop(uint64_t *set, uint32_t n, uint32_t at) {
  memmove(set + at, set + at + 1, (n - at - 1) * sizeof *set);
  set[n - 1] = 0;
}

static void insert(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  *(struct line *)weir_line_state(c, a->set, way) = (struct line){tag_of(c, a), a->warp};
}

static void evict(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool reused) {
  (void)reused;
  const struct line *l = weir_line_state(c, a->set, way);
  uint32_t n = ways(c);
  uint64_t *set = victims(c, l->warp, l->tag);
  if (find(set, n, l->tag) < n) return;
  if (set[n - 1]) drop(set, n, 0);
  set[find(set, n, 0)] = l->tag;
  c->counters[VICTIM_TAGS]++;
}

// What is written is worth nothing to whoever had it.
static void store(struct weir_cache_view *c, struct weir_access *a) {
  uint32_t n = ways(c);
  uint64_t tag = tag_of(c, a);
  for (uint32_t warp = 0; warp < c->core->warps; warp++) {
    uint64_t *set = victims(c, warp, tag);
    uint32_t at = find(set, n, tag);
    if (at == n) continue;
    drop(set, n, at);
    c->counters[DROPPED_TAGS]++;
  }
}

static void launch(struct weir_cache_view *c, uint64_t number) {
  (void)number;
  struct state *s = c->state;
  memset(s->tags, 0, c->core->warps * (size_t)c->knobs[ENTRIES] * sizeof *s->tags);
}

// ---- scores -----------------------------------------------------------------------------------------------------------------

static uint64_t base(const struct weir_cache_view *c) {
  return (uint64_t)c->knobs[BASE];
}

static uint64_t cutoff(const struct weir_cache_view *c) {
  uint64_t sum = c->core->count * base(c);
  return sum ? sum : 1;
}

static uint64_t lost_locality_score(const struct weir_cache_view *c) {
  const struct state *s = c->state;
  uint64_t hits = 0, instructions = 0;
  for (uint32_t i = 0; i < c->core->count; i++) {
    hits += s->warps[c->core->by_age[i]].hits;
    instructions += c->core->issued[c->core->by_age[i]];
  }
  return instructions ? hits * (uint64_t)c->knobs[K] * cutoff(c) / instructions : 0;
}

static bool miss(struct weir_cache_view *c, struct weir_access *a) {
  struct state *s = c->state;
  uint32_t n = ways(c);
  uint64_t tag = tag_of(c, a);
  if (find(victims(c, a->warp, tag), n, tag) == n || !(c->core->resident >> a->warp & 1)) return false;
  c->counters[LOST_LOCALITY]++;
  s->warps[a->warp].hits++;
  uint64_t score = lost_locality_score(c);
  s->warps[a->warp].at_base = score > base(c) ? a->now + score - base(c) : a->now;
  s->changed = true;
  return false;
}

static void forget(struct weir_cache_view *c, uint32_t warp) {
  struct state *s = c->state;
  s->warps[warp] = (struct warp){0};
  s->changed = true;
}

// ---- who may load -----------------------------------------------------------------------------------------------------------

struct order { // of the warps that count, by score
  uint8_t warps[MAX_WARPS];
  uint64_t above[MAX_WARPS]; // of each one's score, above base
  uint32_t count;
};

static void add(struct order *o, uint32_t warp, uint64_t above) {
  uint32_t at = o->count++;
  for (; at && o->above[at - 1] < above; at--) {
    o->warps[at] = o->warps[at - 1];
    o->above[at] = o->above[at - 1];
  }
  o->warps[at] = (uint8_t)warp;
  o->above[at] = above;
}

static void sort(const struct weir_cache_view *c, weir_cycle now, struct order *o) {
  const struct state *s = c->state;
  uint64_t warps = c->core->resident & ~(c->knobs[WAITING] == WAITING_EXTEND ? c->core->waiting : 0);
  o->count = 0;
  for (; warps; warps &= warps - 1) {
    uint32_t warp = weir_lowest(warps);
    add(o, warp, s->warps[warp].at_base > now ? s->warps[warp].at_base - now : 0);
  }
}

// The shortest run of warps from the first whose scores sum up to the cutoff, else all. *until: the next cycle in which
// that may be another one. Sums fall by one per cycle and score above base; the first of these scores to reach base is the
// last in the order.
static uint64_t exclusive(const struct weir_cache_view *c, const struct order *o, weir_cycle now, weir_cycle *until) {
  uint64_t sum = 0, list = 0, need = cutoff(c), raised = 0, soonest = 0;
  *until = WEIR_NEVER;
  for (uint32_t i = 0; i < o->count; i++) {
    list |= UINT64_C(1) << o->warps[i];
    sum += base(c) + o->above[i];
    raised += o->above[i] > 0;
    soonest = o->above[i] ? o->above[i] : soonest;
    if (sum < need || i + 1 == o->count) continue;
    uint64_t falls_short = raised ? (sum - need) / raised + 1 : 0;
    *until = raised ? now + (falls_short < soonest ? falls_short : soonest) : WEIR_NEVER;
    break;
  }
  return list;
}

static uint64_t loaders(const struct weir_cache_view *c, weir_cycle now, weir_cycle *until) {
  struct order o;
  sort(c, now, &o);
  *until = WEIR_NEVER;
  if (!o.count || c->core->waiting >> o.warps[0] & 1) return c->core->resident;
  return exclusive(c, &o, now, until);
}

static void allowed(struct weir_cache_view *c, weir_cycle now, struct weir_allowance *out) {
  struct state *s = c->state;
  if (s->changed || s->resident != c->core->resident || s->waiting != c->core->waiting || now >= s->answer.until) {
    weir_cycle next;
    s->answer.issue = s->resident = c->core->resident;
    s->waiting = c->core->waiting;
    s->changed = false;
    s->answer.loads = loaders(c, now, &s->answer.until);
    while (s->answer.until != WEIR_NEVER && loaders(c, s->answer.until, &next) == s->answer.loads)
      s->answer.until = next;
  }
  *out = s->answer;
}

// ---- the descriptor ---------------------------------------------------------------------------------------------------------

static unsigned bits_for(uint64_t values) {
  return values > 1 ? weir_log2(values - 1) + 1 : 1;
}

// Victim tags, the warp that brought each line, a score of 10 bits per warp, and the two totals.
static uint64_t cost_bits(const struct weir_geometry *g) {
  uint64_t entries = (uint64_t)g->knobs[ENTRIES], sets = (uint64_t)g->knobs[SETS];
  unsigned tag_bits = ADDRESS_BITS - weir_log2(g->line_bytes) - weir_log2(sets);
  return g->warps * (entries * tag_bits + SCORE_BITS) + (uint64_t)g->sets * g->ways * bits_for(g->warps) +
    2 * (uint64_t)TOTAL_BITS;
}

static const char *const waits[] = {"release", "extend", NULL};

static const struct weir_knob knobs[] = {
  [K] = {"k", WEIR_KNOB_INT, 8, 1, 1024, NULL, false, "how hard lost locality throttles (authors' simulator: 8)"},
  [BASE] = {"base", WEIR_KNOB_INT, 100, 1, 10000, NULL, false, "score of a warp that loses none (authors' simulator)"},
  [ENTRIES] = {"vta_entries", WEIR_KNOB_INT, 16, 1, 256, NULL, true, "victim tags per warp (authors' simulator: 16)"},
  [SETS] = {"vta_sets", WEIR_KNOB_INT, 2, 1, 256, NULL, true, "sets of these tags, FIFO each (authors' simulator: 2)"},
  [WAITING] = {"waiting", WEIR_KNOB_CHOICE, WAITING_RELEASE, 0, 1, waits, false,
               "if the highest score is of a warp at a barrier: let all load, or pass over waiting warps (inferred)"},
  {0},
};

static const struct weir_policy_counter counters[] = {
  [LOST_LOCALITY] = {"lost_locality", "misses", "misses of loads found in their warp's victim tags", false},
  [VICTIM_TAGS] = {"victim_tags", "evictions", "evicted lines whose tags were entered", false},
  [DROPPED_TAGS] = {"dropped_tags", "tags", "victim tags that stores invalidated", false},
  {0},
};

const struct weir_policy weir_throttle_ccws = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_THROTTLE,
  .name = "ccws",
  .summary = "cache-conscious wavefront scheduling: warps that lose locality to others load, the others may not",
  .citation = "Rogers et al., Cache-conscious wavefront scheduling, MICRO 2012",
  .knobs = knobs,
  .counters = counters,
  .cache_bytes = cache_bytes,
  .line_bytes = sizeof(struct line),
  .cost_bits = cost_bits,
  .reject = reject,
  .launch = launch,
  .miss = miss,
  .insert = insert,
  .evict = evict,
  .store = store,
  .allowed = allowed,
  .start = forget,
  .end = forget,
};
