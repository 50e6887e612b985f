// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// TAP-RRIP against a model that has no state but the past, while verdicts on the GPU and ratios of accesses change.
#include "rrip_model.h"

enum { SETS = 24, WAYS = 4, STEPS = 6000, REQUESTERS = 3, DISTANT = 3, PERIOD = 5, ENDS = 500 };
enum {
  SHORT_CORE = 0,
  LONG_CORE = 1,
  LEAST_RATIO = 2,
  STRIDE = 8 /* 24 sets, three leaders of each of 2 + 2 × 3 roles */
};

struct model {
  struct model_set set[SETS];
  struct shared_access access[STEPS], miss[STEPS]; // demand accesses so far; misses but the sampled cores'
  size_t accesses, misses, began;                  // `began`: accesses before the period
  bool insensitive, frequent;
  unsigned brrip[REQUESTERS]; // lines that each requester brought in by BRRIP
};

static bool sampled(struct shared_access s) {
  return !s.requester && (s.core == SHORT_CORE || s.core == LONG_CORE);
}

// Four bits, from 7.
static unsigned psel_of(const struct model *m, unsigned requester) {
  unsigned psel = 7;
  for (size_t i = 0; i < m->misses; i++) {
    const unsigned offset = (unsigned)(m->miss[i].block % SETS % STRIDE);
    if (m->miss[i].requester != requester) continue;
    if (offset == 2 + 2 * requester && psel < 15) psel++;
    if (offset == 3 + 2 * requester && psel > 0) psel--;
  }
  return psel;
}

static unsigned insertion(struct model *m, struct shared_access s) {
  const unsigned offset = (unsigned)(s.block % SETS % STRIDE), own = 2 + 2u * s.requester;
  if (sampled(s)) return s.core == SHORT_CORE ? DISTANT : DISTANT - 1;
  const bool brrip =
    (!s.requester && m->insensitive) || offset == own + 1 || (offset != own && psel_of(m, s.requester) >= 8);
  return brrip && ++m->brrip[s.requester] % PERIOD ? DISTANT : DISTANT - 1;
}

static char model_do(struct model *m, struct shared_access s) {
  struct model_set *set = &m->set[s.block % SETS];
  const int way = model_find(set, WAYS, s.block);
  if (s.kind != WEIR_ACCESS_WRITEBACK) m->access[m->accesses++] = s;
  if (way >= 0) {
    if (s.requester || !(m->insensitive || m->frequent)) model_touch(set, (unsigned)way, 0);
    return 'h';
  }
  if (s.kind != WEIR_ACCESS_WRITEBACK && !sampled(s)) m->miss[m->misses++] = s;
  const unsigned place = model_place(set, WAYS, DISTANT, m->insensitive);
  set->line[place] = (struct model_line){.valid = true, .block = s.block, .requester = s.requester};
  model_touch(set, place, insertion(m, s));
  return 'm';
}

// How much the sampled cores' speeds differ: not at all, by half, or there was too little to tell.
static const struct weir_core_sensors speeds[][SHARED_CORES] = {
  {{.instructions = 10000}, {.instructions = 10000}},
  {{.instructions = 5000}, {.instructions = 10000}},
  {{.instructions = 10}, {.instructions = 20}},
};

static void model_end(struct model *m, unsigned speed) {
  uint64_t came[REQUESTERS] = {0};
  for (size_t i = m->began; i < m->accesses; i++) came[m->access[i].requester]++;
  m->began = m->accesses;
  const uint64_t most = came[1] > came[2] ? came[1] : came[2];
  m->frequent = came[0] > LEAST_RATIO * most; // then it is at least twice as many
  if (speed < 2) m->insensitive = speed == 0;
}

// In every other period programs come an eighth as often.
static struct shared_access next(struct weir_rng *rng, unsigned period) {
  struct shared_access s;
  do s = shared_random(rng, REQUESTERS, SETS, WAYS, false);
  while (period % 2 && s.requester && weir_rng_below(rng, 8));
  return s;
}

static void agrees_with_a_model(void **state) {
  (void)state;
  struct rig *rig =
    rig_new_shared(REQUESTERS, SETS, WAYS, "tap-rrip", "rrpv_bits=2,leaders=3,period=5,psel_bits=4,least_ratio=2");
  struct model *m = calloc(1, sizeof *m);
  struct weir_rng rng = weir_rng_seed(630, 0);
  unsigned hits = 0, seen = 0;
  for (unsigned step = 0; step < STEPS; step++) {
    const unsigned period = step / ENDS;
    const struct shared_access s = next(&rng, period);
    const char expected = model_do(m, s);
    hits += expected == 'h';
    if (shared_do(rig, s) != expected) fail_msg("step %u: not %c", step, expected);
    if ((step + 1) % ENDS) continue;
    const unsigned speed = period / 2 % 3;
    shared_epoch(rig, &rig->replace, speeds[speed], SHARED_CORES, 100000);
    model_end(m, speed);
    seen |= 1u << (2 * m->insensitive + m->frequent);
  }
  assert_in_range(hits, STEPS / 10, STEPS * 9 / 10);
  assert_int_equal(seen, 15); // every verdict with every ratio
  free(m);
  rig_free(rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_a_model)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
