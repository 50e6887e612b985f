// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Energy from end to end: of a program that has a chip for itself, the shares of what all would use are the chip's own
// energy, whichever way they are told; and what the run object says of its counts gives the energy that it says.
#include "weir_process.h"

#include "config/config.h"
#include "scheme/policies.h"
#include "energy/variants.h"
#include "run/experiment.h"
#include "run/mix_energy.h"
#include "run/object.h"
#include "run/numbers.h"

#include <math.h>

#define TRACE WEIR_SOURCE_DIR "/tests/450-trace/data/mcf.wtrace"

static json_t *run_of(const char *const *argv) {
  struct process p = process_run_all(argv);
  if (p.status) fail_msg("status %d: %s", p.status, p.err);
  json_t *run = json_loads(p.out, 0, NULL);
  assert_non_null(run);
  process_free(&p);
  return run;
}
#define RUN_OF(...) run_of((const char *const[]){"run", __VA_ARGS__, "--chip", "apu-2c4g", "--json", NULL})
#define CPU_COUNTS "--cpu-instructions", "50K", "--warmup", "20K"

static double chip_part(const json_t *run, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "total.energy_pj.%s", name);
  return weir_run_number(run, path);
}

static void assert_near(double got, double want) {
  if (!(want > 0 && fabs(got - want) <= 1e-9 * want)) fail_msg("%.12g where %.12g is expected", got, want);
}

static void all_of_it(json_t *run, int requester) {
  const json_t *energy = json_object_get(weir_run_requester(run, requester), "energy_pj");
  assert_near(weir_run_number(energy, "llc_dynamic"),
              chip_part(run, "llc_tag") + chip_part(run, "llc_data") + chip_part(run, "llc_predictor"));
  assert_near(weir_run_number(energy, "network"), chip_part(run, "network"));
  assert_near(weir_run_number(energy, "controller_dynamic"), chip_part(run, "controller_dynamic"));
  assert_near(weir_run_number(energy, "dram_dynamic"), chip_part(run, "dram") + chip_part(run, "dram_activate"));
  json_decref(run);
}

#define BY_EVENTS "--set", "energy.shared_dynamic=events"

static void a_chip_for_itself(void **state) {
  (void)state;
  all_of_it(RUN_OF("histogram"), 0);
  all_of_it(RUN_OF("histogram", BY_EVENTS), 0);
  all_of_it(RUN_OF(TRACE, CPU_COUNTS), 1);
  all_of_it(RUN_OF(TRACE, CPU_COUNTS, BY_EVENTS), 1);
}

// A sum over the parts, the sums among them apart, twice the same; and a variant that changes what it should.
static void priced_again(void **state) {
  (void)state;
  json_t *run = RUN_OF(TRACE "+histogram", CPU_COUNTS, "--gpu-instructions", "60K");
  struct weir_sink sink = {0};
  struct weir_setup setup;
  assert_true(weir_setup_read(&setup, &(struct weir_experiment){.chip = "apu-2c4g", .scheme = "lru"}, &sink));
  struct weir_energy_costs costs;
  weir_scheme_energy_costs(setup.scheme, setup.chip, &costs);
  for (int requester = 0; requester < 2; requester++) {
    const json_t *a = weir_run_requester(run, requester), *energy = json_object_get(a, "energy_pj");
    const char *name;
    json_t *part;
    double sum = 0;
    json_object_foreach((json_t *)energy, name, part) sum += json_number_value(part);
    const double total = weir_run_number(energy, "total");
    assert_near(sum, 3 * total); // the parts; on_chip_dynamic, on_chip_static and dram; total
    assert_near(weir_energy_priced(a, setup.chip, &costs, "total"), total);
    struct weir_energy_costs free_network = costs;
    free_network.network_pj_per_bit = 0;
    assert_near(weir_energy_priced(a, setup.chip, &free_network, "total"), total - weir_run_number(energy, "network"));
  }
  weir_setup_free(&setup);
  json_decref(run);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_chip_for_itself), cmocka_unit_test(priced_again)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
