// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Sampling dead-block prediction: training by hand, what it does to victims and misses, and a model that looks things up in the
// whole past.
#include "policy/sdbp.h"
#include "shared_rig.h"

// One sampled set whose sampler has two entries. PC 8 brings a line that nothing uses again: each one that the sampler drops takes
// its PC one step further, so that three of them make 3 + 3 + 3 >= 8.
static void three_dead_lines_are_enough(void **state) {
  (void)state;
  struct rig *rig = rig_new(1, 4, "lru", NULL);
  rig_add_bypass(rig, "sdbp", "sampler_ways=2,threshold=9");
  for (uint64_t block = 0; block < 4; block++) // the third and fourth drop one each
    assert_int_equal(rig_load(rig, block, 8), 'm');
  assert_int_equal(rig_load(rig, 4, 8), 'b');
  assert_int_equal(rig_load(rig, 50, 16), 'm'); // another PC
  rig_free(rig);
}

// A hit of the sampler takes one off each counter of the PC that used the line before: 9 is dead, 6 is not. Asked in set 1, which
// has no sampler.
static void a_use_revives(void **state) {
  (void)state;
  struct rig *rig = rig_new(2, 4, "lru", NULL);
  rig_add_bypass(rig, "sdbp", "sampler_sets=1,sampler_ways=2");
  for (uint64_t block = 0; block < 12; block += 2) rig_load(rig, block, 8);
  assert_int_equal(rig_load(rig, 101, 8), 'b');
  rig_load(rig, 10, 16); // in the sampler, though not in the cache: PC 8 was not its last
  assert_int_equal(rig_load(rig, 101, 8), 'm');
  rig_free(rig);
}

// In public code a hit halves the second table's counter: after 3, 3, 3 one leaves 2, 1, 2; a dead line then 3, 2, 3 = 8.
static void the_mixed_rule(void **state) {
  (void)state;
  struct weir_policy_choice choice = rig_choose(WEIR_POLICY_BYPASS, "sdbp", "live=mixed");
  struct weir_geometry g = {.sets = 1, .ways = 4, .line_bytes = 64};
  struct weir_policy_instance i;
  weir_policy_start(&i, NULL, &choice, &g, 1, 0);
  struct weir_sdbp_tables *s = i.view.scope->state;
  for (unsigned n = 0; n < 5; n++) weir_sdbp_train(&i.view, 77, true);
  weir_sdbp_train(&i.view, 77, false);
  assert_int_equal(*weir_sdbp_counter(s, 0, 77), 2);
  assert_int_equal(*weir_sdbp_counter(s, 1, 77), 1);
  assert_int_equal(*weir_sdbp_counter(s, 2, 77), 2);
  assert_false(weir_sdbp_predicts(&i.view, 77));
  weir_sdbp_train(&i.view, 77, true);
  assert_true(weir_sdbp_predicts(&i.view, 77));
  weir_policy_stop(&i);
}

// Two PCs share no more than chance has them share an entry of each table; no two share all three.
static void hashes_differ(void **state) {
  (void)state;
  struct weir_sdbp_tables *s = calloc(1, sizeof *s);
  unsigned same[4] = {0};
  for (uint32_t a = 1; a < 400; a++)
    for (uint32_t b = a + 1; b < 400; b++) {
      unsigned n = 0;
      for (unsigned t = 0; t < WEIR_SDBP_TABLES; t++) n += weir_sdbp_counter(s, t, a) == weir_sdbp_counter(s, t, b);
      same[n]++;
    }
  assert_int_equal(same[3], 0);
  assert_true(same[1] + same[2] < 399 * 398 / 2 / 500);
  free(s);
}

// PC 8's lines are known dead, PC 16's are not. Of b, a, d, c in set 1, a and c are PC 8's; a is used again by PC 8 and stays dead,
// c by PC 16 and lives. a leaves, though others are less recent; then, with none dead, b, which is the least.
static void the_dead_leave_first(void **state) {
  (void)state;
  struct rig *rig = rig_new(2, 4, "sdbp", "sampler_sets=1,sampler_ways=2");
  for (uint64_t block = 0; block < 12; block += 2) // set 0 is sampled
    rig_load(rig, block, 8);
  rig_load(rig, 101, 16); // b
  rig_load(rig, 103, 8);  // a
  rig_load(rig, 105, 16); // d
  rig_load(rig, 107, 8);  // c
  assert_int_equal(rig_load(rig, 103, 8), 'h');
  assert_int_equal(rig_load(rig, 107, 16), 'h');
  rig_load(rig, 109, 16);
  assert_int_equal(rig->evicted, 103 * RIG_LINE_BYTES);
  rig_load(rig, 111, 16);
  assert_int_equal(rig->evicted, 101 * RIG_LINE_BYTES);
  // In set 0 the fifth line was the first to enter dead, and left for the sixth.
  assert_int_equal(rig_counter(&rig->replace, "dead_victims"), 1 + 1);
  rig_free(rig);
}

// By default only the GPU's accesses bypass; all train. Stores bypass too, unless told not to.
static void whose_accesses_bypass(void **state) {
  (void)state;
  for (unsigned variant = 0; variant < 4; variant++) {
    static const char *const knobs[] = {"sampler_ways=2", "sampler_ways=2,requesters=cpu",
                                        "sampler_ways=2,requesters=all", "sampler_ways=2,stores=off"};
    struct rig *rig = rig_new_shared(2, 1, 4, "lru", NULL);
    rig_add_bypass(rig, "sdbp", knobs[variant]);
    for (unsigned i = 0; i < 40; i++) // program 1's PC 64 and the GPU's 512 are instructions number 64
      shared_do(rig, (struct shared_access){.block = 1000 + i, .pc = 64, .requester = 1});
    struct shared_access gpu = {.block = 1, .pc = 512}, cpu = {.block = 2, .pc = 64, .requester = 1};
    assert_int_equal(shared_do(rig, gpu), variant == 1 ? 'm' : 'b');
    assert_int_equal(shared_do(rig, cpu), variant == 1 || variant == 2 ? 'b' : 'm');
    gpu = (struct shared_access){.block = 3, .pc = 512, .kind = WEIR_ACCESS_STORE};
    assert_int_equal(shared_do(rig, gpu), variant == 1 || variant == 3 ? 'm' : 'b');
    rig_free(rig);
  }
}

// PC 8's lines are known dead. Program 1's lines c, d in set 1 are of PC 16, e and f of PC 8: the paper bypasses the GPU's accesses
// and nothing else, so that the least recent one, c, leaves; with dead_first e does, the first of the dead.
static void whose_lines_leave(void **state) {
  (void)state;
  for (unsigned dead_first = 0; dead_first < 2; dead_first++) {
    struct rig *rig = rig_new_shared(2, 2, 4, "lru", NULL);
    rig_add_bypass(rig, "sdbp",
                   dead_first ? "sampler_sets=1,sampler_ways=2,dead_first=true" : "sampler_sets=1,sampler_ways=2");
    for (uint64_t block = 0; block < 12; block += 2) // set 0 is sampled
      shared_do(rig, (struct shared_access){.block = block, .pc = 8, .requester = 1});
    static const uint32_t pcs[] = {16, 16, 8, 8}; // c, d, e, f
    for (unsigned i = 0; i < 4; i++)
      shared_do(rig, (struct shared_access){.block = 101 + 2 * i, .pc = pcs[i], .requester = 1});
    shared_do(rig, (struct shared_access){.block = 201, .pc = 16, .requester = 1});
    assert_int_equal(rig->evicted, (dead_first ? 105 : 101) * RIG_LINE_BYTES);
    rig_free(rig);
  }
}

// ---- the model -----------------------------------------------------------------------------------------------------------------

enum { SETS = 8, WAYS = 4, STEPS = 5000, ENTRIES = 3, SAMPLED = 4 };

struct lesson {
  uint32_t pc;
  bool dead;
};

struct sample {
  bool valid, dead;
  uint64_t block;
  uint32_t pc;
  size_t used;
};

struct model {
  struct sample sampler[SETS][ENTRIES];
  struct lesson lesson[STEPS];
  size_t lessons;
  struct {
    bool valid, dead;
    uint64_t block;
    size_t used;
  } line[SETS][WAYS];
};

static uint32_t number_of(struct shared_access s) {
  return s.requester ? s.pc : s.pc / 8;
}

// So few PCs that their entries are their own (hashes_differ tells how rare others are): all three counters of a PC go the same
// way, so one stands for them.
static bool predicts(const struct model *m, uint32_t pc) {
  int counter = 0;
  for (size_t i = 0; i < m->lessons; i++)
    if (m->lesson[i].pc == pc) {
      counter += m->lesson[i].dead ? 1 : -1;
      counter = counter < 0 ? 0 : counter > 3 ? 3 : counter;
    }
  return 3 * counter >= 8;
}

static void model_sample(struct model *m, struct shared_access s, size_t now) {
  if (s.kind == WEIR_ACCESS_WRITEBACK || s.block % SETS % (SETS / SAMPLED)) return;
  struct sample *set = m->sampler[s.block % SETS], *taken = NULL, *newest_dead = NULL, *oldest = NULL, *invalid = NULL;
  for (unsigned i = 0; i < ENTRIES; i++) {
    struct sample *e = &set[i];
    if (!e->valid)
      invalid = e;
    else if (e->block == s.block)
      taken = e;
    if (e->valid && e->dead && (!newest_dead || e->used > newest_dead->used)) newest_dead = e;
    if (e->valid && (!oldest || e->used < oldest->used)) oldest = e;
  }
  bool hit = taken != NULL;
  if (!taken) taken = invalid ? invalid : newest_dead ? newest_dead : oldest;
  if (taken->valid) m->lesson[m->lessons++] = (struct lesson){taken->pc, !hit};
  *taken = (struct sample){true, false, s.block, number_of(s), now};
  taken->dead = predicts(m, taken->pc);
}

static char model_do(struct model *m, struct shared_access s, size_t now, bool bypasses, bool dead_first) {
  model_sample(m, s, now);
  uint64_t set = s.block % SETS;
  bool demand = s.kind != WEIR_ACCESS_WRITEBACK, dead = demand && predicts(m, number_of(s));
  unsigned place = WAYS;
  for (unsigned w = WAYS; w-- > 0;) {
    if (m->line[set][w].valid && m->line[set][w].block == s.block) {
      m->line[set][w].used = now;
      m->line[set][w].dead = demand ? dead : m->line[set][w].dead;
      return 'h';
    }
    place = m->line[set][w].valid ? place : w;
  }
  if (bypasses && dead && s.requester == 0 && s.kind != WEIR_ACCESS_ATOMIC) return 'b';
  // Replacement takes the lowest dead way; the bypass policy leaves the choice among them, or among all, to LRU.
  for (unsigned pass = 0; pass < 2 && place == WAYS; pass++)
    for (unsigned w = 0; w < WAYS; w++)
      if ((pass || (dead_first && m->line[set][w].dead)) &&
          (place == WAYS || ((pass || bypasses) && m->line[set][w].used < m->line[set][place].used)))
        place = w;
  m->line[set][place].valid = true;
  m->line[set][place].dead = dead;
  m->line[set][place].block = s.block;
  m->line[set][place].used = now;
  return 'm';
}

static void agrees_with_a_model(void **state) {
  (void)state;
  for (unsigned variant = 0; variant < 4; variant++) {
    bool bypasses = variant & 1, dead_first = variant < 3;
    const char *knobs =
      variant == 1 ? "sampler_sets=4,sampler_ways=3,dead_first=true" : "sampler_sets=4,sampler_ways=3";
    struct rig *rig = rig_new_shared(2, SETS, WAYS, bypasses ? "lru" : "sdbp", bypasses ? NULL : knobs);
    if (bypasses) rig_add_bypass(rig, "sdbp", knobs);
    struct model *m = calloc(1, sizeof *m);
    struct weir_rng rng = weir_rng_seed(624, variant);
    unsigned count[128] = {0};
    for (unsigned step = 0; step < STEPS; step++) {
      struct shared_access s = shared_random(&rng, 2, SETS, WAYS, false);
      char expected = model_do(m, s, step, bypasses, dead_first);
      count[(unsigned)expected]++;
      if (shared_do(rig, s) != expected) fail_msg("variant %u, step %u: not %c", variant, step, expected);
    }
    assert_true(count['h'] > 500 && count['m'] > 300 && (!bypasses || count['b'] > 300));
    const struct weir_policy_instance *p = bypasses ? &rig->companions[0] : &rig->replace;
    assert_true(dead_first ? rig_counter(p, "dead_victims") > 100 : !rig_counter(p, "dead_victims"));
    free(m);
    rig_free(rig);
  }
}

// Two parts of one cache: what part 0 learns, part 1 knows, unless each is a scope by itself.
static void parts_learn_together(void **state) {
  (void)state;
  for (unsigned level = 0; level < 2; level++) {
    const char *knobs = level ? "sampler_ways=2" : "sampler_ways=2,scope=part";
    struct weir_policy_choice choice = rig_choose(WEIR_POLICY_BYPASS, "sdbp", knobs);
    struct weir_geometry g = {.sets = 1, .ways = 4, .line_bytes = 64, .instances = 2};
    struct weir_policy_instance part[2];
    weir_policy_start(&part[0], NULL, &choice, &g, 1, 0);
    g.instance = 1;
    weir_policy_start(&part[1], &part[0], &choice, &g, 1, 16);
    struct weir_access a = {.pc = 8, .kind = WEIR_ACCESS_LOAD};
    for (unsigned i = 0; i < 5; i++, a.line += 64)
      weir_hook(&part[0], look, &a, WEIR_NO_WAY); // three of PC 8's lines leave the sampler
    assert_true(weir_hook(&part[0], miss, &a));
    assert_int_equal(weir_hook(&part[1], miss, &a), level);
    weir_policy_stop(&part[1]);
    assert_true(weir_hook(&part[0], miss, &a)); // its memory is still there
    weir_policy_stop(&part[0]);
  }
}

// 3 KiB of tables and 4 KiB of a bit per line of 2 MiB; 32 × 12 entries of 36 bits make 1.69 KiB more, and 128 × 12 the 13.7 KB of
// Holey Table V. As replacement, LRU is counted too.
static void costs(void **state) {
  (void)state;
  struct weir_policy_choice plain = rig_choose(WEIR_POLICY_BYPASS, "sdbp", NULL);
  struct weir_policy_choice holey = rig_choose(WEIR_POLICY_BYPASS, "sdbp", "sampler_sets=128");
  struct weir_policy_choice replace = rig_choose(WEIR_POLICY_REPLACE, "sdbp", NULL);
  struct weir_geometry g = {.sets = 1024, .ways = 32, .line_bytes = 64, .knobs = plain.knobs};
  assert_int_equal(weir_policy_cost_bits(plain.policy, &g), 7 * 1024 * 8 + 32 * 12 * 36);
  g.knobs = holey.knobs;
  assert_in_range(weir_policy_cost_bits(holey.policy, &g), (uint64_t)(13.7 * 8192), (uint64_t)(13.8 * 8192));
  g = (struct weir_geometry){.sets = 256, .ways = 32, .line_bytes = 64, .instances = 4, .knobs = plain.knobs};
  assert_in_range(4 * weir_policy_cost_bits(plain.policy, &g), (uint64_t)(13.7 * 8192),
                  (uint64_t)(13.8 * 8192)); // one table in four parts
  g.warps = 48;                             // a first-level cache is no part of one
  assert_int_equal(weir_policy_cost_bits(plain.policy, &g), 3 * 8192 + 8192 + 32 * 12 * 36);
  g = (struct weir_geometry){.sets = 1024, .ways = 32, .line_bytes = 64, .knobs = replace.knobs};
  assert_int_equal(weir_policy_cost_bits(replace.policy, &g), 7 * 1024 * 8 + 32 * 12 * 36 + 32768 * 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(three_dead_lines_are_enough),
    cmocka_unit_test(a_use_revives),
    cmocka_unit_test(the_mixed_rule),
    cmocka_unit_test(hashes_differ),
    cmocka_unit_test(the_dead_leave_first),
    cmocka_unit_test(whose_accesses_bypass),
    cmocka_unit_test(whose_lines_leave),
    cmocka_unit_test(agrees_with_a_model),
    cmocka_unit_test(parts_learn_together),
    cmocka_unit_test(costs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
