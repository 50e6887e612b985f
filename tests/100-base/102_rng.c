// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Random streams: the published generator, the same for the same seed, even, and one per user.
#include "base_test.h"

#include "base/rng.h"

enum { BINS = 16, DRAWS = 160000 };

// The first outputs that are published for Vigna's splitmix64.c from state 0 and (Rosetta Code) from state 1234567.
static void be_split_mix_64(void **state) {
  (void)state;
  static const uint64_t zero[] = {UINT64_C(0xE220A8397B1DCDAF), UINT64_C(0x6E789E6AA1B965F4),
                                  UINT64_C(0x06C45D188009454F)};
  static const uint64_t other[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                   UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                   UINT64_C(16408922859458223821)};
  struct weir_rng r = {0};
  for (int i = 0; i < 3; i++) assert_int_equal(weir_rng_next(&r), zero[i]);
  r.state = 1234567;
  for (int i = 0; i < 5; i++) assert_int_equal(weir_rng_next(&r), other[i]);
}

static void repeat_for_the_same_seed_and_user(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 4; seed++) {
    struct weir_rng a = weir_rng_seed(seed, 7), b = weir_rng_seed(seed, 7);
    for (int i = 0; i < 100; i++) assert_int_equal(weir_rng_next(&a), weir_rng_next(&b));
  }
}

// Pearson's chi-square of counts that should be equal. With 15 degrees of freedom it exceeds 44.3 once in 10000 times.
static void assert_even(const unsigned count[BINS]) {
  double expected = (double)DRAWS / BINS, sum = 0;
  for (int i = 0; i < BINS; i++) sum += (count[i] - expected) * (count[i] - expected) / expected;
  if (sum > 44.3) fail_msg("chi-square %.1f of %d bins", sum, BINS);
}

static void draw_evenly_below_a_bound(void **state) {
  (void)state;
  unsigned count[BINS] = {0};
  struct weir_rng r = weir_rng_seed(1, 0);
  for (int i = 0; i < DRAWS; i++) {
    uint64_t n = weir_rng_below(&r, BINS);
    assert_true(n < BINS);
    count[n]++;
  }
  assert_even(count);
}

static void stay_below_every_bound(void **state) {
  (void)state;
  struct weir_rng r = weir_rng_seed(2, 0);
  for (unsigned bit = 0; bit < 64; bit++) {
    for (uint64_t n = (UINT64_C(1) << bit) - (bit > 1), i = 0; i < 20; i++) assert_true(weir_rng_below(&r, n) < n);
  }
  assert_true(weir_rng_below(&r, UINT64_MAX) < UINT64_MAX);
}

// The first draws of many users of one seed, and of one user under many seeds, are even too: streams do not begin alike.
static void give_every_user_a_stream_of_its_own(void **state) {
  (void)state;
  unsigned by_user[BINS] = {0}, by_seed[BINS] = {0};
  for (uint64_t i = 0; i < DRAWS; i++) {
    struct weir_rng a = weir_rng_seed(1, i), b = weir_rng_seed(i, 1);
    by_user[weir_rng_below(&a, BINS)]++;
    by_seed[weir_rng_below(&b, BINS)]++;
  }
  assert_even(by_user);
  assert_even(by_seed);
}

// A uniform variable in [0, 1) has mean 1/2 and variance 1/12: the mean of n draws is within five standard errors.
static void draw_evenly_from_the_unit_interval(void **state) {
  (void)state;
  unsigned count[BINS] = {0};
  struct weir_rng r = weir_rng_seed(3, 0);
  double sum = 0;
  for (int i = 0; i < DRAWS; i++) {
    double u = weir_rng_unit(&r);
    assert_true(u >= 0 && u < 1);
    sum += u;
    count[(int)(u * BINS)]++;
  }
  assert_even(count);
  double error = sum / DRAWS - 0.5; // standard error: sqrt(1 / 12 / 160000) = 0.000722
  assert_true(error < 5 * 0.000722 && error > -5 * 0.000722);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(be_split_mix_64),
    cmocka_unit_test(repeat_for_the_same_seed_and_user),
    cmocka_unit_test(draw_evenly_below_a_bound),
    cmocka_unit_test(stay_below_every_bound),
    cmocka_unit_test(give_every_user_a_stream_of_its_own),
    cmocka_unit_test(draw_evenly_from_the_unit_interval),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
