// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a run object says of a program's energy is enough to price it again, under the same costs and others.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "config/config.h"
#include "energy/variants.h"
#include "run/mix_energy.h"

// Only what the JSON takes its names from.
static struct weir_cache_config caches[] = {{.name = "l1"}, {.name = "llc"}};
static const struct weir_chip_config chip = {.caches = caches, .caches_count = 2};

static const struct weir_energy_costs costs = {
  .levels = {{.name = "l1", .tag_pj = 1, .instances = 4},
             {.name = "llc", .tag_pj = 2, .read_pj = 5, .write_pj = 7, .instances = 4}},
  .levels_count = 2,
  .network_pj_per_bit = 4,
  .network_static_mw = 6,
  .dram_pj_per_bit = 20,
  .dram_write_pj_per_bit = 5,
  .dram_activate_pj = 30000,
  .core_lane_pj = 50,
  .cpus = {[2] = {.instruction_pj = 300,
                  .static_mw = 2000,
                  .caches = {{.name = "core_l1i"}, {.name = "core_l1d"}, {.name = "core_l2"}}}}};

// Every number another one.
static struct weir_energy_counts made_counts(bool cpu) {
  struct weir_energy_counts n = {.cpu = cpu, .requester = cpu ? 2 : 0};
  double next = 1000;
#define X(name, unit, meaning) n.name = next += 17;
  WEIR_ENERGY_CORE_FIELDS(X)
#undef X
#define X(name, unit, meaning) a->name = next += 17;
  for (unsigned i = 0; i < (cpu ? 3 : 1); i++) {
    struct weir_energy_array *a = &n.own[i];
    WEIR_ENERGY_ARRAY_FIELDS(X)
  }
  struct weir_energy_shared *shared[] = {&n.by_accesses, &n.by_events};
  for (unsigned i = 0; i < 2; i++) {
    struct weir_energy_array *a = &shared[i]->levels[1];
    WEIR_ENERGY_ARRAY_FIELDS(X)
  }
#undef X
#define X(name, unit, meaning) shared[i]->name = next += 17;
  for (unsigned i = 0; i < 2; i++) {
    WEIR_ENERGY_DRAM_FIELDS(X)
  }
#undef X
  return n;
}

static json_t *program(const struct weir_energy_counts *n) {
  json_t *o = json_pack("{s:s, s:i}", "kind", n->cpu ? "cpu" : "gpu", "requester", (int)n->requester);
  json_object_set_new(o, "energy_counts", weir_energy_counts_json(n, &chip));
  return o;
}

static double total(const struct weir_energy_counts *n, const struct weir_energy_costs *c) {
  struct weir_energy_part parts[WEIR_MAX_PROGRAM_PARTS];
  const unsigned count = weir_energy_program_parts(c, n, parts, WEIR_MAX_PROGRAM_PARTS);
  assert_string_equal(parts[count - 1].name, "total");
  return parts[count - 1].picojoules;
}

static void counts_come_back(void **state) {
  (void)state;
  for (unsigned cpu = 0; cpu < 2; cpu++) {
    const struct weir_energy_counts n = made_counts(cpu);
    json_t *o = program(&n);
    struct weir_energy_counts back;
    memset(&back, 0, sizeof back);
    assert_true(weir_energy_counts_read(o, &chip, &back));
    assert_true(back.cpu == n.cpu && back.requester == n.requester);
    unsigned count;
    const struct weir_energy_variant *variants = weir_energy_variants(&count);
    for (unsigned i = 0; i < count; i++) {
      struct weir_energy_costs c = costs;
      variants[i].apply(&c);
      assert_true(weir_energy_priced(o, &chip, &c, "total") == total(&n, &c));
    }
    assert_true(isnan(weir_energy_priced(o, &chip, &costs, "none")));
    json_object_del(o, "energy_counts");
    assert_true(isnan(weir_energy_priced(o, &chip, &costs, "total")));
    json_decref(o);
  }
}

static double under(const char *name, const struct weir_energy_counts *n, const char *part) {
  struct weir_energy_costs c = costs;
  unsigned count;
  const struct weir_energy_variant *variants = weir_energy_variants(&count);
  for (unsigned i = 0; i < count; i++)
    if (!strcmp(variants[i].name, name)) variants[i].apply(&c);
  json_t *o = program(n);
  const double picojoules = weir_energy_priced(o, &chip, &c, part);
  json_decref(o);
  return picojoules;
}

static void assert_near(double got, double want) {
  if (!(fabs(got - want) <= 1e-9 * fabs(want))) fail_msg("%.12g where %.12g is expected", got, want);
}

// Each variant changes what its name says, by hand.
static void variants_change_costs(void **state) {
  (void)state;
  struct weir_energy_counts n = {.cpu = true,
                                 .requester = 2,
                                 .time_ps = 1000,
                                 .instructions = 10,
                                 .network_bits = 100,
                                 .time_share_ps = 600,
                                 .equal_share_ps = 500};
  n.by_accesses.levels[1] = (struct weir_energy_array){.tags = 10, .reads = 3, .writes = 2, .lookups = 9};
  n.by_events.levels[1] = (struct weir_energy_array){.tags = 8, .reads = 2};
  n.by_accesses.read_bits = 1000;
  n.by_accesses.write_bits = 200;
  n.by_accesses.activates = 2;
  assert_near(under("", &n, "llc_dynamic"), 10 * 2 + 3 * 5 + 2 * 7);
  assert_near(under("by-events", &n, "llc_dynamic"), 8 * 2 + 2 * 5);
  assert_near(under("llc-parallel", &n, "llc_dynamic"), 10 * 2 + 9 * 20);
  assert_near(under("llc-low", &n, "llc_dynamic"), 49 * 484. / 734);
  assert_near(under("network-none", &n, "network"), 0);
  assert_near(under("network-low", &n, "network"), 50);
  assert_near(under("network-high", &n, "network"), 1000);
  assert_near(under("", &n, "network_static"), 6 * 0.6);
  assert_near(under("equally", &n, "network_static"), 6 * 0.5);
  assert_near(under("", &n, "dram_dynamic"), 1200 * 20 + 200 * 5 + 60000);
  assert_near(under("dram-low", &n, "dram_dynamic"), 1200 * 14 + 8000);
  assert_near(under("dram-high", &n, "dram_dynamic"), 1200 * 50 + 60000);
  assert_near(under("cpu-high", &n, "core_dynamic"), 6000);
  assert_near(under("cpu-low", &n, "core_dynamic"), 1500);
  assert_near(under("static-low", &n, "core_static"), 1000);
  assert_near(under("static-high", &n, "core_static"), 2000 * 2639. / 1150);
  n = (struct weir_energy_counts){.thread_instructions = 10};
  assert_near(under("gpu-high", &n, "core_dynamic"), 1000);
  assert_near(under("gpu-low", &n, "core_dynamic"), 250);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(counts_come_back), cmocka_unit_test(variants_change_costs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
