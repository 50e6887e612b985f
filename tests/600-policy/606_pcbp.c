// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// PC-based bypassing, step by step along Listing 1 of Tian et al. (GPGPU 2015).
#include "rig.h"

enum { P = 8 * 8, Q = 9 * 8 }; // instructions 8 and 9: entries of their own

// An L1 with pcbp over an L2 with pcbp-verify.
struct levels {
  struct rig *l1, *l2;
};

static struct levels levels_new(uint32_t sets, uint32_t ways, const char *knobs) {
  struct levels l = {rig_new(sets, ways, "lru", NULL), rig_new(64, 16, "lru", NULL)};
  rig_add_bypass(l.l1, "pcbp", knobs);
  rig_add_bypass(l.l2, "pcbp-verify", NULL);
  return l;
}

static void levels_free(struct levels *l) {
  rig_free(l->l1);
  rig_free(l->l2);
}

// 'h' hit, 'm' miss and installed, 'b' bypassed, 'c' bypass corrected: installed after all.
static char load(struct levels *l, uint64_t block, uint32_t pc) {
  struct weir_access a = rig_request(l->l1, block, pc, WEIR_ACCESS_LOAD);
  int way = rig_find(l->l1, &a);
  if (way >= 0) {
    rig_hit(l->l1, &a, (uint32_t)way);
    return 'h';
  }
  struct weir_policy_instance *pcbp = &l->l1->companions[0];
  bool bypasses = weir_hook(pcbp, miss, &a);
  struct weir_access below = a;
  below.set = (uint32_t)(block % l->l2->g.sets);
  below.bypassed_above = bypasses;
  rig_do(l->l2, &below);
  a.reply_mark = below.reply_mark;
  if (bypasses && !weir_hook(pcbp, reply, &a, false)) return 'b';
  rig_install(l->l1, &a);
  return bypasses ? 'c' : 'm';
}

static void store(struct levels *l, uint64_t block, uint32_t pc, bool pending) {
  struct weir_access a = rig_request(l->l1, block, pc, WEIR_ACCESS_STORE);
  int way = rig_find(l->l1, &a);
  if (way >= 0)
    weir_hook(&l->l1->companions[0], hit, &a, (uint32_t)way, pending);
  else
    assert_false(weir_hook(&l->l1->companions[0], miss, &a));
}

static uint64_t count(const struct levels *l, const char *name) {
  return rig_counter(&l->l1->companions[0], name);
}

// One set of two ways, threshold 2; t[x] is the table's entry of instruction x. Blocks 0, 1, …; 's' is a store that hits.
static void listing_1(void **state) {
  (void)state;
  static const struct {
    uint64_t block;
    uint32_t pc;
    char outcome;
  } steps[] = {
    {0, P, 'm'},               // invalid ways fill: nothing is trained
    {1, P, 'm'},  {2, P, 'm'}, // evicts 0, last touched by P: t[P] = 1
    {3, P, 'm'},               // predicted before its victim 1 trains: 1 < 2; then t[P] = 2
    {4, P, 'b'},               // 2 >= 2: bypassed; the L2 marks 4
    {2, Q, 'h'},               // t[P] = 1; 2 belongs to Q now
    {5, P, 'm'},               // evicts 3, of P: t[P] = 2
    {4, P, 'c'},  // predicted to bypass, but the L2's bit says it was before: installed; its victim, 2, trains nothing
    {4, P, 'h'},  // t[P] = 1
    {4, P, 'h'},  // t[P] = 0
    {6, Q, 'm'},  // 0 < 2; evicts 5, of P: t[P] = 1
    {7, Q, 'm'},  // evicts 4, of P: t[P] = 2
    {4, Q, 'm'},  // 0 < 2; evicts 6, of Q: t[Q] = 1
    {10, Q, 'm'}, // 1 < 2; evicts 7, of Q: t[Q] = 2
    {8, P, 'b'},  {9, Q, 'b'}, // both have reached the threshold
    {8, P, 'c'},               // its victim, 4, trains nothing: t[Q] = 2
    {10, P, 's'},              // "on each L1 access": t[Q] = 1; 10 belongs to P now
    {10, P, 'h'},              // t[P] = 1
    {9, Q, 'm'},               // 1 < 2; evicts 8, of P: t[P] = 2
    {11, P, 'b'},              // 2 >= 2
  };
  struct levels l = levels_new(1, 2, "threshold=2");
  for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
    if (steps[i].outcome == 's')
      store(&l, steps[i].block, steps[i].pc, false);
    else
      assert_int_equal(load(&l, steps[i].block, steps[i].pc), steps[i].outcome);
  }
  assert_int_equal(count(&l, "predictions"), 16);
  assert_int_equal(count(&l, "predicted_bypasses"), 6);
  assert_int_equal(count(&l, "corrections"), 2);
  assert_int_equal(count(&l, "live_trainings"), 5);
  assert_int_equal(count(&l, "dead_trainings"), 8);
  levels_free(&l);
}

// The same start; the listing shows no training by the eviction of a correction, which the knob adds.
static void corrections_may_train(void **state) {
  (void)state;
  for (unsigned trains = 0; trains < 2; trains++) {
    struct levels l = levels_new(1, 2, trains ? "threshold=2,train_on_correction=on" : "threshold=2");
    for (uint64_t block = 0; block < 4; block++) assert_int_equal(load(&l, block, P), 'm'); // t[P] = 2
    assert_int_equal(load(&l, 4, P), 'b');
    assert_int_equal(count(&l, "dead_trainings"), 2);
    assert_int_equal(load(&l, 4, P), 'c');
    assert_int_equal(count(&l, "dead_trainings"), 2 + trains);
    assert_int_equal(load(&l, 5, Q), 'm'); // an ordinary eviction trains in either case
    assert_int_equal(count(&l, "dead_trainings"), 3 + trains);
    levels_free(&l);
  }
}

static void correction_can_be_off(void **state) {
  (void)state;
  struct levels l = levels_new(1, 2, "threshold=2,l2_correction=off");
  for (uint64_t block = 0; block < 4; block++) load(&l, block, P);
  for (unsigned i = 0; i < 5; i++) assert_int_equal(load(&l, 4, P), 'b');
  assert_int_equal(count(&l, "corrections"), 0);
  levels_free(&l);
}

// The L2's bit: set by a bypassing request, returned once, and not set again by the request that it is returned to.
static void bypass_bit(void **state) {
  (void)state;
  static const struct {
    enum weir_access_kind kind;
    bool bypassed, returned;
  } steps[] = {
    {WEIR_ACCESS_LOAD, true, false},                                    // L2 miss: filled, bit 1
    {WEIR_ACCESS_STORE, false, false},                                  // neither reads nor clears it
    {WEIR_ACCESS_LOAD, false, true},                                    // bit 0
    {WEIR_ACCESS_LOAD, false, false},  {WEIR_ACCESS_LOAD, true, false}, // bit 1
    {WEIR_ACCESS_LOAD, true, true},                                     // bit 0, as the answer corrects this request
    {WEIR_ACCESS_LOAD, true, false},                                    // bit 1
    {WEIR_ACCESS_ATOMIC, true, false}, {WEIR_ACCESS_LOAD, true, true},
  };
  struct rig *rig = rig_new(1, 2, "lru", NULL);
  rig_add_bypass(rig, "pcbp-verify", NULL);
  for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
    struct weir_access a = rig_request(rig, 5, P, steps[i].kind);
    a.bypassed_above = steps[i].bypassed;
    rig_do(rig, &a);
    assert_int_equal(a.reply_mark, steps[i].returned);
  }
  // An atomic does not set it when it fills either.
  struct weir_access atomic = rig_request(rig, 8, P, WEIR_ACCESS_ATOMIC);
  atomic.bypassed_above = true;
  rig_do(rig, &atomic);
  struct weir_access after = rig_request(rig, 8, P, WEIR_ACCESS_LOAD);
  rig_do(rig, &after);
  assert_false(after.reply_mark);
  // The bit leaves with its line: block 5 is marked, evicted by 6 and 7, and comes back unmarked.
  struct weir_access a = rig_request(rig, 5, P, WEIR_ACCESS_LOAD);
  a.bypassed_above = true;
  rig_do(rig, &a);
  rig_load(rig, 6, P);
  rig_load(rig, 7, P);
  rig_load(rig, 5, P);
  a = rig_request(rig, 5, P, WEIR_ACCESS_LOAD);
  rig_do(rig, &a);
  assert_false(a.reply_mark);
  rig_free(rig);
}

// One way, threshold 1: the eviction of a line of `trainer` makes `tested` bypass iff they share an entry.
static bool share_an_entry(const char *knobs, uint32_t trainer, uint32_t tested) {
  struct levels l = levels_new(1, 1, knobs);
  load(&l, 0, trainer * 8);
  load(&l, 1, 77 * 8); // evicts 0
  char outcome = load(&l, 2, tested * 8);
  levels_free(&l);
  return outcome == 'b';
}

// 0x81 folds into 1 ^ 1 = 0 of seven bits; its remainder is 1.
static void hashes(void **state) {
  (void)state;
  assert_true(share_an_entry("threshold=1", 0x81, 0x81));
  assert_true(share_an_entry("threshold=1", 0x81, 0));
  assert_false(share_an_entry("threshold=1", 0x81, 1));
  assert_true(share_an_entry("threshold=1,hash=modulo", 0x81, 1));
  assert_false(share_an_entry("threshold=1,hash=modulo", 0x81, 0));
  assert_false(share_an_entry("threshold=1,entries=256", 0x81, 0));
  assert_false(share_an_entry("threshold=1", 3, 4));
  assert_false(share_an_entry("threshold=1,hash=modulo", 0x40, 0)); // instructions are 8 bytes each
}

// A counter stops at 15: after 40 evictions, 15 - threshold + 1 = 8 hits bring it below the threshold of 8.
static void counters_saturate(void **state) {
  (void)state;
  struct levels l = levels_new(1, 1, "l2_correction=off");
  for (unsigned round = 0; round < 40; round++) { // each training: insert by P where P still may, else stop
    struct weir_access a = rig_request(l.l1, 100 + round, P, WEIR_ACCESS_STORE); // stores are not predicted
    rig_install(l.l1, &a);
  }
  assert_int_equal(count(&l, "dead_trainings"), 39);
  for (unsigned hits = 0; hits < 8; hits++) {
    assert_int_equal(load(&l, 500 + hits, P), 'b');
    assert_int_equal(load(&l, 139, P), 'h'); // 14, 13, … 7
  }
  assert_int_equal(load(&l, 600, P), 'm');
  levels_free(&l);
}

// And at 0: one eviction brings it to a threshold of 1, one hit back, and two hits no lower.
static void counters_reach_zero(void **state) {
  (void)state;
  struct levels l = levels_new(1, 2, "threshold=1,l2_correction=off");
  for (uint64_t block = 0; block < 2; block++) load(&l, block, P);
  load(&l, 2, Q); // evicts 0, of P: t[P] = 1
  assert_int_equal(load(&l, 3, P), 'b');
  load(&l, 1, P);
  load(&l, 1, P);                        // t[P] = 0
  assert_int_equal(load(&l, 4, P), 'm'); // evicts 2, of Q: t[Q] = 1
  assert_int_equal(load(&l, 5, P), 'm'); // evicts 1, of P: t[P] = 1
  assert_int_equal(load(&l, 6, P), 'b');
  levels_free(&l);
}

// A correction's own eviction does not train; a later one for the same block does, whether the
// correction was installed and the block then comes by a store, or no way was free for it.
static void a_correction_ends(void **state) {
  (void)state;
  for (unsigned installed = 0; installed < 2; installed++) {
    struct levels l = levels_new(1, 1, "initial=15");
    struct weir_access a = rig_request(l.l1, 1, P, WEIR_ACCESS_LOAD);
    rig_install(l.l1, &a);
    a = rig_request(l.l1, 2, P, WEIR_ACCESS_LOAD);
    a.reply_mark = true;
    assert_true(weir_hook(&l.l1->companions[0], miss, &a));
    assert_true(weir_hook(&l.l1->companions[0], reply, &a, false));
    if (installed) {
      rig_install(l.l1, &a); // evicts 1 for the correction
      assert_int_equal(count(&l, "dead_trainings"), 0);
      a = rig_request(l.l1, 3, P, WEIR_ACCESS_STORE);
      rig_install(l.l1, &a); // evicts 2
      assert_int_equal(count(&l, "dead_trainings"), 1);
    }
    a = rig_request(l.l1, 2, P, WEIR_ACCESS_STORE);
    if (!installed) weir_hook(&l.l1->companions[0], miss, &a);
    rig_install(l.l1, &a);
    assert_int_equal(count(&l, "dead_trainings"), 1 + installed);
    levels_free(&l);
  }
}

static void stores_and_pending_hits(void **state) {
  (void)state;
  struct levels plain = levels_new(1, 2, "initial=5,stores_are_reuse=off"), reuse = levels_new(1, 2, "initial=5");
  load(&plain, 0, P);
  load(&reuse, 0, P);
  store(&plain, 0, Q, false);
  store(&reuse, 0, Q, false);
  assert_int_equal(count(&plain, "live_trainings"), 0);
  assert_int_equal(count(&reuse, "live_trainings"), 1);
  store(&plain, 1, P, false);
  assert_int_equal(count(&plain, "predictions"), 1); // the load's alone
  struct levels waits = levels_new(1, 2, "pending_is_reuse=off");
  load(&waits, 0, P);
  struct weir_access a = rig_request(waits.l1, 0, Q, WEIR_ACCESS_LOAD);
  weir_hook(&waits.l1->companions[0], hit, &a, 0, true);
  assert_int_equal(count(&waits, "live_trainings"), 0);
  weir_hook(&plain.l1->companions[0], hit, &a, 0, true);
  assert_int_equal(count(&plain, "live_trainings"), 1);
  levels_free(&plain);
  levels_free(&reuse);
  levels_free(&waits);
}

// Lines dropped at a kernel's end, never hit: with flush_trains as if they had been evicted.
static void lines_that_are_dropped_may_train(void **state) {
  (void)state;
  for (unsigned trains = 0; trains < 2; trains++) {
    struct levels l = levels_new(1, 2, trains ? "threshold=2,flush_trains=true" : "threshold=2");
    assert_int_equal(load(&l, 0, P), 'm');
    assert_int_equal(load(&l, 1, P), 'm');
    for (uint32_t way = 0; way < 2; way++) {
      weir_hook(&l.l1->companions[0], invalidate, 0, way);
      l.l1->lines[way].valid = false;
    }
    assert_int_equal(count(&l, "dead_trainings"), trains ? 2 : 0);
    assert_int_equal(load(&l, 2, P), trains ? 'b' : 'm');
    levels_free(&l);
  }
}

// A prediction that the L2 corrected was wrong if the line is then hit, once however often.
static void corrected_lines_that_are_hit(void **state) {
  (void)state;
  struct levels l = levels_new(1, 2, "threshold=1,initial=1");
  assert_int_equal(load(&l, 0, P), 'b');
  assert_int_equal(load(&l, 0, P), 'c');
  assert_int_equal(count(&l, "corrected_reuses"), 0);
  assert_int_equal(load(&l, 0, P), 'h');
  assert_int_equal(load(&l, 0, P), 'h');
  assert_int_equal(count(&l, "corrected_reuses"), 1);
  assert_int_equal(load(&l, 1, P), 'm'); // t[P] = 0: not predicted dead, so its hit contradicts nothing
  assert_int_equal(load(&l, 1, P), 'h');
  assert_int_equal(count(&l, "corrected_reuses"), 1);
  levels_free(&l);
}

static void merged_answers_may_be_kept(void **state) {
  (void)state;
  for (unsigned keeps = 0; keeps < 2; keeps++) {
    struct levels l = levels_new(1, 2, keeps ? "initial=15,install_on_merge=on" : "initial=15");
    struct weir_access a = rig_request(l.l1, 0, P, WEIR_ACCESS_LOAD);
    assert_true(weir_hook(&l.l1->companions[0], miss, &a));
    assert_int_equal(weir_hook(&l.l1->companions[0], reply, &a, true), keeps);
    assert_false(weir_hook(&l.l1->companions[0], reply, &a, false));
    levels_free(&l);
  }
}

// With 16 sets and 2 leaders each (constituencies of 8 sets): sets 0 and 9 never bypass, 7 and 14 always as predicted.
// From 511 one miss in set 0 makes the followers bypass, one in set 7 stops them.
static void dueling(void **state) {
  (void)state;
  struct levels l = levels_new(16, 2, "initial=15,dueling=on,l2_correction=off");
  assert_int_equal(load(&l, 1, P), 'm');
  assert_int_equal(load(&l, 0, P), 'm');
  assert_int_equal(load(&l, 16 + 1, P), 'b');
  assert_int_equal(load(&l, 9, P), 'm'); // 513
  assert_int_equal(load(&l, 7, P), 'b'); // 512
  assert_int_equal(load(&l, 2, P), 'b');
  assert_int_equal(load(&l, 14, P), 'b'); // 511
  assert_int_equal(load(&l, 2, P), 'm');
  levels_free(&l);
}

// 16 sets of which 4 train: 0, 4, 8, 12.
static void sampling(void **state) {
  (void)state;
  struct levels l = levels_new(16, 1, "sampled_sets=4");
  for (uint64_t set = 0; set < 16; set++) {
    uint64_t dead = count(&l, "dead_trainings"), live = count(&l, "live_trainings");
    load(&l, set, P);
    load(&l, set, P);
    load(&l, 16 + set, P);
    assert_int_equal(count(&l, "dead_trainings") - dead, set % 4 == 0);
    assert_int_equal(count(&l, "live_trainings") - live, set % 4 == 0);
  }
  levels_free(&l);
}

// POLICIES: 64 bytes of table and 224 of hashed PCs for 16 KiB in 32 sets of 8; 0.5 KiB for the L2's 4096 lines.
static void costs(void **state) {
  (void)state;
  struct weir_policy_choice pcbp = rig_choose(WEIR_POLICY_BYPASS, "pcbp", NULL);
  struct weir_geometry l1 = {.sets = 32, .ways = 8, .line_bytes = 64, .knobs = pcbp.knobs};
  struct weir_geometry l2 = {.sets = 256, .ways = 16, .line_bytes = 64};
  assert_int_equal(weir_policy_cost_bits(pcbp.policy, &l1), 512 + 1792);
  assert_int_equal(weir_policy_cost_bits(weir_policy_find(WEIR_POLICY_BYPASS, "pcbp-verify"), &l2), 4096);
  pcbp = rig_choose(WEIR_POLICY_BYPASS, "pcbp", "sampled_sets=8,dueling=on");
  assert_int_equal(weir_policy_cost_bits(pcbp.policy, &l1), 512 + 8 * 8 * 7 + 10);
}

static void knobs_that_contradict_are_rejected(void **state) {
  (void)state;
  static const struct {
    const char *knobs;
    uint32_t sets;
    bool accepted;
  } cases[] = {
    {"threshold=15", 32, true},
    {"threshold=16", 32, false},
    {"threshold=16,counter_bits=5", 32, true},
    {"initial=16", 32, false},
    {"threshold=2,counter_bits=1", 32, false},
    {"dueling=on", 1, false},
    {"dueling=on", 2, true},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct weir_policy_choice choice = rig_choose(WEIR_POLICY_BYPASS, "pcbp", cases[i].knobs);
    struct weir_geometry g = {.sets = cases[i].sets, .ways = 8, .line_bytes = 64, .knobs = choice.knobs};
    assert_int_equal(choice.policy->reject(&g) == NULL, cases[i].accepted);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(listing_1),
    cmocka_unit_test(corrections_may_train),
    cmocka_unit_test(correction_can_be_off),
    cmocka_unit_test(bypass_bit),
    cmocka_unit_test(hashes),
    cmocka_unit_test(counters_saturate),
    cmocka_unit_test(counters_reach_zero),
    cmocka_unit_test(a_correction_ends),
    cmocka_unit_test(stores_and_pending_hits),
    cmocka_unit_test(lines_that_are_dropped_may_train),
    cmocka_unit_test(corrected_lines_that_are_hit),
    cmocka_unit_test(merged_answers_may_be_kept),
    cmocka_unit_test(dueling),
    cmocka_unit_test(sampling),
    cmocka_unit_test(costs),
    cmocka_unit_test(knobs_that_contradict_are_rejected),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
