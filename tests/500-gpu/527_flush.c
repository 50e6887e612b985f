// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The end of a kernel on a chip whose first level writes back and is flushed: what goes down, and how long that takes.
#include "gpu_test.h"

static struct rig *rig_of_write_back(bool flush) {
  struct rig *rig = rig_new();
  rig_set(rig, "l1.write_hit=back");
  rig_set(rig, "l1.write_miss=allocate_lazy");
  rig_set(rig, "l1.flush_at_kernel_end=%s", flush ? "true" : "false");
  rig_set(rig, "clocks.network_mhz=700"); // one clock for all
  rig_set(rig, "clocks.cache_mhz=700");
  return rig;
}

// The first of two launches, and the second.
static struct sight stores(bool flush, const char *body) {
  struct rig *rig = rig_of_write_back(flush);
  struct run run = {.body = body};
  struct sight s;
  observe(rig, &run, 0, &s);
  rig_free(rig);
  return s;
}

// A word of each of n lines.
static struct sight stores_to(bool flush, unsigned n) {
  char body[512];
  snprintf(body, sizeof body,
           "ld.param.u64 %%d1, [a]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%d2, %%r1, 128; add.u64 %%d3, %%d1, %%d2;"
           "setp.lt.u32 %%p1, %%r1, %u; @%%p1 st.global.u32 [%%d3], %%r1;",
           n);
  return stores(flush, body);
}

// Each launch makes n lines dirty, and writes them back as it ends. Of a kernel whose blocks end in cycle t the first write-back
// enters the network in t+1 and moves in t+2. 128 bytes and a header of 8 are 4 flits of 40 bytes, so that another may move every
// 4 cycles; the last moves in t+2+4(n-1), and is whole at its slice 5 cycles of latency and 3 more flits later, in t+6+4n.
static void dirty_lines_are_written_back(void **state) {
  (void)state;
  for (unsigned n = 1; n <= 16; n *= 2) {
    const struct sight with = stores_to(true, n), without = stores_to(false, n);
    assert_int_equal(without.cold.levels[0].writebacks, 0);
    assert_int_equal(with.cold.levels[0].writebacks, n);
    assert_int_equal(with.counts.levels[0].writebacks, n);
    assert_int_equal(with.cold.levels[0].invalidations, n);
    assert_int_equal(with.cold.levels[0].evictions, 0);
    assert_int_equal(with.cold.cycles - without.cold.cycles, 6 + 4 * n);
  }
}

// Without a flush they stay, and are written to again.
static void without_a_flush_they_stay(void **state) {
  (void)state;
  const struct sight s = stores_to(false, 8);
  assert_int_equal(s.cold.levels[0].stores.misses, 8);
  assert_int_equal(s.counts.levels[0].stores.hits, 8);
  assert_int_equal(s.counts.levels[1].stores.accesses, 0);
}

// A thread's own memory ends with it: dirty, and dropped.
static void thread_memory_is_not(void **state) {
  (void)state;
  const char *body = ".local .align 4 .b8 l[16]; mov.u32 %r1, %tid.x; st.local.u32 [l], %r1; st.local.u32 [l+4], %r1;";
  const struct sight with = stores(true, body), without = stores(false, body);
  assert_int_equal(with.cold.levels[0].stores.accesses, 2);
  assert_int_equal(with.cold.levels[0].invalidations, 2);
  assert_int_equal(with.cold.levels[0].writebacks, 0);
  assert_int_equal(with.cold.cycles, without.cold.cycles);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(dirty_lines_are_written_back),
                                     cmocka_unit_test(without_a_flush_they_stay),
                                     cmocka_unit_test(thread_memory_is_not)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
