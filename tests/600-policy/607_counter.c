// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Counter-based dead blocks in their access-interval form (Kharbutli and Solihin, ICCD 2005, section 3.2), by hand. One
// set; one PC, so that each block has an entry of its own. A block's line holds (interval, longest, learnt, confident).
#include "rig.h"

static struct rig *rig_of(uint32_t ways, const char *knobs) {
  struct rig *rig = rig_new(1, ways, "lru", NULL);
  rig_add_bypass(rig, "counter", knobs);
  return rig;
}

// Zero reuse is learnt at once, as it equals what an untouched entry says. a is evicted by c unused; when it comes again
// nothing is expired (b and c are not confident), so it is dead on arrival. b and c have no such past.
static void dead_on_arrival(void **state) {
  (void)state;
  struct rig *rig = rig_of(2, NULL);
  rig_trace(rig, "abc a c b a", "mmA b h h b");
  rig_free(rig);
  // From another instruction it is not known.
  rig = rig_of(2, NULL);
  rig_trace(rig, "abc", "mmA");
  assert_int_equal(rig_load(rig, 0, 16), 'm');
  rig_free(rig);
  // Reused once, its entry says so, and it is cached again.
  rig = rig_of(2, NULL);
  rig_trace(rig, "aabc a", "mhmA B");
  rig_free(rig);
}

// One of three predicted bypasses is let in.
static void probes(void **state) {
  (void)state;
  struct rig *rig = rig_of(2, "probe_period=3");
  rig_trace(rig, "abc aaa", "mmA bbB");
  assert_int_equal(rig_counter(&rig->companions[0], "probes"), 1);
  assert_int_equal(rig_counter(&rig->companions[0], "predicted_bypasses"), 2);
  rig_free(rig);
  rig = rig_of(2, "probe_period=0");
  rig_trace(rig, "abc", "mmA");
  for (unsigned i = 0; i < 100; i++) assert_int_equal(rig_load(rig, 0, 8), 'b');
  rig_free(rig);
}

// Three ways. First generation of a: used at an interval of 1, evicted by d: entry (1, not confident). Second: the same,
// evicted by g: (1, confident). Third: a (0, 1, 1, yes); two hits on g make its interval 2, so it is expired when h comes,
// and leaves although f is older. Recency before h: g a f.
#define TWO_GENERATIONS_OF_A "aabcd aaefg"
#define THEIR_OUTCOME "mhmmA BhCDA"

static void the_expired_line_leaves_first(void **state) {
  (void)state;
  struct rig *rig = rig_of(3, NULL);
  rig_trace(rig, TWO_GENERATIONS_OF_A "aa gg h", THEIR_OUTCOME "Eh hh A");
  assert_int_equal(rig_counter(&rig->companions[0], "expired_victims"), 1);
  rig_free(rig);
  // With one hit on g, h's own access makes the interval 2: expired as well.
  rig = rig_of(3, NULL);
  rig_trace(rig, TWO_GENERATIONS_OF_A "aa g h", THEIR_OUTCOME "Eh h A");
  rig_free(rig);
  // With none, a is the most recently used line, which never expires: LRU evicts f.
  rig = rig_of(3, NULL);
  rig_trace(rig, TWO_GENERATIONS_OF_A "aa h", THEIR_OUTCOME "Eh F");
  rig_free(rig);
}

// A hit at an interval of 3 is learnt within the generation: then 3 is not beyond what is known, and LRU decides.
static void a_longer_interval_is_learnt_at_once(void **state) {
  (void)state;
  struct rig *rig = rig_of(3, NULL);
  // a is hit at intervals 1 and 3; two accesses later (g, h) its interval is 2: not expired. f is LRU.
  rig_trace(rig, TWO_GENERATIONS_OF_A "aa gga g h", THEIR_OUTCOME "Eh hhh h F");
  rig_free(rig);
}

// Two generations of a at an interval of 2: entry (2, confident). In the third, before its first hit, an interval of 2 is
// beyond the longest of this generation but not beyond what was learnt: LRU's g leaves. At 3, a leaves.
static void the_learnt_interval_counts_before_the_first_hit(void **state) {
  (void)state;
  struct rig *rig = rig_of(3, NULL);
  rig_trace(rig, "aba cde a e a fgh a h i", "mmh mBA C h h DEA F h G");
  rig_free(rig);
  rig = rig_of(3, NULL);
  rig_trace(rig, "aba cde a e a fgh a hh i", "mmh mBA C h h DEA F hh A");
  rig_free(rig);
}

// Intervals saturate at 15: a line whose learnt one has is never expired (section 3.2), however long it waits.
static void saturated_intervals_never_expire(void **state) {
  (void)state;
  struct rig *rig = rig_of(3, NULL);
  rig_trace(rig, "ab bbbbbbbbbbbbbbbbbbbb a cde a eeeeeeeeeeeeeeeeeeee a fgh a hhhhhhhhhhhhhhhhhhhh i",
            "mm hhhhhhhhhhhhhhhhhhhh h mBA C hhhhhhhhhhhhhhhhhhhh h DEA F hhhhhhhhhhhhhhhhhhhh G");
  rig_free(rig);
}

// The set has an expired line (a) when b, dead on arrival since its eviction unused, comes: by default it takes a's place;
// without expired_first it bypasses.
static void an_expired_line_spares_the_bypass(void **state) {
  (void)state;
  struct rig *rig = rig_of(3, NULL);
  rig_trace(rig, TWO_GENERATIONS_OF_A "aa gg b", THEIR_OUTCOME "Eh hh A");
  rig_free(rig);
  rig = rig_of(3, "expired_first=off");
  rig_trace(rig, TWO_GENERATIONS_OF_A "aa gg b", THEIR_OUTCOME "Eh hh b");
  rig_free(rig);
}

// Without bypassing: a comes back with (0, 0, 0, yes). As the most recently used line it does not make room for d, though
// its interval is 1; LRU's c does. Two accesses later it is expired and leaves before the older... d was hit, so LRU would
// have evicted a too: e then finds a expired and d not confident.
static void the_newest_line_never_expires(void **state) {
  (void)state;
  struct rig *rig = rig_of(2, "bypass=off");
  rig_trace(rig, "abc a d e", "mmA B C A");
  rig_free(rig);
}

// Stores do not count as accesses to the set unless the knob says so: with it, a is expired after two of them.
static void stores(void **state) {
  (void)state;
  for (unsigned count = 0; count < 2; count++) {
    struct rig *rig = rig_of(3, count ? "stores_are_reuse=on" : NULL);
    rig_trace(rig, TWO_GENERATIONS_OF_A "aag", THEIR_OUTCOME "Ehh");
    rig_trace(rig, "a", "h"); // interval 2: longest is 2 now
    for (unsigned i = 0; i < 2; i++) {
      struct weir_access a = rig_request(rig, 6, 8, WEIR_ACCESS_STORE); // hits g
      assert_int_equal(rig_do(rig, &a), 'h');
    }
    rig_trace(rig, "h", count ? "A" : "F"); // interval 3 or 1
    rig_free(rig);
  }
}

static void free_ways(void **state) {
  (void)state;
  for (unsigned fills = 0; fills < 2; fills++) {
    struct rig *rig = rig_of(2, fills ? "fill_free=on" : NULL);
    rig_trace(rig, "abc", "mmA");
    rig_invalidate(rig, 0, 1);
    rig_trace(rig, "a", fills ? "m" : "b");
    rig_free(rig);
  }
}

// 10.625 KiB for a 16 KiB L1 (Tian et al., section 4.1).
static void cost(void **state) {
  (void)state;
  struct weir_policy_choice choice = rig_choose(WEIR_POLICY_BYPASS, "counter", NULL);
  struct weir_geometry g = {.sets = 32, .ways = 8, .line_bytes = 64, .knobs = choice.knobs};
  assert_int_equal(weir_policy_cost_bits(choice.policy, &g), 10880 * 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(dead_on_arrival),
    cmocka_unit_test(probes),
    cmocka_unit_test(the_expired_line_leaves_first),
    cmocka_unit_test(a_longer_interval_is_learnt_at_once),
    cmocka_unit_test(the_learnt_interval_counts_before_the_first_hit),
    cmocka_unit_test(saturated_intervals_never_expire),
    cmocka_unit_test(an_expired_line_spares_the_bypass),
    cmocka_unit_test(the_newest_line_never_expires),
    cmocka_unit_test(stores),
    cmocka_unit_test(free_ways),
    cmocka_unit_test(cost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
