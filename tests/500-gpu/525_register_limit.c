// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Kernels at the register limit: how many blocks a core holds at a time, and that a kernel which waits for its own results
// alone takes as many times a block's time as its blocks need turns.
#include "gpu_test.h"

enum { BLOCKS = 24, MOST_BLOCKS = 8 };

struct limit {
  uint64_t core_blocks;
  const char *by;
};

static void look(struct weir_chip *chip, void *seen) {
  struct limit *l = seen;
  *l = (struct limit){chip->kernels.kernels[0].core_blocks, chip->kernels.kernels[0].limited_by};
}

// 8192 registers, a warp to a block, a thread's registers in fours.
static struct rig *rig_with(unsigned registers, struct limit *l) {
  struct rig *rig = rig_new();
  rig_set(rig, "core.registers=8192");
  rig_set(rig, "core.kernel_registers=%u", registers);
  rig->look = look;
  rig->seen = l;
  return rig;
}

// A chain of divisions, 39 cycles each and one every 4 cycles: eight warps take 32 cycles of the unit, so that none is in
// another's way. 12 more links cost 12 times a link's time in each turn of the blocks.
static void blocks_take_turns(void **state) {
  (void)state;
  static const struct {
    unsigned registers;
    uint64_t blocks, turns;
    const char *by;
  } cases[] = {
    {8, 8, 3, "blocks"},     // 8192 / (8 × 32) are 32, but a core holds eight
    {32, 8, 3, "blocks"},    // 8192 / 1024 are eight as well
    {33, 7, 4, "registers"}, // counts as 36: 8192 / 1152 are 7, and 24 blocks 4 turns of them
    {40, 6, 4, "registers"}, // 8192 / 1280
    {42, 5, 5, "registers"}, // counts as 44: 8192 / 1408
    {52, 4, 6, "registers"}, // 8192 / 1664
    {63, 4, 6, "registers"}, // counts as 64: 8192 / 2048
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct limit l;
    struct rig *rig = rig_with(cases[i].registers, &l);
    const struct weir_core_config *k = &rig->config->core;
    const uint64_t link = k->operand_cycles + k->latency[WEIR_CLASS_F32_DIV].latency_cycles + k->writeback_cycles;
    assert_int_equal(k->max_blocks, MOST_BLOCKS);
    assert_int_equal(link, 5 + 39 + 1);
    const uint64_t cost =
      cost_of_twelve(rig, (struct run){.blocks = BLOCKS, .threads = 32},
                     "mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000;", "div.approx.f32 %f1, %f1, %f2;");
    assert_int_equal(l.core_blocks, cases[i].blocks);
    assert_string_equal(l.by, cases[i].by);
    assert_int_equal(cost, 12 * link * cases[i].turns);
    rig_free(rig);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_take_turns)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
