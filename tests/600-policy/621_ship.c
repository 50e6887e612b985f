// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// SHiP-PC (Wu et al., MICRO 2011): counters by hand, the paper's own pattern, and a model.
#include "policy/fold.h"
#include "rrip_model.h"

// Loads of one set by instruction `pc`; letters as in rig_trace.
static void by_pc(struct rig *rig, uint32_t pc, const char *blocks, const char *expect) {
  char got[64] = "";
  size_t count = 0;
  for (const char *p = blocks; *p; p++) {
    char outcome = rig_load(rig, (uint64_t)(*p - 'a') * rig->g.sets, pc);
    got[count++] =
      (char)(rig->evicted == UINT64_MAX ? (uint64_t)outcome : 'A' + rig->evicted / RIG_LINE_BYTES / rig->g.sets);
  }
  assert_string_equal(got, expect);
}

// Two ways, counters from 1, all lines of one PC. a, b enter long (2). c: both age to 3, a leaves without a hit: the counter is
// 0, and c enters distant (3). d: the lowest at 3 is c (way 0), which leaves (0 stays 0); e: d likewise: b stays.
// Then b is hit: 1, RRPV 0; f: e leaves, unused: 0 again... so f enters distant and leaves for g. Two hits of b: 2; h: g leaves: 1;
// h enters long.
static void counters_by_hand(void **state) {
  (void)state;
  struct rig *rig = rig_new(1, 2, "ship", NULL);
  by_pc(rig, 8, "abcde", "mmACD");
  by_pc(rig, 8, "bfg", "hEF");
  assert_int_equal(rig_counter(&rig->replace, "distant_insertions"), 5);
  by_pc(rig, 8, "bbh", "hhG");
  assert_int_equal(rig_counter(&rig->replace, "long_insertions"), 3);
  rig_free(rig);
}

// The counter saturates at 7: after ten hits seven unused lines bring it to 0.
static void counters_saturate(void **state) {
  (void)state;
  struct rig *rig = rig_new(1, 2, "ship", NULL);
  by_pc(rig, 8, "aaaaaaaaaaa", "mhhhhhhhhhh");
  uint64_t block = 100;
  unsigned entered_long = 0;
  for (; rig_counter(&rig->replace, "distant_insertions") == 0; entered_long++) rig_load(rig, block++, 8);
  // The line that enters distant comes with an eviction that made it 0. The first of these evicts nothing; a, reused, leaves
  // once without counting.
  assert_int_equal(rig_counter(&rig->replace, "dead_evictions"), 7);
  assert_int_equal(entered_long, 9);
  rig_free(rig);
}

// Section 5, Figure 7 (gemsFDTD): P1 brings A, B, C, D; more lines than the set has ways come between; P2 uses A, B, C, D again.
// Without a hit ever nothing could be learnt, so in the first rounds there is little between. A store then drops A, B, C, D.
// LRU and SRRIP miss all; with SHiP the others enter distant and take each other's places.
static unsigned hits_of_figure_7(const char *policy, unsigned between) {
  struct rig *rig = rig_new(1, 8, policy, NULL);
  unsigned hits = 0;
  for (unsigned round = 0; round < 20; round++) {
    uint64_t first = 1000 * (uint64_t)(1 + round), others = round < 3 ? 4 : between;
    for (uint64_t i = 0; i < 4; i++) rig_load(rig, first + i, 8);
    for (uint64_t i = 0; i < others; i++) rig_load(rig, first + 100 + i, 8 * (10 + (uint32_t)i % 3));
    for (uint64_t i = 0; i < 4; i++) hits += rig_load(rig, first + i, 16) == 'h' && round >= 10;
    for (uint32_t way = 0; way < 8; way++)
      if (rig_set(rig, 0)[way].valid && rig_set(rig, 0)[way].line < (first + 4) * RIG_LINE_BYTES)
        rig_invalidate(rig, 0, way);
  }
  rig_free(rig);
  return hits;
}

static void figure_7(void **state) {
  (void)state;
  assert_int_equal(hits_of_figure_7("lru", 24), 0);
  assert_int_equal(hits_of_figure_7("srrip", 24), 0);
  assert_int_equal(hits_of_figure_7("ship", 24), 40);
}

// A write-back enters distant, though its PC (none) has a counter of 1, promotes nothing and teaches nothing.
static void write_backs_are_no_use(void **state) {
  (void)state;
  struct rig *rig = rig_new(1, 2, "ship", NULL);
  struct shared_access w = {.block = 3, .kind = WEIR_ACCESS_WRITEBACK};
  assert_int_equal(shared_do(rig, w), 'm');
  assert_int_equal(rig_counter(&rig->replace, "distant_insertions"), 1);
  assert_int_equal(shared_do(rig, w), 'h');
  assert_int_equal(rig_load(rig, 0, 8), 'm');
  assert_int_equal(rig_load(rig, 1, 8), 'm');
  assert_int_equal(rig->evicted, 3 * RIG_LINE_BYTES);
  assert_int_equal(rig_counter(&rig->replace, "dead_evictions"), 0);
  assert_int_equal(rig_counter(&rig->replace, "reuses"), 0);
  rig_free(rig);
}

// ---- the model -----------------------------------------------------------------------------------------------------------------

enum { SETS = 8, WAYS = 4, STEPS = 6000, DISTANT = 3, TABLE = 16 };

// What happened to counters: +1 a hit, −1 a line that left unused.
struct event {
  uint32_t entry;
  int by;
};

struct model {
  struct model_set set[SETS];
  struct event event[STEPS];
  size_t events;
  bool private_tables;
  unsigned stride;
};

static int counter_of(const struct model *m, uint32_t entry) {
  int value = 1;
  for (size_t i = 0; i < m->events; i++)
    if (m->event[i].entry == entry) {
      value += m->event[i].by;
      value = value < 0 ? 0 : value > 7 ? 7 : value;
    }
  return value;
}

// Exclusive or of groups of four bits, by strings of bits.
static uint32_t entry_of(const struct model *m, struct shared_access s) {
  uint32_t number = s.requester ? s.pc : s.pc / 8, parity[4] = {0};
  for (unsigned bit = 0; bit < 32; bit++) parity[bit % 4] ^= number >> bit & 1;
  uint32_t entry = parity[0] + 2 * parity[1] + 4 * parity[2] + 8 * parity[3];
  return m->private_tables ? 100u * s.requester + entry : entry;
}

static bool trains(const struct model *m, struct shared_access s) {
  return s.block % SETS % m->stride == 0;
}

static char model_do(struct model *m, struct shared_access s) {
  struct model_set *set = &m->set[s.block % SETS];
  bool demand = s.kind != WEIR_ACCESS_WRITEBACK;
  int way = model_find(set, WAYS, s.block);
  if (way >= 0) {
    struct model_line *line = &set->line[way];
    if (demand) {
      line->reused = true;
      model_touch(set, (unsigned)way, 0);
      if (line->signature != UINT32_MAX) m->event[m->events++] = (struct event){line->signature, 1};
    }
    return 'h';
  }
  unsigned place = model_place(set, WAYS, DISTANT, false);
  struct model_line *line = &set->line[place];
  if (line->valid && !line->reused && line->signature != UINT32_MAX)
    m->event[m->events++] = (struct event){line->signature, -1};
  bool is_long = demand && counter_of(m, entry_of(m, s)) > 0;
  *line = (struct model_line){.valid = true,
                              .block = s.block,
                              .requester = s.requester,
                              .signature = demand && trains(m, s) ? entry_of(m, s) : UINT32_MAX};
  model_touch(set, place, is_long ? DISTANT - 1 : DISTANT);
  return 'm';
}

static void agrees_with_a_model(void **state) {
  (void)state;
  for (unsigned variant = 0; variant < 4; variant++) {
    char knobs[128];
    snprintf(knobs, sizeof knobs, "table=%d,tables=%s,sampled_sets=%d", TABLE, variant & 1 ? "private" : "shared",
             variant & 2 ? 2 : 0);
    struct rig *rig = rig_new_shared(3, SETS, WAYS, "ship", knobs);
    struct model *m = calloc(1, sizeof *m);
    m->private_tables = variant & 1;
    m->stride = variant & 2 ? SETS / 2 : 1;
    struct weir_rng rng = weir_rng_seed(621, variant);
    for (unsigned step = 0; step < STEPS; step++) {
      struct shared_access s = shared_random(&rng, 3, SETS, WAYS, false);
      char expected = model_do(m, s);
      if (shared_do(rig, s) != expected) fail_msg("variant %u, step %u: not %c", variant, step, expected);
    }
    assert_true(rig_counter(&rig->replace, "long_insertions") > 200 &&
                rig_counter(&rig->replace, "distant_insertions") > 200);
    free(m);
    rig_free(rig);
  }
}

// 16K counters of 3 bits are 6 KiB; with 14 bits of signature, one of outcome and two of RRPV for each of 16K lines of 1 MiB
// 34 KiB more; where 64 sets are sampled (SHiP-S), the 15 bits are 64 × 16 lines' only.
static void costs(void **state) {
  (void)state;
  struct weir_policy_choice all = rig_choose(WEIR_POLICY_REPLACE, "ship", NULL);
  struct weir_policy_choice some = rig_choose(WEIR_POLICY_REPLACE, "ship", "sampled_sets=64");
  struct weir_geometry g = {.sets = 1024, .ways = 16, .line_bytes = 64, .knobs = all.knobs};
  assert_int_equal(weir_policy_cost_bits(all.policy, &g), (6 + 34) * 1024 * 8);
  g.knobs = some.knobs;
  assert_int_equal(weir_policy_cost_bits(some.policy, &g), (6 + 4) * 1024 * 8 + 64 * 16 * 15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(counters_by_hand),       cmocka_unit_test(counters_saturate),   cmocka_unit_test(figure_7),
    cmocka_unit_test(write_backs_are_no_use), cmocka_unit_test(agrees_with_a_model), cmocka_unit_test(costs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
