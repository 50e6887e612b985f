// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which warps count as ready.
#include "device.h"

// 24 loads that nothing waits for, each of 32 lines: the load/store unit takes one in 32 cycles, so that its queue is full,
// and each of the block's warps has its next load at hand, from the first one on to its last.
static char *loads(void) {
  char *text =
    weir_text_copy(".version 7.0\n.target sm_35\n.address_size 64\n.visible .entry loads(.param .u64 data) {\n"
                   ".reg .b64 %a, %b; .reg .b32 %r<25>, %t;\nld.param.u64 %a, [data]; mov.u32 %t, %tid.x;\n"
                   "mul.wide.u32 %b, %t, 128; add.s64 %b, %a, %b;\n");
  for (int i = 0; i < 24; i++) {
    char *more = weir_text_format("%sld.global.u32 %%r%d, [%%b+%d];\n", text, i, i * 4);
    weir_free(text);
    text = more;
  }
  char *all = weir_text_format("%sexit; }\n", text);
  weir_free(text);
  return all;
}

static double mean_ready(const char *set) {
  enum { WARPS = 16 };
  struct device d;
  open_device(&d, "kepler-titan-black", set);
  char *text = loads();
  struct code c = load(&d, text);
  uint64_t data = weir_memory_alloc(d.memory, "data", WARPS * 32 * 128);
  launch(&d, &c, "loads", 1, WARPS * 32, &data);
  const struct weir_run_stats *s = weir_chip_total(d.chip);
  const double mean = (double)s->ready_warp_cycles / (double)s->core_cycles;
  unload(&c);
  close_device(&d);
  weir_free(text);
  return mean;
}

static void warps_that_wait_for_the_load_store_unit(void **state) {
  (void)state;
  const double all = mean_ready("core.ready_warps=hazard_free"), issuable = mean_ready("core.ready_warps=issuable");
  assert_true(all > 8);      // of 16; they start and end apart
  assert_true(issuable < 1); // but for the cycles in which the queue has a place
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(warps_that_wait_for_the_load_store_unit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
