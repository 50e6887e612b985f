// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The energy of two programs on one chip, each part computed by hand: a CPU program that takes 1000 ps and one of the
// GPU that takes 3000 ps (Holey et al. section 6.1).
#include "chip_test.h"

#include "energy/program.h"

#include <math.h>

static const struct weir_energy_costs costs = {
  .levels = {{.name = "l1", .tag_pj = 1, .read_pj = 2, .write_pj = 3, .fill_pj = 4, .leakage_mw = 10, .instances = 4},
             {.name = "llc",
              .tag_pj = 2,
              .read_pj = 5,
              .write_pj = 7,
              .fill_pj = 11,
              .predictor_pj = 1,
              .leakage_mw = 20,
              .instances = 4}},
  .levels_count = 2,
  .shared_pj = 6,
  .network_pj_per_bit = 2,
  .network_static_mw = 5,
  .dram_pj_per_bit = 3,
  .dram_write_pj_per_bit = 1,
  .dram_activate_pj = 100,
  .dram_static_mw = 40,
  .core_warp_pj = 10,
  .core_lane_pj = 1,
  .core_static_mw = 30,
  .controller_request_pj = 50,
  .controller_static_mw = 8,
  .cpus = {[1] = {.instruction_pj = 9,
                  .multiply_pj = 2,
                  .float_pj = 4,
                  .branch_pj = 1,
                  .misprediction_pj = 30,
                  .memory_pj = 5,
                  .static_mw = 25,
                  .caches = {{.name = "core_l1i",
                              .tag_pj = 1,
                              .read_pj = 2,
                              .write_pj = 3,
                              .fill_pj = 4,
                              .leakage_mw = 1,
                              .instances = 1},
                             {.name = "core_l1d",
                              .tag_pj = 1,
                              .read_pj = 2,
                              .write_pj = 3,
                              .fill_pj = 4,
                              .leakage_mw = 2,
                              .instances = 1,
                              .parallel = true},
                             {.name = "core_l2",
                              .tag_pj = 1,
                              .read_pj = 2,
                              .write_pj = 3,
                              .fill_pj = 4,
                              .leakage_mw = 4,
                              .instances = 1}}}},
};

static const struct weir_energy_program programs[] = {
  {.requester = 0,
   .time_ps = 3000,
   .total = {.warp_instructions = 20,
             .thread_instructions = 500,
             .shared_accesses = 7,
             .levels = {{.tag_accesses = 70, .fills = 20, .data_reads = 30},
                        {.tag_accesses = 300, .fills = 100, .data_reads = 150, .data_writes = 50, .writebacks = 30}},
             .dram = {.reads = 50, .writes = 30, .bytes = 5120, .activates = 20}},
   .traffic = {.network_bytes = 100, .dram_reads = 40, .dram_writes = 20, .dram_activates = 15},
   .shared = {[1] = {.at.accesses = 200, .fills = 80, .data_reads = 100, .data_writes = 40, .writebacks = 25}},
   .accesses = {[1] = 300}},
  {.cpu = true,
   .requester = 1,
   .time_ps = 1000,
   .core = {.instructions = 100,
            .multiplies = 10,
            .floats = 5,
            .branches = 20,
            .mispredictions = 2,
            .loads = 30,
            .stores = 10},
   .caches = {{.tag_accesses = 50, .fills = 10, .data_reads = 40},
              {.tag_accesses = 40, .fills = 8, .data_reads = 30, .data_writes = 10, .writebacks = 3}},
   .total = {.warp_instructions = 9,
             .levels = {{.tag_accesses = 30},
                        {.tag_accesses = 200,
                         .fills = 60,
                         .data_reads = 100,
                         .data_writes = 40,
                         .writebacks = 20,
                         .predictor_accesses = 80}},
             .dram = {.reads = 30, .writes = 10, .bytes = 2560, .activates = 12}},
   .traffic = {.network_bytes = 25, .dram_reads = 6, .dram_writes = 2, .dram_activates = 3},
   .shared = {[1] = {.at.accesses = 50, .fills = 10, .data_reads = 30, .data_writes = 5, .writebacks = 2}},
   .accesses = {[1] = 200}},
};
enum { GPU, CPU };

struct priced {
  struct weir_energy_part parts[WEIR_MAX_PROGRAM_PARTS];
  unsigned count;
};

static struct priced price(const struct weir_energy_costs *c, const struct weir_energy_program *p, unsigned which) {
  struct weir_energy_counts counts;
  struct priced e = {0};
  weir_energy_count(p, 2, which, c->levels_count, &counts);
  e.count = weir_energy_program_parts(c, &counts, e.parts, WEIR_MAX_PROGRAM_PARTS);
  return e;
}

static double part(const struct priced *e, const char *name) {
  for (unsigned i = 0; i < e->count; i++)
    if (!strcmp(e->parts[i].name, name)) return e->parts[i].picojoules;
  fail_msg("no part '%s'", name);
  return 0;
}

static void assert_part(const struct priced *e, const char *name, double want) {
  const double got = part(e, name);
  if (!(fabs(got - want) <= 1e-9 * (1 + fabs(want)))) fail_msg("%s: %.12g where %.12g is expected", name, got, want);
}

// 100 × 9 + 10 × 2 + 5 × 4 + 20 × 1 + 2 × 30 + 40 × 5; 25 mW and 1 ns.
static void own_core(void **state) {
  (void)state;
  const struct priced e = price(&costs, programs, CPU);
  assert_part(&e, "core_dynamic", 1220);
  assert_part(&e, "core_static", 25);
  assert_part(&e, "core_l1i_dynamic", 60 * 1 + 40 * 2 + 10 * 4);
  assert_part(&e, "core_l1d_dynamic", 48 * 1 + (40 + 3) * 2 + 8 * 4); // in parallel: each look-up reads
  assert_part(&e, "core_l2_dynamic", 0);
  assert_part(&e, "core_l1i_static", 1);
  assert_part(&e, "core_l1d_static", 2);
  assert_part(&e, "core_l2_static", 4);
}

static void cores_of_the_gpu(void **state) {
  (void)state;
  const struct priced e = price(&costs, programs, GPU);
  assert_part(&e, "core_dynamic", 20 * 10 + 500 * 1 + 7 * 6);
  assert_part(&e, "core_static", 90);
  assert_part(&e, "l1_dynamic", 90 * 1 + 30 * 2 + 20 * 4);
  assert_part(&e, "l1_static", 4 * 10 * 3);
}

// A quarter of the accesses, a fifth of the bursts: whole LLC 260 × 2 + 100 × 5 + 40 × 7 + 60 × 11 + 80 × 1 = 2040. Of
// 3000 ps the share 1000 / 4000: 750 ps.
static void shared_by_accesses_and_time(void **state) {
  (void)state;
  const struct priced e = price(&costs, programs, CPU);
  assert_part(&e, "llc_dynamic", 510);
  assert_part(&e, "llc_static", 80 * 0.75);
  assert_part(&e, "network", 25 * 8 * 2);
  assert_part(&e, "network_static", 5 * 0.75);
  assert_part(&e, "controller_dynamic", 8 * 50);
  assert_part(&e, "controller_static", 8 * 0.75);
  assert_part(&e, "dram_dynamic", 0.2 * (40 * 512 * 3 + 10 * 512 * 1 + 12 * 100));
  assert_part(&e, "dram_static", 40 * 0.75);
  assert_part(&e, "on_chip_dynamic", 1220 + 180 + 166 + 510 + 400 + 400);
  assert_part(&e, "on_chip_static", 25 + 1 + 2 + 4 + 60 + 3.75 + 6);
  assert_part(&e, "dram", 13552 + 30);
  assert_part(&e, "total", 2876 + 101.75 + 13582);
}

// What its own accesses touched; half of its 1000 ps. Of the predictor a quarter, as it is not counted by program.
static void shared_by_events_and_equally(void **state) {
  (void)state;
  struct weir_energy_costs other = costs;
  other.shared_dynamic = WEIR_ENERGY_BY_EVENTS;
  other.shared_static = WEIR_ENERGY_EQUALLY;
  const struct priced e = price(&other, programs, CPU);
  assert_part(&e, "llc_dynamic", 60 * 2 + 30 * 5 + 5 * 7 + 10 * 11 + 20 * 1);
  assert_part(&e, "llc_static", 80 * 0.5);
  assert_part(&e, "dram_dynamic", 8 * 512 * 3 + 2 * 512 * 1 + 3 * 100);
  assert_part(&e, "dram_static", 40 * 0.5);
  assert_part(&e, "controller_static", 8 * 0.5);
  other.levels[1].parallel = true; // 60 × 2 + (50 + 2) × 5 + 10 × 11 + 20
  const struct priced parallel = price(&other, programs, CPU);
  assert_part(&parallel, "llc_dynamic", 510);
}

// Two programs at the same moment, whose counts sum to the chip's: so do the dynamic parts, however they are shared;
// static ones do by time, as does half and half of equal times.
static void shares_sum_to_the_whole(void **state) {
  (void)state;
  struct weir_energy_program same[2] = {programs[GPU], programs[GPU]};
  same[1].cpu = true;
  same[1].requester = 1;
  same[1].shared[1] = (struct weir_requester_counts){
    .at.accesses = 100, .fills = 20, .data_reads = 50, .data_writes = 10, .writebacks = 5};
  same[1].traffic =
    (struct weir_traffic_counts){.network_bytes = 60, .dram_reads = 10, .dram_writes = 10, .dram_activates = 5};
  same[0].total.network_bytes = same[1].total.network_bytes = 160;
  same[0].total.time_ps = 3000;
  struct priced whole = {0};
  whole.count = weir_energy(&costs, &same[0].total, whole.parts, WEIR_MAX_PROGRAM_PARTS);
  struct weir_energy_costs c = costs;
  for (unsigned dynamic = 0; dynamic < 2; dynamic++)
    for (unsigned fixed = 0; fixed < 2; fixed++) {
      c.shared_dynamic = dynamic;
      c.shared_static = fixed;
      const struct priced a = price(&c, same, 0), b = price(&c, same, 1);
      struct priced sum = a;
      for (unsigned i = 0; i < sum.count; i++)
        for (unsigned k = 0; k < b.count; k++)
          if (!strcmp(sum.parts[i].name, b.parts[k].name)) sum.parts[i].picojoules += b.parts[k].picojoules;
      assert_part(&sum, "llc_dynamic",
                  part(&whole, "llc_tag") + part(&whole, "llc_data") + part(&whole, "llc_predictor"));
      assert_part(&sum, "llc_static", part(&whole, "llc_leakage"));
      assert_part(&sum, "network", part(&whole, "network"));
      assert_part(&sum, "network_static", part(&whole, "network_static"));
      assert_part(&sum, "controller_dynamic", part(&whole, "controller_dynamic"));
      assert_part(&sum, "controller_static", part(&whole, "controller_static"));
      assert_part(&sum, "dram_dynamic", part(&whole, "dram") + part(&whole, "dram_activate"));
      assert_part(&sum, "dram_static", part(&whole, "dram_static"));
    }
}

// 4 J for 3 s: 36 J s². Nobody divides by an empty chip's accesses.
static void delay_squared(void **state) {
  (void)state;
  assert_true(fabs(weir_energy_delay_squared(4e12, 3e12) - 36) < 1e-9);
  const struct weir_energy_program idle[2] = {{.requester = 0}, {.cpu = true, .requester = 1}};
  const struct priced e = price(&costs, idle, CPU);
  assert_part(&e, "total", 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(own_core),
    cmocka_unit_test(cores_of_the_gpu),
    cmocka_unit_test(shared_by_accesses_and_time),
    cmocka_unit_test(shared_by_events_and_equally),
    cmocka_unit_test(shares_sum_to_the_whole),
    cmocka_unit_test(delay_squared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
