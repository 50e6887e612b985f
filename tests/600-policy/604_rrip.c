// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The RRIP family, on the paper's own example and bound (Jaleel et al., ISCA 2010), and on traces derived by hand.
#include "rig.h"

// Figure 3: (a1 a2 a2 a1) (b1 b2 b3 b4) (a1 a2) in four ways; a, b are the paper's a1, a2, and w..z its b1..b4. LRU and
// NRU (SRRIP with M=1) lose a1 and a2 to the scan; 2-bit SRRIP keeps both.
static void figure_3(void **state) {
  (void)state;
  struct rig *lru = rig_new(1, 4, "lru", NULL), *srrip = rig_new(1, 4, "srrip", NULL);
  rig_trace(lru, "abba wxyz ab", "mmhh mmBA WX");
  // The scan's w, x age with a, b to 3 when y needs a place: ways 2 and 3 leave, lowest first.
  rig_trace(srrip, "abba wxyz ab", "mmhh mmWX hh");
  rig_free(lru);
  rig_free(srrip);
  // NRU: all bits are 0 when y comes; all become 1 and the leftmost, a1, leaves, then a2 for z. Then a1 takes the next
  // with bit 1, way 2 (w), and a2 way 3 (x).
  struct rig *nru = rig_new(1, 4, "srrip", "rrpv_bits=1");
  rig_trace(nru, "abba wxyz ab", "mmhh mmAB WX");
  rig_free(nru);
}

// Section 4.2, Eq. 1: a working set of w < A lines survives a scan of S lines iff S <= (2^M-1) * (A-w).
static bool survives(unsigned bits, uint32_t ways, uint32_t working_set, uint64_t scan) {
  char knobs[32];
  snprintf(knobs, sizeof knobs, "rrpv_bits=%u", bits);
  struct rig *rig = rig_new(1, ways, "srrip", knobs);
  for (unsigned round = 0; round < 2; round++)
    for (uint64_t block = 0; block < working_set; block++) rig_load(rig, block, 8);
  for (uint64_t block = 0; block < scan; block++) rig_load(rig, 1000 + block, 8);
  bool all = true;
  for (uint64_t block = 0; block < working_set; block++) all &= rig_load(rig, block, 8) == 'h';
  rig_free(rig);
  return all;
}

static void scan_resistance_bound(void **state) {
  (void)state;
  for (unsigned bits = 1; bits <= 4; bits++)
    for (uint32_t ways = 2; ways <= 16; ways += 2)
      for (uint32_t working_set = 1; working_set < ways; working_set++) {
        uint64_t bound = weir_mask(bits) * (ways - working_set);
        assert_true(survives(bits, ways, working_set, bound));
        assert_false(survives(bits, ways, working_set, bound + 1));
      }
}

// Frequency priority: a hit takes one off. a (2) is hit twice: 0; b (2) once: 1; c, d stay 2. e: all age by 1: a 1, b 2,
// c 3, d 3; c leaves (e 2). f: d leaves (f 2). g: no 3: a 2, b 3, e 3, f 3: b leaves, which hit priority would have kept.
static void frequency_priority_by_hand(void **state) {
  (void)state;
  struct rig *fp = rig_new(1, 4, "srrip", "on_hit=frequency_priority"), *hp = rig_new(1, 4, "srrip", NULL);
  rig_trace(fp, "abcd aab efg", "mmmm hhh CDB");
  // Hit priority: a 0, b 0 after the hits; e: a 1, b 1, c leaves; f: d leaves; g: a 2, b 2, e 3, f 3: e leaves.
  rig_trace(hp, "abcd aab efg", "mmmm hhh CDE");
  rig_free(fp);
  rig_free(hp);
}

// BRRIP with every third line long. Three ways: a, b distant (3), c long (2). d: a leaves, d distant. e: d is the lowest
// way with 3 and leaves, e distant. f: e leaves, f long (the sixth line). g: only b is at 3 and leaves.
static void brrip_by_hand(void **state) {
  (void)state;
  struct rig *rig = rig_new(1, 3, "brrip", "period=3");
  rig_trace(rig, "abc defg", "mmm ADEB");
  rig_free(rig);
}

// Section 4.3: on a cyclic pattern longer than the cache SRRIP gets no hits, BRRIP keeps part of it.
static void brrip_resists_thrashing(void **state) {
  (void)state;
  unsigned hits[2] = {0};
  for (unsigned i = 0; i < 2; i++) {
    struct rig *rig = rig_new(1, 16, i ? "brrip" : "srrip", NULL);
    for (unsigned round = 0; round < 50; round++)
      for (uint64_t block = 0; block < 24; block++) hits[i] += rig_load(rig, block, 8) == 'h';
    rig_free(rig);
  }
  assert_int_equal(hits[0], 0);
  assert_true(hits[1] > 400);
}

// Lines that may not leave age too, but not beyond the distant future. Four ways at 2; only way 3 may leave: all go to 3.
// Next way 1 alone, then way 0 (lowest at 3) of all.
static void victims_among_candidates(void **state) {
  (void)state;
  struct rig *rig = rig_new(1, 4, "srrip", NULL);
  rig_trace(rig, "abcd", "mmmm");
  struct weir_access a = rig_request(rig, 50, 8, WEIR_ACCESS_LOAD);
  const struct weir_policy *p = rig->replace.policy;
  assert_int_equal(p->victim(&rig->replace.view, &a, 8), 3);
  p->hit(&rig->replace.view, &a, 1, false);                  // way 1: 0
  assert_int_equal(p->victim(&rig->replace.view, &a, 2), 1); // ages by 3; the others stay at 3
  assert_int_equal(p->victim(&rig->replace.view, &a, 15), 0);
  p->hit(&rig->replace.view, &a, 0, false);
  assert_int_equal(p->victim(&rig->replace.view, &a, 15), 1);
  rig_free(rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(figure_3),
    cmocka_unit_test(scan_resistance_bound),
    cmocka_unit_test(frequency_priority_by_hand),
    cmocka_unit_test(brrip_by_hand),
    cmocka_unit_test(brrip_resists_thrashing),
    cmocka_unit_test(victims_among_candidates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
