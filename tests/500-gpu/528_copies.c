// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What waits for copies that run beside their warp, and how long. A copy takes as long as a load of the same bytes, so what waits for it goes on when
// what needs the load's result would. Each expectation is a load's, of the same run: `SLOW` goes past the first-level cache, `FAST` hits there.
#include "gpu_test.h"

#define ADDRESSES                                                                                                      \
  "ld.param.u64 %d20, [a]; mov.u32 %r20, s; mov.u32 %r21, %tid.x; shl.b32 %r22, %r21, 2; add.u32 %r23, %r20, %r22;"
#define WARM "ld.global.u32 %r30, [%d20]; add.u32 %r31, %r30, 1;"
#define SLOW_LOAD "ld.global.cg.u32 %r1, [%d20+1024];"
#define FAST_LOAD "ld.global.ca.u32 %r2, [%d20];"
#define NEEDS_SLOW "add.u32 %r9, %r1, 1;"
#define NEEDS_FAST "add.u32 %r9, %r2, 1;"
#define SLOW "cp.async.cg.shared.global [%r20], [%d20+1024], 16;"
#define FAST "cp.async.ca.shared.global [%r20], [%d20], 4;"
#define COMMIT "cp.async.commit_group;"

// Cycles from the first clock to the second of a warp alone.
static uint64_t cycles_between(const char *before, const char *timed, const char *last) {
  struct rig *rig = lone_rig();
  rig_set(rig, "core.prefetch_lines=2");
  char body[8192] = RECORD_PLACE ADDRESSES WARM;
  strcat(strcat(strcat(strcat(body, before), READ(0)), timed), last);
  strcat(body, READ(1));
  record(body, 2);
  const struct run run = {.body = body, .shared_bytes = 1024};
  struct sight s;
  observe(rig, &run, UINT64_C(0xFFFFFFF0), &s);
  rig_free(rig);
  return s.words[0][1] - s.words[0][0];
}

// The clock is read a cycle behind the addition that needs a result, which issues as soon as that is there.
static uint64_t until_loaded(const char *loads, const char *addition) {
  return cycles_between("", loads, addition) - 1;
}

static uint64_t until_waited(const char *copies) {
  return cycles_between("", copies, "");
}

static void who_waits_goes_on_when_a_load_would(void **state) {
  (void)state;
  const uint64_t slow = until_loaded(SLOW_LOAD, NEEDS_SLOW), fast = until_loaded(FAST_LOAD, NEEDS_FAST);
  assert_true(slow > fast + 20);
  assert_int_equal(until_waited(SLOW "cp.async.wait_all;"), slow);
  assert_int_equal(until_waited(FAST "cp.async.wait_all;"), fast);
  // Closing the group takes the cycle in which it issues.
  assert_int_equal(until_waited(SLOW COMMIT "cp.async.wait_group 0;"), slow);
}

// A group that is not closed is not waited for: the three instructions issue one after the other, as they do behind no copy.
static void an_open_group_is_not_waited_for(void **state) {
  (void)state;
  assert_int_equal(until_waited(SLOW "cp.async.wait_group 0;"), 3);
  assert_int_equal(until_waited(SLOW COMMIT "cp.async.wait_group 1;"), 4);
  assert_int_equal(until_waited("cp.async.wait_group 0; cp.async.wait_all;"), 3);
}

// All but the newest group, whichever of them takes longer. A group is done when those before it are.
static void the_newest_groups_are_not_waited_for(void **state) {
  (void)state;
  const uint64_t slow_first = until_loaded(SLOW_LOAD FAST_LOAD, NEEDS_SLOW),
                 fast_first = until_loaded(FAST_LOAD SLOW_LOAD, NEEDS_FAST);
  assert_int_equal(until_waited(FAST COMMIT SLOW COMMIT "cp.async.wait_group 1;"), fast_first);
  assert_int_equal(until_waited(SLOW COMMIT FAST COMMIT "cp.async.wait_group 1;"), slow_first);
  assert_true(until_waited(SLOW COMMIT FAST COMMIT "cp.async.wait_group 0;") >= slow_first);
  assert_int_equal(until_waited(SLOW COMMIT FAST COMMIT "cp.async.wait_group 2;"), 6);
}

// More groups than are told apart: each is waited for in the end.
static void many_groups(void **state) {
  (void)state;
  char copies[4096] = "";
  for (int i = 0; i < 40; i++) strcat(copies, SLOW COMMIT);
  strcat(copies, "cp.async.wait_group 0;");
  assert_true(until_waited(copies) >= until_loaded(SLOW_LOAD, NEEDS_SLOW) + 40);
}

// ---- barriers in memory -------------------------------------------------------------------------------------------------

#define INIT "mbarrier.init.shared.b64 [%r20+512], 32; mbarrier.init.shared.b64 [%r20+520], 32; bar.sync 0;"
#define ARRIVE(at) "cp.async.mbarrier.arrive.noinc.shared.b64 [%r20+" #at "];"
#define TEST(at) "mbarrier.test_wait.parity.shared.b64 %p1, [%r20+" #at "], 0;"

static uint64_t until_answered(const char *copies, const char *test) {
  char timed[1024] = "";
  return cycles_between(INIT, strcat(strcat(timed, copies), test), "selp.u32 %r9, 1, 0, %p1;") - 1;
}

// The barrier's answer is that the copies have arrived, so it comes when they have, by the way of a load from shared memory. Another barrier, at which
// nobody is to arrive, answers at once, whatever is on its way.
static void a_barrier_waits_for_copies(void **state) {
  (void)state;
  struct rig *rig = lone_rig();
  const uint64_t read = rig->config->core.shared_latency_cycles + rig->config->core.writeback_cycles;
  rig_free(rig);
  const uint64_t slow = until_loaded(SLOW_LOAD, NEEDS_SLOW);
  assert_int_equal(until_answered(SLOW ARRIVE(512), TEST(512)), slow + read);
  assert_true(until_answered(SLOW ARRIVE(512), TEST(520)) < slow);
  assert_int_equal(until_answered(SLOW ARRIVE(512), TEST(520)), until_answered(ARRIVE(512), TEST(520)) + 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(who_waits_goes_on_when_a_load_would),  cmocka_unit_test(an_open_group_is_not_waited_for),
    cmocka_unit_test(the_newest_groups_are_not_waited_for), cmocka_unit_test(many_groups),
    cmocka_unit_test(a_barrier_waits_for_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
