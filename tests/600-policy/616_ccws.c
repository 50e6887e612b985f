// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Cache-conscious wavefront scheduling: victim tags, scores and the list of those who may load, against examples worked by
// hand and against the same rules carried out one cycle at a time.
#include "core_rig.h"

static const weir_cycle T0 = UINT64_C(0xFFFFFFE0); // 2^32 comes soon

static struct throttle_rig *ccws_new(const char *knobs, unsigned warps) {
  struct throttle_rig *rig = throttle_rig_new("ccws", knobs, 2);
  for (uint32_t w = 0; w < warps; w++) weir_conform_core_start(&rig->core, &rig->i, w);
  return rig;
}

static struct weir_access of(uint32_t warp, uint64_t line, weir_cycle now) {
  return (struct weir_access){.line = line * RIG_LINE_BYTES,
                              .set = (uint32_t)(line % 4),
                              .warp = (uint16_t)warp,
                              .kind = WEIR_ACCESS_LOAD,
                              .transactions = 1,
                              .now = now};
}

// The warp brings the line, and another (of which nothing else is known) replaces it.
static void lose(struct throttle_rig *rig, uint32_t warp, uint64_t line) {
  struct weir_access a = of(warp, line, 0), other = of(47, 1000 + line % 4, 0);
  weir_hook(&rig->i, insert, &a, 1);
  weir_hook(&rig->i, evict, &other, 1, false);
}

// A load of the warp misses. Was the line among its victim tags?
static bool misses(struct throttle_rig *rig, uint32_t warp, uint64_t line, weir_cycle now) {
  uint64_t before = rig_counter(&rig->i, "lost_locality");
  struct weir_access a = of(warp, line, now);
  assert_false(weir_hook(&rig->i, miss, &a));
  return rig_counter(&rig->i, "lost_locality") != before;
}

static void store(struct throttle_rig *rig, uint32_t warp, uint64_t line) {
  struct weir_access a = of(warp, line, 0);
  a.kind = WEIR_ACCESS_STORE;
  weir_hook(&rig->i, store, &a);
}

static void set_waiting(struct throttle_rig *rig, const char *warps) {
  rig->core.view.waiting = warps_in(warps);
}

// Who may load at `now` (of those who do not wait), and until when that is known to stand.
static void assert_loads(struct throttle_rig *rig, weir_cycle now, const char *warps, weir_cycle until) {
  struct weir_allowance a = throttle_rig_ask(rig, now);
  uint64_t able = ~rig->core.view.waiting;
  assert_int_equal(a.issue, rig->core.view.resident);
  assert_int_equal(a.loads & able, warps_in(warps) & able);
  assert_int_equal(a.until, until);
}

// ---- victim tags --------------------------------------------------------------------------------------------------------

// 16 tags of a warp are 2 sets of 8, by the lowest bit of the line's number: the first in leaves first.
static void victim_tags_are_fifo(void **state) {
  (void)state;
  struct throttle_rig *rig = ccws_new(NULL, 4);
  for (uint64_t line = 0; line < 16; line += 2) lose(rig, 0, line); // set 0 is full
  for (uint64_t line = 0; line < 16; line += 2) assert_true(misses(rig, 0, line, T0));
  assert_true(misses(rig, 0, 0, T0)); // a hit does not remove the tag
  assert_false(misses(rig, 0, 1, T0));
  for (uint64_t line = 1; line < 16; line += 2) lose(rig, 0, line); // the other set is another's
  assert_true(misses(rig, 0, 0, T0));
  lose(rig, 0, 16); // 0 was first, though asked for last
  assert_false(misses(rig, 0, 0, T0));
  assert_true(misses(rig, 0, 2, T0) && misses(rig, 0, 16, T0) && misses(rig, 0, 1, T0));
  lose(rig, 0, 2); // already there: no second time, and no later place
  lose(rig, 0, 18);
  assert_false(misses(rig, 0, 2, T0));
  assert_true(misses(rig, 0, 4, T0) && misses(rig, 0, 18, T0));
  assert_int_equal(rig_counter(&rig->i, "victim_tags"), 8 + 8 + 1 + 1);
  throttle_rig_free(rig);
}

static void a_store_drops_the_tag_of_every_warp(void **state) {
  (void)state;
  struct throttle_rig *rig = ccws_new(NULL, 4);
  for (uint64_t line = 0; line < 16; line += 2) lose(rig, 0, line);
  lose(rig, 1, 6);
  store(rig, 3, 6);
  assert_int_equal(rig_counter(&rig->i, "dropped_tags"), 2);
  assert_false(misses(rig, 0, 6, T0) || misses(rig, 1, 6, T0));
  lose(rig, 0, 20); // takes the free place
  assert_true(misses(rig, 0, 0, T0));
  lose(rig, 0, 22);
  assert_false(misses(rig, 0, 0, T0)); // now the oldest leaves
  assert_true(misses(rig, 0, 2, T0) && misses(rig, 0, 20, T0) && misses(rig, 0, 22, T0));
  throttle_rig_free(rig);
}

// The tag is the one's who brought the line, whoever else used or replaced it; and of another launch, nobody's.
static void tags_belong_to_who_brought_the_line(void **state) {
  (void)state;
  struct throttle_rig *rig = ccws_new(NULL, 4);
  struct weir_access brings = of(1, 8, T0), hits = of(2, 8, T0), replaces = of(3, 12, T0);
  weir_hook(&rig->i, insert, &brings, 0);
  weir_hook(&rig->i, hit, &hits, 0, false);
  weir_hook(&rig->i, evict, &replaces, 0, true);
  weir_hook(&rig->i, insert, &replaces, 0);
  assert_false(misses(rig, 2, 8, T0) || misses(rig, 3, 8, T0));
  assert_true(misses(rig, 1, 8, T0));
  weir_hook(&rig->i, launch, 1);
  assert_false(misses(rig, 1, 8, T0));
  throttle_rig_free(rig);
}

// ---- scores -------------------------------------------------------------------------------------------------------------

// Four warps that have issued 50, 100, 30 and 20 instructions, each with a line among its victim tags.
static struct throttle_rig *worked_example(const char *knobs) {
  struct throttle_rig *rig = ccws_new(knobs, 4);
  static const unsigned issued[4] = {50, 100, 30, 20};
  for (uint32_t w = 0; w < 4; w++) {
    for (unsigned i = 0; i < issued[w]; i++) weir_conform_core_issue(&rig->core, &rig->i, w, 0);
    lose(rig, w, w);
  }
  return rig;
}

static void hit_tags(struct throttle_rig *rig, uint32_t warp, unsigned times, weir_cycle now) {
  while (times--) assert_true(misses(rig, warp, warp, now));
}

// k = 8, base 100, so cutoff = 4 × 100 = 400, and 200 instructions have issued: LLDS = hits / 200 × 8 × 400 = 16 × hits.
static void the_worked_example(void **state) {
  (void)state;
  struct throttle_rig *rig = worked_example(NULL);
  assert_loads(rig, T0, "0 1 2 3", WEIR_NEVER); // 400 ≥ 400 takes all four

  // 6 hits: LLDS 96 is below base. 13: 208. In order: 2 (208), 0, 1 (100 each) make 408; 3 may not load. The sum falls by
  // 1 per cycle, 8 cycles later it is 400, 9 cycles later 399.
  hit_tags(rig, 2, 6, T0);
  assert_loads(rig, T0, "0 1 2 3", WEIR_NEVER);
  hit_tags(rig, 2, 7, T0);
  assert_loads(rig, T0, "2 0 1", T0 + 9);
  assert_loads(rig, T0 + 8, "2 0 1", T0 + 9);
  assert_loads(rig, T0 + 9, "0 1 2 3", WEIR_NEVER);

  // At T0 + 50, 12 hits of 1 make 25 in all: LLDS 400, and 1 alone reaches the cutoff. One cycle later it has 399, and 2
  // comes next with 208 − 51 = 157: 556. Both fall: after 78 more cycles it would be 400, but 57 cycles later 2 is at base,
  // as 0 is, whose number is lower: 1 (342) and 0 make 442. That lasts 42 cycles; then 2 follows (sum 499, 99 of them to
  // spare), and with 100 cycles more, 199 + 100 + 100 < 400 takes all.
  weir_cycle t1 = T0 + 50;
  hit_tags(rig, 1, 12, t1);
  assert_loads(rig, t1, "1", t1 + 1);
  assert_loads(rig, t1 + 1, "1 2", t1 + 58);
  assert_loads(rig, t1 + 57, "1 2", t1 + 58);
  assert_loads(rig, t1 + 58, "1 0", t1 + 101);
  assert_loads(rig, t1 + 100, "1 0", t1 + 101);
  assert_loads(rig, t1 + 101, "1 0 2", t1 + 201);
  assert_loads(rig, t1 + 200, "1 0 2", t1 + 201);
  assert_loads(rig, t1 + 201, "0 1 2 3", WEIR_NEVER);
  throttle_rig_free(rig);
}

// A score never exceeds the LLDS of its last hit, even where it was higher: 25 hits in 200 instructions give 400; the 26th
// after 2000 gives 26 / 2000 × 3200 = 41, so base.
static void a_hit_caps_the_score(void **state) {
  (void)state;
  struct throttle_rig *rig = worked_example(NULL);
  hit_tags(rig, 1, 25, T0);
  assert_loads(rig, T0, "1", T0 + 1);
  for (unsigned i = 0; i < 1800; i++) weir_conform_core_issue(&rig->core, &rig->i, 3, T0);
  assert_loads(rig, T0, "1", T0 + 1); // no hit, no change
  hit_tags(rig, 1, 1, T0);
  assert_loads(rig, T0, "0 1 2 3", WEIR_NEVER);
  throttle_rig_free(rig);
}

// Hits and instructions count while their warp is resident. Warp 2 has 13 hits, warp 1 has 12 and 100 of 200 instructions.
// Without 1: cutoff 300, and the 14th hit of 2 gives 14 / 100 × 8 × 300 = 336.
static void totals_are_of_resident_warps(void **state) {
  (void)state;
  struct throttle_rig *rig = worked_example(NULL);
  hit_tags(rig, 2, 13, T0);
  hit_tags(rig, 1, 12, T0);
  weir_conform_core_end(&rig->core, &rig->i, 1);
  hit_tags(rig, 2, 1, T0 + 1000);
  assert_loads(rig, T0 + 1000, "2", T0 + 1037);   // 336, 300 after 36 cycles, 299 after 37
  assert_loads(rig, T0 + 1037, "2 0", T0 + 1137); // 399 … 300
  assert_loads(rig, T0 + 1137, "2 0 3", WEIR_NEVER);

  // Another warp in slot 1: at base, no hits, but the slot's victim tags. Cutoff 400 again, 101 instructions, and its first
  // hit is the 15th in all: 15 / 101 × 3200 = 475.
  weir_conform_core_start(&rig->core, &rig->i, 1);
  assert_loads(rig, T0 + 2000, "0 1 2 3", WEIR_NEVER);
  weir_conform_core_issue(&rig->core, &rig->i, 1, T0 + 2000);
  hit_tags(rig, 1, 1, T0 + 2000);
  assert_loads(rig, T0 + 2000, "1", T0 + 2076); // 475 − 76 < 400
  throttle_rig_free(rig);
}

// Totals are of the warps in whatever slots: without 0, 25 hits in 150 instructions give 25 / 150 × 8 × 300 = 400.
static void slots_need_not_be_the_first(void **state) {
  (void)state;
  struct throttle_rig *rig = worked_example(NULL);
  weir_conform_core_end(&rig->core, &rig->i, 0);
  hit_tags(rig, 3, 25, T0);
  assert_loads(rig, T0, "3", T0 + 101);
  throttle_rig_free(rig);
}

// Nothing has issued: no score. A load of a warp that has ended: none either.
static void nothing_to_divide_by(void **state) {
  (void)state;
  struct throttle_rig *rig = ccws_new(NULL, 2);
  lose(rig, 0, 0);
  hit_tags(rig, 0, 3, T0);
  assert_loads(rig, T0, "0 1", WEIR_NEVER);
  weir_conform_core_issue(&rig->core, &rig->i, 1, T0);
  weir_conform_core_end(&rig->core, &rig->i, 0);
  assert_false(misses(rig, 0, 0, T0));
  assert_loads(rig, T0, "1", WEIR_NEVER);
  weir_conform_core_end(&rig->core, &rig->i, 1);
  assert_loads(rig, T0, "", WEIR_NEVER);
  throttle_rig_free(rig);
}

// Base 10: cutoff 40. k = 2: LLDS = hits / 200 × 2 × 40. 27 hits give 10.8, cut to 10; 28 give 11; 50 give 20.
static void k_and_base_are_knobs(void **state) {
  (void)state;
  struct throttle_rig *rig = worked_example("k=2,base=10");
  hit_tags(rig, 3, 27, T0);
  assert_loads(rig, T0, "0 1 2 3", WEIR_NEVER);
  hit_tags(rig, 3, 1, T0);
  assert_loads(rig, T0, "0 1 2 3", WEIR_NEVER); // 11 + 10 + 10 is still short of 40
  hit_tags(rig, 3, 22, T0);                     // 20 + 10 + 10
  assert_loads(rig, T0, "3 0 1", T0 + 1);
  throttle_rig_free(rig);
}

// ---- who waits ----------------------------------------------------------------------------------------------------------

static void the_first_waits(void **state) {
  (void)state;
  struct throttle_rig *rig = worked_example("waiting=release");
  hit_tags(rig, 1, 25, T0);
  assert_loads(rig, T0, "1", T0 + 1);
  set_waiting(rig, "1");
  assert_loads(rig, T0, "0 2 3", WEIR_NEVER); // whoever keeps it waiting
  set_waiting(rig, "0 2");
  assert_loads(rig, T0, "1", T0 + 1); // the first does not wait
  throttle_rig_free(rig);

  // 25 hits of 1 (400), then 20 of 3: 45 hits, LLDS 720. Waiting, 3 is passed over and 1 reaches the cutoff alone; waiting
  // both, 0 and 2 do not, and may load.
  rig = worked_example("waiting=extend");
  hit_tags(rig, 1, 25, T0);
  hit_tags(rig, 3, 20, T0);
  assert_loads(rig, T0, "3", T0 + 321);
  set_waiting(rig, "3");
  assert_loads(rig, T0, "1", T0 + 1);
  set_waiting(rig, "1 3");
  assert_loads(rig, T0, "0 2", WEIR_NEVER);
  throttle_rig_free(rig);
}

// 48 warps, 16 KiB of 128-byte lines: 16 tags of 32 − 7 − 1 bits and a score of 10 per warp, 6 bits of who brought it per line,
// and two totals of 32 bits.
static void what_it_costs(void **state) {
  (void)state;
  struct weir_policy_choice choice = rig_choose(WEIR_POLICY_THROTTLE, "ccws", NULL);
  struct weir_geometry g = {.sets = 32, .ways = 4, .line_bytes = 128, .warps = 48, .knobs = choice.knobs};
  assert_int_equal(weir_policy_cost_bits(choice.policy, &g), 48 * (16 * 24 + 10) + 128 * 6 + 2 * 32);
}

// ---- against the rules, cycle by cycle ----------------------------------------------------------------------------------

struct model { // 12 warps, all of them resident
  uint64_t score[12], hits[12], issued[12];
};

static uint64_t model_list(const struct model *m) {
  uint64_t list = 0, sum = 0;
  while (sum < 1200) {
    unsigned best = 12;
    for (unsigned w = 0; w < 12; w++)
      if (!(list >> w & 1) && (best == 12 || m->score[w] > m->score[best])) best = w;
    list |= UINT64_C(1) << best;
    sum += m->score[best];
  }
  return list;
}

static void model_hit(struct model *m, unsigned warp) {
  uint64_t hits = 0, issued = 0;
  m->hits[warp]++;
  for (unsigned w = 0; w < 12; w++) hits += m->hits[w], issued += m->issued[w];
  uint64_t llds = hits * 8 * 1200 / issued;
  m->score[warp] = m->score[warp] + llds > llds ? llds : m->score[warp] + llds;
  if (m->score[warp] < 100) m->score[warp] = 100;
}

// An answer is asked for when something happened and when the last one ends, and in no other cycle; it is right in every
// cycle, and where it ends, it changes.
static void every_cycle_of_a_random_run(void **state) {
  (void)state;
  struct throttle_rig *rig = ccws_new(NULL, 12);
  struct weir_rng rng = weir_rng_seed(11, 4);
  struct model m = {0};
  for (uint32_t w = 0; w < 12; w++) {
    m.score[w] = 100;
    lose(rig, w, w);
  }
  struct weir_allowance standing = {.until = 0};
  unsigned ends = 0;
  for (weir_cycle now = T0; now < T0 + 60000; now++) {
    uint32_t w = (uint32_t)weir_rng_below(&rng, 12);
    bool hits = now % 7 == 0 && weir_rng_below(&rng, 50) == 0 && m.issued[w];
    if (now % 2) {
      weir_conform_core_issue(&rig->core, &rig->i, w, now);
      m.issued[w]++;
    }
    for (unsigned v = 0; v < 12; v++) m.score[v] -= m.score[v] > 100;
    for (unsigned n = hits ? 20 : 0; n; n--) {
      assert_true(misses(rig, w, w, now));
      model_hit(&m, w);
    }
    if (hits || now >= standing.until) {
      struct weir_allowance next = throttle_rig_ask(rig, now);
      ends += !hits;
      if (!hits && now > T0) assert_true(next.loads != standing.loads);
      standing = next;
    }
    assert_int_equal(standing.loads, model_list(&m));
  }
  assert_true(ends > 100);
  throttle_rig_free(rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(victim_tags_are_fifo),
    cmocka_unit_test(a_store_drops_the_tag_of_every_warp),
    cmocka_unit_test(tags_belong_to_who_brought_the_line),
    cmocka_unit_test(the_worked_example),
    cmocka_unit_test(a_hit_caps_the_score),
    cmocka_unit_test(totals_are_of_resident_warps),
    cmocka_unit_test(slots_need_not_be_the_first),
    cmocka_unit_test(nothing_to_divide_by),
    cmocka_unit_test(k_and_base_are_knobs),
    cmocka_unit_test(the_first_waits),
    cmocka_unit_test(what_it_costs),
    cmocka_unit_test(every_cycle_of_a_random_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
