// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A memory slice to the cycle: what a packet costs between the network and its answer, pieces, order, a second cache
// behind the first.
#include "memory_test.h"

enum { DELAY = 20, LATENCY = 7 };

static struct memory_params one_cache(void) {
  return one_shared_cache(DELAY, LATENCY);
}

// Sends at the current cycle; the cycle of the first answer.
static weir_cycle time_one(struct memory *m, enum weir_mreq_kind kind, uint64_t address, uint32_t bytes) {
  memory_send(m, 0, kind, address, bytes);
  uint32_t before = m->answers;
  while (m->answers == before) memory_tick(m);
  return m->answered_at;
}

// A load of one sector that hits. Cycle 0: sent and granted by the network; there at 3 (its latency). Taken by the slice at
// 3, it leaves the delay at 3 + input_delay and is looked up in the cycle after; hit_latency later the answer enters the
// reply network (40 bytes: two flits), which is granted that cycle.
static void a_hit(void **state) {
  (void)state;
  struct memory_params p = one_cache();
  struct memory *m = memory_new(&p);
  time_one(m, WEIR_MREQ_LOAD, 0, 32);
  memory_drain(m);
  weir_cycle start = m->now;
  assert_int_equal(time_one(m, WEIR_MREQ_LOAD, 0, 32), start + 3 + DELAY + 1 + LATENCY + 3 + 1);
  assert_int_equal(m->levels[0].loads.hits, 1);
  memory_free(m);
}

// A request of 128 bytes becomes four of a sector: looked up one per cycle in the order of their addresses, answered one by
// one; on the way back each holds the port for two flits.
static void four_pieces(void **state) {
  (void)state;
  struct memory_params p = one_cache();
  struct memory *m = memory_new(&p);
  memory_send(m, 0, WEIR_MREQ_LOAD, 0x100, 128);
  memory_drain(m);
  weir_cycle start = m->now;
  m->answers = 0;
  memory_send(m, 0, WEIR_MREQ_LOAD, 0x100, 128);
  memory_drain(m);
  assert_int_equal(m->answers, 4);
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(m->log[i].address, 0x100 + 32 * i);
    assert_int_equal(m->log[i].bytes, 32);
    assert_int_equal(m->log[i].at, start + 3 + DELAY + 1 + LATENCY + 3 + 1 + 2 * i);
  }
  assert_int_equal(m->levels[0].loads.accesses, 8);
  memory_free(m);
}

// From the middle of a sector to the middle of another: the ends are short.
static void pieces_of_a_crooked_request(void **state) {
  (void)state;
  struct memory_params p = one_cache();
  struct memory *m = memory_new(&p);
  memory_send(m, 1, WEIR_MREQ_LOAD, 0x10, 64);
  memory_drain(m);
  static const uint64_t address[3] = {0x10, 0x20, 0x40};
  static const uint32_t bytes[3] = {16, 32, 16};
  assert_int_equal(m->answers, 3);
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(m->log[i].address, address[i]);
    assert_int_equal(m->log[i].bytes, bytes[i]);
    assert_int_equal(m->log[i].core, 1);
  }
  memory_free(m);
}

// Across two lines, each piece finds its own set: both are there afterwards.
static void pieces_of_two_lines(void **state) {
  (void)state;
  struct memory_params p = one_cache();
  struct memory *m = memory_new(&p);
  memory_send(m, 0, WEIR_MREQ_LOAD, 0x70, 32);
  memory_drain(m);
  memory_send(m, 0, WEIR_MREQ_LOAD, 0x60, 32);
  memory_send(m, 0, WEIR_MREQ_LOAD, 0x80, 32);
  memory_drain(m);
  assert_int_equal(m->levels[0].loads.misses, 2);
  assert_int_equal(m->levels[0].loads.hits, 2);
  memory_free(m);
}

// Two banks: the two pieces of a request enter together. In one line, one bank, the second waits a cycle for it; in two
// neighbouring lines both are looked up at once. With one bank they enter one by one, and there is nothing to wait for.
static void banks(void **state) {
  (void)state;
  static const struct {
    uint32_t banks;
    uint64_t address;
    uint64_t stalls;
  } cases[] = {{2, 0x00, 1}, {2, 0x60, 0}, {1, 0x00, 0}, {1, 0x60, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct memory_params p = one_cache();
    p.stages[0].cache.banks = cases[i].banks;
    struct memory *m = memory_new(&p);
    memory_send(m, 0, WEIR_MREQ_LOAD, cases[i].address, 64);
    memory_drain(m);
    assert_int_equal(m->answers, 2);
    assert_int_equal(m->levels[0].stalls[WEIR_STALL_BANK], cases[i].stalls);
    memory_free(m);
  }
}

// Each piece of a store knows which of its 32-byte parts are whole: the second sector alone must be fetched to be read.
static void whole_parts_follow_their_pieces(void **state) {
  (void)state;
  struct memory_params p = one_cache();
  struct memory *m = memory_new(&p);
  struct weir_mreq *r = memory_make(m, WEIR_MREQ_STORE, 0, 128);
  r->full = 0xD; // 1101: all but the second
  memory_put(m, 0, r);
  memory_drain(m);
  assert_int_equal(m->stats.dram.reads, 0);
  memory_send(m, 0, WEIR_MREQ_LOAD, 0, 128);
  memory_drain(m);
  assert_int_equal(m->levels[0].loads.hits, 3);
  assert_int_equal(m->levels[0].loads.misses, 1);
  assert_int_equal(m->stats.dram.reads, 1);
  memory_free(m);
}

// The delay is a pipe: four hits one cycle apart come back one flit time apart, not a delay apart.
static void the_delay_is_a_pipe(void **state) {
  (void)state;
  struct memory_params p = one_cache();
  struct memory *m = memory_new(&p);
  memory_send(m, 0, WEIR_MREQ_LOAD, 0, 128);
  memory_drain(m);
  m->answers = 0;
  for (uint64_t i = 0; i < 4; i++) memory_send(m, 0, WEIR_MREQ_LOAD, 32 * i, 32);
  memory_drain(m);
  for (uint32_t i = 1; i < 4; i++) assert_int_equal(m->log[i].at, m->log[i - 1].at + 2);
  memory_free(m);
}

// A hit overtakes a miss: only answers keep a port's order, not requests.
static void a_hit_passes_a_miss(void **state) {
  (void)state;
  struct memory_params p = one_cache();
  struct memory *m = memory_new(&p);
  memory_send(m, 0, WEIR_MREQ_LOAD, 0, 32);
  memory_drain(m);
  m->answers = 0;
  memory_send(m, 0, WEIR_MREQ_LOAD, 0x4000, 32);
  memory_send(m, 0, WEIR_MREQ_LOAD, 0, 32);
  memory_drain(m);
  assert_int_equal(m->log[0].address, 0);
  assert_int_equal(m->log[1].address, 0x4000);
  memory_free(m);
}

// Two caches: what misses both comes from DRAM and stays in both; what the first has lost is still in the second.
static void a_second_cache_behind_the_first(void **state) {
  (void)state;
  struct memory_params p = one_cache();
  p.caches = 2;
  p.stages[1] = p.stages[0];
  p.stages[1].cache.level = 2;
  p.stages[1].cache.sets = 256;
  p.stages[1].cache.sector_bytes = p.stages[1].cache.line_bytes; // 128: a sector of the first is a quarter of it
  p.stages[0].cache.sets = 1;
  p.stages[0].cache.ways = 1;
  p.stages[0].cache.line_bytes = p.stages[0].cache.sector_bytes = 128;
  p.dram.atom_bytes = 128;
  struct memory *m = memory_new(&p);
  weir_cycle start = m->now, cold = time_one(m, WEIR_MREQ_LOAD, 0, 128) - start;
  memory_drain(m);
  time_one(m, WEIR_MREQ_LOAD, 128, 128); // takes the first's only line
  memory_drain(m);
  start = m->now;
  weir_cycle second = time_one(m, WEIR_MREQ_LOAD, 0, 128) - start;
  memory_drain(m);
  start = m->now;
  weir_cycle first = time_one(m, WEIR_MREQ_LOAD, 0, 128) - start;
  assert_int_equal(m->levels[0].loads.hits, 1);
  assert_int_equal(m->levels[1].loads.hits, 1);
  assert_int_equal(m->stats.dram.reads, 2);
  // 136 bytes are five flits. A miss leaves the miss queue in the cycle after its look-up; then delay, a look-up in the
  // cycle after, the hit's latency, upon which the answer is a fill at once; it leaves in the cycle after its way out of
  // the ready queue.
  assert_int_equal(first, 3 + DELAY + 1 + LATENCY + 3 + 4);
  assert_int_equal(second, 3 + DELAY + 1 + 1 + DELAY + 1 + LATENCY + 1 + 1 + 3 + 4);
  assert_true(cold > second);
  memory_free(m);
}

// Dirty victims of the first end in the second, not in DRAM; those of the second in DRAM. Neither has an answer.
static void write_backs_sink(void **state) {
  (void)state;
  struct memory_params p = one_cache();
  p.caches = 2;
  p.stages[1] = p.stages[0];
  p.stages[1].cache.level = 2;
  p.stages[0].cache.sets = p.stages[0].cache.ways = 1;
  p.stages[1].cache.sets = 1;
  struct memory *m = memory_new(&p);
  for (uint64_t i = 0; i < 2; i++) memory_send(m, 0, WEIR_MREQ_STORE, i * 128, 32), memory_drain(m);
  assert_int_equal(m->levels[0].writebacks, 1);
  assert_int_equal(m->levels[1].stores.accesses, 1);
  assert_int_equal(m->stats.dram.writes, 0);
  for (uint64_t i = 2; i < 4; i++) memory_send(m, 0, WEIR_MREQ_STORE, i * 128, 32), memory_drain(m);
  assert_int_equal(m->levels[0].writebacks, 3);
  assert_int_equal(m->levels[1].writebacks, 1); // three lines for two ways
  assert_int_equal(m->stats.dram.writes, 1);
  assert_int_equal(m->answers, 4);
  memory_free(m);
}

// Of a victim's four sectors those that are dirty, `mask`, end in the second cache, and no other: reads of them hit there.
static void dirty_sectors_sink_alone(uint32_t mask, uint32_t second_sector) {
  struct memory_params p = one_cache();
  p.caches = 2;
  p.stages[1] = p.stages[0];
  p.stages[1].cache.level = 2;
  p.stages[1].cache.sector_bytes = second_sector;
  p.stages[0].cache.fetch_pieces = p.stages[0].cache.sector_bytes / second_sector;
  p.stages[0].cache.sets = p.stages[0].cache.ways = 1;
  struct memory *m = memory_new(&p);
  for (uint64_t s = 0; s < 4; s++)
    if (mask >> s & 1) memory_send(m, 0, WEIR_MREQ_STORE, s * 32, 32), memory_drain(m);
  memory_send(m, 0, WEIR_MREQ_STORE, 0x10000, 32), memory_drain(m);
  uint32_t pieces = 32 / second_sector;
  assert_int_equal(m->levels[0].writebacks, weir_popcount(mask));
  assert_int_equal(m->levels[1].stores.accesses, weir_popcount(mask) * pieces);
  for (uint64_t s = 0; s < 4; s++) {
    uint64_t hits = m->levels[1].loads.hits;
    memory_send(m, 0, WEIR_MREQ_LOAD, s * 32, 32), memory_drain(m);
    assert_int_equal(m->levels[1].loads.hits - hits, mask >> s & 1 ? pieces : 0);
  }
  memory_free(m);
}

static void any_dirty_sectors_sink(void **state) {
  (void)state;
  for (uint32_t mask = 1; mask < 16; mask++) dirty_sectors_sink_alone(mask, 32);
}

// An atomic is performed once, here, hit or miss, and answered with its data.
static void atomics_are_counted_once(void **state) {
  (void)state;
  struct memory_params p = one_cache();
  struct memory *m = memory_new(&p);
  for (int i = 0; i < 3; i++) memory_send(m, 0, WEIR_MREQ_ATOMIC, 64, 32);
  memory_drain(m);
  memory_send(m, 0, WEIR_MREQ_ATOMIC, 64, 32);
  memory_drain(m);
  assert_int_equal(m->stats.atomics, 4);
  assert_int_equal(m->answers, 4);
  assert_int_equal(m->stats.dram.reads, 1);
  memory_free(m);
}

// A line asked for twice in flight is fetched once.
static void the_slice_merges(void **state) {
  (void)state;
  struct memory_params p = one_cache();
  struct memory *m = memory_new(&p);
  memory_send(m, 0, WEIR_MREQ_LOAD, 0, 32);
  memory_send(m, 1, WEIR_MREQ_LOAD, 0, 32);
  memory_drain(m);
  assert_int_equal(m->answers, 2);
  assert_int_equal(m->levels[0].loads.hits_on_miss, 1);
  assert_int_equal(m->stats.dram.reads, 1);
  memory_free(m);
}

static bool held(const struct memory *m, uint64_t address) {
  return weir_cache_holds(&m->slices[0].stages[0].cache, address, address);
}

// Reads without time bring what a miss does: both halves of 64 bytes, whichever is read; a write brings its own sector.
static void what_is_warm_comes_with_its_neighbour(void **state) {
  (void)state;
  struct memory_params p = one_cache();
  p.stages[0].cache.fetch_bytes = 64;
  struct memory *m = memory_new(&p);
  weir_slice_warm(&m->slices[0], 96, 96, WEIR_WARM_READ, 0);
  weir_slice_warm(&m->slices[0], 128, 128, WEIR_WARM_WRITE, 0);
  weir_slice_warm(&m->slices[0], 256, 256, WEIR_WARM_READ, 0);
  for (uint64_t at = 0; at < 320; at += 32)
    assert_int_equal(held(m, at), at == 64 || at == 96 || at == 128 || at == 256 || at == 288);
  memory_free(m);
}

// A sector that is written in part is fetched by who reads it, unless it was here.
static void what_is_warm_by_a_part(void **state) {
  (void)state;
  struct memory_params p = one_cache();
  p.stages[0].cache.write_hit = WEIR_WRITE_BACK;
  struct memory *m = memory_new(&p);
  weir_slice_warm(&m->slices[0], 0, 0, WEIR_WARM_WRITE_PART, 0);
  weir_slice_warm(&m->slices[0], 32, 32, WEIR_WARM_WRITE, 0);
  weir_slice_warm(&m->slices[0], 64, 64, WEIR_WARM_READ, 0);
  weir_slice_warm(&m->slices[0], 64, 64, WEIR_WARM_WRITE_PART, 0);
  assert_false(held(m, 0));
  assert_true(held(m, 32));
  assert_true(held(m, 64));
  time_one(m, WEIR_MREQ_LOAD, 0, 32);
  assert_int_equal(m->levels[0].loads.misses, 1);
  weir_slice_warm(&m->slices[0], 128, 128, WEIR_WARM_WRITE_PART, 0);
  weir_slice_warm(&m->slices[0], 128, 128, WEIR_WARM_READ, 0);
  assert_true(held(m, 128));
  memory_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_hit),
    cmocka_unit_test(four_pieces),
    cmocka_unit_test(pieces_of_a_crooked_request),
    cmocka_unit_test(pieces_of_two_lines),
    cmocka_unit_test(banks),
    cmocka_unit_test(whole_parts_follow_their_pieces),
    cmocka_unit_test(the_delay_is_a_pipe),
    cmocka_unit_test(a_hit_passes_a_miss),
    cmocka_unit_test(a_second_cache_behind_the_first),
    cmocka_unit_test(write_backs_sink),
    cmocka_unit_test(any_dirty_sectors_sink),
    cmocka_unit_test(atomics_are_counted_once),
    cmocka_unit_test(the_slice_merges),
    cmocka_unit_test(what_is_warm_comes_with_its_neighbour),
    cmocka_unit_test(what_is_warm_by_a_part),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
