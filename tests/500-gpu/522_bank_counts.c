// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What each static access to shared memory is counted for. Fermi: 32 banks of 4 bytes, so that lane i's word s × i lies in
// bank (s × i) mod 32, and gcd(s, 32) lanes meet in each.
#include "gpu_test.h"

enum { MAX_SEEN = 4 };

struct seen {
  struct weir_bank_counts counts[MAX_SEEN]; // of what accessed shared memory, in the order of the PCs
  unsigned count;
};

static void look(struct weir_chip *chip, void *to) {
  struct seen *seen = to;
  uint32_t count;
  const struct weir_bank_counts *all = weir_chip_bank_counts(chip, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (!all[i].accesses) continue;
    assert_in_range(seen->count, 0, MAX_SEEN - 1);
    seen->counts[seen->count++] = all[i];
  }
}

// Of two launches of `body`, one warp each, with %r2 = bytes × tid. The program's counters hold the same passes.
static struct seen counts_of(unsigned bytes, const char *body) {
  struct rig *rig = rig_new();
  struct seen seen = {.count = 0};
  struct sight s;
  char text[1024];
  rig->look = look;
  rig->seen = &seen;
  sprintf(text, "mov.u32 %%r1, %%tid.x; mov.u32 %%r9, s; mad.lo.u32 %%r2, %%r1, %u, %%r9; %s", bytes, body);
  struct run run = {.body = text, .shared_bytes = 8192};
  observe(rig, &run, 0, &s);
  uint64_t accesses = 0, passes = 0;
  for (unsigned i = 0; i < seen.count; i++) accesses += seen.counts[i].accesses, passes += seen.counts[i].passes;
  assert_int_equal(accesses, s.cold.shared_accesses + s.counts.shared_accesses);
  assert_int_equal(passes - accesses, s.cold.shared_bank_conflicts + s.counts.shared_bank_conflicts);
  rig_free(rig);
  return seen;
}

// Alone in the load/store unit: each extra pass keeps one instruction waiting for one cycle.
static void assert_alone(const struct seen *seen, uint64_t passes, uint64_t extra) {
  assert_int_equal(seen->count, 1);
  assert_int_equal(seen->counts[0].accesses, 2);
  assert_int_equal(seen->counts[0].passes, 2 * passes);
  assert_int_equal(seen->counts[0].extra_passes, 2 * extra);
  assert_int_equal(seen->counts[0].worst_passes, passes);
  assert_int_equal(seen->counts[0].waited_cycles, 2 * extra);
}

// A stride of 32 words: all lanes in one bank, 32 passes, 31 of them extra. Of 2 words: two passes. Of 33 or 1: one.
static void strides(void **state) {
  (void)state;
  static const char *const accesses[] = {"ld.shared.u32 %r3, [%r2];", "st.shared.u32 [%r2], %r1;",
                                         "atom.shared.add.u32 %r3, [%r2], 1;"};
  static const unsigned cases[][2] = {{32, 32}, {2, 2}, {33, 1}, {1, 1}, {0, 1}};
  for (unsigned a = 0; a < 3; a++)
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
      struct seen seen = counts_of(4 * cases[i][0], accesses[a]);
      assert_alone(&seen, cases[i][1], cases[i][1] - 1);
    }
}

// 8 bytes of each lane need two passes (half a warp each) without a conflict; 16 bytes, four. In lines of 16 bytes, a half's 16
// lanes lie in every other pair of banks, two to each: two passes where one would do.
static void wide_accesses_need_several_passes(void **state) {
  (void)state;
  struct seen seen = counts_of(8, "ld.shared.u64 %d3, [%r2];");
  assert_alone(&seen, 2, 0);
  seen = counts_of(16, "ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2];");
  assert_alone(&seen, 4, 0);
  seen = counts_of(16, "ld.shared.u64 %d3, [%r2];");
  assert_alone(&seen, 4, 2);
}

// A load without a conflict comes behind one with 31 extra passes: it waits for those that are left as it comes, at most all,
// and its wait is counted where the conflict is.
static void others_wait_for_it(void **state) {
  (void)state;
  struct seen two = counts_of(128, "ld.shared.u32 %r3, [%r2]; ld.shared.u32 %r4, [s];");
  struct seen one = counts_of(128, "ld.shared.u32 %r3, [%r2];");
  assert_int_equal(two.count, 2);
  assert_int_equal(two.counts[1].waited_cycles, 0);
  assert_int_equal(two.counts[1].worst_passes, 1);
  assert_true(two.counts[0].waited_cycles > one.counts[0].waited_cycles);
  assert_true(two.counts[0].waited_cycles <= 2 * one.counts[0].waited_cycles);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(strides),
    cmocka_unit_test(wide_accesses_need_several_passes),
    cmocka_unit_test(others_wait_for_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
