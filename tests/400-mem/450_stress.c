// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Random small memories under random traffic, with every queue as short as it may be: all that was sent comes back, no
// configuration deadlocks, no request stays in the pool's debt.
#include "memory_test.h"

enum { MEMORIES = 250, CYCLES = 2500 };

static uint32_t pick(struct weir_rng *rng, uint32_t low, uint32_t high) {
  return low + (uint32_t)weir_rng_below(rng, high - low + 1);
}

static struct weir_cache_params random_cache(struct weir_rng *rng, uint8_t level, uint32_t sector) {
  struct weir_cache_params p = small_cache();
  p.sets = 1u << pick(rng, 0, 3);
  p.ways = pick(rng, 1, 4);
  p.sector_bytes = sector;
  p.index = (enum weir_index_hash)(pick(rng, 0, 1) ? WEIR_INDEX_XOR : WEIR_INDEX_LINEAR);
  p.allocate = pick(rng, 0, 1) ? WEIR_ALLOCATE_ON_MISS : WEIR_ALLOCATE_ON_FILL;
  p.write_hit = (enum weir_write_hit)pick(rng, 0, 2);
  if (p.write_hit == WEIR_WRITE_BACK) p.write_miss = (enum weir_write_miss)pick(rng, 0, 1);
  p.mshrs = pick(rng, 1, 4);
  p.mshr_merges = pick(rng, 1, 3);
  p.miss_queue = pick(rng, 2, 4); // the fetch, and the write-back that it may cause
  p.level = level;
  p.seed = weir_rng_next(rng);
  if (!pick(rng, 0, 2)) {
    weir_policy_defaults(&p.companions[0], weir_policy_find(WEIR_POLICY_BYPASS, "random"));
    p.companion_count = 1;
  }
  return p;
}

static struct memory_params random_memory(struct weir_rng *rng) {
  struct memory_params p = {.cores = pick(rng, 1, 4),
                            .channels = pick(rng, 1, 3),
                            .slices = 1u << pick(rng, 0, 1),
                            .caches = pick(rng, 1, 3),
                            .to_dram = pick(rng, 1, 3),
                            .fills = pick(rng, 1, 3)};
  uint32_t sector = 128;
  for (unsigned g = 0; g < p.caches; g++) {
    if (pick(rng, 0, 1) && sector > 32) sector /= 2; // never narrower than the cache below
    p.stages[g] = (struct weir_stage_params){.input_delay_cycles = pick(rng, 0, 5),
                                             .hit_latency_cycles = pick(rng, 0, 5),
                                             .input_queue = pick(rng, 4, 6)}; // a packet's pieces
  }
  for (unsigned g = p.caches; g-- > 0;) {
    p.stages[g].cache = random_cache(rng, (uint8_t)(g + 1), sector);
    p.stages[g].cache.fetch_pieces = g + 1 < p.caches ? sector / p.stages[g + 1].cache.sector_bytes : 1;
    if (pick(rng, 0, 1) && sector < 128) sector *= 2;
  }
  p.network = (struct weir_network_params){.flit_bytes = 8u << pick(rng, 0, 3),
                                           .header_bytes = 8,
                                           .latency_cycles = pick(rng, 1, 4),
                                           .output_packets = pick(rng, 1, 2),
                                           .flits_per_input = pick(rng, 1, 3),
                                           .flits_per_output = pick(rng, 1, 3)};
  p.network.input_flits = (128 + 8 + p.network.flit_bytes - 1) / p.network.flit_bytes; // the longest packet
  p.dram = ddr_for_slices();
  p.dram.atom_bytes = 32u << pick(rng, 0, 2);
  p.dram.queue = pick(rng, 1, 3);
  p.dram.outstanding = pick(rng, 1, 4);
  p.dram.fixed_latency = pick(rng, 0, 3);
  return p;
}

static struct weir_mreq *random_request(struct memory *m, struct weir_rng *rng) {
  static const enum weir_mreq_kind kinds[] = {WEIR_MREQ_LOAD, WEIR_MREQ_LOAD, WEIR_MREQ_STORE, WEIR_MREQ_ATOMIC,
                                              WEIR_MREQ_INSTRUCTION};
  enum weir_mreq_kind kind = kinds[weir_rng_below(rng, 5)];
  uint64_t line = weir_rng_below(rng, 64) * 128;
  uint32_t bytes = kind == WEIR_MREQ_ATOMIC ? 32 : 32u << weir_rng_below(rng, 3);
  struct weir_mreq *r = memory_make(m, kind, line + (weir_rng_below(rng, 128 / bytes) * bytes), bytes);
  r->full = (uint8_t)weir_rng_next(rng);
  return r;
}

// The same with one cache, in two partitions.
static struct memory_params random_partitions(struct weir_rng *rng) {
  struct memory_params p = random_memory(rng);
  struct weir_stage_params *last = &p.stages[p.caches - 1];
  p.stages[0] = *last;
  p.stages[0].cache.level = 1;
  p.stages[0].cache.mshrs = pick(rng, 2, 4);
  p.stages[0].cache.far_mshrs = pick(rng, 0, 2);
  p.caches = 1;
  p.channels = 2 * pick(rng, 1, 2);
  p.partition_cycles = pick(rng, 1, 9);
  return p;
}

static void traffic(struct weir_rng rng, const struct memory_params *params) {
  const struct memory_params p = *params;
  struct memory *m = memory_new(&p);
  uint64_t sent = 0, atomics = 0;
  for (int i = 0; i < CYCLES; i++) {
    struct weir_mreq *r = random_request(m, &rng);
    bool atomic_one = r->kind == WEIR_MREQ_ATOMIC;
    if (memory_try(m, (uint32_t)weir_rng_below(&rng, p.cores), r)) {
      sent++;
      atomics += atomic_one;
    } else {
      weir_mreq_release(&m->fabric.pool, r);
    }
    if (pick(&rng, 0, 3)) memory_tick(m);
  }
  memory_drain(m);
  assert_true(sent > 20);
  assert_int_equal(m->stats.atomics, atomics);
  for (uint32_t i = 0; i < p.channels * p.slices; i++)
    for (unsigned g = 0; g < p.caches; g++) assert_int_equal(m->slices[i].stages[g].cache.mshrs_used, 0);
  assert_int_equal(m->stats.dram.row_hits + m->stats.dram.row_misses + m->stats.dram.row_conflicts,
                   m->stats.dram.reads + m->stats.dram.writes);
  memory_free(m);
}

static void everything_comes_back(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < MEMORIES; seed++) {
    struct weir_rng rng = weir_rng_seed(seed, 4);
    const struct memory_params p = random_memory(&rng);
    traffic(rng, &p);
  }
}

static void everything_comes_back_across_partitions(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < MEMORIES; seed++) {
    struct weir_rng rng = weir_rng_seed(seed, 5);
    const struct memory_params p = random_partitions(&rng);
    traffic(rng, &p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(everything_comes_back),
                                     cmocka_unit_test(everything_comes_back_across_partitions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
