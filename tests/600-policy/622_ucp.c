// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Utility-based partitioning: monitors against stack distances in the whole past, look-ahead by hand and against an
// exhaustive search, and who leaves within quotas.
#include "policy/ucp.h"
#include "shared_rig.h"

// ---- look-ahead ------------------------------------------------------------------------------------------------------------

static void check(uint32_t ways, uint32_t requesters, const uint64_t *hits, const uint8_t *expected) {
  struct weir_lookahead l = {.requesters = requesters, .ways = ways, .least = 1, .hits = hits, .divisor = {1, 1, 1, 1}};
  uint8_t quota[WEIR_MAX_REQUESTERS];
  weir_lookahead(&l, quota);
  for (uint32_t i = 0; i < requesters; i++) assert_int_equal(quota[i], expected[i]);
}

// Eight ways. A gains 10 with each of its first two ways and nothing then; B nothing with the second and third, and 60 with the
// fourth. With one way each: A's best is 10 for one way; B's (0 + 0 + 60) / 3 = 20, so B gets three, and has four. Then A's 10
// beats B's 0: two. Then nobody gains: A, with fewer ways, gets one, and one more (3 : 4, then 4 : 4).
static void it_looks_across_a_plateau(void **state) {
  (void)state;
  check(8, 2, (const uint64_t[]){10, 10, 0, 0, 0, 0, 0, 0, 100, 0, 0, 60, 0, 0, 0, 0}, (const uint8_t[]){4, 4});
}

// B's 60 are five ways away, 12 for each: more than A's 9, so B takes five of the six that are left at once, and A the last.
static void the_whole_rest_at_once(void **state) {
  (void)state;
  check(8, 2, (const uint64_t[]){50, 9, 9, 9, 9, 9, 9, 9, 100, 0, 0, 0, 0, 60, 0, 0}, (const uint8_t[]){2, 6});
  // Of 44 each way brings 8.8: A's 9s go first, one by one, and after two of them B's are out of reach.
  check(8, 2, (const uint64_t[]){50, 9, 9, 9, 9, 9, 9, 9, 100, 0, 0, 0, 0, 44, 0, 0}, (const uint8_t[]){7, 1});
}

// Nobody gains: all have as many, the first ones what is over.
static void nothing_is_shared_evenly(void **state) {
  (void)state;
  static const uint64_t none[64];
  check(8, 2, none, (const uint8_t[]){4, 4});
  check(8, 3, none, (const uint8_t[]){3, 3, 2});
  check(16, 1, none, (const uint8_t[]){16});
  check(4, 4, none, (const uint8_t[]){1, 1, 1, 1});
}

// A divisor makes a requester's hits count for less; who is excluded has its minimum, but if it is alone.
static void divisors_and_exclusion(void **state) {
  (void)state;
  const uint64_t hits[] = {9, 100, 100, 100, 9, 20, 20, 20};
  struct weir_lookahead l = {.requesters = 2, .ways = 4, .least = 1, .hits = hits, .divisor = {1, 1}};
  uint8_t quota[WEIR_MAX_REQUESTERS];
  weir_lookahead(&l, quota);
  assert_int_equal(quota[0], 3);
  l.divisor[0] = 6; // 100 / 6 < 20
  weir_lookahead(&l, quota);
  assert_int_equal(quota[0], 1);
  assert_int_equal(quota[1], 3);
  l.divisor[0] = 1;
  l.excluded[0] = true;
  weir_lookahead(&l, quota);
  assert_int_equal(quota[0], 1);
  l.requesters = 1;
  weir_lookahead(&l, quota);
  assert_int_equal(quota[0], 4);
}

// Written differently: all pairs (requester, ways) at each step, compared as products of integers, misses rather than hits.
static void search(uint32_t ways, uint32_t requesters, const uint64_t *hits, unsigned *quota) {
  uint64_t misses[4][20] = {{0}};
  unsigned left = ways - requesters;
  for (unsigned i = 0; i < requesters; i++) {
    quota[i] = 1;
    for (unsigned w = ways; w-- > 0;) misses[i][w] = misses[i][w + 1] + hits[i * ways + w];
  }
  while (left) {
    uint64_t best_saved = 0, best_ways = 1;
    unsigned best = 0;
    bool any = false;
    for (unsigned i = 0; i < requesters; i++)
      for (unsigned k = 1; k <= left; k++) {
        uint64_t saved = misses[i][quota[i]] - misses[i][quota[i] + k];
        bool more = saved * best_ways > best_saved * k, same = saved * best_ways == best_saved * k;
        if (!any || more || (same && (quota[i] < quota[best]))) {
          if (any && same && i == best) continue; // the fewest ways of the same requester count
          best = i, best_saved = saved, best_ways = k, any = true;
        }
      }
    quota[best] += (unsigned)best_ways;
    left -= (unsigned)best_ways;
  }
}

static void it_agrees_with_a_search(void **state) {
  (void)state;
  struct weir_rng rng = weir_rng_seed(622, 0);
  for (unsigned n = 0; n < 20000; n++) {
    uint32_t requesters = 1 + (uint32_t)weir_rng_below(&rng, 4),
             ways = requesters + (uint32_t)weir_rng_below(&rng, 17 - requesters);
    uint64_t hits[4 * 16], most = 1 + weir_rng_below(&rng, 30);
    for (unsigned i = 0; i < requesters * ways; i++) hits[i] = weir_rng_below(&rng, 3) ? weir_rng_below(&rng, most) : 0;
    unsigned expected[4];
    search(ways, requesters, hits, expected);
    struct weir_lookahead l = {
      .requesters = requesters, .ways = ways, .least = 1, .hits = hits, .divisor = {1, 1, 1, 1}};
    uint8_t quota[WEIR_MAX_REQUESTERS];
    weir_lookahead(&l, quota);
    for (unsigned i = 0; i < requesters; i++)
      if (quota[i] != expected[i]) fail_msg("case %u: requester %u has %u ways, not %u", n, i, quota[i], expected[i]);
  }
}

// ---- monitors, quotas, victims: a model of the whole past --------------------------------------------------------------------

enum { SETS = 12, WAYS = 4, STEPS = 4000, REQUESTERS = 3, PERIOD = 500, SAMPLED = 4 };

struct past {
  struct shared_access access[STEPS];
  size_t count;
};

// How many different blocks of the same requester and set were asked for since this one was last: the place of its LRU stack.
static unsigned stack_distance(const struct past *p, size_t at) {
  const struct shared_access *a = &p->access[at];
  unsigned distance = 0;
  for (size_t i = at; i-- > 0;) {
    const struct shared_access *b = &p->access[i];
    if (b->kind == WEIR_ACCESS_WRITEBACK || b->requester != a->requester || b->block % SETS != a->block % SETS)
      continue;
    if (b->block == a->block) return distance;
    bool again = false; // counted already, nearer
    for (size_t j = i + 1; j < at; j++)
      again |= p->access[j].kind != WEIR_ACCESS_WRITEBACK && p->access[j].block == b->block;
    distance += !again;
  }
  return UINT32_MAX;
}

// Counters as a period ends: each of its accesses at its distance, on top of what is left of the periods before.
static void end_period(const struct past *p, size_t from, uint64_t *hits) {
  for (size_t i = from; i < p->count; i++) {
    const struct shared_access *a = &p->access[i];
    unsigned distance = stack_distance(p, i);
    if (a->kind != WEIR_ACCESS_WRITEBACK && a->block % SETS % (SETS / SAMPLED) == 0 && distance < WAYS)
      hits[a->requester * WAYS + distance]++;
  }
}

struct held {
  bool valid;
  uint64_t block;
  unsigned requester;
  size_t used; // when it was last
};

// The way that leaves by the rules, from who holds what and when each was used.
static unsigned leaves(const struct held *set, unsigned requester, const unsigned *quota) {
  unsigned holds[REQUESTERS] = {0}, best = WAYS;
  for (unsigned w = 0; w < WAYS; w++) holds[set[w].requester]++;
  bool grows = holds[requester] < quota[requester], somebody = false;
  for (unsigned w = 0; w < WAYS; w++)
    somebody |= set[w].requester != requester && holds[set[w].requester] > quota[set[w].requester];
  for (unsigned w = 0; w < WAYS; w++) {
    bool others = set[w].requester != requester;
    bool may = grows ? others && (!somebody || holds[set[w].requester] > quota[set[w].requester]) : !others;
    if (may && (best == WAYS || set[w].used < set[best].used)) best = w;
  }
  return best;
}

static char model_do(struct held (*sets)[WAYS], struct shared_access s, size_t now, const unsigned *quota) {
  struct held *set = sets[s.block % SETS];
  unsigned place = WAYS;
  for (unsigned w = WAYS; w-- > 0;)
    if (set[w].valid && set[w].block == s.block) {
      set[w].used = now;
      return 'h';
    } else if (!set[w].valid) {
      place = w;
    }
  if (place == WAYS) place = leaves(set, s.requester, quota);
  set[place] = (struct held){true, s.block, s.requester, now};
  return 'm';
}

static void agrees_with_a_model(void **state) {
  (void)state;
  for (unsigned variant = 0; variant < 2; variant++) {
    char knobs[64];
    snprintf(knobs, sizeof knobs, "sampled_sets=%d,after=%s", SAMPLED, variant ? "reset" : "halve");
    struct rig *rig = rig_new_shared(REQUESTERS, SETS, WAYS, "ucp", knobs);
    struct past *past = calloc(1, sizeof *past);
    struct held sets[SETS][WAYS] = {{{0}}};
    unsigned quota[4] = {2, 1, 1}, different = 0;
    uint64_t hits[REQUESTERS * WAYS] = {0};
    struct weir_rng rng = weir_rng_seed(6220, variant);
    for (unsigned step = 0; step < STEPS; step++) {
      struct shared_access s = shared_random(&rng, REQUESTERS, SETS, WAYS, false);
      past->access[past->count++] = s;
      if (shared_do(rig, s) != model_do(sets, s, step, quota)) fail_msg("variant %u, step %u", variant, step);
      if ((step + 1) % PERIOD) continue;
      end_period(past, step + 1 - PERIOD, hits);
      search(WAYS, REQUESTERS, hits, quota);
      for (unsigned i = 0; i < REQUESTERS * WAYS; i++) hits[i] = variant ? 0 : hits[i] / 2;
      shared_epoch(rig, &rig->replace, NULL, 0, PERIOD);
      different |= 1u << quota[0] | 16u << quota[1];
    }
    assert_true(weir_popcount(different) > 2); // quotas did change
    free(past);
    rig_free(rig);
  }
}

// One set, four ways, quotas 2 : 2 at first. While ways are free quotas do not matter: the GPU gets three. d: program 1 holds one
// of its two; the GPU is beyond its quota, and its oldest, A, leaves. D: the GPU has its two, and gives up its own oldest, B.
// e: program 1 has its two: c.
static void quotas_by_hand(void **state) {
  (void)state;
  struct rig *rig = rig_new_shared(2, 1, 4, "ucp", NULL);
  shared_trace(rig, 0, "ABcC d D e", "mmmm A B c");
  rig_free(rig);
}

// One requester: all ways are its own, and UCP is LRU.
static void alone_it_is_lru(void **state) {
  (void)state;
  struct rig *ucp = rig_new(SETS, WAYS, "ucp", NULL), *lru = rig_new(SETS, WAYS, "lru", NULL);
  struct weir_rng rng = weir_rng_seed(6221, 0);
  for (unsigned step = 0; step < STEPS; step++) {
    struct shared_access s = shared_random(&rng, 1, SETS, WAYS, false);
    assert_int_equal(shared_do(ucp, s), shared_do(lru, s));
    if (step % 300 == 299) shared_epoch(ucp, &ucp->replace, NULL, 0, 300);
  }
  rig_free(ucp);
  rig_free(lru);
}

// The victim must be a candidate also where its own rule names none.
static void victims_among_candidates(void **state) {
  (void)state;
  struct rig *rig = rig_new_shared(2, 1, 4, "ucp", NULL);
  shared_trace(rig, 0, "ABcd", "mmmm");
  struct weir_access a = shared_request(rig, (struct shared_access){.block = 99, .requester = 1});
  const struct weir_policy *p = rig->replace.policy;
  assert_int_equal(p->victim(&rig->replace.view, &a, 15), 2); // its quota is full: its own oldest
  assert_int_equal(p->victim(&rig->replace.view, &a, 11), 3);
  assert_int_equal(p->victim(&rig->replace.view, &a, 3), 0); // none of its own
  rig_free(rig);
  // Six ways, two for each of three requesters. 2 has one line, the oldest, and may grow; the GPU, with three, is beyond its quota, but
  // none of its lines is a candidate: then the oldest of another requester leaves all the same, and not its own.
  rig = rig_new_shared(3, 1, 6, "ucp", NULL);
  shared_trace(rig, 0, "2a 1b 1c 0d 0e 0f", "mmmmmm");
  a.requester = 2;
  assert_int_equal(rig->replace.policy->victim(&rig->replace.view, &a, 63), 3);
  assert_int_equal(rig->replace.policy->victim(&rig->replace.view, &a, 7), 1);
  assert_int_equal(rig->replace.policy->victim(&rig->replace.view, &a, 1), 0);
  rig_free(rig);
}

// Per requester a directory of 32 × 16 entries of a 24-bit tag, a valid bit and 4 bits of place, 1856 bytes, and 16 counters of 4 bytes
// (as it is told of UCP); a bit of requester per line and two quotas of 5 bits; LRU.
static void costs(void **state) {
  (void)state;
  struct weir_policy_choice ucp = rig_choose(WEIR_POLICY_REPLACE, "ucp", NULL);
  struct weir_geometry g = {.sets = 1024, .ways = 16, .line_bytes = 64, .requesters = 2, .knobs = ucp.knobs};
  assert_int_equal(weir_policy_cost_bits(ucp.policy, &g), 1024 * 16 * 4 + 1024 * 16 + 2 * 5 + 2 * (1856 + 64) * 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(it_looks_across_a_plateau),
    cmocka_unit_test(the_whole_rest_at_once),
    cmocka_unit_test(nothing_is_shared_evenly),
    cmocka_unit_test(divisors_and_exclusion),
    cmocka_unit_test(it_agrees_with_a_search),
    cmocka_unit_test(agrees_with_a_model),
    cmocka_unit_test(quotas_by_hand),
    cmocka_unit_test(alone_it_is_lru),
    cmocka_unit_test(victims_among_candidates),
    cmocka_unit_test(costs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
