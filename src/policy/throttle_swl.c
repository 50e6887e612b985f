// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Static warp limiting (Rogers et al., Cache-conscious wavefront scheduling, MICRO 2012): the n oldest warps of
// a core may issue, the others hold still. Fewer warps share the cache, and it keeps more of each one's lines. A warp that
// waits at a barrier or fence takes no place among the n, or those it waits for might never come: the next oldest moves up
// (as in the authors' simulator). The best n is found by trying all of them (SWL-Best).
//
// No warp starves: it is held back by older warps alone, and goes once all but n − 1 of those have ended or wait. So it is
// held back no longer than the older warps of its core run. A warp that spins on memory until a younger one writes to it
// is not known to wait: such a program may never end, as it may not under the order of the schedulers alone.
#include "policy/table.h"

enum { WARPS, SCOPE, RESTRICT, GREEDY };
enum { SCOPE_CORE, SCOPE_SCHEDULER };
enum { RESTRICT_ISSUE, RESTRICT_LOADS };
enum { MAX_WARPS = 64 };

struct state {
  uint8_t last[MAX_WARPS]; // per group: the slot that issued last, plus one; 0: none, or its warp has ended
};

static size_t cache_bytes(const struct weir_geometry *g) {
  (void)g;
  return sizeof(struct state);
}

// Warps that share one limit.
static uint32_t group_of(const struct weir_cache_view *c, uint32_t warp) {
  return c->knobs[SCOPE] == SCOPE_SCHEDULER ? warp % c->core->schedulers : 0;
}

static uint32_t groups_of(const struct weir_cache_view *c) {
  return c->knobs[SCOPE] == SCOPE_SCHEDULER ? c->core->schedulers : 1;
}

static uint64_t oldest(const struct weir_cache_view *c) {
  const struct weir_core_view *v = c->core;
  uint32_t limit = (uint32_t)c->knobs[WARPS], groups = groups_of(c), full = 0;
  uint8_t taken[MAX_WARPS] = {0};
  uint64_t list = 0;
  for (uint32_t i = 0; i < v->count && full < groups; i++) {
    uint32_t warp = v->by_age[i], group = group_of(c, warp);
    if (taken[group] == limit) continue;
    list |= UINT64_C(1) << warp;
    taken[group] = (uint8_t)(taken[group] + !(v->waiting >> warp & 1));
    full += taken[group] == limit;
  }
  return list;
}

static uint64_t greedy(const struct weir_cache_view *c) {
  const struct state *s = c->state;
  uint64_t list = 0;
  for (uint32_t group = 0; group < groups_of(c); group++)
    if (s->last[group]) list |= UINT64_C(1) << (s->last[group] - 1);
  return list;
}

static void allowed(struct weir_cache_view *c, weir_cycle now, struct weir_allowance *out) {
  (void)now;
  uint64_t all = c->core->resident, list = all;
  if (c->core->count > c->knobs[WARPS]) list = oldest(c) | (c->knobs[GREEDY] != 0 ? greedy(c) : 0);
  out->loads = list;
  out->issue = c->knobs[RESTRICT] == RESTRICT_LOADS ? all : list;
  out->until = WEIR_NEVER;
}

static void issued(struct weir_cache_view *c, const struct weir_issue *i) {
  struct state *s = c->state;
  s->last[group_of(c, i->warp)] = (uint8_t)(i->warp + 1);
}

static void end(struct weir_cache_view *c, uint32_t warp) {
  struct state *s = c->state;
  if (s->last[group_of(c, warp)] == warp + 1) s->last[group_of(c, warp)] = 0;
}

// The limit alone: the schedulers know the warps' ages and who issued last.
static uint64_t cost_bits(const struct weir_geometry *g) {
  (void)g;
  return 7;
}

static const char *const scopes[] = {"core", "scheduler", NULL};
static const char *const restrictions[] = {"issue", "loads", NULL};

static const struct weir_knob knobs[] = {
  [WARPS] =
    {"warps", WEIR_KNOB_INT, 64, 1, MAX_WARPS, NULL, false,
     "how many may go on at a time; 64: all that a core can hold, no limit (Rogers: the best of a sweep, best:1..N)"},
  [SCOPE] = {"scope", WEIR_KNOB_CHOICE, SCOPE_CORE, 0, 1, scopes, false,
             "of a core, or of each of its schedulers as GPGPU-Sim 4 has it (inferred)"},
  [RESTRICT] = {"restrict", WEIR_KNOB_CHOICE, RESTRICT_ISSUE, 0, 1, restrictions, false,
                "the others may issue nothing, or anything but global and local loads (inferred)"},
  [GREEDY] = {"greedy", WEIR_KNOB_BOOL, 0, 0, 1, NULL, false,
              "the warp that issued last may go on beside the n oldest, as in GPGPU-Sim 4 (inferred)"},
  {0},
};

const struct weir_policy weir_throttle_swl = {
  .abi = WEIR_POLICY_ABI,
  .kind = WEIR_POLICY_THROTTLE,
  .name = "swl",
  .summary = "static warp limiting: the oldest warps of a core go on, the others hold still",
  .citation = "Rogers et al., Cache-conscious wavefront scheduling, MICRO 2012",
  .knobs = knobs,
  .cache_bytes = cache_bytes,
  .cost_bits = cost_bits,
  .allowed = allowed,
  .issued = issued,
  .end = end,
};
