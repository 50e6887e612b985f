// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The memory address table, by hand and against a model of the whole past; and random bypassing by requester.
#include "shared_rig.h"

#include <math.h>

// 64-byte lines, 1 KB macroblocks: 16 lines each. One set of two ways.
enum { PER_BLOCK = 1024 / RIG_LINE_BYTES };

static struct rig *mat(uint32_t requesters, const char *knobs) {
  struct rig *rig = rig_new_shared(requesters, 1, 2, "lru", NULL);
  rig_add_bypass(rig, "mat", knobs);
  return rig;
}

// A load of line `line` of macroblock `block`.
static char load(struct rig *rig, unsigned requester, uint64_t block, uint64_t line) {
  return shared_load(rig, requester, block * PER_BLOCK + line);
}

// Macroblock 1 has two accesses as both its lines are in. Macroblock 2's first line: 1 < 2, bypassed, and 1 has 1 left: the second
// comes in (2 >= 1). Then the victim is the other line of 1.
static void counts_by_hand(void **state) {
  (void)state;
  struct rig *rig = mat(1, NULL);
  assert_int_equal(load(rig, 0, 1, 0), 'm');
  assert_int_equal(load(rig, 0, 1, 1), 'm');
  assert_int_equal(load(rig, 0, 2, 0), 'b');
  assert_int_equal(load(rig, 0, 2, 1), 'm');
  assert_int_equal(rig->evicted, PER_BLOCK * RIG_LINE_BYTES);
  assert_int_equal(load(rig, 0, 3, 0), 'm'); // 1 >= 1: a tie comes in
  assert_int_equal(load(rig, 0, 4, 0), 'b'); // 1 < 2: line 1 of block 2 is the least recent
  assert_int_equal(rig_counter(&rig->companions[0], "mat_bypasses"), 2);
  rig_free(rig);
  rig = mat(1, "ages=off");
  for (unsigned line = 0; line < 2; line++) load(rig, 0, 1, line);
  assert_int_equal(load(rig, 0, 2, 0), 'b');
  assert_int_equal(load(rig, 0, 2, 1), 'm'); // 2 >= 2
  rig_free(rig);
}

// Hits count too, and saturate; a macroblock of the same entry takes it over, from 0.
static void entries(void **state) {
  (void)state;
  struct rig *rig = mat(1, "entries=4,counter_bits=3");
  load(rig, 0, 1, 1);
  for (unsigned i = 0; i < 20; i++) load(rig, 0, 1, 0); // 7
  for (unsigned i = 0; i < 4; i++)                      // 1 < 7, 2 < 6, 3 < 5, then 4 >= 4
    assert_int_equal(load(rig, 0, 2, i), i < 3 ? 'b' : 'm');
  assert_int_equal(load(rig, 0, 5, 0), 'm'); // takes over the entry of 1, whose line, now of count 0, leaves
  assert_int_equal(rig->evicted, (PER_BLOCK + 0) * RIG_LINE_BYTES);
  rig_free(rig);
}

// Only the GPU's accesses bypass, unless told otherwise; those of all count. Stores bypass too, unless told not to.
static void whose_accesses_bypass(void **state) {
  (void)state;
  static const char *const knobs[] = {NULL, "requesters=cpu", "requesters=all", "stores=off"};
  for (unsigned variant = 0; variant < 4; variant++) {
    struct rig *rig = mat(2, knobs[variant]);
    for (unsigned i = 0; i < 8; i++) load(rig, i & 1, 1, i & 1);
    assert_int_equal(load(rig, 0, 2, 0), variant == 1 ? 'm' : 'b');
    assert_int_equal(load(rig, 1, 3, 0), variant == 0 || variant == 3 ? 'm' : 'b');
    for (unsigned i = 0; i < 8; i++) load(rig, 0, 1, i & 1);
    struct shared_access store = {.block = 40 * PER_BLOCK, .core = 3, .kind = WEIR_ACCESS_STORE};
    assert_int_equal(shared_do(rig, store), variant == 1 || variant == 3 ? 'm' : 'b');
    rig_free(rig);
  }
}

// Counts of all macroblocks from the whole past: accesses since its entry was last another's, at most 15, and bypasses for it.
enum { STEPS = 4000, ENTRIES = 8, SETS = 4, WAYS = 3, MOST = 15 };

struct event {
  uint64_t block;
  bool counts; // an access, else a bypass that takes one off
};

static unsigned count_of(const struct event *event, size_t events, uint64_t block) {
  unsigned count = 0;
  bool mine = false;
  for (size_t i = 0; i < events; i++) {
    if (event[i].block % ENTRIES != block % ENTRIES) continue;
    bool same = event[i].block == block;
    if (event[i].counts) {
      count = same ? (mine ? count : 0) + 1 : 0;
      count = count > MOST ? MOST : count;
      mine = same;
    } else if (same && mine) {
      count--;
    }
  }
  return mine ? count : 0;
}

static void agrees_with_a_model(void **state) {
  (void)state;
  struct rig *rig = rig_new_shared(2, SETS, WAYS, "lru", NULL);
  rig_add_bypass(rig, "mat", "entries=8,counter_bits=4");
  struct event *event = calloc(2 * STEPS, sizeof *event);
  struct {
    bool valid;
    uint64_t block;
    size_t used;
  } line[SETS][WAYS] = {{{0}}};
  size_t events = 0, bypassed = 0;
  struct weir_rng rng = weir_rng_seed(626, 0);
  for (unsigned step = 0; step < STEPS; step++) {
    struct shared_access s = shared_random(&rng, 2, 8, 16, false);
    uint64_t set = s.block % SETS, macro = s.block / PER_BLOCK;
    if (s.kind != WEIR_ACCESS_WRITEBACK) event[events++] = (struct event){macro, true};
    unsigned oldest = 0, hit = WAYS, invalid = WAYS;
    for (unsigned w = 0; w < WAYS; w++) {
      hit = line[set][w].valid && line[set][w].block == s.block ? w : hit;
      invalid = !line[set][w].valid && invalid == WAYS ? w : invalid;
      oldest = line[set][w].used < line[set][oldest].used ? w : oldest;
    }
    char expected = hit < WAYS ? 'h' : 'm';
    unsigned place = hit < WAYS ? hit : invalid < WAYS ? invalid : oldest;
    uint64_t victim = line[set][place].block / PER_BLOCK;
    bool may = s.requester == 0 && (s.kind == WEIR_ACCESS_LOAD || s.kind == WEIR_ACCESS_STORE);
    if (hit == WAYS && invalid == WAYS && may && count_of(event, events, macro) < count_of(event, events, victim)) {
      event[events++] = (struct event){victim, false};
      expected = 'b';
      bypassed++;
    } else {
      line[set][place].valid = true;
      line[set][place].block = s.block;
      line[set][place].used = step + 1;
    }
    if (shared_do(rig, s) != expected) fail_msg("step %u: not %c", step, expected);
  }
  assert_in_range(bypassed, 100, STEPS / 2);
  free(event);
  rig_free(rig);
}

// Two parts of one cache: part 0's accesses to a macroblock protect its lines in part 1, unless each is a scope by itself.
static void parts_count_together(void **state) {
  (void)state;
  for (unsigned level = 0; level < 2; level++) {
    struct weir_policy_choice choice = rig_choose(WEIR_POLICY_BYPASS, "mat", level ? NULL : "scope=part");
    struct weir_geometry g = {.sets = 1, .ways = 4, .line_bytes = 64, .instances = 2};
    struct weir_policy_instance part[2];
    weir_policy_start(&part[0], NULL, &choice, &g, 1, 0);
    g.instance = 1;
    weir_policy_start(&part[1], &part[0], &choice, &g, 1, 16);
    struct weir_access used = {.line = 64, .kind = WEIR_ACCESS_LOAD}, other = {.line = 4096, .kind = WEIR_ACCESS_LOAD};
    weir_hook(&part[0], look, &used, WEIR_NO_WAY);
    weir_hook(&part[1], insert, &used, 0); // not looked at there
    assert_int_equal(weir_hook(&part[1], keep, &other, 0), level);
    weir_policy_stop(&part[1]);
    weir_policy_stop(&part[0]);
  }
}

// Holey Table V: 4096 entries of 29 bits, 14.5 KB; of four parts each a fourth.
static void costs(void **state) {
  (void)state;
  struct weir_policy_choice choice = rig_choose(WEIR_POLICY_BYPASS, "mat", NULL);
  struct weir_geometry g = {.sets = 1024, .ways = 32, .line_bytes = 64, .knobs = choice.knobs};
  assert_int_equal(weir_policy_cost_bits(choice.policy, &g), 14.5 * 1024 * 8);
  g.instances = 4;
  assert_int_equal(weir_policy_cost_bits(choice.policy, &g), 14.5 * 1024 * 2);
}

// Holey Figure 5: a part of the GPU's accesses, and nobody else's. Within five standard deviations.
static void random_by_requester(void **state) {
  (void)state;
  static const struct {
    const char *knobs;
    double part[2][2]; // [is a CPU program][stores]
  } cases[] = {
    {"probability=0.25,requesters=gpu,stores=on", {{0.25, 0.25}, {0, 0}}},
    {"probability=0.75,requesters=cpu", {{0, 0}, {0.75, 0}}},
    {"probability=0.5", {{0.5, 0}, {0.5, 0}}},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rig *rig = rig_new_shared(3, 4, 4, "lru", NULL);
    rig_add_bypass(rig, "random", cases[i].knobs);
    double bypassed[2][2] = {{0}}, draws = 10000;
    for (unsigned n = 0; n < 4 * 10000; n++) {
      struct shared_access s = {
        .block = n, .requester = n & 1 ? 1 + (n >> 2 & 1) : 0, .kind = n & 2 ? WEIR_ACCESS_STORE : WEIR_ACCESS_LOAD};
      bypassed[n & 1][n >> 1 & 1] += shared_do(rig, s) == 'b';
    }
    for (unsigned n = 0; n < 4; n++) {
      double part = cases[i].part[n & 1][n >> 1];
      assert_true(fabs(bypassed[n & 1][n >> 1] - part * draws) <= 5 * sqrt(draws * part * (1 - part)));
    }
    rig_free(rig);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(counts_by_hand),        cmocka_unit_test(entries),
    cmocka_unit_test(whose_accesses_bypass), cmocka_unit_test(agrees_with_a_model),
    cmocka_unit_test(parts_count_together),  cmocka_unit_test(costs),
    cmocka_unit_test(random_by_requester),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
