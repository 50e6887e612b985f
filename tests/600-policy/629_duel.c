// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Duels that are alive: the better policy changes in the middle and PSEL goes over; and SRRIP, BRRIP, DRRIP and DIP
// against models that look things up in the whole past.
#include "policy/dueling.h"
#include "rrip_model.h"

static const struct weir_dueling *duel_of(const struct rig *rig) {
  return rig->replace.view.scope->state;
}

// ---- the better policy changes --------------------------------------------------------------------------------------

enum { FLIP_SETS = 64, FLIP_WAYS = 8, PHASES = 6, ROUNDS = 40 };

// Each set: twelve blocks round and round, of which LRU and SRRIP in eight ways keep none and the bimodal side some; or
// six blocks twice and then six others, which LRU and SRRIP have the second time, while the bimodal side's push each
// other out.
static unsigned one_round(struct rig *rig, bool thrashes, unsigned round) {
  const uint64_t blocks = thrashes ? 12 : 6, first = thrashes ? 0 : 1000 + 6 * (uint64_t)(round / 2);
  unsigned hits = 0;
  for (uint64_t b = 0; b < blocks; b++)
    for (uint64_t set = 0; set < FLIP_SETS; set++) hits += rig_load(rig, (first + b) * FLIP_SETS + set, 8) == 'h';
  return hits;
}

// Hits of a phase's second half, when the duel has been decided.
static unsigned one_phase(struct rig *rig, unsigned phase) {
  unsigned hits = 0;
  for (unsigned round = 0; round < ROUNDS; round++) {
    const unsigned more = one_round(rig, phase % 2, 100 * phase + round);
    hits += round >= ROUNDS / 2 ? more : 0;
  }
  return hits;
}

// Three times each way: PSEL at the end of each phase, and more hits than the policy that is worse then has for itself.
static void follows(const char *duelling, const char *plain, const char *bimodal) {
  struct rig *rig = rig_new(FLIP_SETS, FLIP_WAYS, duelling, "psel_bits=6,period=31"),
             *a = rig_new(FLIP_SETS, FLIP_WAYS, plain, NULL),
             *b = rig_new(FLIP_SETS, FLIP_WAYS, bimodal, "period=31"); // 31 has no part in common with the sets
  for (unsigned phase = 0; phase < PHASES; phase++) {
    const unsigned hits = one_phase(rig, phase), hits_a = one_phase(a, phase), hits_b = one_phase(b, phase);
    const bool thrashes = phase % 2;
    assert_true(thrashes ? hits_b > hits_a : hits_a > hits_b);
    assert_true(thrashes ? duel_of(rig)->psel >= 48 : duel_of(rig)->psel < 16);
    assert_true(hits > (hits_a + hits_b) / 2);
  }
  rig_free(rig);
  rig_free(a);
  rig_free(b);
}

static void dip_follows(void **state) {
  (void)state;
  follows("dip", "lru", "bip");
}

static void drrip_follows(void **state) {
  (void)state;
  follows("drrip", "srrip", "brrip");
}

// Four sets, a leader each: set 0 for A, set 3 for B.
static void write_backs_move_nothing(void **state) {
  (void)state;
  static const char *const names[] = {"dip", "drrip"};
  for (unsigned i = 0; i < 2; i++) {
    struct rig *rig = rig_new(4, 4, names[i], "leaders=1");
    for (uint64_t block = 0; block < 40; block++)
      shared_do(rig, (struct shared_access){.block = 4 * block, .kind = WEIR_ACCESS_WRITEBACK});
    assert_int_equal(duel_of(rig)->psel, 511);
    shared_do(rig, (struct shared_access){.block = 100 * 4, .kind = WEIR_ACCESS_STORE});
    assert_int_equal(duel_of(rig)->psel, 512);
    shared_do(rig, (struct shared_access){.block = 100 * 4 + 3, .kind = WEIR_ACCESS_ATOMIC});
    assert_int_equal(duel_of(rig)->psel, 511);
    rig_free(rig);
  }
}

// ---- models ---------------------------------------------------------------------------------------------------------

enum { SETS = 16, WAYS = 4, STEPS = 6000, DISTANT = 3, PERIOD = 5, PSEL_TOP = 15 };
enum side { PLAIN, BIMODAL, DUEL };

struct model_past {
  struct shared_access miss[STEPS]; // demand misses so far
  size_t misses;
  unsigned bimodal; // insertions of that side
};

// Four leaders each of 16 sets, DIP Figure 10: sets 0, 5, 10, 15 for the plain side, 3, 6, 9, 12 for the other.
static bool leads_plain(uint64_t set) {
  return set % 5 == 0;
}

static bool leads_bimodal(uint64_t set) {
  return set && set % 3 == 0 && set < 13;
}

// PSEL of four bits, from 7, told again from the first miss.
static bool past_favours_bimodal(const struct model_past *p) {
  unsigned psel = 7;
  for (size_t i = 0; i < p->misses; i++) {
    const uint64_t set = p->miss[i].block % SETS;
    if (leads_plain(set) && psel < PSEL_TOP)
      psel++;
    else if (leads_bimodal(set) && psel > 0)
      psel--;
  }
  return psel > PSEL_TOP / 2;
}

// A miss: does its line enter as the plain side's do?
static bool enters_plain(struct model_past *p, enum side side, struct shared_access s) {
  const uint64_t set = s.block % SETS;
  if (s.kind != WEIR_ACCESS_WRITEBACK) p->miss[p->misses++] = s;
  bool bimodal = side == BIMODAL;
  if (side == DUEL) bimodal = leads_bimodal(set) || (!leads_plain(set) && past_favours_bimodal(p));
  return !bimodal || ++p->bimodal % PERIOD == 0;
}

static char rrip_do(struct model_set *sets, struct model_past *past, enum side side, struct shared_access s) {
  struct model_set *set = &sets[s.block % SETS];
  const int way = model_find(set, WAYS, s.block);
  if (way >= 0) return model_touch(set, (unsigned)way, 0), 'h';
  const unsigned place = model_place(set, WAYS, DISTANT, false);
  set->line[place] = (struct model_line){.valid = true, .block = s.block};
  model_touch(set, place, enters_plain(past, side, s) ? DISTANT - 1 : DISTANT);
  return 'm';
}

// Recency as numbers: the last use, or, of a line that entered at LRU, one older than all before it.
struct aged_line {
  bool valid;
  uint64_t block;
  int64_t used;
};

static char lru_do(struct aged_line (*sets)[WAYS], struct model_past *past, enum side side, struct shared_access s,
                   int64_t now) {
  struct aged_line *set = sets[s.block % SETS], *place = NULL;
  for (unsigned way = 0; way < WAYS; way++) {
    if (set[way].valid && set[way].block == s.block) return set[way].used = now, 'h';
    if (!place || (place->valid && (!set[way].valid || set[way].used < place->used))) place = &set[way];
  }
  *place = (struct aged_line){true, s.block, enters_plain(past, side, s) ? now : -now};
  return 'm';
}

static void agrees(const char *policy, const char *knobs, enum side side, bool rrip, uint64_t seed) {
  struct rig *rig = rig_new(SETS, WAYS, policy, knobs);
  struct model_set *rrip_sets = calloc(SETS, sizeof *rrip_sets);
  struct aged_line lru_sets[SETS][WAYS] = {0};
  struct model_past *past = calloc(1, sizeof *past);
  struct weir_rng rng = weir_rng_seed(629, seed);
  unsigned hits = 0;
  for (unsigned step = 0; step < STEPS; step++) {
    const struct shared_access s = shared_random(&rng, 1, SETS, WAYS, false);
    const char expected = rrip ? rrip_do(rrip_sets, past, side, s) : lru_do(lru_sets, past, side, s, step + 1);
    hits += expected == 'h';
    if (shared_do(rig, s) != expected) fail_msg("%s, step %u: not %c", policy, step, expected);
  }
  assert_in_range(hits, STEPS / 10, STEPS * 9 / 10);
  free(past);
  free(rrip_sets);
  rig_free(rig);
}

static void rrip_agrees_with_models(void **state) {
  (void)state;
  agrees("srrip", NULL, PLAIN, true, 0);
  agrees("brrip", "period=5", BIMODAL, true, 1);
  agrees("drrip", "period=5,leaders=4,psel_bits=4", DUEL, true, 2);
}

static void dip_agrees_with_models(void **state) {
  (void)state;
  agrees("lru", NULL, PLAIN, false, 3);
  agrees("bip", "period=5", BIMODAL, false, 4);
  agrees("dip", "period=5,leaders=4,psel_bits=4", DUEL, false, 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(dip_follows),
    cmocka_unit_test(drrip_follows),
    cmocka_unit_test(write_backs_move_nothing),
    cmocka_unit_test(rrip_agrees_with_models),
    cmocka_unit_test(dip_agrees_with_models),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
