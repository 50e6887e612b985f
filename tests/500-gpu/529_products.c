// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// wgmma in time: products run beside their warp, and who waits for their groups waits for the unit. One warp of four multiplies, the others have left:
// what it takes is its own part.
#include "gpu_test.h"

enum {
  AROUND = 5 + 1
}; // from issue to the unit, and from its pipeline's end to the next issue: fermi-gtx480's operands and writeback
enum { LATENCY = 20, INTERVAL = 6 };

#define FOUR(a, b, c, d) "%f" #a ",%f" #b ",%f" #c ",%f" #d
#define SIXTEEN FOUR(4, 5, 6, 7) "," FOUR(8, 9, 10, 11) "," FOUR(12, 13, 14, 15) "," FOUR(16, 17, 18, 19)
#define MORE FOUR(20, 21, 22, 23) "," FOUR(24, 25, 26, 27) "," FOUR(28, 29, 30, 31) "," FOUR(32, 33, 34, 35)
#define SMALL "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {" FOUR(0, 1, 2, 3) "}, 0, 0, 1, 1, 1, 0, 0;"
#define LARGE "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" SIXTEEN "," MORE "}, 0, 0, 1, 1, 1, 0, 0;"
#define COMMIT "wgmma.commit_group.sync.aligned;"
#define WAIT(n) "wgmma.wait_group.sync.aligned " #n ";"

// A step is 16 × 8 sums over 128 bits of a row, of which wgmma has two for each eight columns. The unit takes two in an interval.
enum { SMALL_INTERVALS = 1, LARGE_INTERVALS = 8 };

// From the issue of the first product on, until the unit has been busy for so many intervals and the last sums are written.
static uint64_t after(unsigned intervals) {
  return AROUND + LATENCY + (intervals - 1) * INTERVAL;
}

static void with_matrix_unit(struct rig *rig) {
  rig_set(rig, "core.prefetch_lines=2");
  rig_set(rig, "core.matrix_units=1");
  for (unsigned k = 0; k < 2; k++) {
    const char *row = k ? "int_matrix" : "f32_matrix";
    rig_set(rig, "core.latency.%s.unit=matrix", row);
    rig_set(rig, "core.latency.%s.latency_cycles=%d", row, LATENCY);
    rig_set(rig, "core.latency.%s.interval_cycles=%d", row, INTERVAL);
  }
}

// Cycles between two clocks that are read before the first and behind the last.
static uint64_t until_past(const char *timed) {
  struct rig *rig = lone_rig();
  char body[16384] = "mov.u32 %r80, s; mov.u32 %r81, %tid.x; setp.ge.u32 %p3, %r81, 32; @%p3 bra END;" RECORD_PLACE
                     "ld.global.u32 %r30, [%d91]; add.u32 %r31, %r30, 1;" READ(0);
  with_matrix_unit(rig);
  strcat(strcat(body, timed), READ(1));
  record(body, 2);
  strcat(body, "END:");
  const struct run run = {.body = body, .threads = 128, .shared_bytes = 4096};
  struct sight s;
  observe(rig, &run, UINT64_C(0xFFFFFFF0), &s);
  rig_free(rig);
  return s.words[0][1] - s.words[0][0];
}

// The first issues a cycle behind the clock.
static void a_product_takes_half_its_steps(void **state) {
  static const struct {
    const char *line;
    unsigned intervals;
  } cases[] = {
    {SMALL, SMALL_INTERVALS},
    {LARGE, LARGE_INTERVALS},
    {"wgmma.mma_async.sync.aligned.m64n24k8.f32.tf32.tf32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8,%f9,%f10,%f11}, 0, 0, 1, 1, 1;",
     3},
    {"wgmma.mma_async.sync.aligned.m64n16k32.f16.e4m3.e5m2 {%r0,%r1,%r2,%r3}, 0, 0, 1, 1, 1;", 2},
    {"wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8 {%r0,%r1,%r2,%r3}, 0, 0, 1;", 1},
    {"wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, 0, 1;", 1},
  };
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[2048] = "";
    strcat(strcat(text, cases[k].line), COMMIT WAIT(0));
    assert_int_equal(until_past(text), 1 + after(cases[k].intervals));
  }
}

static void products_follow_each_other(void **state) {
  (void)state;
  assert_int_equal(until_past(LARGE LARGE LARGE COMMIT WAIT(0)), 1 + after(3 * LARGE_INTERVALS));
  assert_int_equal(until_past(LARGE COMMIT SMALL COMMIT LARGE COMMIT WAIT(0)),
                   1 + after(2 * LARGE_INTERVALS + SMALL_INTERVALS));
}

static void the_newest_groups_are_not_waited_for(void **state) {
  (void)state;
  assert_int_equal(until_past(LARGE COMMIT SMALL COMMIT WAIT(1)), 1 + after(LARGE_INTERVALS));
  assert_int_equal(until_past(LARGE SMALL COMMIT LARGE COMMIT SMALL COMMIT WAIT(2)),
                   1 + after(LARGE_INTERVALS + SMALL_INTERVALS));
  assert_int_equal(until_past(LARGE COMMIT SMALL COMMIT WAIT(2)), 6); // one instruction a cycle
}

// What is in no closed group is not waited for, and no register is.
static void products_run_beside_their_warp(void **state) {
  (void)state;
  assert_int_equal(until_past(LARGE WAIT(0)), 3);
  assert_int_equal(until_past(LARGE "add.f32 %f50, %f4, %f5; add.f32 %f6, %f51, %f51;"), 4);
  assert_int_equal(until_past("wgmma.fence.sync.aligned;" WAIT(0)), 3);
}

// Groups of copies are others.
static void copies_are_waited_for_apart(void **state) {
  (void)state;
  assert_int_equal(until_past(LARGE COMMIT "cp.async.commit_group; cp.async.wait_all;"), 5);
  assert_int_equal(until_past("cp.async.cg.shared.global [%r80], [%d91], 16; cp.async.commit_group;" COMMIT WAIT(0)),
                   5);
}

// More groups than are told apart. The unit is what they wait for.
static void many_groups(void **state) {
  char text[8192] = "";
  (void)state;
  for (unsigned k = 0; k < 40; k++) strcat(text, SMALL COMMIT);
  strcat(text, WAIT(0));
  assert_int_equal(until_past(text), 1 + after(40 * SMALL_INTERVALS));
}

// H100 tensor core GPU architecture, 2022: 2048 multiply-adds of 16 bits per SM and cycle. m64n256k16 has 64 × 256 × 16.
static void hopper_has_its_rate(void **state) {
  char line[2048] = "wgmma.mma_async.sync.aligned.m64n256k16.f16.f16.f16 {";
  struct rig *rig = rig_new();
  (void)state;
  for (unsigned k = 0; k < 64; k++) sprintf(line + strlen(line), "%s%%r%u", k ? "," : "", k);
  strcat(line, "}, 0, 0, 1, 1, 1, 0, 0;");
  weir_chip_config_free(rig->config);
  rig->config = weir_chip_read("hopper-h100", &rig->sink);
  assert_non_null(rig->config);
  const struct run run = {.threads = 128, .shared_bytes = 16384};
  assert_int_equal(cost_of_twelve(rig, run, "mov.u32 %r80, s;", line), 12 * 64 * 256 * 16 / 2048);
  rig_free(rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_product_takes_half_its_steps),
    cmocka_unit_test(products_follow_each_other),
    cmocka_unit_test(the_newest_groups_are_not_waited_for),
    cmocka_unit_test(products_run_beside_their_warp),
    cmocka_unit_test(copies_are_waited_for_apart),
    cmocka_unit_test(many_groups),
    cmocka_unit_test(hopper_has_its_rate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
