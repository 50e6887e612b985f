// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The conformance suite over every built-in policy, and over policies made wrong on purpose, which it must catch.
#include "conformance.h"

#include <sys/wait.h>

static void conforms(void **state) {
  conform(*state);
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

static uint32_t often(const struct weir_geometry *g) {
  (void)g;
  return 10;
}

static void edits_sensors(struct weir_cache_view *c, const struct weir_sensors *sensors) {
  (void)c;
  struct weir_core_sensors *core = (struct weir_core_sensors *)(uintptr_t)sensors->core;
  core[CONFORMANCE_CORES - 1].loads.hits++;
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
  a->owner = 8;
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
static const struct weir_policy mutants[] = {
  {MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = way_zero},
  {MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = remembers},
  {MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .insert = writes_beyond},
  {MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .insert = writes_before},
  {MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .insert = edits_request},
  {MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .insert = counts_undeclared},
  {MUTANT, .cost_bits = costs_nothing, .line_bytes = 1, .victim = first},
  {MUTANT, .cost_bits = one_bit_per_line, .victim = first},
  {MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .epoch_cycles = often,
   .epoch = edits_sensors},
  {MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .launch = counts_launches},
  {MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .look = edits_what_it_looks_at},
  {MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .knobs = scope,
   .scope_bytes = sixteen_bytes, .insert = writes_beyond_scope},
  {MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .store = edits_store},
  {REORDERING_MUTANT, .enqueue = by_warp_of_three, .drain = lowest},
  {REORDERING_MUTANT, .enqueue = by_warp, .drain = always_one},
  {THROTTLE, .cost_bits = one_bit_per_line, .line_bytes = 1, .allowed = allows_none},
  {THROTTLE, .cost_bits = one_bit_per_line, .line_bytes = 1, .allowed = allows_no_loads},
  {THROTTLE, .cost_bits = one_bit_per_line, .line_bytes = 1, .allowed = allows_the_oldest_alone},
  {THROTTLE, .cost_bits = one_bit_per_line, .line_bytes = 1, .allowed = allows_loads_alone},
  {THROTTLE, .cost_bits = one_bit_per_line, .line_bytes = 1, .allowed = is_late},
  {THROTTLE, .cost_bits = one_bit_per_line, .line_bytes = 1, .allowed = changes_early},
  {THROTTLE, .cost_bits = one_bit_per_line, .line_bytes = 1, .allowed = allows_all, .miss = bypasses},
};
enum { MUTANTS = sizeof mutants / sizeof *mutants };
static const struct weir_policy sound[] = {
  {MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first},
  {MUTANT, .cost_bits = one_bit_per_line, .line_bytes = 1, .victim = first, .knobs = scope,
   .scope_bytes = sixteen_bytes, .insert = writes_in_scope},
  {REORDERING_MUTANT, .enqueue = by_warp, .drain = lowest},
};

static int run_mutant(unsigned index) {
  struct weir_policy_choice choice;
  weir_policy_defaults(&choice, index < MUTANTS ? &mutants[index] : &sound[index - MUTANTS]);
  return conform_everywhere(&choice, 4) == 4 ? 0 : 1;
}

// Whether the suite passes in a process of its own, as a fault or a failed assertion ends it: this program again, with the
// mutant's number.
static bool passes(unsigned index) {
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (!child) {
    char number[16];
    snprintf(number, sizeof number, "%u", index);
    if (freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr))
      execl("/proc/self/exe", "mutant", number, (char *)NULL);
    _exit(0); // taken for a pass, which fails the test
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void catches_mutants(void **state) {
  (void)state;
  for (unsigned i = 0; i < sizeof sound / sizeof *sound; i++) assert_true(passes(MUTANTS + i));
  for (unsigned i = 0; i < MUTANTS; i++)
    if (passes(i)) fail_msg("mutant %u was not caught", i);
}

int main(int argc, char **argv) {
  if (argc == 2) return run_mutant((unsigned)atoi(argv[1]));
  unsigned count;
  const struct weir_policy *const *policies = weir_policies(&count);
  struct CMUnitTest tests[64] = {cmocka_unit_test(catches_mutants)};
  for (unsigned i = 0; i < count; i++)
    tests[i + 1] = (struct CMUnitTest){policies[i]->name, conforms, NULL, NULL, (void *)(uintptr_t)policies[i]};
  return _cmocka_run_group_tests("conformance", tests, count + 1, NULL, NULL);
}
