// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// LRU, FIFO, LIP and BIP: traces derived by hand, closed forms, and an independent model of the recency stack.
#include "rig.h"

// Four ways; an upper-case letter is the block that leaves. a b c d fill; a is touched, so b is the oldest: e evicts b;
// f evicts c; a hits; b evicts d.
static void lru_by_hand(void **state) {
  (void)state;
  struct rig *rig = rig_new(1, 4, "lru", NULL);
  rig_trace(rig, "abcd a e f a b", "mmmm h B C h D");
  rig_free(rig);
}

// The same trace: a's hit does not help it, so e evicts a, f evicts b, a evicts c, b evicts d.
static void fifo_by_hand(void **state) {
  (void)state;
  struct rig *rig = rig_new(1, 4, "fifo", NULL);
  rig_trace(rig, "abcd a e f a b", "mmmm h A B C D");
  rig_free(rig);
}

// Belady's anomaly (Belady, Nelson, Shedler, CACM 1969): this string misses 9 times in 3 frames and 10 times in 4.
static void fifo_shows_beladys_anomaly(void **state) {
  (void)state;
  struct rig *three = rig_new(1, 3, "fifo", NULL), *four = rig_new(1, 4, "fifo", NULL);
  rig_trace(three, "abcd abe abcde", "mmmA BCD hhAB h");
  rig_trace(four, "abcd abe abcde", "mmmm hhA BCDEA");
  rig_free(three);
  rig_free(four);
}

// Each line enters at LRU, so while none is hit the newest leaves first; b is promoted by its hit and stays.
static void lip_by_hand(void **state) {
  (void)state;
  struct rig *rig = rig_new(1, 3, "lip", NULL);
  rig_trace(rig, "abc d b e a b", "mmm C h D h h");
  rig_free(rig);
}

static unsigned cyclic_hits(const char *policy, const char *knobs, uint32_t ways, uint64_t period, unsigned rounds) {
  struct rig *rig = rig_new(1, ways, policy, knobs);
  unsigned hits = 0;
  for (unsigned round = 0; round < rounds; round++)
    for (uint64_t block = 0; block < period; block++) hits += rig_load(rig, block, 8) == 'h';
  rig_free(rig);
  return hits;
}

// DIP section 4.1, Table 3: over a cyclic sequence of T > K blocks LRU never hits; LIP keeps K-1 of them, hitting (K-1)/T.
// In LIP's first round K blocks fill; every later round hits the K-1 that are not at LRU.
static void cyclic_reference_model(void **state) {
  (void)state;
  for (uint32_t ways = 2; ways <= 64; ways = ways * 2 + (ways == 16)) {
    uint64_t period = ways + 5;
    assert_int_equal(cyclic_hits("lru", NULL, ways, period, 10), 0);
    assert_int_equal(cyclic_hits("lip", NULL, ways, period, 10), 9 * (ways - 1));
    assert_int_equal(cyclic_hits("lru", NULL, ways, ways, 10), 9 * ways);
  }
}

// epsilon = 1 is LRU, and epsilon = 0 LIP (DIP section 4): a period longer than the trace never comes to its rare case.
static void bip_spans_lru_and_lip(void **state) {
  (void)state;
  assert_int_equal(cyclic_hits("bip", "period=1", 8, 20, 50), cyclic_hits("lru", NULL, 8, 20, 50));
  assert_int_equal(cyclic_hits("bip", "period=65536", 8, 20, 50), cyclic_hits("lip", NULL, 8, 20, 50));
}

// Every third line enters at MRU. Two ways, all blocks distinct: lines 1 and 2 fill, both entering at LRU (so 2 is the
// victim); 3 replaces 2 and enters at MRU (1 is the victim); 4 replaces 1; 5 replaces 4; 6 replaces 5 and enters at MRU;
// 7 replaces 3, which now stands behind 6.
static void bip_by_hand(void **state) {
  (void)state;
  struct rig *rig = rig_new(1, 2, "bip", "period=3");
  rig_trace(rig, "abcdefg", "mmBADEC");
  rig_free(rig);
}

// Once the set changes, LIP never lets the new working set in, BIP does (DIP section 4.1).
static void bip_adapts_where_lip_does_not(void **state) {
  (void)state;
  unsigned hits[2] = {0};
  for (unsigned i = 0; i < 2; i++) {
    struct rig *rig = rig_new(1, 8, i ? "bip" : "lip", NULL);
    for (unsigned round = 0; round < 400; round++)
      for (uint64_t block = 0; block < 16; block++) {
        bool hit = rig_load(rig, round < 200 ? block : block + 100, 8) == 'h';
        hits[i] += round >= 300 && hit;
      }
    rig_free(rig);
  }
  assert_int_equal(hits[0], 0);
  assert_true(hits[1] > 400); // (K-1)/T of 1600 is 700; above half of it once adapted
}

// An LRU by time stamps, independent of the stack's representation.
struct stamped {
  uint64_t line[64], stamp[64];
  uint32_t count;
};

static char stamped_access(struct stamped *s, uint32_t ways, uint64_t line, uint64_t now, uint64_t *evicted) {
  uint32_t oldest = 0;
  *evicted = UINT64_MAX;
  for (uint32_t i = 0; i < s->count; i++) {
    if (s->line[i] == line) return s->stamp[i] = now, 'h';
    if (s->stamp[i] < s->stamp[oldest]) oldest = i;
  }
  if (s->count < ways)
    oldest = s->count++;
  else
    *evicted = s->line[oldest];
  s->line[oldest] = line;
  s->stamp[oldest] = now;
  return 'm';
}

static void lru_agrees_with_time_stamps(void **state) {
  (void)state;
  static const uint32_t ways[] = {1, 2, 3, 4, 6, 8, 12, 15, 16, 17, 24, 32, 48, 64};
  for (unsigned w = 0; w < sizeof ways / sizeof *ways; w++) {
    struct rig *rig = rig_new(4, ways[w], "lru", NULL);
    struct stamped model[4] = {0};
    struct weir_rng rng = weir_rng_seed(7, ways[w]);
    for (uint64_t now = UINT64_C(0xFFFFF000); now < UINT64_C(0x100003000); now++) {
      uint64_t block = weir_rng_below(&rng, 4 * ways[w] + 4 * ways[w] / 2 + 4), evicted;
      char expected = stamped_access(&model[block % 4], ways[w], block * RIG_LINE_BYTES, now, &evicted);
      assert_int_equal(rig_load(rig, block, 8), expected);
      assert_int_equal(rig->evicted, evicted);
    }
    rig_free(rig);
  }
}

// Among candidates only: a b c d in LRU order; d and b may leave, b is older. Then only c may.
static void lru_keeps_to_the_candidates(void **state) {
  (void)state;
  static const uint32_t ways[] = {4, 20};
  for (unsigned i = 0; i < 2; i++) {
    struct rig *rig = rig_new(1, ways[i], "lru", NULL);
    for (uint64_t block = 0; block < ways[i]; block++) rig_load(rig, block, 8);
    struct weir_access a = rig_request(rig, 99, 8, WEIR_ACCESS_LOAD);
    assert_int_equal(rig->replace.policy->victim(&rig->replace.view, &a, 1u << 3 | 1u << 1), 1);
    assert_int_equal(rig->replace.policy->victim(&rig->replace.view, &a, 1u << 2), 2);
    rig_free(rig);
  }
}

// Mattson's inclusion property: under LRU, what hits in a set of k ways hits in k+1.
static void lru_is_a_stack_algorithm(void **state) {
  (void)state;
  struct rig *rigs[24];
  for (uint32_t i = 0; i < 24; i++) rigs[i] = rig_new(1, i + 1, "lru", NULL);
  struct weir_rng rng = weir_rng_seed(3, 3);
  for (unsigned n = 0; n < 4000; n++) {
    uint64_t block = weir_rng_below(&rng, 8) * weir_rng_below(&rng, 5);
    bool hit_before = false;
    for (unsigned i = 0; i < 24; i++) {
      bool hit = rig_load(rigs[i], block, 8) == 'h';
      assert_true(hit || !hit_before);
      hit_before = hit;
    }
  }
  for (unsigned i = 0; i < 24; i++) rig_free(rigs[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lru_by_hand),
    cmocka_unit_test(fifo_by_hand),
    cmocka_unit_test(fifo_shows_beladys_anomaly),
    cmocka_unit_test(lip_by_hand),
    cmocka_unit_test(cyclic_reference_model),
    cmocka_unit_test(bip_spans_lru_and_lip),
    cmocka_unit_test(bip_by_hand),
    cmocka_unit_test(bip_adapts_where_lip_does_not),
    cmocka_unit_test(lru_agrees_with_time_stamps),
    cmocka_unit_test(lru_keeps_to_the_candidates),
    cmocka_unit_test(lru_is_a_stack_algorithm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
