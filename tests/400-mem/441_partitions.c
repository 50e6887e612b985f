// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A shared cache in two partitions: what the way to the other one costs, which copies are kept, and what ends them.
#include "memory_test.h"

// Of two slices, core 0 is near the first and core 1 near the second; addresses below HERE have their home in the first, those
// from THERE on in the second (blocks of 256 bytes take turns).
enum {
  DELAY = 20,
  LATENCY = 7,
  CROSSING = 11,
  HERE = 0,
  THERE = 256,
  NEXT = 512 /* the next block of the same home */
};

// From 440_slice.c: three cycles to the slice, its delay, the look-up in the cycle after, the hit's latency, and an answer of two
// flits three cycles away.
enum { NEAR = 3 + DELAY + 1 + LATENCY + 3 + 1 };
// The look-up misses. The fetch leaves the miss queue in the cycle after and is over there CROSSING later; it is looked up in the
// cycle after, hits, and its answer is back LATENCY and CROSSING later. It is a fill at once; what waits for it comes out of
// the ready queue in the cycle after, and leaves in the one after that.
enum { FAR = 3 + DELAY + 1 + (1 + CROSSING + 1 + LATENCY + CROSSING + 1 + 1) + 3 + 1 };

static struct memory_params partitioned(void) {
  struct memory_params p = one_shared_cache(DELAY, LATENCY);
  p.channels = 2;
  p.partition_cycles = CROSSING;
  p.stages[0].cache.mshrs = 4;
  return p;
}

static struct memory *two_partitions(void) {
  const struct memory_params p = partitioned();
  return memory_new(&p);
}

static void done(struct memory *m, uint32_t core, enum weir_mreq_kind kind, uint64_t address) {
  memory_send(m, core, kind, address, 32);
  memory_drain(m);
}

// Cycles of one load of a sector.
static weir_cycle read_one(struct memory *m, uint32_t core, uint64_t address) {
  const weir_cycle start = m->now;
  const uint32_t before = m->answers;
  memory_send(m, core, WEIR_MREQ_LOAD, address, 32);
  while (m->answers == before) memory_tick(m);
  const weir_cycle cycles = m->answered_at - start;
  memory_drain(m);
  return cycles;
}

// Either core, and either side: the first read of what the other side has is far, the second one near.
static void far_once_then_near(void **state) {
  (void)state;
  static const uint64_t homes[] = {HERE, THERE};
  for (uint32_t reader = 0; reader < 2; reader++) {
    struct memory *m = two_partitions();
    const uint64_t address = homes[1 - reader];
    done(m, 1 - reader, WEIR_MREQ_LOAD, address);
    assert_int_equal(m->stats.dram.reads, 1);
    assert_int_equal(read_one(m, 1 - reader, address), NEAR);
    assert_int_equal(m->levels[0].far_reads, 0);
    assert_int_equal(read_one(m, reader, address), FAR);
    assert_int_equal(m->levels[0].far_reads, 1);
    assert_int_equal(read_one(m, reader, address), NEAR);
    assert_int_equal(read_one(m, 1 - reader, address), NEAR);
    assert_int_equal(m->levels[0].far_reads, 1);
    assert_int_equal(m->stats.dram.reads, 1);
    // Looked up: twice near the home, twice and a second time over there by the reader, once more near the home.
    assert_int_equal(m->levels[0].loads.accesses, 2 + 3 + 1);
    assert_int_equal(m->levels[0].loads.misses, 2); // the first of all, and the reader's first
    memory_free(m);
  }
}

// Nobody has it: it comes from the home's DRAM, once, and stays on both sides.
static void a_far_miss_stays_on_both_sides(void **state) {
  (void)state;
  struct memory *m = two_partitions();
  done(m, 0, WEIR_MREQ_LOAD, THERE);
  assert_int_equal(m->levels[0].loads.misses, 2);
  assert_int_equal(read_one(m, 0, THERE), NEAR);
  assert_int_equal(read_one(m, 1, THERE), NEAR);
  assert_int_equal(m->stats.dram.reads, 1);
  memory_free(m);
}

// Whoever writes, the home has it and the copy ends: that of the other half of the line stays.
static void a_store_ends_the_copy(void **state) {
  (void)state;
  for (uint32_t writer = 0; writer < 2; writer++) {
    struct memory *m = two_partitions();
    done(m, 0, WEIR_MREQ_LOAD, THERE);
    done(m, 0, WEIR_MREQ_LOAD, THERE + 64);
    done(m, writer, WEIR_MREQ_STORE, THERE);
    assert_int_equal(m->levels[0].stores.accesses, 1);
    assert_int_equal(m->levels[0].stores.hits, 1);
    assert_int_equal(read_one(m, 1, THERE), NEAR);
    assert_int_equal(read_one(m, 0, THERE + 64), NEAR);
    assert_int_equal(read_one(m, 0, THERE), FAR);
    assert_int_equal(m->stats.dram.reads, 2);
    assert_int_equal(m->stats.dram.writes, 0);
    memory_free(m);
  }
}

// A copy that is under way when its sector is written is not kept.
static void a_store_ends_the_copy_under_way(void **state) {
  (void)state;
  struct memory *m = two_partitions();
  done(m, 1, WEIR_MREQ_LOAD, THERE);
  memory_send(m, 0, WEIR_MREQ_LOAD, THERE, 32);
  for (int i = 0; i < 3; i++) memory_tick(m);
  memory_send(m, 1, WEIR_MREQ_STORE, THERE,
              32); // looked up three cycles after the load has missed, which takes CROSSING
  memory_drain(m);
  assert_int_equal(m->levels[0].far_reads, 1);
  assert_int_equal(read_one(m, 0, THERE), FAR);
  assert_int_equal(read_one(m, 0, THERE), NEAR);
  memory_free(m);
}

// Atomics are performed at the home, once each, and leave no copy valid.
static void atomics_go_home(void **state) {
  (void)state;
  struct memory *m = two_partitions();
  done(m, 0, WEIR_MREQ_LOAD, THERE);
  done(m, 0, WEIR_MREQ_ATOMIC, THERE);
  done(m, 1, WEIR_MREQ_ATOMIC, THERE);
  assert_int_equal(m->stats.atomics, 2);
  assert_int_equal(m->levels[0].stores.accesses, 2);
  assert_int_equal(m->stats.dram.reads, 1);
  assert_int_equal(read_one(m, 0, THERE), FAR);
  memory_free(m);
}

// A host's copy is at its home alone.
static void a_host_copy_ends_the_copy(void **state) {
  (void)state;
  struct memory *m = two_partitions();
  uint64_t place;
  done(m, 0, WEIR_MREQ_LOAD, THERE);
  const uint32_t home = weir_slice_of(&m->fabric.map, THERE, &place);
  weir_slice_place(&m->slices[home], THERE, place, 1, m->now);
  assert_int_equal(read_one(m, 0, THERE), FAR);
  assert_int_equal(read_one(m, 1, THERE), NEAR);
  memory_free(m);
}

// Of four MSHRs two may fetch from the other side: the third such miss waits for one of them, and one of the own side for none.
static void half_of_the_registers_fetch_from_afar(void **state) {
  (void)state;
  for (uint32_t near = 0; near < 2; near++) {
    struct memory *m = two_partitions();
    memory_send(m, 0, WEIR_MREQ_LOAD, THERE, 32);
    memory_send(m, 0, WEIR_MREQ_LOAD, THERE + NEXT, 32);
    memory_send(m, 0, WEIR_MREQ_LOAD, near ? HERE : THERE + 2 * NEXT, 32);
    memory_drain(m);
    assert_int_equal(m->levels[0].stalls[WEIR_STALL_MSHR_FULL] > 0, !near);
    assert_int_equal(m->answers, 3);
    memory_free(m);
  }
}

// Fetches from afar and own ones have registers of their own: nobody waits but who finds all of his kind in use.
static void far_registers_are_apart(void **state) {
  (void)state;
  static const struct {
    uint64_t second;
    bool waits;
  } cases[] = {{THERE + NEXT, true}, {HERE, false}};
  for (uint32_t i = 0; i < 2; i++) {
    struct memory_params p = partitioned();
    p.stages[0].cache.mshrs = 1;
    p.stages[0].cache.far_mshrs = 1;
    struct memory *m = memory_new(&p);
    memory_send(m, 0, WEIR_MREQ_LOAD, THERE, 32);
    memory_send(m, 0, WEIR_MREQ_LOAD, cases[i].second, 32);
    memory_drain(m);
    assert_int_equal(m->levels[0].stalls[WEIR_STALL_MSHR_FULL] > 0, cases[i].waits);
    assert_int_equal(m->answers, 2);
    memory_free(m);
  }
}

// Cycles of loads of two sectors that both lie in the L2, sent together.
static weir_cycle read_two(uint32_t far_mshrs, uint64_t first, uint64_t second, uint32_t warm_core) {
  struct memory_params p = partitioned();
  p.stages[0].cache.mshrs = 1;
  p.stages[0].cache.far_mshrs = far_mshrs;
  struct memory *m = memory_new(&p);
  done(m, warm_core, WEIR_MREQ_LOAD, first);
  done(m, warm_core, WEIR_MREQ_LOAD, second);
  const weir_cycle start = m->now;
  const uint32_t before = m->answers;
  memory_send(m, 0, WEIR_MREQ_LOAD, first, 32);
  memory_send(m, 0, WEIR_MREQ_LOAD, second, 32);
  while (m->answers < before + 2) memory_tick(m);
  const weir_cycle cycles = m->answered_at - start;
  memory_drain(m);
  memory_free(m);
  return cycles;
}

// With a register for each, two far loads are as much later than two near ones as one is; with one for both, the second crosses
// when the first is back.
static void far_registers_overlap(void **state) {
  (void)state;
  const weir_cycle near = read_two(2, HERE, HERE + NEXT, 0);
  assert_int_equal(read_two(2, THERE, THERE + NEXT, 1) - near, FAR - NEAR);
  assert_true(read_two(1, THERE, THERE + NEXT, 1) - near >= FAR - NEAR + 2 * CROSSING);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(far_once_then_near),
    cmocka_unit_test(a_far_miss_stays_on_both_sides),
    cmocka_unit_test(a_store_ends_the_copy),
    cmocka_unit_test(a_store_ends_the_copy_under_way),
    cmocka_unit_test(atomics_go_home),
    cmocka_unit_test(a_host_copy_ends_the_copy),
    cmocka_unit_test(half_of_the_registers_fetch_from_afar),
    cmocka_unit_test(far_registers_are_apart),
    cmocka_unit_test(far_registers_overlap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
