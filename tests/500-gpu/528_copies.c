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

// ---- in bulk --------------------------------------------------------------------------------------------------------------

#define ONE                                                                                                            \
  "setp.eq.u32 %p2, %r21, 0; mov.u32 %r24, 0; mov.u32 %r25, 0; mov.u32 %r26, 0; mov.u32 %r27, 0;" // is there in time
#define BULK(from, bytes)                                                                                              \
  "@%p2 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r20], [%d20+" #from "], " #bytes ", [%r20+512];"
#define EXPECT(bytes) "@%p2 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r20+512], " #bytes ";"
#define STORE(to, bytes) "@%p2 cp.async.bulk.global.shared::cta.bulk_group [%d20+" #to "], [%r20], " #bytes ";"

static uint64_t bulk_answered(const char *copies) {
  char timed[1024] = "";
  return cycles_between(ONE INIT, strcat(strcat(timed, copies), TEST(512)), "selp.u32 %r9, 1, 0, %p1;") - 1;
}

// A copy of one sector makes one request, which takes the way of a load's that goes past the first-level cache. Of more than one, it makes a request a
// cycle, each for a line.
static void a_bulk_copy_takes_a_load_s_way(void **state) {
  (void)state;
  struct rig *rig = lone_rig();
  const uint64_t read = rig->config->core.shared_latency_cycles + rig->config->core.writeback_cycles;
  rig_free(rig);
  const uint64_t slow = cycles_between(ONE INIT, SLOW_LOAD, NEEDS_SLOW) - 1;
  assert_int_equal(bulk_answered(BULK(1024, 16)), slow + read);
  assert_int_equal(bulk_answered(BULK(1024, 32)), slow + read);
  assert_int_equal(bulk_answered("mov.u32 %r11, 1;" BULK(1024, 16)), slow + read + 1); // it issues a cycle later
}

// Sectors come back one by one, so that each of a line beyond the first costs what one costs.
static void a_bulk_copy_comes_by_sectors(void **state) {
  (void)state;
  const uint64_t one = bulk_answered(BULK(1024, 32)), two = bulk_answered(BULK(1024, 64)),
                 four = bulk_answered(BULK(1024, 128));
  assert_true(two > one);
  assert_int_equal(four - two, 2 * (two - one));
}

// Who waits until a copy has read goes on once all of its requests are on the network; who waits until it is done, when they have been answered.
static void stores_in_bulk(void **state) {
  (void)state;
  const uint64_t reads =
                   until_waited(ONE STORE(2048, 256) "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;"),
                 done = until_waited(ONE STORE(2048, 256) "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"),
                 newer = until_waited(ONE STORE(2048, 256) "cp.async.bulk.commit_group; cp.async.bulk.wait_group 1;"),
                 others = until_waited(ONE STORE(2048, 256) "cp.async.commit_group; cp.async.wait_all;");
  assert_true(reads < done);
  assert_true(newer < reads);
  assert_true(others <= newer + 1); // groups of cp.async are others
}

// A fence orders none of them.
static void fences_do_not_wait_for_copies(void **state) {
  (void)state;
  assert_int_equal(until_waited(SLOW "membar.gl;"), until_waited("mov.u32 %r9, 1; membar.gl;"));
  assert_true(until_waited(SLOW_LOAD "membar.gl;") >= until_loaded(SLOW_LOAD, NEEDS_SLOW));
}

// Requests and sectors are counted as those of loads past the first-level cache, and of stores. 240 bytes from 1040 on lie in 8 sectors of 2 lines, of
// which stores write the first in part.
static void bulk_copies_are_counted(void **state) {
  (void)state;
  struct rig *rig = lone_rig();
  const struct run run = {.body = ADDRESSES ONE INIT BULK(1040, 240) STORE(2064, 240) "cp.async.bulk.commit_group;",
                          .shared_bytes = 1024};
  struct sight s;
  observe(rig, &run, UINT64_C(0xFFFFFFF0), &s);
  rig_free(rig);
  assert_int_equal(s.counts.global_load_requests, 1);
  assert_int_equal(s.counts.global_store_requests, 1);
  assert_int_equal(s.counts.levels[0].loads.bypasses, 8);
  assert_int_equal(s.counts.levels[1].loads.accesses, 8);
  assert_int_equal(s.counts.levels[1].stores.accesses, 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(who_waits_goes_on_when_a_load_would),  cmocka_unit_test(an_open_group_is_not_waited_for),
    cmocka_unit_test(the_newest_groups_are_not_waited_for), cmocka_unit_test(many_groups),
    cmocka_unit_test(a_barrier_waits_for_copies),           cmocka_unit_test(a_bulk_copy_takes_a_load_s_way),
    cmocka_unit_test(a_bulk_copy_comes_by_sectors),         cmocka_unit_test(stores_in_bulk),
    cmocka_unit_test(fences_do_not_wait_for_copies),        cmocka_unit_test(bulk_copies_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
