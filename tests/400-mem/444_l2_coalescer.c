// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Reads of one sector that a slice serves as one: which join which, until when, how many, and that each core is answered.
#include "memory_test.h"

enum { DELAY = 20, LATENCY = 7, CORES = 6, HERE = 0, THERE = 256, SECTOR = 32 };

// From 440_slice.c: three cycles to the slice, its delay, the look-up in the cycle after, the hit's latency, and an answer of two
// flits three cycles away.
enum { TO_SLICE = 3, IN_SLICE = DELAY + 1 + LATENCY, HIT = TO_SLICE + IN_SLICE + 3 + 1 };

// Cores 0 to 3 are of one group, core 4 is of another, core 5 (a CPU's port) of none.
static const uint8_t groups[] = {0, 0, 0, 0, 1};

static struct memory *memory_with(uint32_t most, uint32_t cycles, uint32_t partition_cycles) {
  struct memory_params p = one_shared_cache(DELAY, LATENCY);
  p.cores = CORES;
  p.channels = partition_cycles ? 2 : 1;
  p.partition_cycles = partition_cycles;
  p.coalesced_reads = most;
  p.coalesced_cycles = cycles;
  p.groups = groups;
  p.group_cores = sizeof groups / sizeof *groups;
  return memory_new(&p);
}

static void expect_counts(const struct memory *m, uint64_t accesses, uint64_t coalesced) {
  assert_int_equal(m->levels[0].loads.accesses + m->levels[0].stores.accesses, accesses);
  assert_int_equal(m->levels[0].coalesced_reads, coalesced);
}

static void read_sector(struct memory *m, uint32_t core, uint64_t address) {
  memory_send(m, core, WEIR_MREQ_LOAD, address, SECTOR);
}

// Each core that has asked has one answer, with its own mark, of what it asked for.
static void expect_answer_of_each(const struct memory *m, const uint32_t *asked, uint64_t address) {
  uint32_t got[CORES] = {0};
  for (uint32_t i = 0; i < m->answers; i++) {
    assert_int_equal(m->log[i].address, address);
    assert_int_equal(m->log[i].bytes, SECTOR);
    assert_int_equal(m->log[i].token, 100 + m->log[i].core);
    got[m->log[i].core]++;
  }
  for (uint32_t c = 0; c < CORES; c++) assert_int_equal(got[c], asked[c]);
}

static void only_cores_of_a_group_share(void **state) {
  (void)state;
  static const uint32_t asked[CORES] = {1, 1, 0, 0, 1, 1};
  struct memory *m = memory_with(2, 1000, 0);
  for (uint32_t c = 0; c < CORES; c++) {
    if (!asked[c]) continue;
    struct weir_mreq *r = memory_make(m, WEIR_MREQ_LOAD, HERE, SECTOR);
    r->token = 100 + c;
    memory_put(m, c, r);
  }
  memory_drain(m);
  expect_counts(m, 3, 1); // core 0's with core 1's; core 4's; core 5's
  assert_int_equal(m->stats.dram.reads, 1);
  expect_answer_of_each(m, asked, HERE);
  memory_free(m);
}

// Four reads: in pairs, in three and one, in one.
static void so_many_are_one(void **state) {
  (void)state;
  for (uint32_t most = 2; most <= 5; most++) {
    const uint32_t accesses = most == 2 || most == 3 ? 2 : 1;
    struct memory *m = memory_with(most, 1000, 0);
    for (uint32_t c = 0; c < 4; c++) read_sector(m, c, HERE);
    memory_drain(m);
    expect_counts(m, accesses, 4 - accesses);
    assert_int_equal(m->answers, 4);
    memory_free(m);
  }
}

// Of a sector that the slice has, the answer leaves IN_SLICE cycles after the request has come: a request that comes in the cycle before
// joins it, and has its answer at the same time; one that comes then is looked up itself.
static void until_the_answer_leaves(void **state) {
  (void)state;
  for (uint32_t late = 0; late < 2; late++) {
    struct memory *m = memory_with(2, 1000, 0);
    read_sector(m, 4, HERE);
    memory_drain(m);
    const weir_cycle start = m->now;
    read_sector(m, 0, HERE);
    while (m->now < start + IN_SLICE - 1 + late) memory_tick(m);
    read_sector(m, 1, HERE);
    memory_drain(m);
    expect_counts(m, late ? 3 : 2, late ? 0 : 1);
    assert_int_equal(m->log[1].core, 0);
    assert_int_equal(m->log[1].at, start + HIT);
    assert_int_equal(m->log[2].core, 1);
    assert_int_equal(m->log[2].at, late ? start + IN_SLICE + HIT : start + HIT);
    memory_free(m);
  }
}

// A read may be joined for so many cycles after it has come, and not in the next one.
static void for_so_many_cycles(void **state) {
  (void)state;
  enum { CYCLES = 5 };
  for (uint32_t late = 0; late < 2; late++) {
    struct memory *m = memory_with(2, CYCLES, 0);
    const weir_cycle start = m->now;
    read_sector(m, 0, HERE);
    while (m->now < start + CYCLES + late) memory_tick(m);
    read_sector(m, 1, HERE);
    memory_drain(m);
    expect_counts(m, 1 + late, 1 - late);
    assert_int_equal(m->answers, 2);
    memory_free(m);
  }
}

// What writes joins nothing, and nothing joins it; neither do reads of the next sector. Of a request for two sectors, each may join.
static void only_reads_of_the_same_sector(void **state) {
  (void)state;
  static const struct {
    enum weir_mreq_kind kind;
    uint64_t address;
    uint32_t bytes, accesses, coalesced;
  } cases[] = {{WEIR_MREQ_LOAD, HERE, SECTOR, 1, 1},          {WEIR_MREQ_TEXTURE, HERE, SECTOR, 2, 0},
               {WEIR_MREQ_LOAD, HERE + SECTOR, SECTOR, 2, 0}, {WEIR_MREQ_LOAD, HERE, 2 * SECTOR, 2, 1},
               {WEIR_MREQ_STORE, HERE, SECTOR, 2, 0},         {WEIR_MREQ_ATOMIC, HERE, SECTOR, 2, 0},
               {WEIR_MREQ_CONSTANT, HERE, SECTOR, 2, 0},      {WEIR_MREQ_INSTRUCTION, HERE, SECTOR, 2, 0}};
  for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
    for (unsigned first = 0; first < 2; first++) {
      struct memory *m = memory_with(2, 1000, 0);
      if (first) read_sector(m, 0, HERE);
      memory_send(m, 1, cases[k].kind, cases[k].address, cases[k].bytes);
      if (!first) read_sector(m, 0, HERE);
      memory_drain(m);
      expect_counts(m, cases[k].accesses, cases[k].coalesced);
      memory_free(m);
    }
  }
}

// Each half of a cache in two partitions is asked by its own cores: those of the group that are near the same half share. The slice's own
// read of the other half is nobody's to join.
static void of_two_partitions(void **state) {
  (void)state;
  struct memory *m = memory_with(4, 1000, 11);
  for (uint32_t c = 0; c < 4; c++)
    read_sector(m, c, THERE); // cores 0 to 2 are near the first half, 3 near the second, its home
  memory_drain(m);
  assert_int_equal(m->levels[0].coalesced_reads, 2);
  assert_int_equal(m->levels[0].far_reads, 1);
  assert_int_equal(m->levels[0].loads.accesses, 2 + 1);
  assert_int_equal(m->stats.dram.reads, 1);
  assert_int_equal(m->answers, 4);
  memory_free(m);
}

// Many cores' reads of few sectors, again and again: all are answered, and each is an access or joins one.
static void none_is_lost(void **state) {
  (void)state;
  enum { ROUNDS = 200, SECTORS = 3 };
  struct memory *m = memory_with(3, 1000, 0);
  uint32_t sent = 0;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    for (uint32_t c = 0; c < CORES; c++) {
      struct weir_mreq *r = memory_make(m, WEIR_MREQ_LOAD, SECTOR * ((round * 7 + c * c) % SECTORS), SECTOR);
      if (memory_try(m, c, r))
        sent++;
      else
        weir_mreq_release(&m->fabric.pool, r);
    }
    for (uint32_t k = 0; k < round % 5; k++) memory_tick(m);
  }
  memory_drain(m);
  assert_true(sent > ROUNDS);
  assert_int_equal(m->answers, sent);
  assert_int_equal(m->levels[0].loads.accesses + m->levels[0].coalesced_reads, sent);
  assert_true(m->levels[0].coalesced_reads > sent / 4);
  memory_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(only_cores_of_a_group_share),
    cmocka_unit_test(so_many_are_one),
    cmocka_unit_test(until_the_answer_leaves),
    cmocka_unit_test(for_so_many_cycles),
    cmocka_unit_test(only_reads_of_the_same_sector),
    cmocka_unit_test(of_two_partitions),
    cmocka_unit_test(none_is_lost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
