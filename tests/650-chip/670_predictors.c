// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What policies look up in their tables is charged, whichever kind of policy keeps the table.
#include "device.h"

static const char kernel_text[] =
  ".version 7.0\n.target sm_35\n.address_size 64\n"
  ".visible .entry k(.param .u64 a) {\n.reg .u64 %d<3>;\n.reg .u32 %r<3>;\nld.param.u64 %d1, [a];\n"
  "ld.global.u32 %r1, [%d1];\nld.global.u32 %r1, [%d1+256];\nld.global.u32 %r1, [%d1+512];\nret;\n}\n";

// SHiP asks its table once for each line that comes (section 3.2), and learns from lines that are hit, or leave: here each line is
// asked for once, and none leaves.
static void a_replacement_policy_s_table_is_charged(void **state) {
  (void)state;
  struct device d;
  open_device(&d, "gcn-apu", "copies_pass_l2=false");
  weir_chip_free(d.chip);
  weir_scheme_free(d.scheme);
  d.scheme = weir_scheme_read("ship", d.config, &d.sink);
  d.chip = weir_chip_create(d.config, d.scheme, 1, &d.sink);
  assert_clean(&d.sink);
  struct code c = load_lanes(&d, kernel_text, weir_chip_lanes(d.config));
  const uint64_t data = weir_memory_alloc(d.memory, "a", 1024);
  launch(&d, &c, "k", 1, 1, &data);
  weir_chip_finish(d.chip);
  const struct weir_level_stats *l2 = &weir_chip_total(d.chip)->levels[1];
  assert_int_equal(l2->loads.hits + l2->evictions, 0);
  assert_true(l2->fills >= 3);
  assert_int_equal(l2->predictor_accesses, l2->fills);
  assert_int_equal(weir_chip_total(d.chip)->levels[0].predictor_accesses, 0);
  unload(&c);
  close_device(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_replacement_policy_s_table_is_charged)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
