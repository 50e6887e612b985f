// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a chip file's energy section may leave out, what it must not say, and what becomes of it.
#include "chip_test.h"

#include <math.h>

static void assert_near(double got, double want) {
  if (!(fabs(got - want) <= 1e-9 * fabs(want))) fail_msg("%.12g where %.12g is expected", got, want);
}

static void with_costs(const struct weir_chip_config *c, void (*look)(const struct weir_energy_costs *costs)) {
  struct weir_sink sink = {0};
  struct weir_chip_config *copy = weir_chip_copy(c);
  struct weir_scheme *s = weir_scheme_read("lru", copy, &sink);
  assert_clean(&sink);
  struct weir_energy_costs costs;
  weir_scheme_energy_costs(s, copy, &costs);
  look(&costs);
  weir_scheme_free(s);
  weir_chip_config_free(copy);
}

static void costs_nothing(const struct weir_energy_costs *c) {
  assert_true(c->core_warp_pj == 0 && c->core_lane_pj == 0 && c->core_static_mw == 0 && c->network_static_mw == 0);
  assert_true(c->controller_request_pj == 0 && c->controller_static_mw == 0 && c->dram_write_pj_per_bit == 0);
  assert_true(c->dram_static_mw == 0 && c->cpus[1].instruction_pj == 0);
  assert_true(c->network_pj_per_bit == 2);
}

// Chips of before say nothing of it: no part of their energy is new.
static void what_is_left_out_costs_nothing(void **state) {
  (void)state;
  struct weir_chip_config *c = read_good("fermi-gtx480");
  with_costs(c, costs_nothing);
  struct weir_energy_costs costs = {0};
  struct weir_run_stats n = {.time_ps = 1000, .warp_instructions = 5, .thread_instructions = 9};
  n.dram.reads = 3;
  struct weir_energy_part parts[WEIR_MAX_ENERGY_PARTS];
  assert_int_equal(weir_energy(&costs, &n, parts, WEIR_MAX_ENERGY_PARTS), 4); // shared, network, dram, dram_activate
  weir_chip_config_free(c);
}

static void set(struct weir_chip_config *c, const char *assignment) {
  struct weir_sink sink = {0};
  assert_true(weir_chip_set(c, assignment, "--set", &sink));
  assert_clean(&sink);
}

// Drawn as ". C0 C1 . / L0 L1 L2 L3 / G0 G1 G2 G3": links between a core and the four slices are 8 for C0, C1, G1, G2
// each and 10 for G0 and G3, 52 in all; the routers of both ends count, one more than links: 76 of 24 pairs. Four
// cores, four channels.
static void costs_of_all(const struct weir_energy_costs *c) {
  assert_near(c->network_pj_per_bit, 1 + 6 * 76. / 24);
  assert_near(c->core_static_mw, 4 * 7);
  assert_near(c->controller_static_mw, 4 * 8);
  assert_near(c->dram_static_mw, 4 * 9);
  assert_near(c->network_static_mw, 10);
  for (unsigned requester = 1; requester <= 2; requester++) {
    assert_near(c->cpus[requester].instruction_pj, 11);
    assert_near(c->cpus[requester].caches[1].read_pj, 12);
    assert_true(c->cpus[requester].caches[1].parallel);
    assert_near(c->cpus[requester].caches[2].leakage_mw, 13);
    assert_string_equal(c->cpus[requester].caches[2].name, "core_l2");
  }
  assert_true(c->cpus[0].instruction_pj == 0 && c->cpus[3].instruction_pj == 0);
  assert_int_equal(c->shared_dynamic, WEIR_ENERGY_BY_EVENTS);
  assert_int_equal(c->shared_static, WEIR_ENERGY_EQUALLY);
}

static void every_value_can_be_set(void **state) {
  (void)state;
  static const char *const values[] = {
    "energy.network_pj_per_bit=1",   "energy.network_hop_pj_per_bit=6", "energy.core_static_mw=7",
    "energy.controller_static_mw=8", "energy.dram_static_mw=9",         "energy.network_static_mw=10",
    "energy.cpu.instruction_pj=11",  "energy.cpu.l1d.read_pj=12",       "energy.cpu.l1d.parallel=true",
    "energy.cpu.l2.leakage_mw=13",   "energy.shared_dynamic=events",    "energy.shared_static=equal",
  };
  struct weir_chip_config *c = read_good("apu-2c4g");
  for (unsigned i = 0; i < sizeof values / sizeof *values; i++) set(c, values[i]);
  with_costs(c, costs_of_all);
  struct weir_sink sink = {0};
  assert_false(weir_chip_set(c, "energy.shared_static=never", "--set", &sink));
  assert_says(&sink, 0, "energy.shared_static must be one of time, equal, not 'never'");
  assert_false(weir_chip_set(c, "energy.cpu.static_mw=-1", "--set", &sink));
  assert_says(&sink, 0, "energy.cpu.static_mw must be a number from 0");
  weir_chip_config_free(c);
}

// A copy of apu-1c4g whose text has `before` replaced by `after`, once.
static void assert_refused(const char *before, const char *after, const char *message) {
  struct weir_sink sink = {0};
  struct weir_chip_config *c = read_good("apu-1c4g");
  size_t size;
  char *text = weir_file_read(c->origins.sources[0], 1 << 20, &size, &sink), *at = strstr(text, before);
  assert_clean(&sink);
  assert_non_null(at);
  char *changed = weir_alloc(size + strlen(after) + 1);
  snprintf(changed, size + strlen(after) + 1, "%.*s%s%s", (int)(at - text), text, after, at + strlen(before));
  assert_null(weir_chip_read(write_yaml(changed), &sink));
  assert_says(&sink, 0, message);
  weir_free(changed);
  weir_free(text);
  weir_chip_config_free(c);
}

static void what_it_must_not_say(void **state) {
  (void)state;
  assert_refused("  cpus:\n    - name: cpu ", "  cpus:\n    - name: big ",
                 "energy.big.name stands where CPU cores 'cpu' are expected");
  assert_refused("shared_dynamic: accesses", "shared_dynamic: both",
                 "shared_dynamic must be one of accesses, events, not 'both'");
  assert_refused("dram_static_mw:", "dram_statics_mw:", "dram_statics_mw");
  assert_refused("instruction_pj: 331", "instruction_pj: much", "instruction_pj must be a number");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_left_out_costs_nothing),
    cmocka_unit_test(every_value_can_be_set),
    cmocka_unit_test(what_it_must_not_say),
  };
  return cmocka_run_group_tests(tests, NULL, remove_yaml);
}
