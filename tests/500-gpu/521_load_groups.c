// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What loads, stores and atomics of each transactions per request are counted for (Zhao et al. section III): executions whose every access hits,
// latency to the cycle, lines that are hit again. One warp, whose lanes spread over as many lines as a case says. The first
// level is empty as a launch begins.
#include "gpu_test.h"

static void sum_all(struct weir_chip *chip, void *seen) {
  uint32_t count;
  const struct weir_pc_stats *loads = weir_chip_pcs(chip, &count);
  for (uint32_t i = 0; i < count; i++) weir_pc_stats_add(seen, &loads[i]);
}

// All loads, stores and atomics of two launches of `body`.
static struct weir_pc_stats loads_of(struct rig *rig, const char *body) {
  struct weir_pc_stats sum = {0};
  struct sight s;
  rig->look = sum_all;
  rig->seen = &sum;
  struct run run = {.body = body};
  observe(rig, &run, UINT64_C(0xFFFFFFF0), &s);
  return sum;
}

// Lane i's address in %d<n>: line i modulo `lines`, from line `first` on.
static void spread(char *body, unsigned n, unsigned lines, unsigned first) {
  sprintf(body + strlen(body),
          "ld.param.u64 %%d20, [a]; mov.u32 %%r1, %%tid.x; rem.u32 %%r2, %%r1, %u; mad.lo.u32 %%r3, %%r2, 128, %u;"
          "cvt.u64.u32 %%d21, %%r3; add.u64 %%d%u, %%d20, %%d21;",
          lines, 128 * first, n);
}

static void assert_counts(const struct weir_pc_counts *n, struct weir_pc_counts want) {
  want.latency_cycles = n->latency_cycles; // of a miss: see below for hits
  want.missed_latency_cycles = n->missed_latency_cycles;
  assert_true((n->missed_latency_cycles > 0) == (n->executions > n->all_hit_executions));
  assert_true((n->missed_latency_cycles < n->latency_cycles) == (n->all_hit_executions > 0));
  assert_memory_equal(n, &want, sizeof want);
}

static const struct weir_pc_counts nothing;
static const struct {
  unsigned lines, group;
} transactions[] = {{1, 0}, {2, 1}, {3, 2}, {10, 2}, {11, 3}, {20, 3}, {21, 4}, {32, 4}};
enum { COUNTS = sizeof transactions / sizeof *transactions };

// A load of k lines, and the same again with what it brought: k misses, then k hits, an all-hit load, and every line is hit
// again. Twice, as there are two launches.
static void again_is_an_all_hit_load(void **state) {
  (void)state;
  for (unsigned i = 0; i < COUNTS; i++) {
    struct rig *rig = rig_new();
    unsigned k = transactions[i].lines;
    char body[1024] = "";
    spread(body, 1, k, 0);
    strcat(body, "ld.global.u64 %d2, [%d1]; ld.global.u64 %d3, [%d2];");
    struct weir_pc_stats n = loads_of(rig, body);
    for (unsigned g = 0; g < WEIR_TRANSACTION_GROUP_COUNT; g++)
      assert_counts(&n.groups[g],
                    g != transactions[i].group ? nothing
                                               : (struct weir_pc_counts){.executions = 4,
                                                                         .all_hit_executions = 2,
                                                                         .transactions = 4 * k,
                                                                         .at.accesses = 4 * k,
                                                                         .at.hits = 2 * k,
                                                                         .at.misses = 2 * k,
                                                                         .fills = 2 * k,
                                                                         .lines = 2 * k});
    assert_int_equal(n.by_transactions[k], 4);
    rig_free(rig);
  }
}

// Nobody asks for the lines again: they end unused. (The first level is flushed as a launch ends.)
static void once_is_no_reuse(void **state) {
  (void)state;
  for (unsigned i = 0; i < COUNTS; i++) {
    struct rig *rig = rig_new();
    unsigned k = transactions[i].lines;
    char body[1024] = "";
    spread(body, 1, k, 0);
    strcat(body, "ld.global.u64 %d2, [%d1];");
    struct weir_pc_stats n = loads_of(rig, body);
    assert_counts(&n.groups[transactions[i].group],
                  (struct weir_pc_counts){.executions = 2,
                                          .transactions = 2 * k,
                                          .at.accesses = 2 * k,
                                          .at.misses = 2 * k,
                                          .fills = 2 * k,
                                          .lines = 2 * k,
                                          .zero_reuse_fills = 2 * k,
                                          .untouched_fills = 2 * k});
    rig_free(rig);
  }
}

// Four lines are there; a load of twelve hits those and misses the rest: no all-hit load, and the lines stay fills of the
// load that brought them.
static void one_miss_among_hits(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  char body[1024] = "";
  spread(body, 1, 4, 0);
  spread(body, 2, 12, 0);
  strcat(body, "ld.global.u64 %d3, [%d1]; sub.u64 %d4, %d3, %d1; add.u64 %d5, %d2, %d4; ld.global.u64 %d6, [%d5];");
  struct weir_pc_stats n = loads_of(rig, body);
  assert_counts(&n.groups[2],
                (struct weir_pc_counts){.executions = 2,
                                        .transactions = 2 * 4,
                                        .at.accesses = 2 * 4,
                                        .at.misses = 2 * 4,
                                        .fills = 2 * 4,
                                        .lines = 2 * 4});
  assert_counts(&n.groups[3],
                (struct weir_pc_counts){.executions = 2,
                                        .transactions = 2 * 12,
                                        .at.accesses = 2 * 12,
                                        .at.hits = 2 * 4,
                                        .at.misses = 2 * 8,
                                        .fills = 2 * 8,
                                        .lines = 2 * 8,
                                        .zero_reuse_fills = 2 * 8,
                                        .untouched_fills = 2 * 8});
  rig_free(rig);
}

// A load that comes right behind another to the same line waits for its fill: a hit on a miss (the line is reused), and so it
// is not an all-hit load.
static void a_hit_on_miss_is_no_hit(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  char body[1024] = "";
  spread(body, 1, 1, 0);
  strcat(body, "ld.global.u64 %d2, [%d1]; ld.global.u64 %d3, [%d1];");
  struct weir_pc_stats n = loads_of(rig, body);
  assert_counts(&n.groups[0],
                (struct weir_pc_counts){.executions = 4,
                                        .transactions = 4,
                                        .at.accesses = 4,
                                        .at.hits_on_miss = 2,
                                        .at.misses = 2,
                                        .fills = 2,
                                        .lines = 2});
  rig_free(rig);
}

// Past the first level, by the cache operator or by a policy: misses and bypasses, and no line; the second time too.
static void what_bypasses_hits_nothing(void **state) {
  (void)state;
  static const struct {
    const char *load, *scheme;
  } cases[] = {{"ld.global.cg.u64", "lru"}, {"ld.global.u64", "bypass-always"}};
  for (int i = 0; i < 2; i++) {
    struct rig *rig = rig_new();
    weir_scheme_free(rig->scheme);
    rig->scheme = weir_scheme_read(cases[i].scheme, rig->config, &rig->sink);
    assert_non_null(rig->scheme);
    char body[1024] = "";
    spread(body, 1, 11, 0);
    sprintf(body + strlen(body), "%s %%d2, [%%d1]; %s %%d3, [%%d2];", cases[i].load, cases[i].load);
    struct weir_pc_stats n = loads_of(rig, body);
    assert_counts(&n.groups[3],
                  (struct weir_pc_counts){
                    .executions = 4, .transactions = 44, .at.accesses = 44, .at.misses = 44, .at.bypasses = 44});
    rig_free(rig);
  }
}

// A warp of 64 lanes reaches the sixth group; thread-local loads are loads.
static void wide_warps_and_local_memory(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  rig_set(rig, "core.warp_lanes=64");
  rig_set(rig, "core.max_warps=24");
  char body[1024] = "";
  spread(body, 1, 64, 0);
  strcat(body, "ld.global.u64 %d2, [%d1]; ld.global.u64 %d3, [%d2];");
  struct weir_pc_stats n = loads_of(rig, body);
  assert_counts(&n.groups[5],
                (struct weir_pc_counts){.executions = 4,
                                        .all_hit_executions = 2,
                                        .transactions = 256,
                                        .at.accesses = 256,
                                        .at.hits = 128,
                                        .at.misses = 128,
                                        .fills = 128,
                                        .lines = 128});
  rig_free(rig);
  rig = rig_new(); // two words of 32 threads, side by side
  n = loads_of(rig, ".local .align 16 .b8 l[512]; ld.local.u64 %d1, [l];");
  assert_counts(&n.groups[1],
                (struct weir_pc_counts){.executions = 2,
                                        .transactions = 4,
                                        .at.accesses = 4,
                                        .at.misses = 4,
                                        .fills = 4,
                                        .lines = 4,
                                        .zero_reuse_fills = 4,
                                        .untouched_fills = 4});
  rig_free(rig);
}

// A store of k lines becomes k accesses. The first level is empty and gives stores no line: each misses it.
static void stores_are_counted(void **state) {
  (void)state;
  for (unsigned i = 0; i < COUNTS; i++) {
    struct rig *rig = rig_new();
    const unsigned k = transactions[i].lines;
    char body[1024] = "";
    spread(body, 1, k, 0);
    strcat(body, "st.global.u64 [%d1], %d20;");
    const struct weir_pc_stats n = loads_of(rig, body);
    const struct weir_pc_counts want = {
      .executions = 2, .transactions = 2 * k, .at = {.accesses = 2 * k, .misses = 2 * k}};
    for (unsigned g = 0; g < WEIR_TRANSACTION_GROUP_COUNT; g++)
      assert_memory_equal(&n.groups[g], g == transactions[i].group ? &want : &nothing, sizeof want);
    rig_free(rig);
  }
}

// 32 lanes at three words of three lines: 11, 11 and 10 accesses, one for each lane that wants the word. The host's copy has
// left the lines in the shared cache, so that all of them hit.
static void atomics_are_counted_where_they_are_performed(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  char body[1024] = "";
  spread(body, 1, 3, 0);
  strcat(body, "atom.global.add.u64 %d2, [%d1], 0;");
  const struct weir_pc_stats n = loads_of(rig, body);
  const struct weir_pc_counts all = weir_pc_total(&n);
  assert_int_equal(n.by_transactions[32], 2);
  assert_int_equal(all.executions, 2);
  assert_int_equal(all.transactions, 2 * 32);
  assert_int_equal(all.at.accesses, 2 * 32);
  assert_int_equal(all.at.hits, 2 * 32);
  assert_int_equal(all.fills, 0);
  assert_true(all.latency_cycles > 0);
  rig_free(rig);
}

// Parameters, constants and shared memory are not counted here, though their data is waited for.
static void what_is_not_counted(void **state) {
  (void)state;
  struct rig *rig = rig_new();
  char body[1024] = "";
  spread(body, 1, 3, 0);
  strcat(body, "mov.u32 %r4, s; ld.shared.u32 %r5, [%r4]; st.shared.u32 [%r4], %r5; ld.const.u32 %r6, [c];");
  struct weir_pc_stats sum = {0}, none = {0};
  struct sight s;
  rig->look = sum_all;
  rig->seen = &sum;
  struct run run = {.body = body, .globals = ".const .align 4 .u32 c = 5;"};
  observe(rig, &run, UINT64_C(0xFFFFFFF0), &s);
  assert_memory_equal(&sum, &none, sizeof sum);
  rig_free(rig);
}

// From issue to the last byte: operands, the cache's latency, and a cycle for each access after the first (an access per
// cycle and bank). Here the only load of a launch whose first is a miss of the same lines; the difference of runs with one
// and with two such all-hit loads is the latency of one.
static void latency_of_hits(void **state) {
  (void)state;
  for (unsigned banks = 1; banks <= 2; banks++)
    for (unsigned i = 0; i < COUNTS; i++) {
      struct rig *rig = rig_new();
      rig_set(rig, "l1.banks=%u", banks);
      rig_set(rig, "l1.hit_latency_cycles=%u", 20 + i);
      unsigned k = transactions[i].lines;
      char body[1024] = "";
      spread(body, 1, k, 0);
      strcat(body, "ld.global.u64 %d2, [%d1]; ld.global.u64 %d3, [%d2];");
      struct weir_pc_stats one = loads_of(rig, body);
      strcat(body, "ld.global.u64 %d4, [%d3];");
      struct weir_pc_stats two = loads_of(rig, body);
      const struct weir_cache_config *l1 = &rig->config->caches[0];
      uint64_t latency = rig->config->core.operand_cycles + l1->input_delay_cycles + l1->hit_latency_cycles +
        (k + banks - 1) / banks - 1;
      unsigned g = transactions[i].group;
      assert_int_equal(two.groups[g].executions, one.groups[g].executions + 2);
      assert_int_equal(two.groups[g].latency_cycles, one.groups[g].latency_cycles + 2 * latency);
      assert_int_equal(two.groups[g].missed_latency_cycles, one.groups[g].missed_latency_cycles);
      rig_free(rig);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(again_is_an_all_hit_load),   cmocka_unit_test(once_is_no_reuse),
    cmocka_unit_test(one_miss_among_hits),        cmocka_unit_test(a_hit_on_miss_is_no_hit),
    cmocka_unit_test(what_bypasses_hits_nothing), cmocka_unit_test(wide_warps_and_local_memory),
    cmocka_unit_test(stores_are_counted),         cmocka_unit_test(atomics_are_counted_where_they_are_performed),
    cmocka_unit_test(what_is_not_counted),        cmocka_unit_test(latency_of_hits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
