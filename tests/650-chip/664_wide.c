// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A chip of 132 cores and 160 slices: a network wider than a machine word, and every core and slice at work.
#include "device.h"

#include "chip/machine.h"

enum { CORES = 132, CHANNELS = 80, SLICES = 160, THREADS = 256, LINE = 128 };

static const char text[] =
  ".version 6.0\n.target sm_35\n.address_size 64\n"
  ".visible .entry add_one(.param .u64 data)\n{\n.reg .b32 %r<6>;\n.reg .b64 %d<4>;\n"
  "ld.param.u64 %d1, [data];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
  "mad.lo.u32 %r4, %r1, %r2, %r3;\nmul.wide.u32 %d2, %r4, 4;\nadd.u64 %d3, %d1, %d2;\n"
  "ld.global.u32 %r5, [%d3];\nadd.u32 %r5, %r5, 1;\nst.global.u32 [%d3], %r5;\nexit;\n}\n";

static void every_core_and_slice_works(void **state) {
  (void)state;
  struct device d;
  open_device(&d,
              write_yaml("base: fermi-gtx480\nname: wide\ncore: {count: 132}\ndram: {channels: 80}\n"
                         "caches:\n  - {name: l2, size_kib: 10240}\n"),
              NULL);
  struct code c = load(&d, text);
  const uint32_t blocks = 2 * CORES, words = blocks * THREADS;
  const uint64_t data = weir_memory_alloc(d.memory, "data", words * sizeof(uint32_t));
  launch(&d, &c, "add_one", blocks, THREADS, &data);
  const uint32_t *result = weir_memory_at(d.memory, data, words * sizeof *result);
  for (uint32_t i = 0; i < words; i++) assert_int_equal(result[i], 1);
  const struct weir_run_stats *s = weir_chip_total(d.chip);
  assert_int_equal(s->blocks, blocks);
  assert_int_equal(s->levels[0].loads.accesses, words * sizeof *result / LINE); // coalesced: a line per warp
  assert_int_equal(s->levels[0].loads.misses, s->levels[0].loads.accesses);
  // One block per core and cycle: all cores have two of the 264 blocks, and a line in 160 places in turn of 256 bytes.
  for (uint32_t i = 0; i < CORES; i++) assert_true(d.chip->epochs.busy[i].cycles > 0);
  for (uint32_t i = 0; i < SLICES; i++) {
    const struct weir_cache *l2 = &d.chip->slices[i].stages[0].cache;
    assert_true(l2->tally.loads.accesses > 0);
  }
  unload(&c);
  close_device(&d);
}

// Eight cores to a thread, at most 16 threads, and no more than there are processors; less than four are as good as one.
static void threads_by_cores(void **state) {
  (void)state;
  static const struct {
    uint32_t cores;
    unsigned processors, threads;
  } cases[] = {{132, 64, 16}, {132, 16, 16}, {132, 7, 7}, {132, 4, 4}, {132, 3, 1},
               {132, 0, 1},   {80, 64, 10},  {32, 64, 4}, {31, 64, 1}, {15, 64, 1}};
  struct device d;
  open_device(&d, write_yaml("base: fermi-gtx480\nname: wide\n"), NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    d.config->core.count = cases[i].cores;
    assert_int_equal(weir_chip_threads_worth(d.config, cases[i].processors), cases[i].threads);
  }
  d.config->core.count = 15;
  close_device(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_core_and_slice_works), cmocka_unit_test(threads_by_cores)};
  return cmocka_run_group_tests(tests, NULL, remove_yaml);
}
