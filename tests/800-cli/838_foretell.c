// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What is foretold of launches: that one will be timed, told from the launch before the one before it on, and not for ever.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/foretell.h"

enum { INSTRUCTIONS = 1000 };

struct story { // of one kernel's launches, all of as many instructions
  struct weir_kernel kernel;
  struct weir_launch launch;
  struct weir_strata strata;
  double whole[WEIR_ESTIMATES];
  struct weir_foretelling foretelling;
  uint64_t number;
};

static struct story *begin(void) {
  static struct story s;
  s = (struct story){.kernel = {.name = "k"}};
  s.launch = (struct weir_launch){.kernel = &s.kernel, .grid = {1, 1, 1}, .block = {32, 1, 1}};
  s.foretelling = (struct weir_foretelling){.strata = &s.strata, .whole = s.whole};
  return &s;
}

static void end(struct story *s) {
  weir_strata_free(&s->strata);
  weir_foretelling_free(&s->foretelling);
}

static void learn(struct story *s) {
  struct weir_foretold *g = weir_foretell(&s->foretelling, &s->launch);
  weir_foretell_learn(&s->foretelling, g, &s->launch, ++s->number, INSTRUCTIONS);
}

static void timed(struct story *s, uint64_t cycles) {
  static const double within[WEIR_ESTIMATES];
  const struct weir_run_stats counts = {.warp_instructions = INSTRUCTIONS, .cycles = cycles};
  weir_stratum_add_timed(weir_strata_have(&s->strata, &s->launch, INSTRUCTIONS), &counts, within);
  s->whole[WEIR_ESTIMATE_CYCLES] += (double)cycles;
  learn(s);
}

static void untimed(struct story *s) {
  weir_stratum_add_untimed(weir_strata_have(&s->strata, &s->launch, INSTRUCTIONS), INSTRUCTIONS);
  learn(s);
}

static bool is_warmed(const struct story *s, uint64_t number) {
  return weir_foretell_warms(&s->foretelling, number, NULL, &s->launch);
}

// Three launches alike. The 8th will be timed, which is told from the end of the 6th on; two launches behind that it has not come.
static void the_eighth(void **state) {
  (void)state;
  struct story *s = begin();
  for (int i = 0; i < 3; i++) timed(s, 1000);
  for (int i = 4; i <= 6; i++) {
    assert_false(is_warmed(s, (uint64_t)i));
    untimed(s);
  }
  assert_true(is_warmed(s, 7));
  assert_true(is_warmed(s, 8));
  assert_false(is_warmed(s, 9));
  end(s);
}

// The second and the third launch are 14 cycles apart: half of the width of an interval of 95 % over k launches that are not timed is
// 12.706 × 14/√2 × k = 126 k cycles (one degree of freedom). It is less than 5 % of these launches' 3014 where k is 1, and more than 5 % of
// four launches' 4028 where it is 2: the 4th is not timed, the 5th is, and the 4th is warmed for it. 5 cycles apart, neither is.
static void a_bound_that_one_more_makes_wide(void **state) {
  (void)state;
  for (int wide = 0; wide < 2; wide++) {
    struct story *s = begin();
    timed(s, 1000);
    timed(s, 1000);
    timed(s, wide ? 1014 : 1005);
    assert_false(weir_stratum_is_open(weir_strata_find(&s->strata, &s->launch, 1, INSTRUCTIONS), s->whole));
    assert_int_equal(is_warmed(s, 4), wide);
    untimed(s);
    assert_int_equal(weir_stratum_is_open(weir_strata_find(&s->strata, &s->launch, 1, INSTRUCTIONS), s->whole), wide);
    end(s);
  }
}

// The rest of a launch that is timed in part is warmed for the next launch, if that will be timed. Before the third of a kernel counts, nothing
// tells that the 4th will not be; behind the 8th comes none.
static void the_rest_of_a_launch(void **state) {
  (void)state;
  struct story *s = begin();
  for (int number = 1; number <= 8; number++) {
    const struct weir_foretold *g = weir_foretell(&s->foretelling, &s->launch);
    if (number <= 3 || number == 8) {
      assert_int_equal(weir_foretell_warms(&s->foretelling, (uint64_t)number, g, &s->launch), number <= 3);
      timed(s, 1000);
    } else {
      untimed(s);
    }
  }
  end(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_eighth),
    cmocka_unit_test(a_bound_that_one_more_makes_wide),
    cmocka_unit_test(the_rest_of_a_launch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
