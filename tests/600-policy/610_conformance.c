// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The conformance suite over every built-in policy, and over policies made wrong on purpose, which it must catch.
#include "policy/conform/conform.h"
#include "rig.h"

static void conforms(void **state) {
  const struct weir_policy *p = *state;
  char message[800];
  assert_ptr_equal(weir_policy_find(p->kind, p->name), p);
  if (weir_policy_conform(p, message, sizeof message)) fail_msg("%s", message);
}

// ---- mutants: a conformance suite that cannot fail tells nothing ----------------------------------------------------------

static uint64_t one_bit_per_line(const struct weir_geometry *g) {
  return (uint64_t)g->sets * g->ways;
}

static uint32_t first(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  (void)c, (void)a;
  return weir_lowest(candidates);
}

static uint32_t way_zero(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  (void)c, (void)a, (void)candidates;
  return 0;
}

static uint32_t remembers(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  static unsigned calls; // what no policy may keep
  (void)c, (void)a;
  return calls++ & 1 ? weir_lowest(candidates) : weir_log2(candidates);
}

static void writes_beyond(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  *((uint8_t *)weir_line_state(c, a->set, way) + 1) = 1; // the last line's second byte is not its own
}

static void writes_before(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  *((uint8_t *)weir_line_state(c, a->set, way) - 1) = 1;
}

static void edits_request(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)c, (void)way;
  a->pc = 0;
}

static void counts_undeclared(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)a, (void)way;
  c->counters[0]++;
}

static void reads_nothing(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)a, (void)way;
  c->counters += *(volatile uint64_t *)c->state; // it asked for none: behind its end no page is
}

static void ends_the_process(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)c, (void)a, (void)way;
  exit(3);
}

static uint32_t often(const struct weir_geometry *g) {
  (void)g;
  return 10;
}

static void edits_sensors(struct weir_cache_view *c, const struct weir_sensors *sensors) {
  (void)c;
  struct weir_core_sensors *core = (struct weir_core_sensors *)(uintptr_t)sensors->core;
  core[sensors->cores - 1].loads.hits++;
}

static size_t sixteen_bytes(const struct weir_geometry *g) {
  (void)g;
  return 16;
}

static void writes_beyond_scope(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)a, (void)way;
  ((uint8_t *)c->scope->state)[16] = 1;
}

static void writes_in_scope(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)a, (void)way;
  ((uint8_t *)c->scope->state)[15]++;
}

static void edits_what_it_looks_at(struct weir_cache_view *c, struct weir_access *a, uint32_t way) {
  (void)c, (void)way;
  a->requester = 8;
}

static void counts_launches(struct weir_cache_view *c, uint64_t number) {
  c->counters[1] = number + 1;
}

static void edits_store(struct weir_cache_view *c, struct weir_access *a) {
  (void)c;
  a->warp++;
}

static uint64_t costs_nothing(const struct weir_geometry *g) {
  (void)g;
  return 0;
}

static struct weir_reorder two_queues(const struct weir_geometry *g) {
  (void)g;
  return (struct weir_reorder){.queues = 2, .depth = 4};
}

static uint32_t by_warp(struct weir_cache_view *c, const struct weir_access *a) {
  (void)c;
  return a->warp % 2;
}

static uint32_t by_warp_of_three(struct weir_cache_view *c, const struct weir_access *a) {
  (void)c;
  return a->warp % 3;
}

static uint32_t lowest(struct weir_cache_view *c, uint64_t waiting, const uint16_t *lengths) {
  (void)c, (void)lengths;
  return weir_lowest(waiting);
}

static uint32_t always_one(struct weir_cache_view *c, uint64_t waiting, const uint16_t *lengths) {
  (void)c, (void)waiting, (void)lengths;
  return 1;
}

// ---- and of throttles ------------------------------------------------------------------------------------------------------

static void allows_all(struct weir_cache_view *c, weir_cycle now, struct weir_allowance *out) {
  (void)now;
  out->issue = out->loads = c->core->resident;
}

static void allows_none(struct weir_cache_view *c, weir_cycle now, struct weir_allowance *out) {
  (void)c, (void)now;
  out->issue = out->loads = 0;
}

static void allows_no_loads(struct weir_cache_view *c, weir_cycle now, struct weir_allowance *out) {
  (void)now;
  out->issue = c->core->resident;
  out->loads = 0;
}

static void allows_the_oldest_alone(struct weir_cache_view *c, weir_cycle now, struct weir_allowance *out) {
  (void)now;
  out->issue = out->loads = c->core->count ? UINT64_C(1) << c->core->by_age[0] : 0; // though it may wait
}

static void allows_loads_alone(struct weir_cache_view *c, weir_cycle now, struct weir_allowance *out) {
  (void)now;
  uint64_t able = c->core->resident & ~c->core->waiting;
  out->loads = c->core->resident;
  out->issue = able & -able;
}

static void is_late(struct weir_cache_view *c, weir_cycle now, struct weir_allowance *out) {
  allows_all(c, now, out);
  out->until = now;
}

static void changes_early(struct weir_cache_view *c, weir_cycle now, struct weir_allowance *out) {
  allows_all(c, now, out);
  if (now >> 6 & 1) out->loads = c->core->resident & ~c->core->waiting;
}

static bool bypasses(struct weir_cache_view *c, struct weir_access *a) {
  (void)c, (void)a;
  return true;
}

#define MUTANT .abi = WEIR_POLICY_ABI, .kind = WEIR_POLICY_REPLACE, .name = "mutant", .summary = "s", .citation = "c"
#define REORDERING_MUTANT                                                                                              \
  .abi = WEIR_POLICY_ABI, .kind = WEIR_POLICY_BYPASS, .name = "mutant", .summary = "s", .citation = "c",               \
  .cost_bits = one_bit_per_line, .line_bytes = 1, .reorder = two_queues
#define THROTTLE .abi = WEIR_POLICY_ABI, .kind = WEIR_POLICY_THROTTLE, .name = "mutant", .summary = "s", .citation = "c"
static const struct weir_knob scope[] = {WEIR_SCOPE_KNOB(WEIR_SCOPE_LEVEL, "h"), {0}};
static const struct {
  struct weir_policy policy;
  const char *says;
} mutants[] = {
  {{MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = way_zero}, "expected: one of the candidates"},
  {{MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = remembers},
   "expected: the same, as it keeps no variables"},
  {{MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .insert = writes_beyond},
   "reads and writes nothing but its memory"},
  {{MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .insert = writes_before},
   "it writes byte -1 of its memory by line_bytes"},
  {{MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .insert = edits_request},
   "expected: nothing of it but reply_mark"},
  {{MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .insert = counts_undeclared},
   "expected: none beyond its 0 counters"},
  {{MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .insert = reads_nothing},
   "expected: that it reads and writes nothing but its memory"},
  {{MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .insert = ends_the_process},
   "it ends the process"},
  {{MUTANT, .cost_bits = costs_nothing, .line_bytes = 1, .victim = first}, "costs nothing"},
  {{MUTANT, .cost_bits = one_bit_per_line, .victim = first}, "expected: at most"},
  {{MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .epoch_cycles = often,
    .epoch = edits_sensors},
   "changes the sensors"},
  {{MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .launch = counts_launches},
   "counts in counters[1]"},
  {{MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .look = edits_what_it_looks_at},
   "changes the access"},
  {{MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .knobs = scope,
    .scope_bytes = sixteen_bytes, .insert = writes_beyond_scope},
   "reads and writes nothing but its memory"},
  {{MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .store = edits_store},
   "changes the access"},
  {{REORDERING_MUTANT, .enqueue = by_warp_of_three, .drain = lowest}, "enqueue answers queue 2"},
  {{REORDERING_MUTANT, .enqueue = by_warp, .drain = always_one}, "drain answers queue 1"},
  {{THROTTLE, .cost_bits = one_bit_per_line, .line_bytes = 1, .allowed = allows_none}, "expected: at least one of"},
  {{THROTTLE, .cost_bits = one_bit_per_line, .line_bytes = 1, .allowed = allows_no_loads}, "expected: at least one of"},
  {{THROTTLE, .cost_bits = one_bit_per_line, .line_bytes = 1, .allowed = allows_the_oldest_alone},
   "expected: at least one of"},
  {{THROTTLE, .cost_bits = one_bit_per_line, .line_bytes = 1, .allowed = allows_loads_alone},
   "expected: loads within issue"},
  {{THROTTLE, .cost_bits = one_bit_per_line, .line_bytes = 1, .allowed = is_late}, "expected: later"},
  {{THROTTLE, .cost_bits = one_bit_per_line, .line_bytes = 1, .allowed = changes_early}, "expected: that it stands"},
  {{THROTTLE, .cost_bits = one_bit_per_line, .line_bytes = 1, .allowed = allows_all, .miss = bypasses},
   "expected: false, as it only learns"},
};
enum { MUTANTS = sizeof mutants / sizeof *mutants };
static const struct weir_policy sound[] = {
  {MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first},
  {MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .knobs = scope,
   .scope_bytes = sixteen_bytes, .insert = writes_in_scope},
  {REORDERING_MUTANT, .enqueue = by_warp, .drain = lowest},
};

static void passes_sound_policies(void **state) {
  (void)state;
  char message[800];
  for (unsigned i = 0; i < sizeof sound / sizeof *sound; i++)
    if (weir_policy_conform(&sound[i], message, sizeof message)) fail_msg("policy %u: %s", i, message);
}

static void catches_mutants(void **state) {
  (void)state;
  char message[800];
  for (unsigned i = 0; i < MUTANTS; i++) {
    if (!weir_policy_conform(&mutants[i].policy, message, sizeof message)) fail_msg("mutant %u was not caught", i);
    if (!strstr(message, mutants[i].says)) fail_msg("mutant %u: '%s' lacks '%s'", i, message, mutants[i].says);
  }
}

int main(void) {
  unsigned count;
  const struct weir_policy *const *policies = weir_policies(&count);
  struct CMUnitTest tests[66] = {cmocka_unit_test(catches_mutants), cmocka_unit_test(passes_sound_policies)};
  for (unsigned i = 0; i < count; i++)
    tests[i + 2] = (struct CMUnitTest){policies[i]->name, conforms, NULL, NULL, (void *)(uintptr_t)policies[i]};
  return _cmocka_run_group_tests("conformance", tests, count + 2, NULL, NULL);
}
