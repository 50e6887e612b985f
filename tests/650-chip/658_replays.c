// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a chip counts of a launch beside its caches: replays of memory instructions, and threads online.
#include "device.h"

#define CHIP "kepler-titan-black"

// One warp: a load of one line, of 32 sectors 128 bytes apart, a store of two sectors; then shared memory, whose 32 banks
// are 8 bytes wide: words 4 bytes apart in one pass, words 16 bytes apart in two.
static const char kernels[] =
  ".version 7.0\n.target sm_35\n.address_size 64\n"
  ".visible .entry memory(.param .u64 data) {\n"
  ".reg .b64 %a, %b, %c; .reg .b32 %r, %t; .shared .align 16 .b8 words[512];\n"
  "ld.param.u64 %a, [data]; mov.u32 %t, %tid.x;\n"
  "mul.wide.u32 %b, %t, 128; add.s64 %b, %a, %b; ld.global.u32 %r, [%b];\n"
  "mul.wide.u32 %c, %t, 2; add.s64 %c, %a, %c; st.global.u16 [%c], %t;\n"
  "shl.b32 %r, %t, 2; mov.u32 %t, words; add.u32 %r, %r, %t; ld.shared.u32 %t, [%r];\n"
  "mov.u32 %t, %tid.x; shl.b32 %r, %t, 4; mov.u32 %t, words; add.u32 %r, %r, %t; st.shared.u32 [%r], %t; exit; }\n"
  ".visible .entry nothing(.param .u64 data) { exit; }\n"
  ".visible .entry half(.param .u64 data) { .shared .align 16 .b8 words[24576]; .reg .b32 %r;\n"
  "mov.u32 %r, words; st.shared.u32 [%r], %r; exit; }\n";

static void replays_are_all_accesses_and_passes_but_the_first(void **state) {
  (void)state;
  struct device d;
  open_device(&d, CHIP, NULL);
  struct code c = load(&d, kernels);
  uint64_t data = weir_memory_alloc(d.memory, "data", 4096);
  launch(&d, &c, "nothing", 1, 32, &data);
  assert_int_equal(weir_chip_total(d.chip)->replays, 0);
  launch(&d, &c, "memory", 1, 32, &data);
  // 31 of the load; 64 bytes stored are one access of a segment of 128; 16 bytes × 32 are two passes of 256 bytes.
  assert_int_equal(weir_chip_total(d.chip)->replays, 31 + 0 + 0 + 1);
  unload(&c);
  close_device(&d);
}

static uint64_t online(struct device *d) {
  unsigned count;
  const struct weir_kernel_stats *k = weir_chip_kernels(d->chip, &count);
  return k[count - 1].online_threads;
}

static void online_threads_are_those_that_have_room(void **state) {
  (void)state;
  struct device d;
  open_device(&d, CHIP, NULL);
  struct code c = load(&d, kernels);
  uint64_t data = weir_memory_alloc(d.memory, "data", 4096);
  // Of 15 cores of 64 warps and 16 blocks.
  launch(&d, &c, "nothing", 7, 128, &data);
  assert_int_equal(online(&d), 7 * 128);
  launch(&d, &c, "nothing", 1000, 128, &data);
  assert_int_equal(online(&d), 15 * 2048);
  launch(&d, &c, "nothing", 1000, 32, &data);
  assert_int_equal(online(&d), 15 * 16 * 32);
  launch(&d, &c, "half", 1000, 128, &data); // of 48 KiB, for two blocks
  assert_int_equal(online(&d), 15 * 2 * 128);
  unload(&c);
  close_device(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(replays_are_all_accesses_and_passes_but_the_first),
                                     cmocka_unit_test(online_threads_are_those_that_have_room)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
