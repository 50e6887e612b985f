// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Barriers of a block that take time (core.barrier_cycles): as on the three boards that Burtchell and Burtscher measured (IISWC 2024,
// SyncPerformance, cuda_syncthreads): 20 to 22 cycles, and two for each warp.
#include "gpu_test.h"

static struct rig *barrier_rig(uint32_t cycles, uint32_t interval) {
  struct rig *rig = lone_rig();
  rig_set(rig, "core.barrier_cycles=%u", cycles);
  rig_set(rig, "core.barrier_interval_cycles=%u", interval);
  return rig;
}

// Of what warp 0 reads.
static uint64_t apart(struct rig *rig, unsigned threads, const char *timed) {
  char body[4096] = RECORD_PLACE "bar.sync 0;";
  strcat(body, timed);
  record(body, 2);
  struct sight s;
  observe(rig, &(struct run){.body = body, .threads = threads}, UINT64_C(0xFFFFFFF0), &s);
  return s.words[0][1] - s.words[0][0];
}

// Threads, and the cycles of a barrier after another: an RTX 2070 Super, an A100 and an RTX 4090, 1.8, 1.41 and 2.625 GHz.
static const struct board {
  uint32_t cycles; // of the chip
  unsigned measured[6];
} boards[] = {
  {20, {22, 24, 28, 36, 52, 84}},
  {21, {23, 25, 29, 37, 53, 85}},
  {22, {24, 26, 30, 38, 53, 85}},
};

static void as_measured(void **state) {
  (void)state;
  enum { BARRIERS = 8 };
  for (unsigned b = 0; b < 3; b++)
    for (unsigned k = 0; k < 6; k++) {
      struct rig *rig = barrier_rig(boards[b].cycles, 2);
      char timed[512] = "bar.sync 0;" READ(0);
      for (unsigned n = 0; n < BARRIERS; n++) strcat(timed, "bar.sync 0;");
      strcat(timed, READ(1));
      const uint64_t each = apart(rig, 32u << k, timed) / BARRIERS;
      assert_in_range(each, boards[b].measured[k], boards[b].measured[k] + 1);
      rig_free(rig);
    }
}

// Without them, the last warp's arrival lets all go on in the next cycle; with arrivals that take three each, behind that.
static void at_once(void **state) {
  (void)state;
  for (unsigned interval = 0; interval <= 3; interval += 3) {
    struct rig *rig = barrier_rig(0, interval);
    assert_int_equal(apart(rig, 32, "bar.sync 0;" READ(0) "bar.sync 0;" READ(1)), interval ? 1 + interval : 2);
    rig_free(rig);
  }
}

// Who only arrives does not wait, but takes its turn; a barrier that no lane executes costs nothing.
static void others(void **state) {
  (void)state;
  struct rig *rig = barrier_rig(50, 3);
  const char *producer = "setp.lt.u32 %p1, %r90, 32; @%p1 bra arrives; bar.sync 1, 64; bra done; arrives:" READ(
    0) "bar.arrive 1, 64;" READ(1) "done:";
  assert_int_equal(apart(rig, 64, producer), 2);
  const char *consumer = "setp.ge.u32 %p1, %r90, 32; @%p1 bra arrives; " READ(0) "bar.sync 1, 64;" READ(
    1) "bra done; arrives: bar.arrive 1, 64; done:";
  assert_true(apart(rig, 64, consumer) >= 50 + 3);
  assert_int_equal(
    apart(rig, 32, "setp.eq.u32 %p1, 1, 2; mov.u64 %d9, 1; mov.u64 %d9, 2;" READ(0) "@%p1 bar.sync 0;" READ(1)), 2);
  rig_free(rig);
}

// A warp that ends while the other waits lets that go at once: nobody arrives. If it has ended before, the other is the last to arrive.
static void an_exit(void **state) {
  (void)state;
  enum { LONG = 60 };
  char late[2048] = "setp.ge.u32 %p1, %r90, 32; @%p1 bra ends;" READ(0) "bar.sync 0;" READ(1) "bra done; ends:",
       early[2048] = "setp.ge.u32 %p1, %r90, 32; @%p1 bra ends;";
  for (unsigned k = 0; k < LONG; k++) {
    strcat(late, "mov.u64 %d9, 5;");
    strcat(early, "mov.u64 %d9, 5;");
  }
  strcat(late, "ret; done:");
  strcat(early, READ(0) "bar.sync 0;" READ(1) "bra done; ends: ret; done:");
  struct rig *slow = barrier_rig(500, 2), *fast = barrier_rig(0, 0);
  const uint64_t waited = apart(slow, 64, late), other = apart(fast, 64, late);
  assert_true(other >= LONG);
  assert_in_range(waited, other - 4, other + 4);
  assert_int_equal(apart(fast, 64, early), 2);
  assert_int_equal(apart(slow, 64, early), 500 + 2 + 1);
  rig_free(slow);
  rig_free(fast);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(as_measured),
    cmocka_unit_test(at_once),
    cmocka_unit_test(others),
    cmocka_unit_test(an_exit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
