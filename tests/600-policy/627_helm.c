// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// HeLM's rules without a cache: Algorithm 1, Table I, Figure 9, and every choice where the paper leaves one (Holey et al., TACO 2014,
// section 3).
#include "policy/helm.h"
#include "rig.h"

// ---- Algorithm 1 -------------------------------------------------------------------------------------------------------------

static const struct weir_helm_limits limits = {.miss = 0.1, .speed = 0.05, .relative = true};

static char choose(const struct weir_helm_limits *l, double miss, double speed, enum weir_helm_choice tie) {
  bool tied;
  enum weir_helm_choice c = weir_helm_choose(l, miss, speed, tie, &tied);
  return tied ? '=' : c == WEIR_HELM_LOW ? 'L' : 'H';
}

// The CPU program first, from the threshold on; then the GPU, beyond its own; then who is further from being sensitive.
static void algorithm_1(void **state) {
  (void)state;
  static const struct {
    double miss, speed;
    char expected;
  } cases[] = {
    {0.10, 0.90, 'L'},   {0.50, 0.00, 'L'},  {0.0999, 0.0501, 'H'}, {0.00, 0.06, 'H'},
    {0.05, 0.05, '='},  // not beyond: headroom of the GPU 0, of the program 0.5
    {0.05, 0.025, 'L'}, // 0.5 and 0.5: at least as far
    {0.04, 0.025, '='}, // 0.5 and 0.6
    {0.00, 0.00, 'L'},   {0.00, 0.001, '='}, {0.00, -0.5, 'L'},     {0.09, 0.0451, '='}, // 0.098 and 0.1
    {0.09, 0.0449, 'L'}, {0.02, 0.045, '='},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    if (choose(&limits, cases[i].miss, cases[i].speed, WEIR_HELM_HIGH) != cases[i].expected) fail_msg("case %u", i);
  bool tied;
  assert_int_equal(weir_helm_choose(&limits, 0.05, 0.05, WEIR_HELM_HIGH, &tied), WEIR_HELM_HIGH);
  assert_int_equal(weir_helm_choose(&limits, 0.05, 0.05, WEIR_HELM_LOW, &tied), WEIR_HELM_LOW);
}

// The text's "greater than", and headroom as a plain difference: 0.05 - 0.02 < 0.1 - 0.05, though in parts 0.6 > 0.5.
static void its_ambiguities(void **state) {
  (void)state;
  struct weir_helm_limits exceed = limits, absolute = limits;
  exceed.miss_must_exceed = true;
  assert_int_equal(choose(&exceed, 0.1, 0.90, WEIR_HELM_LOW), 'H');
  assert_int_equal(choose(&exceed, 0.11, 0.90, WEIR_HELM_LOW), 'L');
  absolute.relative = false;
  assert_int_equal(choose(&limits, 0.05, 0.02, WEIR_HELM_LOW), 'L');
  assert_int_equal(choose(&absolute, 0.05, 0.02, WEIR_HELM_LOW), '=');
  assert_int_equal(choose(&absolute, 0.09, 0.02, WEIR_HELM_LOW), 'L'); // 0.03 and 0.01
}

// 60 misses with the low threshold, 80 with the high one: a quarter of 80, a third of 60; of 200 accesses each 10 points.
static void miss_differences(void **state) {
  (void)state;
  const struct weir_helm_misses m = {60, 80, 200, 200}, fewer = {80, 60, 200, 200}, few = {0, 31, 200, 200};
  const struct weir_helm_misses none = {0, 40, 0, 100}, uneven = {60, 80, 100, 400};
  assert_true(weir_helm_miss_delta(&m, WEIR_HELM_BY_HIGH, 32) == 0.25);
  assert_true(weir_helm_miss_delta(&m, WEIR_HELM_BY_LOW, 32) == 20.0 / 60);
  assert_true(weir_helm_miss_delta(&m, WEIR_HELM_BY_ACCESSES, 32) == 0.4 - 0.3);
  for (unsigned base = 0; base < 3; base++) {
    assert_true(weir_helm_miss_delta(&fewer, base, 32) == 0); // MissHigh is not always the greater
    assert_true(weir_helm_miss_delta(&few, base, 32) == 0);
    assert_true(weir_helm_miss_delta(&few, base, 31) > 0);
  }
  assert_true(weir_helm_miss_delta(&none, WEIR_HELM_BY_LOW, 32) == 40);
  assert_true(weir_helm_miss_delta(&none, WEIR_HELM_BY_ACCESSES, 32) == 0.4);
  assert_true(weir_helm_miss_delta(&uneven, WEIR_HELM_BY_ACCESSES, 32) == 0); // 20 % to 60 %
}

static void speed_differences(void **state) {
  (void)state;
  assert_true(weir_helm_speed_delta(95, 100) == 0.05);
  assert_true(weir_helm_speed_delta(120, 100) == -0.2);
  assert_true(weir_helm_speed_delta(120, 0) == 0);
}

// ---- Table I and Figure 9 --------------------------------------------------------------------------------------------------------

static struct weir_helm_thresholds start(uint8_t least, uint8_t most) {
  struct weir_helm_thresholds t = {.least = least, .most = most};
  weir_helm_reset(&t);
  return t;
}

// Section 3.1: of 0 to 63, "HighThr (say 47) and LowThr (say 15)".
static void initial_thresholds(void **state) {
  (void)state;
  struct weir_helm_thresholds t = start(0, 63), u = start(8, 48);
  assert_int_equal(t.high, 47);
  assert_int_equal(t.low, 15);
  assert_int_equal(u.high, 38);
  assert_int_equal(u.low, 18);
}

// A script of moves, u or d; what the thresholds are after each: "high/low", and '!' after a toggle, '.' while held.
static void run(struct weir_helm_thresholds *t, uint32_t hold, bool restarts, const char *moves, const char *expected) {
  char got[512] = "";
  for (const char *m = moves; *m; m++) {
    bool toggled, moved = weir_helm_move(t, *m == 'u' ? WEIR_HELM_UP : WEIR_HELM_DOWN, hold, restarts, &toggled);
    size_t used = strlen(got);
    snprintf(got + used, sizeof got - used, "%s%d/%d%s", used ? " " : "", t->high, t->low,
             toggled   ? "!"
               : moved ? ""
                       : ".");
    assert_true(t->least <= t->low && t->low <= t->high && t->high <= t->most);
  }
  assert_string_equal(got, expected);
}

// E = (47 + 15) / 2 = 31. Up: (63 + 47) / 2 = 55 and 31; E = 43: 59 and 43; 51: 61 and 51; 56: 62 and 56.
// Down from the start: 31 and 7; E = 19: 19 and 3; 11: 11 and 1; 6: 6 and 0; 3: 3 and 0; 1; 0.
static void moves(void **state) {
  (void)state;
  struct weir_helm_thresholds t = start(0, 63);
  run(&t, 5, false, "uuuu", "55/31 59/43 61/51 62/56");
  t = start(0, 63);
  run(&t, 5, false, "dddddddd", "31/7 19/3 11/1 6/0 3/0 1/0 0/0 0/0");
  t = start(10, 30); // 25 and 15; E = 20: 27, 20; 23: 28, 23; then down is a toggle
  run(&t, 0, false, "uud", "27/20 28/23 28/23!");
}

// Figure 9: up, then down: a toggle. The thresholds stay, and for five epochs more, whatever these say; then any direction goes.
static void a_toggle_holds(void **state) {
  (void)state;
  struct weir_helm_thresholds t = start(0, 63);
  run(&t, 5, false,
      "udddudd"
      "d",
      "55/31 55/31! 55/31. 55/31. 55/31. 55/31. 55/31. 43/15");
  run(&t, 5, false, "u", "43/15!");
  t = start(0, 63);
  run(&t, 5, false,
      "udddudd"
      "u",
      "55/31 55/31! 55/31. 55/31. 55/31. 55/31. 55/31. 59/43");
  t = start(0, 63); // anew: INIT as the hold ends
  run(&t, 2, true, "uduud", "55/31 55/31! 55/31. 47/15. 31/7");
  t = start(0, 63);
  run(&t, 0, true, "udd", "55/31 47/15! 31/7");
  t = start(0, 63);
  run(&t, 0, false, "uddu", "55/31 55/31! 43/15 43/15!");
  t = start(0, 63);
  run(&t, 1, false, "dudd", "31/7 31/7! 31/7. 19/3");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(algorithm_1),       cmocka_unit_test(its_ambiguities),    cmocka_unit_test(miss_differences),
    cmocka_unit_test(speed_differences), cmocka_unit_test(initial_thresholds), cmocka_unit_test(moves),
    cmocka_unit_test(a_toggle_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
