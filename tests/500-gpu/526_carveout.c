// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a launch takes of the array that is shared memory and first-level cache in one, by hand.
#include "gpu_test.h"

struct share {
  uint64_t carveout_kib;
  uint32_t l1_ways;
};

static void look(struct weir_chip *chip, void *seen) {
  *(struct share *)seen =
    (struct share){.carveout_kib = chip->kernels.kernels[0].carveout_kib, .l1_ways = chip->sms[0].l1.usable};
}

// An array of 64 KiB in ways of 4 KiB (32 sets of 128 bytes), of which shared memory has 48, 56 or 60 KiB. Blocks of 28000 bytes:
// one needs 28000 of 48 KiB, two 56000 of 56 KiB (57344); of three, 84000, no more than 61440 are there.
static void the_cache_has_the_rest(void **state) {
  (void)state;
  static const struct { uint32_t max_blocks, carveout_kib, ways; } cases[] = {{1, 48, 4}, {2, 56, 2}, {3, 60, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct share share;
    struct sight sight;
    struct rig *rig = rig_new();
    rig_set(rig, "core.unified_kib=64");
    rig_set(rig, "core.carveouts_kib=48 56 60");
    rig_set(rig, "core.shared_bytes=61440");
    rig_set(rig, "core.max_blocks=%u", cases[i].max_blocks);
    assert_true(weir_chip_validate(rig->config, &rig->sink));
    rig->look = look;
    rig->seen = &share;
    const struct run run = {.body = "mov.u32 %r1, s;", .blocks = 1, .shared_bytes = 28000};
    observe(rig, &run, 0, &sight);
    assert_int_equal(share.carveout_kib, cases[i].carveout_kib);
    assert_int_equal(share.l1_ways, cases[i].ways);
    rig_free(rig);
  }
}

static void assert_carveout(const struct weir_chip_config *c, struct weir_kernel k, uint64_t threads,
                            uint64_t dynamic_bytes, uint32_t kib, uint32_t blocks) {
  const struct weir_occupancy o = weir_occupancy(&c->core, &k, 0, threads, dynamic_bytes, 0);
  assert_int_equal(o.carveout.kib, kib);
  assert_int_equal(o.blocks, blocks);
}

// Volta Tuning Guide, "Unified shared memory/L1": 0, 8, 16, 32, 64 or 96 KiB. 64 warps, 32 blocks, 65536 registers.
static void on_a_v100(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_chip_config *c = weir_chip_read("volta-v100", &sink);
  assert_non_null(c);
  struct weir_kernel k = {.name = "k", .registers = 32};
  assert_carveout(c, k, 256, 0, 0, 8);       // no shared memory
  assert_carveout(c, k, 256, 1024, 8, 8);    // 8 blocks of it are 8 KiB
  assert_carveout(c, k, 256, 1025, 16, 8);   // and a byte more
  assert_carveout(c, k, 256, 4096, 32, 8);   // 32 KiB
  assert_carveout(c, k, 256, 4100, 64, 8);   // 32800 bytes
  assert_carveout(c, k, 256, 20000, 96, 4);  // 160000 bytes: as many as fit 96 KiB
  assert_carveout(c, k, 1024, 49152, 96, 2); // two blocks of 32 warps
  k.registers = 64;
  assert_carveout(c, k, 1024, 49152, 64, 1); // whose registers are 65536 for one
  k.shared_bytes = 16000;
  k.shared_align = 16;
  assert_carveout(c, k, 1024, 384, 16, 1); // static and dynamic are 16384 bytes
  assert_carveout(c, k, 1024, 385, 32, 1);
  weir_chip_config_free(c);
}

// CUDA C++ Programming Guide, compute capability 8.0: 0, 8, 16, 32, 64, 100, 132 or 164 KiB, of which the system takes 1 KiB in each block.
// 64 warps, 32 blocks.
static void on_an_a100(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_chip_config *c = weir_chip_read("ampere-a100", &sink);
  assert_non_null(c);
  const struct weir_kernel k = {.name = "k", .registers = 32};
  assert_carveout(c, k, 32, 0, 32, 32);           // 32 blocks of 1 KiB
  assert_carveout(c, k, 1024, 0, 8, 2);           // two
  assert_carveout(c, k, 1024, 3072, 8, 2);        // of 4 KiB
  assert_carveout(c, k, 1024, 3073, 16, 2);       // and a byte more
  assert_carveout(c, k, 1024, 163 << 10, 164, 1); // the most that a block may have
  assert_carveout(c, k, 1024, (163 << 10) + 1, 164, 0);
  weir_chip_config_free(c);
}

static void assert_preferred(const struct weir_chip_config *c, uint64_t threads, uint64_t dynamic_bytes,
                             unsigned percent, uint32_t kib, enum weir_carveout_by by, uint32_t blocks) {
  const struct weir_kernel k = {.name = "k", .registers = 20};
  const struct weir_occupancy o = weir_occupancy(&c->core, &k, 0, threads, dynamic_bytes, weir_prefer_shared(percent));
  assert_int_equal(o.carveout.kib, kib);
  assert_int_equal(o.carveout.by, by);
  assert_int_equal(o.blocks, blocks);
}

// The programming guide's example is 50 % of a V100, which are 48 KiB: 64. Blocks of eight warps; a core has 64.
static void as_the_program_prefers(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_chip_config *c = weir_chip_read("volta-v100", &sink);
  assert_non_null(c);
  assert_preferred(c, 256, 0, 50, 64, WEIR_CARVEOUT_BY_PREFERENCE, 8);
  assert_preferred(c, 256, 0, 0, 0, WEIR_CARVEOUT_BY_PREFERENCE, 8);
  assert_preferred(c, 256, 0, 100, 96, WEIR_CARVEOUT_BY_PREFERENCE, 8);
  assert_preferred(c, 256, 0, 33, 32, WEIR_CARVEOUT_BY_PREFERENCE, 8);     // 31.68 KiB
  assert_preferred(c, 256, 0, 34, 64, WEIR_CARVEOUT_BY_PREFERENCE, 8);     // 32.64 KiB
  assert_preferred(c, 256, 20000, 50, 64, WEIR_CARVEOUT_BY_PREFERENCE, 3); // of 65536 bytes; four would fit 96 KiB
  assert_preferred(c, 256, 4096, 0, 8, WEIR_CARVEOUT_BY_BLOCK, 2);         // 0 KiB hold none
  assert_preferred(c, 256, 9000, 1, 16, WEIR_CARVEOUT_BY_BLOCK, 1);        // 8 KiB neither
  assert_preferred(c, 256, 8192, 1, 8, WEIR_CARVEOUT_BY_PREFERENCE, 1);    // 0.96 KiB are 8, which hold one
  weir_chip_config_free(c);
}

// The H200's carve-outs (0, 8, 16, 32, 64, 100, 132, 164, 196 and 228 KiB) as Nsight Compute showed them of kernels that preferred a
// larger L1. What each holds is by hand: blocks whose own bytes come to 8 KiB, two at least, each with 1024 bytes more.
static void no_less_than_the_floor(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_chip_config *c = weir_chip_read("hopper-h200", &sink);
  assert_non_null(c);
  assert_preferred(c, 256, 0, 0, 32, WEIR_CARVEOUT_BY_BLOCK,
                   8); // the 32 blocks that an SM may have, though 8 of these fit
  assert_preferred(c, 32, 0, 0, 32, WEIR_CARVEOUT_BY_BLOCK, 32);          // as the probe's chase
  assert_preferred(c, 16, 1024, 0, 16, WEIR_CARVEOUT_BY_BLOCK, 8);        // 8 of 2048 bytes
  assert_preferred(c, 256, 1088, 0, 16, WEIR_CARVEOUT_BY_BLOCK, 7);       // 7 of 2112
  assert_preferred(c, 256, 2048, 0, 16, WEIR_CARVEOUT_BY_BLOCK, 5);       // 4 of 3072 are 12 KiB, and 16 hold five
  assert_preferred(c, 32, 3072, 0, 8, WEIR_CARVEOUT_BY_BLOCK, 2);         // 2 of 4096
  assert_preferred(c, 64, 4096, 0, 16, WEIR_CARVEOUT_BY_BLOCK, 3);        // 2 of 5120 are 10 KiB
  assert_preferred(c, 128, 32768, 0, 100, WEIR_CARVEOUT_BY_BLOCK, 3);     // one is 33 KiB, and two are 66
  assert_preferred(c, 128, 120 << 10, 0, 132, WEIR_CARVEOUT_BY_BLOCK, 1); // two have no room in 228
  assert_preferred(c, 256, 0, 25, 64, WEIR_CARVEOUT_BY_PREFERENCE, 8);    // 57 KiB
  assert_preferred(c, 256, 0, 14, 32, WEIR_CARVEOUT_BY_PREFERENCE, 8);    // 31.9
  c->core.prefer_l1 = true;
  assert_carveout(c, (struct weir_kernel){.name = "k", .registers = 20}, 256, 1088, 16, 7);
  assert_preferred(c, 256, 1088, 50, 132, WEIR_CARVEOUT_BY_PREFERENCE, 8); // what the program prefers goes first
  c->core.prefer_l1 = false;
  assert_carveout(c, (struct weir_kernel){.name = "k", .registers = 20}, 1024, 0, 8,
                  2); // no preference: as the probe's walks
  weir_chip_config_free(c);
}

static void none_where_each_has_its_own(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_chip_config *c = weir_chip_read("fermi-gtx480", &sink);
  assert_non_null(c);
  assert_carveout(c, (struct weir_kernel){.name = "k", .registers = 20}, 256, 4096, 0, 6);
  assert_preferred(c, 256, 4096, 0, 0, WEIR_CARVEOUT_BY_NOBODY, 6);
  weir_chip_config_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_cache_has_the_rest),
                                     cmocka_unit_test(on_a_v100),
                                     cmocka_unit_test(on_an_a100),
                                     cmocka_unit_test(as_the_program_prefers),
                                     cmocka_unit_test(no_less_than_the_floor),
                                     cmocka_unit_test(none_where_each_has_its_own)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
