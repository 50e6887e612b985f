// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Several programs on one chip: PCs are unique, counts are kept apart, and a program may go before the chip does.
#include "device.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

// One load: 4 instructions and the exit.
static const char one_load[] =
  HEAD ".visible .entry copy(.param .u64 a) { .reg .b64 %d1; .reg .b32 %r1;\n"
       "ld.param.u64 %d1, [a]; ld.global.u32 %r1, [%d1]; add.u32 %r1, %r1, 1; st.global.u32 [%d1], %r1; exit; }\n";

// Two loads of one line, and more registers than a word of the scoreboard has bits.
static const char two_loads[] =
  HEAD ".visible .entry sum(.param .u64 a) { .reg .b64 %d1; .reg .b32 %r<100>;\n"
       "ld.param.u64 %d1, [a]; ld.global.u32 %r98, [%d1]; ld.global.u32 %r99, [%d1+4]; add.u32 %r98, %r98, %r99;\n"
       "st.global.u32 [%d1+8], %r98; exit; }\n"
       ".visible .entry when(.param .u64 a) { .reg .b64 %d<3>;\n"
       "ld.param.u64 %d1, [a]; mov.u64 %d2, %globaltimer; st.global.u64 [%d1+16], %d2; exit; }\n";

// A chip, and 64 bytes whose address every kernel here takes.
struct rig {
  struct device device;
  uint64_t buffer;
};

static void set_up(struct rig *r) {
  open_device(&r->device, "fermi-gtx480", NULL);
  r->buffer = weir_memory_alloc(r->device.memory, "a", 64);
}

static void run(struct rig *r, const struct code *c, const char *kernel) {
  launch(&r->device, c, kernel, 1, 32, &r->buffer);
}

static uint64_t executions(const struct rig *r, uint32_t pc) {
  uint32_t count;
  const struct weir_pc_stats *pcs = weir_chip_pcs(r->device.chip, &count);
  return pc < count ? weir_pc_total(&pcs[pc]).executions : 0;
}

static void each_program_has_its_own_pcs_and_counts(void **state) {
  (void)state;
  struct rig r;
  set_up(&r);
  struct code a = load(&r.device, one_load), b = load(&r.device, two_loads);
  uint32_t count;
  weir_program_statics(a.program, &count);
  const uint32_t first = weir_program_first_pc(b.program);
  assert_int_equal(weir_program_first_pc(a.program), 0);
  assert_int_equal(first, count);
  run(&r, &b, "sum"); // the one loaded later runs first
  run(&r, &a, "copy");
  run(&r, &b, "sum");
  run(&r, &a, "copy");
  run(&r, &a, "copy");
  assert_int_equal(executions(&r, 1), 3); // after ld.param
  assert_int_equal(executions(&r, first + 1), 2);
  assert_int_equal(executions(&r, first + 2), 2);
  uint64_t all = 0;
  weir_chip_pcs(r.device.chip, &count);
  for (uint32_t pc = 0; pc < count; pc++) all += executions(&r, pc);
  assert_int_equal(all, 3 * (1 + 1) + 2 * (2 + 1)); // a load and a store; two loads and a store
  assert_int_equal(weir_chip_total(r.device.chip)->warp_instructions, 3 * 5 + 2 * 6);
  // The lanes of `copy` all read the same word, then all write the same sum.
  uint32_t *words = weir_memory_at(r.device.memory, r.buffer, 64);
  assert_int_equal(words[0], 3);
  assert_int_equal(words[2], 1 + words[1]); // written by the second `sum`, after one `copy`
  unload(&a);
  unload(&b);
  close_device(&r.device);
}

static void a_program_may_go_and_another_come(void **state) {
  (void)state;
  struct rig r;
  set_up(&r);
  struct code a = load(&r.device, one_load);
  run(&r, &a, "copy");
  unload(&a);
  struct code again = load(&r.device, one_load); // may well lie where the first lay
  assert_true(weir_program_first_pc(again.program) >= 5);
  run(&r, &again, "copy");
  assert_int_equal(executions(&r, 1), 1);
  assert_int_equal(executions(&r, weir_program_first_pc(again.program) + 1), 1);
  unload(&again);
  close_device(&r.device);
}

static void device_time_goes_on_from_launch_to_launch(void **state) {
  (void)state;
  struct rig r;
  set_up(&r);
  struct code b = load(&r.device, two_loads);
  weir_time before = weir_chip_now(r.device.chip);
  assert_int_equal(before, 0);
  const uint64_t *timer = weir_memory_at(r.device.memory, r.buffer + 16, 8);
  for (int i = 0; i < 3; i++) {
    run(&r, &b, "when");
    assert_in_range(*timer, before / 1000, weir_chip_now(r.device.chip) / 1000);
    assert_true(weir_chip_now(r.device.chip) > before);
    before = weir_chip_now(r.device.chip);
  }
  // Three launches end to end take at most their own cycles and a cycle between them.
  const struct weir_run_stats *s = weir_chip_total(r.device.chip);
  const weir_time cycle = s->time_ps / s->cycles;
  assert_in_range(before, s->time_ps, s->time_ps + 3 * cycle);
  unload(&b);
  close_device(&r.device);
}

// fermi-gtx480's core: 48 warps, 8 blocks, 32768 registers, 48 KiB of shared memory.
static void occupancy_is_the_least_of_four_limits(void **state) {
  (void)state;
  struct rig r;
  set_up(&r);
  struct weir_kernel k = {.registers = 20};
  assert_int_equal(weir_chip_occupancy(r.device.config, &k, 64, 0, 0), 8);  // blocks
  assert_int_equal(weir_chip_occupancy(r.device.config, &k, 512, 0, 0), 3); // 48 / 16 warps; 32768 / (20 × 512) = 3.2
  assert_int_equal(weir_chip_occupancy(r.device.config, &k, 480, 0, 0), 3); // 15 warps
  k.registers = 32;
  assert_int_equal(weir_chip_occupancy(r.device.config, &k, 512, 0, 0), 2); // 32768 / 16384
  k.shared_bytes = 10000, k.shared_align = 16;
  assert_int_equal(weir_chip_occupancy(r.device.config, &k, 64, 0, 0), 4); // 49152 / 10000
  assert_int_equal(weir_chip_occupancy(r.device.config, &k, 64, 40000, 0), 0);
  close_device(&r.device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_program_has_its_own_pcs_and_counts),
    cmocka_unit_test(a_program_may_go_and_another_come),
    cmocka_unit_test(device_time_goes_on_from_launch_to_launch),
    cmocka_unit_test(occupancy_is_the_least_of_four_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
