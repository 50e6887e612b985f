// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The core's times, each derived by hand from its model (cpu/core.h): what `more` further instructions of a regular program
// take is a multiple of its period.
#include "machine.h"

#include "base/rng.h"

enum { R1 = 33, R2 = 34 }; // registers

static uint64_t straight(uint64_t number, struct weir_trace_static *s) { // 16 instructions' PCs, over and over
  s->pc = 0x1000 + number % 16 * 4;
  return 0x1000 + (number + 1) % 16 * 4;
}

static void reads(struct weir_trace_static *s, uint8_t r) {
  s->sources[s->source_count++] = r;
}

static void writes(struct weir_trace_static *s, uint8_t r) {
  s->destinations[s->destination_count++] = r;
}

static void access(struct weir_trace_static *s, uint64_t *addresses, uint64_t address, uint16_t bytes, bool store) {
  addresses[s->access_count] = address;
  s->accesses[s->access_count++] = (struct weir_trace_access){.bytes = bytes, .store = store};
}

// ---- execution --------------------------------------------------------------------------------------------------------

static uint64_t independent(uint64_t number, struct weir_trace_static *s, uint64_t *addresses) {
  (void)addresses;
  return straight(number, s);
}

static uint64_t chain(uint64_t number, struct weir_trace_static *s, uint64_t *addresses) {
  reads(s, R1);
  writes(s, R1);
  return independent(number, s, addresses);
}

static uint64_t multiplies(uint64_t number, struct weir_trace_static *s, uint64_t *addresses) {
  s->kind = WEIR_TRACE_MULTIPLY;
  return chain(number, s, addresses);
}

static uint64_t pushes(uint64_t number, struct weir_trace_static *s, uint64_t *addresses) {
  reads(s, WEIR_TRACE_STACK_POINTER);
  writes(s, WEIR_TRACE_STACK_POINTER);
  return independent(number, s, addresses);
}

static uint64_t system_calls(uint64_t number, struct weir_trace_static *s, uint64_t *addresses) {
  s->kind = WEIR_TRACE_SYSTEM;
  return independent(number, s, addresses);
}

static void test_execution(void **state) {
  (void)state;
  assert_int_equal(cycles_for(&four_wide, independent, 4000), 1000);
  assert_int_equal(cycles_for(&four_wide, chain, 4000), 4000);
  assert_int_equal(cycles_for(&four_wide, multiplies, 4000), 12000);
  assert_int_equal(cycles_for(&four_wide, pushes, 4000), 1000); // the stack pointer waits for nobody
  struct weir_cpu_config two_wide = four_wide;
  two_wide.width = 2;
  assert_int_equal(cycles_for(&two_wide, independent, 4000), 2000);
  // one enters, is done 11 cycles later, leaves in that cycle, and the next one enters in it
  assert_int_equal(cycles_for(&four_wide, system_calls, 100), 1100);
}

// ---- loads ------------------------------------------------------------------------------------------------------------

static uint64_t hit_chain(uint64_t number, struct weir_trace_static *s, uint64_t *addresses) {
  access(s, addresses, 0x80000, 8, false);
  return chain(number, s, addresses);
}

static uint64_t over_lines(uint64_t number, struct weir_trace_static *s, uint64_t *addresses) {
  access(s, addresses, 0x8003c, 8, false);
  return independent(number, s, addresses);
}

static uint64_t hits(uint64_t number, struct weir_trace_static *s, uint64_t *addresses) {
  access(s, addresses, 0x80000 + number % 8 * 8, 8, false);
  return independent(number, s, addresses);
}

static uint64_t l2_chain(uint64_t number, struct weir_trace_static *s, uint64_t *addresses) {
  access(s, addresses, 0x80000 + number % 1024 * 64, 8, false); // 64 KiB: twice the L1, a quarter of the L2
  return chain(number, s, addresses);
}

static uint64_t memory_chain(uint64_t number, struct weir_trace_static *s, uint64_t *addresses) {
  access(s, addresses, 0x800000 + number * 64, 8, false);
  return chain(number, s, addresses);
}

static void test_loads(void **state) {
  (void)state;
  assert_int_equal(cycles_for(&four_wide, hit_chain, 4000), 8000);
  assert_int_equal(cycles_for(&four_wide, hits, 4000), 2000);       // two ports
  assert_int_equal(cycles_for(&four_wide, over_lines, 4000), 4000); // both ports for each
  assert_int_equal(cycles_for(&four_wide, l2_chain, 4096), 4096 * (2 + 8));
  assert_int_equal(cycles_for(&four_wide, memory_chain, 1000), 1000 * (2 + MEMORY_CYCLES));
}

static uint64_t misses(uint64_t number, struct weir_trace_static *s, uint64_t *addresses) {
  access(s, addresses, 0x800000 + number * 64, 8, false);
  return independent(number, s, addresses);
}

static uint64_t one_of_eight_misses(uint64_t number, struct weir_trace_static *s, uint64_t *addresses) {
  if (number % 8 == 0) access(s, addresses, 0x800000 + number * 64, 8, false);
  return independent(number, s, addresses);
}

static void test_parallelism(void **state) {
  (void)state;
  struct weir_cpu_config c = four_wide;
  c.l1d.mshrs = 4; // each is taken for 2 cycles down and those of the memory
  assert_int_equal(cycles_for(&c, misses, 1000), 1000 / 4 * (2 + MEMORY_CYCLES));
  c = four_wide;
  c.window = 8; // a load looks up one cycle after it entered; the next one enters when it leaves
  assert_int_equal(cycles_for(&c, one_of_eight_misses, 800), 100 * (1 + 2 + MEMORY_CYCLES));
  c.window = 64; // eight of them overlap: the oldest one leaves, and its 63 successors are 16 cycles behind
  assert_true(cycles_for(&c, one_of_eight_misses, 8000) < 1000 / 8 * (1 + 2 + MEMORY_CYCLES + 16));
}

// ---- stores -----------------------------------------------------------------------------------------------------------

static uint64_t through_memory(uint64_t number, struct weir_trace_static *s, uint64_t *addresses) {
  const bool store = number % 2;
  if (store)
    reads(s, R1);
  else
    writes(s, R1);
  access(s, addresses, 0x80000, 8, store);
  return independent(number, s, addresses);
}

static uint64_t store_misses(uint64_t number, struct weir_trace_static *s, uint64_t *addresses) {
  access(s, addresses, 0x800000 + number * 64, 8, true);
  return independent(number, s, addresses);
}

static void test_stores(void **state) {
  (void)state;
  // a store's data is there a cycle after the load's, the next load's two cycles after the store's
  assert_int_equal(cycles_for(&four_wide, through_memory, 4000), 2000 * 3);
  struct machine *m = machine_run(&four_wide, through_memory, 4000, false);
  assert_int_equal(m->core.stats.forwarded_loads, 1999);
  assert_int_equal(m->core.stats.stores, 2000);
  machine_free(m);
  // their lines are fetched, 16 at a time, one asked for per cycle; a line's dirty victim goes down ahead of the next fetch
  assert_int_equal(cycles_for(&four_wide, store_misses, 1600), 100 * (2 + 1 + MEMORY_CYCLES));
  m = machine_run(&four_wide, store_misses, 16384, false);
  assert_int_equal(m->reads - 1, 16384);                  // and the line of instructions
  assert_int_equal(m->levels[1].writebacks, 16384 - 512); // all but what the L1 holds
  // The L2 holds 4096 lines, the L1's 512 among them, which are not dirty there; LRU keeps the instructions' line for a while.
  assert_in_range(m->written_back, 16384 - 4096, 16384 - 4096 + 1);
  machine_free(m);
}

// ---- branches ---------------------------------------------------------------------------------------------------------

static uint64_t lost_returns(uint64_t number, struct weir_trace_static *s, uint64_t *addresses) {
  s->branch = WEIR_TRACE_RETURN;
  s->taken = 1;
  return independent(number, s, addresses);
}

static uint64_t jumps(uint64_t number, struct weir_trace_static *s, uint64_t *addresses) {
  s->branch = WEIR_TRACE_JUMP;
  s->taken = 1;
  return independent(number, s, addresses);
}

static uint64_t late_returns(uint64_t number, struct weir_trace_static *s, uint64_t *addresses) {
  if (number % 2) {
    s->branch = WEIR_TRACE_RETURN;
    s->taken = 1;
    reads(s, R1);
    return straight(number, s);
  }
  writes(s, R1);
  return multiplies(number, s, addresses); // reads R1 as well: a chain
}

// 16 instructions per line, none of which comes twice.
static uint64_t forward(uint64_t number, struct weir_trace_static *s, uint64_t *addresses) {
  (void)addresses;
  s->pc = 0x100000 + number * 4;
  return s->pc + 4;
}

// A line is there 2 + 100 cycles after the front end has asked for it, and enters in 4. Looking 64 instructions ahead, it asks
// for the fourth line behind one as that begins to enter, so that four come every 102 cycles. But it sees no further than its
// batch of 256: what that had in flight at last enters before the next one's first line is asked for, one line in 4 cycles.
static void test_fetch_ahead(void **state) {
  (void)state;
  enum { BATCHES = 6400 / WEIR_CPU_BATCH };
  assert_int_equal(cycles_for(&four_wide, forward, 6400), 400 * (2 + MEMORY_CYCLES + 4));
  struct weir_cpu_config ahead = four_wide;
  ahead.fetch_ahead = 64;
  assert_int_equal(cycles_for(&ahead, forward, 6400), 100 * (2 + MEMORY_CYCLES) + BATCHES * 4 * 4);
  ahead.fetch_ahead = 16;
  assert_int_equal(cycles_for(&ahead, forward, 6400), 400 * (2 + MEMORY_CYCLES) + BATCHES * 4);
  ahead.fetch_ahead = 64;
  ahead.l1i.mshrs = 2;
  assert_int_equal(cycles_for(&ahead, forward, 6400), 200 * (2 + MEMORY_CYCLES) + BATCHES * 2 * 4);
}

static void test_branches(void **state) {
  (void)state;
  assert_int_equal(cycles_for(&four_wide, jumps, 1000), 1000); // one taken branch per cycle
  // executed in the second cycle after it entered; then the front end is redirected
  assert_int_equal(cycles_for(&four_wide, lost_returns, 1000), 1000 * (2 + 10));
  // the multiplication enters with its branch: ready after 1, done after 4, the branch after 5
  assert_int_equal(cycles_for(&four_wide, late_returns, 1000), 500 * (5 + 10));
}

// ---- kinds ------------------------------------------------------------------------------------------------------------

static uint64_t every_kind(uint64_t number, struct weir_trace_static *s, uint64_t *addresses) {
  s->kind = (uint8_t)(number % WEIR_TRACE_KINDS);
  return independent(number, s, addresses);
}

// In each nine instructions a multiplication and a division; three of floating point and one of vector registers.
static void test_kinds(void **state) {
  (void)state;
  struct machine *m = machine_run(&four_wide, every_kind, 900, false);
  assert_int_equal(m->core.stats.multiplies, 200);
  assert_int_equal(m->core.stats.floats, 400);
  machine_free(m);
}

// ---- skipping ---------------------------------------------------------------------------------------------------------

static uint64_t anything(uint64_t number, struct weir_trace_static *s, uint64_t *addresses) {
  struct weir_rng rng = weir_rng_seed(number, 7);
  s->kind = (uint8_t)(1 + weir_rng_below(&rng, weir_rng_below(&rng, 20) ? WEIR_TRACE_SYSTEM - 1 : WEIR_TRACE_SYSTEM));
  for (uint64_t n = weir_rng_below(&rng, 3); n--;) reads(s, (uint8_t)(30 + weir_rng_below(&rng, 8)));
  if (weir_rng_below(&rng, 2)) writes(s, (uint8_t)(30 + weir_rng_below(&rng, 8)));
  const uint64_t span = weir_rng_below(&rng, 4) ? 16384 : 1 << 21;
  for (uint64_t n = weir_rng_below(&rng, 6); n < 2; n++)
    access(s, addresses, 0x800000 + weir_rng_below(&rng, span), 8, weir_rng_below(&rng, 2));
  s->pc = 0x1000 + weir_rng_below(&rng, weir_rng_below(&rng, 30) ? 256 : 1 << 20) * 4;
  s->branch = (uint8_t)(weir_rng_below(&rng, 5) ? WEIR_TRACE_NO_BRANCH : weir_rng_below(&rng, WEIR_TRACE_BRANCHES));
  s->taken = s->branch && (s->branch != WEIR_TRACE_CONDITIONAL || weir_rng_below(&rng, 2));
  return 0x1000 + weir_rng_below(&rng, 256) * 4;
}

// Cycles in which the core does not ask to be woken are cycles in which nothing happens.
static void test_skipping(void **state) {
  (void)state;
  struct machine *skipping = machine_run(&four_wide, anything, 60000, false);
  struct machine *patient = machine_run(&four_wide, anything, 60000, true);
  assert_memory_equal(&skipping->core.stats, &patient->core.stats, sizeof skipping->core.stats);
  for (unsigned i = 0; i < 3; i++) {
    assert_memory_equal(&skipping->levels[i].loads, &patient->levels[i].loads, sizeof skipping->levels[i].loads);
    assert_memory_equal(&skipping->levels[i].stores, &patient->levels[i].stores, sizeof skipping->levels[i].stores);
  }
  assert_true(skipping->core.stats.mispredictions && skipping->core.stats.window_full_cycles);
  assert_int_equal(skipping->reads, patient->reads);
  machine_free(skipping);
  machine_free(patient);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_execution), cmocka_unit_test(test_loads),       cmocka_unit_test(test_parallelism),
    cmocka_unit_test(test_stores),    cmocka_unit_test(test_branches),    cmocka_unit_test(test_skipping),
    cmocka_unit_test(test_kinds),     cmocka_unit_test(test_fetch_ahead),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
