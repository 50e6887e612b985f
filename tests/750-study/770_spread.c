// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Means, medians, what is left without one mix, and bootstrap intervals of Holey et al.'s mixes, where they have a closed
// form.
#include "holey2014/spread.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define assert_near(got, want) assert_true(fabs((got) / (want)-1) < 1e-12)

static struct holey_sample of(double ratio) {
  return (struct holey_sample){log(ratio), 1};
}

static void none_and_one(void **state) {
  (void)state;
  const struct holey_sample samples[] = {{0, 0}, {log(8), 3}};
  struct holey_spread s = holey_spread_of(samples, 1);
  assert_int_equal(s.mixes, 0);
  assert_true(isnan(s.mean) && isnan(s.median) && isnan(s.without_low) && isnan(s.bootstrap_high));
  s = holey_spread_of(samples, 2); // the first takes no part
  assert_int_equal(s.mixes, 1);
  assert_near(s.mean, 2);
  assert_near(s.median, 2);
  assert_near(s.bootstrap_low, 2);
  assert_near(s.bootstrap_high, 2);
  assert_true(isnan(s.without_low) && isnan(s.without_high));
}

// 1, 4, 2 and 32: their mean is the fourth root of 256, their median √(2 · 4). Without the 32 the mean is ∛8, without the 1
// ∛256. A mix of two ratios counts twice in the mean and once in the median.
static void without_one(void **state) {
  (void)state;
  struct holey_sample samples[] = {of(1), of(4), of(2), of(32)};
  struct holey_spread s = holey_spread_of(samples, 4);
  assert_near(s.mean, 4);
  assert_near(s.median, sqrt(8));
  assert_near(s.without_low, 2);
  assert_near(s.without_high, cbrt(256));
  samples[3].count = 2; // of 32 together: √32 each
  s = holey_spread_of(samples, 4);
  assert_near(s.mean, pow(256, 0.2));
  assert_near(s.median, sqrt(8));
}

// 8 mixes of 1 and 8 of e: the mean's logarithm is Binomial(16, 1/2) / 16. P(X <= 3) = 697 / 65536 = 1.1 % and P(X <= 4) = 2517
// / 65536 = 3.8 %: of 2000 means 21 and 77, give or take 9, lie below, so that the 51st is that of 4, and the 51st from above that of 12.
static void a_binomial(void **state) {
  (void)state;
  struct holey_sample samples[16];
  for (unsigned i = 0; i < 16; i++) samples[i] = of(i % 2 ? M_E : 1);
  const struct holey_spread s = holey_spread_of(samples, 16);
  assert_near(s.mean, exp(0.5));
  assert_near(s.bootstrap_low, exp(4.0 / 16));
  assert_near(s.bootstrap_high, exp(12.0 / 16));
  const struct holey_spread again = holey_spread_of(samples, 16);
  assert_true(again.bootstrap_low == s.bootstrap_low && again.bootstrap_high == s.bootstrap_high);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(none_and_one), cmocka_unit_test(without_one),
                                     cmocka_unit_test(a_binomial)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
