// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Interleaved streams of a GPU and of CPU programs through the real cache, under every policy of shared caches, beside the tag array
// that tests/600-policy holds to models: each access hits, misses or bypasses in both alike.
#include "../600-policy/shared_rig.h"
#include "mem_test.h"

enum { SETS = 16, WAYS = 8, REQUESTERS = 3, STEPS = 3000 };

static struct weir_cache_params params(const char *replace, const char *bypass, enum weir_allocate allocate) {
  struct weir_cache_params p = {.sets = SETS,
                                .ways = WAYS,
                                .line_bytes = RIG_LINE_BYTES,
                                .sector_bytes = RIG_LINE_BYTES,
                                .allocate = allocate,
                                .write_hit = WEIR_WRITE_BACK,
                                .write_miss = WEIR_WRITE_ALLOCATE_LAZY,
                                .mshrs = 4,
                                .mshr_merges = 4,
                                .miss_queue = 8,
                                .fetch_pieces = 1,
                                .seed = 1,
                                .requesters = REQUESTERS};
  p.replace = rig_choose(WEIR_POLICY_REPLACE, replace, NULL);
  if (bypass) p.companions[p.companion_count++] = rig_choose(WEIR_POLICY_BYPASS, bypass, NULL);
  return p;
}

// One access from its beginning to its end; what the cache counted it as, in the rig's letters.
static char through(struct bench *b, struct shared_access s) {
  static const enum weir_mreq_kind kinds[] = {[WEIR_ACCESS_LOAD] = WEIR_MREQ_LOAD,
                                              [WEIR_ACCESS_STORE] = WEIR_MREQ_STORE,
                                              [WEIR_ACCESS_ATOMIC] = WEIR_MREQ_ATOMIC,
                                              [WEIR_ACCESS_WRITEBACK] = WEIR_MREQ_WRITEBACK};
  struct weir_mreq *r = make(b, kinds[s.kind], s.block * RIG_LINE_BYTES, RIG_LINE_BYTES, 0);
  r->requester = s.requester;
  r->core = s.core;
  r->pc = s.pc;
  r->ready_warps = s.ready;
  r->transactions = 1;
  uint64_t hits = b->stats.loads.hits + b->stats.stores.hits,
           bypasses = b->stats.loads.bypasses + b->stats.stores.bypasses;
  assert_null(strchr("WEGQ", send(b, r)));
  for (struct weir_mreq *down; (down = go_down(b));) {
    bool answers = weir_cache_waits_for(&b->cache, down);
    if (answers)
      weir_cache_fill(&b->cache, down, b->now++);
    else if (down == r)
      give_back(b, down);
    else
      weir_mreq_release(&b->pool, down);
  }
  take_all_ready(b);
  if (b->stats.loads.hits + b->stats.stores.hits != hits) return 'h';
  return b->stats.loads.bypasses + b->stats.stores.bypasses != bypasses ? 'b' : 'm';
}

static void end_epochs(struct rig *rig, struct bench *b, struct weir_rng *rng) {
  struct weir_core_sensors core[SHARED_CORES];
  memset(core, 0, sizeof core);
  for (unsigned i = 0; i < SHARED_CORES; i++) {
    core[i].instructions = 1000 + weir_rng_below(rng, 400);
    core[i].busy_cycles = 1000;
  }
  struct weir_policy_instance *all[] = {&rig->replace, &rig->companions[0], &b->cache.replace, &b->cache.companions[0]};
  for (unsigned i = 0; i < 4; i++)
    if (all[i]->policy && all[i]->policy->epoch) shared_epoch(rig, all[i], core, SHARED_CORES, 1000);
}

static void run_both(const char *replace, const char *bypass) {
  struct weir_cache_params p = params(replace, bypass, WEIR_ALLOCATE_ON_MISS);
  struct bench *b = bench_new(&p);
  struct rig *rig = rig_new_shared(REQUESTERS, SETS, WAYS, replace, NULL);
  if (bypass) rig_add_bypass(rig, bypass, NULL);
  struct weir_rng rng = weir_rng_seed(418, 0);
  unsigned count[128] = {0};
  for (unsigned step = 0; step < STEPS; step++) {
    struct shared_access s = shared_random(&rng, REQUESTERS, SETS, WAYS, false);
    char expected = shared_do(rig, s), got = through(b, s);
    count[(unsigned)expected]++;
    if (got != expected) fail_msg("%s, %s: step %u: %c, not %c", replace, bypass ? bypass : "-", step, got, expected);
    if (step % 300 == 299) end_epochs(rig, b, &rng);
  }
  assert_true(count['h'] > 200 && count['m'] > 200 && (!bypass || count['b'] > 20));
  rig_free(rig);
  bench_free(b);
}

static void every_policy_agrees(void **state) {
  (void)state;
  static const char *const replace[] = {"lru", "ta-drrip", "ucp", "tap-ucp", "tap-rrip", "sdbp", "ship", "hawkeye"};
  static const char *const bypass[] = {NULL, "helm", "sdbp", "mat", "random"};
  for (unsigned i = 0; i < sizeof replace / sizeof *replace; i++)
    for (unsigned k = 0; k < sizeof bypass / sizeof *bypass; k++) run_both(replace[i], bypass[k]);
}

// Where lines are given as their data comes, victims are those of then; with one access at a time that changes nothing.
static void at_the_fill_too(void **state) {
  (void)state;
  struct weir_cache_params p = params("ta-drrip", "helm", WEIR_ALLOCATE_ON_FILL);
  struct bench *b = bench_new(&p);
  struct rig *rig = rig_new_shared(REQUESTERS, SETS, WAYS, "ta-drrip", NULL);
  rig_add_bypass(rig, "helm", NULL);
  struct weir_rng rng = weir_rng_seed(418, 1);
  for (unsigned step = 0; step < STEPS; step++) {
    struct shared_access s = shared_random(&rng, REQUESTERS, SETS, WAYS, false);
    assert_int_equal(shared_do(rig, s), through(b, s));
  }
  rig_free(rig);
  bench_free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_policy_agrees), cmocka_unit_test(at_the_fill_too)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
