// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Leader sets of a shared cache, and thread-aware DRRIP: whose misses move which PSEL, and what Holey et al. make of the GPU's
// lines, by hand and against a model.
#include "policy/ta_rrip.h"
#include "rrip_model.h"

static const struct weir_ta *duels(const struct rig *rig) {
  return rig->replace.view.scope->state;
}

// Holey Figure 8: of 4096 sets, every 128th from set 0 on, every 128th from set 1 on; two further offsets for each requester.
static void figure_8(void **state) {
  (void)state;
  struct weir_leaders l = weir_leaders_start(4096, 1, 2, 0);
  assert_int_equal(l.count, 32);
  assert_int_equal(l.stride, 128);
  for (uint32_t set = 0; set < 4096; set++) assert_int_equal(weir_leaders_role(&l, set), set % 128);
}

// A level of four tiles has the same 32 leaders in all; a cache of a few sets still has followers; offsets are never shared.
static void leaders_of_other_caches(void **state) {
  (void)state;
  struct weir_leaders tile = weir_leaders_start(512, 4, 3, 0);
  assert_int_equal(tile.count, 8);
  assert_int_equal(tile.stride, 64);
  struct weir_leaders small = weir_leaders_start(64, 1, 2, 0); // six roles, half of the sets follow: five leaders each
  assert_int_equal(small.count, 5);
  assert_int_equal(small.stride, 12);
  for (uint32_t sets = 1; sets < 300; sets++)
    for (uint32_t requesters = 1; requesters <= WEIR_MAX_REQUESTERS; requesters++)
      for (uint32_t wanted = 0; wanted < 70; wanted += 23) {
        struct weir_leaders l = weir_leaders_start(sets, 1, requesters, wanted);
        assert_true(l.count >= 1 && l.count * l.stride <= sets);
        assert_int_equal(weir_leaders_role(&l, 0), 0);
        if (sets >= 2 + 2 * requesters) assert_true(l.stride >= 2 + 2 * requesters);
      }
}

// 64 sets, four leaders per role: every 16th. The GPU leads in sets 2 (SRRIP) and 3 (BRRIP), program 1 in 4 and 5.
static void only_its_own_misses_move_a_psel(void **state) {
  (void)state;
  struct rig *rig = rig_new_shared(2, 64, 4, "ta-drrip", "leaders=4,period=65536");
  static const struct {
    unsigned requester;
    uint64_t set;
    bool distant;
  } steps[] = {
    {0, 1, false},                                                             // a follower
    {1, 2, false}, {0, 6, false},                                              // not program 1's leader: nothing moves
    {0, 2, false}, {0, 6, true},                                               // 512: the GPU follows BRRIP
    {1, 6, false},                                                             // program 1 does not
    {1, 2, false},                                                             // not even in the GPU's leaders
    {1, 4, false}, {1, 7, true},  {0, 3, true},  {0, 8, false},                // 511 again
    {1, 8, true},  {1, 5, true},  {1, 9, false}, {0, 18, false}, {0, 9, true}, // every leader of the role counts
  };
  for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
    uint64_t before = rig_counter(&rig->replace, "distant_insertions");
    assert_int_equal(shared_load(rig, steps[i].requester, (uint64_t)(i + 1) * 64 + steps[i].set), 'm');
    if ((rig_counter(&rig->replace, "distant_insertions") != before) != steps[i].distant) fail_msg("step %u", i);
  }
  rig_free(rig);
}

static void write_backs_move_nothing(void **state) {
  (void)state;
  struct rig *rig = rig_new_shared(2, 64, 4, "ta-drrip", "leaders=4");
  for (unsigned i = 0; i < 9; i++)
    shared_do(rig, (struct shared_access){.block = 2 + 64 * i, .kind = WEIR_ACCESS_WRITEBACK});
  assert_int_equal(duels(rig)->duel[0].psel, 511);
  shared_do(rig, (struct shared_access){.block = 2 + 64 * 10, .kind = WEIR_ACCESS_STORE});
  assert_int_equal(duels(rig)->duel[0].psel, 512);
  rig_free(rig);
}

// Each set of each requester: twelve blocks round and round (BRRIP keeps some of them; SRRIP, in eight ways, none), or six blocks
// twice and then six others (SRRIP has them all the second time; BRRIP's push each other out).
static void one_round(struct rig *rig, unsigned requester, bool thrashes, unsigned round) {
  uint64_t blocks = thrashes ? 12 : 6, first = thrashes ? 0 : 1000 + 6 * (uint64_t)(round / 2);
  for (uint64_t b = 0; b < blocks; b++)
    for (uint64_t set = 0; set < 64; set++)
      shared_load(rig, requester, ((1 + requester) * UINT64_C(100000) + first + b) * 64 + set);
}

// The better policy of a requester changes in the middle: its PSEL goes over, and the other's stays.
static void a_psel_follows_the_better_policy(void **state) {
  (void)state;
  for (unsigned requester = 0; requester < 3; requester++) {
    struct rig *rig = rig_new_shared(3, 64, 8, "ta-drrip", "psel_bits=6");
    const struct weir_ta *ta = duels(rig);
    for (unsigned phase = 0; phase < 6; phase++) {
      bool thrashes = phase % 2;
      for (unsigned round = 0; round < 40; round++) one_round(rig, requester, thrashes, 100 * phase + round);
      assert_true(thrashes ? ta->duel[requester].psel >= 48 : ta->duel[requester].psel < 16);
      for (unsigned other = 0; other < 3; other++)
        if (other != requester) assert_int_equal(ta->duel[other].psel, 31);
    }
    rig_free(rig);
  }
}

// Four sets, two requesters: set 0 leads for the GPU's SRRIP, program 1 follows SRRIP there. All lines enter at 2. A GPU's hit does
// not promote: A, hit, still ages to 3 with the rest, and being the lowest way leaves; promoted it is at 0 and B leaves.
static void the_gpu_may_not_promote(void **state) {
  (void)state;
  struct rig *not = rig_new_shared(2, 4, 4, "ta-drrip", "gpu_promoted=off"),
             *yes = rig_new_shared(2, 4, 4, "ta-drrip", NULL);
  shared_trace(not, 0, "ABcd A E", "mmmm h A");
  shared_trace(yes, 0, "ABcd A E", "mmmm h B");
  // Of program 1 it does, either way: c at 0; B, which has aged to 3, leaves, then d.
  shared_trace(not, 0, "c F G", "h B d");
  assert_int_equal(rig_counter(&not ->replace, "unpromoted_hits"), 1);
  assert_int_equal(rig_counter(&yes->replace, "unpromoted_hits"), 0);
  rig_free(not );
  rig_free(yes);
}

// a, B, c, D at 2. e: all at 3, B is the lowest of the GPU's (way 1: e at 2). f: D leaves (f 2). g: a and c are at 3, and no
// GPU's: a leaves (g 2). H: c leaves (H 2). i: e, f, g, H age to 3: H, in way 2, is the GPU's.
static void the_gpus_lines_leave_first(void **state) {
  (void)state;
  struct rig *first = rig_new_shared(2, 4, 4, "ta-drrip", "gpu_first=on"),
             *plain = rig_new_shared(2, 4, 4, "ta-drrip", NULL);
  shared_trace(first, 0, "aBcD e f g H i", "mmmm B D a c H");
  shared_trace(plain, 0, "aBcD e f g H i", "mmmm a B c D e");
  rig_free(first);
  rig_free(plain);
}

// ---- the model ---------------------------------------------------------------------------------------------------------------

enum { SETS = 24, WAYS = 4, STEPS = 4000, DISTANT = 3, PERIOD = 5 };

struct model {
  struct model_set set[SETS];
  struct shared_access miss[STEPS]; // all so far, write-backs left out
  size_t misses;
  unsigned brrip[3]; // lines that each requester brought in by BRRIP
};

// Which sets lead: 24 of them, 2 + 2 × 3 roles; three leaders each were asked for: every eighth.
static unsigned psel_of(const struct model *m, unsigned requester) {
  unsigned psel = 7; // four bits
  for (size_t i = 0; i < m->misses; i++) {
    if (m->miss[i].requester != requester) continue;
    unsigned offset = (unsigned)(m->miss[i].block % SETS % 8);
    if (offset == 2 + 2 * requester && psel < 15) psel++;
    if (offset == 3 + 2 * requester && psel > 0) psel--;
  }
  return psel;
}

static unsigned insertion(struct model *m, unsigned requester, uint64_t set) {
  uint64_t offset = set % 8;
  bool brrip = offset == 3 + 2 * requester || (offset != 2 + 2 * requester && psel_of(m, requester) >= 8);
  return brrip && ++m->brrip[requester] % PERIOD ? DISTANT : DISTANT - 1;
}

static char model_do(struct model *m, struct shared_access s, bool gpu_promotes, bool gpu_first) {
  struct model_set *set = &m->set[s.block % SETS];
  int way = model_find(set, WAYS, s.block);
  if (way >= 0) {
    if (s.requester || gpu_promotes) model_touch(set, (unsigned)way, 0);
    return 'h';
  }
  if (s.kind != WEIR_ACCESS_WRITEBACK) m->miss[m->misses++] = s;
  unsigned place = model_place(set, WAYS, DISTANT, gpu_first);
  set->line[place] = (struct model_line){.valid = true, .block = s.block, .requester = s.requester};
  model_touch(set, place, insertion(m, s.requester, s.block % SETS));
  return 'm';
}

static void agrees_with_a_model(void **state) {
  (void)state;
  for (unsigned variant = 0; variant < 4; variant++) {
    char knobs[128];
    snprintf(knobs, sizeof knobs, "leaders=3,period=%d,psel_bits=4,gpu_promoted=%s,gpu_first=%s", PERIOD,
             variant & 1 ? "on" : "off", variant & 2 ? "on" : "off");
    struct rig *rig = rig_new_shared(3, SETS, WAYS, "ta-drrip", knobs);
    struct model *m = calloc(1, sizeof *m);
    struct weir_rng rng = weir_rng_seed(620, variant);
    unsigned hits = 0;
    for (unsigned step = 0; step < STEPS; step++) {
      struct shared_access s = shared_random(&rng, 3, SETS, WAYS, false);
      char expected = model_do(m, s, variant & 1, variant & 2);
      hits += expected == 'h';
      if (shared_do(rig, s) != expected) fail_msg("variant %u, step %u: not %c", variant, step, expected);
    }
    assert_in_range(hits, STEPS / 10, STEPS * 9 / 10);
    free(m);
    rig_free(rig);
  }
}

// 2 bits per line; per requester ten of PSEL and five of BRRIP's counter; a bit per line that tells the GPU's, if it matters.
static void costs(void **state) {
  (void)state;
  struct weir_policy_choice plain = rig_choose(WEIR_POLICY_REPLACE, "ta-drrip", NULL);
  struct weir_policy_choice holey = rig_choose(WEIR_POLICY_REPLACE, "ta-drrip", "gpu_first=on");
  struct weir_geometry g = {.sets = 1024, .ways = 32, .line_bytes = 64, .requesters = 3, .knobs = plain.knobs};
  assert_int_equal(weir_policy_cost_bits(plain.policy, &g), 32768 * 2 + 3 * 15);
  g.knobs = holey.knobs;
  assert_int_equal(weir_policy_cost_bits(holey.policy, &g), 32768 * 3 + 3 * 15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(figure_8),
    cmocka_unit_test(leaders_of_other_caches),
    cmocka_unit_test(only_its_own_misses_move_a_psel),
    cmocka_unit_test(write_backs_move_nothing),
    cmocka_unit_test(a_psel_follows_the_better_policy),
    cmocka_unit_test(the_gpu_may_not_promote),
    cmocka_unit_test(the_gpus_lines_leave_first),
    cmocka_unit_test(agrees_with_a_model),
    cmocka_unit_test(costs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
