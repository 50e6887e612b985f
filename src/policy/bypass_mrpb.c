// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The memory request prioritization buffer (MRPB): loads wait in queues by warp in front of the L1, so that the accesses
// of one warp follow each other and its lines are used before others evict them; and a load that the L1 cannot take goes past
// it instead of waiting. Jia et al. (HPCA 2014) have both; Zhao et al. (BUCL, section V) compare with the second alone,
// for every cause of a stall. The first paper bypasses where no way is free (as textbooks summarize it); each cause is a knob.
//
// Warps are the only signature: an access does not tell its thread block.
#include "policy/table.h"

enum { REORDER, QUEUES, DEPTH, DRAIN, BYPASS, ON_NO_WAY, ON_MSHR_FULL, ON_MERGE_FULL, ON_MISS_QUEUE };
enum { QUEUED, TURNS, NO_WAY_BYPASSES, MSHR_BYPASSES, MERGE_BYPASSES, MISS_QUEUE_BYPASSES };

static const char *const drain_names[] = {"greedy", "fixed", "round-robin", "longest", NULL};
enum { GREEDY, FIXED, ROUND_ROBIN, LONGEST };

// A queued request: address, size (32, 64 or 128 bytes), warp, entry of the table of loads in flight, lanes (inferred: the
// paper's is not known to us; descriptions of it suppose 8 to 16 bytes).
enum { REQUEST_BITS = 40 + 2 + 6 + 6 + 32 };

struct state {
  uint32_t last; // queue that went last
};

static struct weir_reorder reorder(const struct weir_geometry *g) {
  if (g->knobs[REORDER] == 0) return (struct weir_reorder){0};
  return (struct weir_reorder){.queues = (uint32_t)g->knobs[QUEUES], .depth = (uint32_t)g->knobs[DEPTH]};
}

static size_t cache_bytes(const struct weir_geometry *g) {
  return g->knobs[REORDER] != 0 ? sizeof(struct state) : 0;
}

static uint32_t enqueue(struct weir_cache_view *c, const struct weir_access *a) {
  c->counters[QUEUED] += a->kind == WEIR_ACCESS_LOAD;
  return a->warp % (uint32_t)c->knobs[QUEUES];
}

static uint32_t longest_of(uint64_t waiting, const uint16_t *lengths) {
  uint32_t best = weir_lowest(waiting);
  for (waiting &= waiting - 1; waiting; waiting &= waiting - 1)
    if (lengths[weir_lowest(waiting)] > lengths[best]) best = weir_lowest(waiting);
  return best;
}

static uint32_t next_of(const struct weir_cache_view *c, uint32_t last, uint64_t waiting, const uint16_t *lengths) {
  uint64_t behind = waiting & ~weir_mask(last + 1);
  switch ((int)c->knobs[DRAIN]) {
  case GREEDY: return waiting >> last & 1 ? last : weir_lowest(waiting);
  case ROUND_ROBIN: return weir_lowest(behind ? behind : waiting);
  case LONGEST: return longest_of(waiting, lengths);
  default: return weir_lowest(waiting);
  }
}

static uint32_t drain(struct weir_cache_view *c, uint64_t waiting, const uint16_t *lengths) {
  struct state *s = c->state;
  uint32_t q = next_of(c, s->last, waiting, lengths);
  c->counters[TURNS] += q != s->last;
  s->last = q;
  return q;
}

static bool stall(struct weir_cache_view *c, struct weir_access *a, enum weir_stall why) {
  static const struct {
    uint8_t knob, counter;
  } causes[WEIR_STALL_COUNT] = {
    [WEIR_STALL_NO_WAY] = {ON_NO_WAY, NO_WAY_BYPASSES},
    [WEIR_STALL_MSHR_FULL] = {ON_MSHR_FULL, MSHR_BYPASSES},
    [WEIR_STALL_MERGE_FULL] = {ON_MERGE_FULL, MERGE_BYPASSES},
    [WEIR_STALL_MISS_QUEUE] = {ON_MISS_QUEUE, MISS_QUEUE_BYPASSES},
  };
  bool bypasses =
    a->kind == WEIR_ACCESS_LOAD && c->knobs[BYPASS] != 0 && causes[why].knob && c->knobs[causes[why].knob] != 0;
  if (bypasses) c->counters[causes[why].counter]++;
  return bypasses;
}

// The queues, and which of them went last.
static uint64_t cost_bits(const struct weir_geometry *g) {
  struct weir_reorder r = reorder(g);
  bool keeps_last = g->knobs[DRAIN] == GREEDY || g->knobs[DRAIN] == ROUND_ROBIN;
  if (!r.queues) return 0;
  return (uint64_t)r.queues * r.depth * REQUEST_BITS + (keeps_last ? weir_log2(2 * r.queues - 1) : 0);
}

static const struct weir_knob knobs[] = {
  [REORDER] = {"reorder", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false, "queue loads by warp in front of the cache"},
  [QUEUES] = {"queues", WEIR_KNOB_INT, 48, 1, WEIR_MAX_REORDER_QUEUES, NULL, false,
              "a warp's is its slot modulo this (inferred: one per warp of a Fermi SM)"},
  [DEPTH] = {"depth", WEIR_KNOB_INT, 8, 1, 1024, NULL, false, "loads that a queue holds (inferred)"},
  [DRAIN] = {"drain", WEIR_KNOB_CHOICE, GREEDY, 0, LONGEST, drain_names, false,
             "fixed: the lowest queue; greedy: the same, but a queue goes on until it is empty (inferred)"},
  [BYPASS] = {"bypass", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false, "loads that would wait for the cache go past it"},
  [ON_NO_WAY] = {"on_no_way", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false, "bypass where every way of the set is reserved"},
  [ON_MSHR_FULL] = {"on_mshr_full", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false,
                    "bypass where no miss-status register is free (Zhao section V: any cause)"},
  [ON_MERGE_FULL] = {"on_merge_full", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false,
                     "bypass where the line's takes no more loads (Zhao section V: any cause)"},
  [ON_MISS_QUEUE] = {"on_miss_queue", WEIR_KNOB_BOOL, 1, 0, 1, NULL, false,
                     "bypass where the queue of misses is full (Zhao section V: any cause)"},
  {0},
};

static const struct weir_policy_counter counters[] = {
  [QUEUED] = {"queued", "accesses", "loads that went through a queue", false},
  [TURNS] = {"turns", "turns", "times that another queue was chosen than the last time", false},
  [NO_WAY_BYPASSES] = {"no_way_bypasses", "accesses", "bypassed because every way of the set was reserved", false},
  [MSHR_BYPASSES] = {"mshr_bypasses", "accesses", "bypassed because no miss-status register was free", false},
  [MERGE_BYPASSES] = {"merge_bypasses", "accesses", "bypassed because the line's took no more loads", false},
  [MISS_QUEUE_BYPASSES] = {"miss_queue_bypasses", "accesses", "bypassed because the queue of misses was full", false},
  {0},
};

const struct weir_policy weir_bypass_mrpb = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_BYPASS,
  .name = "mrpb",
  .summary = "queues loads by warp in front of the cache, and bypasses it instead of waiting for it",
  .citation = "Jia et al., MRPB: Memory request prioritization for massively parallel processors, HPCA 2014",
  .knobs = knobs,
  .counters = counters,
  .cache_bytes = cache_bytes,
  .cost_bits = cost_bits,
  .stall = stall,
  .reorder = reorder,
  .enqueue = enqueue,
  .drain = drain,
};
