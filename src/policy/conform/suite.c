// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The suite: one policy with each bound of each knob, in many caches, alone, again and beside others.
#include "policy/conform/suite.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { STEPS = 1500 };

// A last-level cache that the GPU shares with CPU programs: one of several parts.
#define SHARED(requesters_, sets_, ways_)                                                                              \
  {                                                                                                                    \
    .sets = sets_, .ways = ways_, .line_bytes = 64, .instance = 1, .instances = WEIR_CONFORM_PARTS,                    \
    .requesters = requesters_                                                                                          \
  }

// Of a first-level cache: one of many, in front of a core.
#define FIRST(sets_, ways_, line_bytes_)                                                                               \
  {                                                                                                                    \
    .sets = sets_, .ways = ways_, .line_bytes = line_bytes_, .warps = 48, .instance = 3,                               \
    .instances = WEIR_CONFORM_CORES                                                                                    \
  }

static const struct weir_geometry geometries[] = {
  FIRST(32, 8, 64), FIRST(32, 4, 128), FIRST(64, 16, 64),  FIRST(16, 32, 64), FIRST(4, 64, 32),
  FIRST(8, 6, 128), FIRST(5, 3, 64),   FIRST(3, 17, 64),   FIRST(1, 4, 64),   FIRST(2, 1, 64),
  FIRST(1, 1, 64),  SHARED(3, 64, 32), SHARED(9, 128, 16), SHARED(2, 16, 4),
};
enum { GEOMETRIES = sizeof geometries / sizeof *geometries };

static bool is_rejected(const struct weir_policy_choice *choice, struct weir_geometry g) {
  if (choice->policy->kind == WEIR_POLICY_THROTTLE && !g.warps) return true; // no core is behind it
  g.knobs = choice->knobs;
  return choice->policy->reject && choice->policy->reject(&g);
}

// ---- in one cache ------------------------------------------------------------------------------------------------------

// The caches of one scope.
struct parts {
  struct weir_subject *s[WEIR_CONFORM_PARTS];
  uint32_t count;
};

static struct parts parts_new(struct weir_conform_trial *t, const struct weir_policy_choice *choice,
                              struct weir_geometry g, uint64_t stream) {
  struct parts p = {0};
  g.knobs = choice->knobs;
  p.count = weir_policy_scope_caches(choice->policy, &g);
  for (uint32_t i = 0; i < p.count; i++) {
    if (p.count > 1) g.instance = i;
    p.s[i] = weir_subject_new(t, choice, &g, stream + i, p.s[0]);
  }
  return p;
}

static void parts_step(struct parts *p) {
  for (uint32_t i = 0; i < p->count; i++) weir_subject_step(p->s[i]);
}

static uint64_t parts_end(struct parts *p) {
  uint64_t digest = 0;
  while (p->count--) digest = digest * 31 + weir_subject_end(p->s[p->count]);
  return digest;
}

static uint64_t run(struct weir_conform_trial *t, const struct weir_policy_choice *choice,
                    const struct weir_geometry *g, bool beside) {
  struct parts one = parts_new(t, choice, *g, 1), other = {0};
  if (beside) other = parts_new(t, choice, *g, 11);
  for (unsigned step = 0; step < STEPS; step++) {
    parts_step(&one);
    if (beside) parts_step(&other);
  }
  uint64_t digest = parts_end(&one);
  if (beside) parts_end(&other);
  return digest;
}

// Alone, again, and beside another cache of the same policy: always the same answers.
static void try_behaviour(struct weir_conform_trial *t, const struct weir_policy_choice *choice,
                          const struct weir_geometry *g) {
  uint64_t first = run(t, choice, g, false);
  if (run(t, choice, g, false) != first)
    weir_conform_fail(
      t,
      "the same calls get other answers the second time; expected: the same, as it keeps no variables of "
      "its own");
  if (run(t, choice, g, true) != first)
    weir_conform_fail(t, "it answers otherwise beside another cache; expected: the same, as each has its own memory");
}

// A generator of random bits aside, and a request's 64 bytes in its reorder queues.
static uint64_t most_bits(const struct weir_policy *p, const struct weir_geometry *g, size_t bytes) {
  struct weir_reorder queues = p->reorder ? p->reorder(g) : (struct weir_reorder){0};
  return bytes * 8 + 64 + (uint64_t)queues.queues * queues.depth * 64 * 8;
}

static void try_queues(struct weir_conform_trial *t, const struct weir_policy *p, const struct weir_geometry *g) {
  struct weir_reorder queues = p->reorder ? p->reorder(g) : (struct weir_reorder){0};
  if (queues.queues > WEIR_MAX_REORDER_QUEUES || (queues.queues && !queues.depth))
    weir_conform_fail(t,
                      "reorder answers %" PRIu32 " queues of %" PRIu32 "; expected: at most %d, which hold something",
                      queues.queues, queues.depth, WEIR_MAX_REORDER_QUEUES);
}

// The cost is the same when asked again, does not shrink as the cache grows, is not 0 if the policy keeps anything, and does not
// exceed what its model keeps.
static void try_cost(struct weir_conform_trial *t, const struct weir_policy_choice *choice, struct weir_geometry g) {
  const struct weir_policy *p = choice->policy;
  g.knobs = choice->knobs;
  uint64_t bits = weir_policy_cost_bits(p, &g), lines = (uint64_t)g.sets * g.ways;
  size_t scope = p->scope_bytes ? p->scope_bytes(&g) : 0, cache = p->cache_bytes ? p->cache_bytes(&g) : 0;
  size_t bytes = cache + scope + g.sets * (size_t)p->set_bytes + lines * p->line_bytes;
  uint64_t again = weir_policy_cost_bits(p, &g), most = most_bits(p, &g, bytes);
  if (bits != again)
    weir_conform_fail(t, "it costs %" PRIu64 " bits, and %" PRIu64 " when asked again; expected: the same", bits,
                      again);
  if (bits > most)
    weir_conform_fail(t, "it costs %" PRIu64 " bits and keeps %zu bytes; expected: at most %" PRIu64 " bits", bits,
                      bytes, most);
  if (bytes && g.ways > 1 && !bits && !p->foresees)
    weir_conform_fail(t, "it keeps %zu bytes and costs nothing; expected: cost_bits or scope_bits say more than 0",
                      bytes);
  try_queues(t, p, &g);
  g.sets *= 2;
  if (weir_policy_cost_bits(p, &g) < bits)
    weir_conform_fail(
      t, "it costs %" PRIu64 " bits in a cache of twice the sets; expected: at least %" PRIu64 ", as in half",
      weir_policy_cost_bits(p, &g), bits);
}

// ---- everywhere --------------------------------------------------------------------------------------------------------

static void name_cache(struct weir_conform_trial *t, const struct weir_geometry *g) {
  snprintf(t->cache, sizeof t->cache, "%s cache of %" PRIu32 " sets, %" PRIu32 " ways and lines of %" PRIu32 " bytes",
           g->warps ? "a first-level" : "a shared", g->sets, g->ways, g->line_bytes);
}

// One setting of the knobs, in every one of the first geometries that the policy takes. Returns how many those are.
static unsigned try_setting(struct weir_conform_trial *t, const struct weir_policy_choice *choice, unsigned count) {
  unsigned taken = 0;
  for (unsigned i = 0; i < count; i++) {
    if (is_rejected(choice, geometries[i])) continue;
    taken++;
    name_cache(t, &geometries[i]);
    try_cost(t, choice, geometries[i]);
    try_behaviour(t, choice, &geometries[i]);
  }
  t->cache[0] = 0;
  return taken;
}

// A refused value changes nothing.
static void expect_refused(struct weir_conform_trial *t, struct weir_policy_choice *choice, unsigned index,
                           const char *text) {
  const struct weir_knob *knob = &choice->policy->knobs[index];
  char message[300];
  const double before = choice->knobs[index];
  const char *said = weir_policy_set(choice, knob->name, text, message, sizeof message);
  if (!said || !strstr(said, knob->name) || fabs(choice->knobs[index] - before) > 0)
    weir_conform_fail(t, "it takes '%s'; expected: that its range refuses it", text);
}

static void refuse_values(struct weir_conform_trial *t, struct weir_policy_choice *choice, unsigned index) {
  const struct weir_knob *knob = &choice->policy->knobs[index];
  char text[64];
  expect_refused(t, choice, index, "nonsense");
  expect_refused(t, choice, index, "");
  snprintf(text, sizeof text, "%.0f", knob->highest + 1);
  expect_refused(t, choice, index, text);
  snprintf(text, sizeof text, "%.0f", knob->lowest - 1);
  expect_refused(t, choice, index, text);
  if (knob->type == WEIR_KNOB_INT) expect_refused(t, choice, index, "1.5");
}

// Every knob refuses what lies outside its range or is not of its type, and works at its bounds.
static void try_knob(struct weir_conform_trial *t, const struct weir_policy *p, unsigned index) {
  const struct weir_knob *knob = &p->knobs[index];
  const double bounds[] = {knob->lowest, knob->highest};
  struct weir_policy_choice choice;
  char text[64], message[300];
  weir_policy_defaults(&choice, p);
  snprintf(t->knob, sizeof t->knob, "knob %s", knob->name);
  refuse_values(t, &choice, index);
  for (unsigned b = 0; b < 2; b++) {
    if (knob->power_of_two && !weir_is_pow2((uint64_t)bounds[b])) continue;
    if (knob->type == WEIR_KNOB_CHOICE)
      snprintf(text, sizeof text, "%s", knob->choices[(unsigned)bounds[b]]);
    else
      snprintf(text, sizeof text, "%.17g", bounds[b]);
    snprintf(t->knob, sizeof t->knob, "%s=%s", knob->name, text);
    if (weir_policy_set(&choice, knob->name, text, message, sizeof message) ||
        fabs(choice.knobs[index] - bounds[b]) > 0)
      weir_conform_fail(t, "the bound of its range is refused; expected: that it is taken");
    try_setting(t, &choice, 2);
  }
}

static void try_all(struct weir_conform_trial *t, const struct weir_policy *p) {
  struct weir_policy_choice choice;
  const char *flaw = weir_policy_flaw(p);
  if (flaw) weir_conform_fail(t, "its descriptor is flawed: %s", flaw);
  weir_policy_defaults(&choice, p);
  if (!try_setting(t, &choice, GEOMETRIES))
    weir_conform_fail(
      t, "reject refuses each of %d caches, from 1 to 128 sets of 1 to 64 ways; expected: that it takes one",
      GEOMETRIES);
  for (unsigned i = 0; p->knobs && p->knobs[i].name; i++) try_knob(t, p, i);
}

void weir_conform_suite(struct weir_conform_trial *t, const struct weir_policy *p) {
  if (!setjmp(t->out)) try_all(t, p);
}
