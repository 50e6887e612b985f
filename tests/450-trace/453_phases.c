// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Phases that are known by construction are found, with their weights.
#include "trace_test.h"

#include "trace/phases.h"

enum { INTERVAL = 1000 };

// An interval of a phase: ten blocks of its own, each executed about as often, give or take a few.
static void execute(struct weir_phase_profile *p, unsigned phase, struct weir_rng *r, uint64_t instructions) {
  uint64_t left = instructions;
  for (unsigned block = 0; block < 9; block++) {
    const uint64_t n = instructions / 10 + weir_rng_below(r, 5);
    weir_phase_executed(p, 0x1000 * (phase + 1) + 16 * block, n);
    left -= n;
  }
  weir_phase_executed(p, 0x1000 * (phase + 1) + 16 * 9, left);
  weir_phase_cut(p);
}

static size_t choose(const struct weir_phase_profile *p, unsigned most, struct weir_phase *phases) {
  const size_t n = weir_phases_choose(p->intervals, p->count, most, 1, phases);
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    sum += phases[i].weight;
    assert_true(phases[i].interval < p->count);
    assert_true(phases[i].weight > 0 && phases[i].weight <= 1); // not even by rounding
    if (i) assert_true(phases[i].interval > phases[i - 1].interval);
  }
  assert_true(sum > 0.999999 && sum < 1.000001);
  return n;
}

static void three_phases(void **state) {
  (void)state;
  static const unsigned order[] = {0, 0, 0, 1, 1, 0, 0, 0, 2, 2, 1, 1, 0, 0, 0, 2, 0, 0, 0, 1}; // 12, 5 and 3 of 20
  struct weir_phase_profile p = {0};
  struct weir_rng r = weir_rng_seed(1, 453);
  for (unsigned i = 0; i < 20; i++) execute(&p, order[i], &r, INTERVAL);
  struct weir_phase phases[WEIR_PHASE_MOST];
  assert_int_equal(choose(&p, 10, phases), 3);
  bool seen[3] = {false};
  static const double parts[] = {12.0 / 20, 5.0 / 20, 3.0 / 20};
  for (unsigned i = 0; i < 3; i++) {
    const unsigned phase = order[phases[i].interval];
    assert_false(seen[phase]);
    seen[phase] = true;
    assert_true(phases[i].weight > parts[phase] - 1e-9 && phases[i].weight < parts[phase] + 1e-9);
  }
  weir_phase_free(&p);
}

static void one_phase(void **state) {
  (void)state;
  struct weir_phase_profile p = {0};
  for (unsigned i = 0; i < 89; i++) { // exactly the same each time; 89 times 1 / 89 would round to more than 1
    weir_phase_executed(&p, 0x1000, 600);
    weir_phase_executed(&p, 0x2000, 400);
    weir_phase_cut(&p);
  }
  struct weir_phase phases[WEIR_PHASE_MOST];
  assert_int_equal(choose(&p, 10, phases), 1);
  weir_phase_free(&p);
}

// The rest of a run, shorter than an interval, is left out where there are whole ones.
static void the_rest(void **state) {
  (void)state;
  struct weir_phase_profile p = {0};
  struct weir_rng r = weir_rng_seed(2, 453);
  struct weir_phase phases[WEIR_PHASE_MOST];
  for (unsigned i = 0; i < 6; i++) execute(&p, 0, &r, INTERVAL);
  execute(&p, 1, &r, 300);
  assert_int_equal(choose(&p, 5, phases), 1);
  assert_in_range(phases[0].interval, 0, 5);
  weir_phase_free(&p);
}

static void few_intervals(void **state) {
  (void)state;
  struct weir_phase phases[WEIR_PHASE_MOST];
  struct weir_phase_profile p = {0};
  assert_int_equal(weir_phases_choose(p.intervals, 0, 10, 1, phases), 0);
  weir_phase_cut(&p);
  assert_int_equal(p.count, 0);
  weir_phase_executed(&p, 1, 10);
  weir_phase_cut(&p);
  assert_int_equal(choose(&p, 10, phases), 1);
  assert_int_equal(phases[0].interval, 0);
  weir_phase_free(&p);
}

// As many blocks as the table must grow for, several times.
static void many_blocks(void **state) {
  (void)state;
  struct weir_phase_profile p = {0};
  for (uint64_t i = 0; i < 20000; i++) weir_phase_executed(&p, i * 7, 1 + i % 3);
  assert_int_equal(p.used, 20000);
  assert_int_equal(p.instructions, 20000 + 19999); // 6667 × 0 + 6667 × 1 + 6666 × 2 more
  weir_phase_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(three_phases),  cmocka_unit_test(one_phase),   cmocka_unit_test(the_rest),
    cmocka_unit_test(few_intervals), cmocka_unit_test(many_blocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
