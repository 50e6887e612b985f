// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Stack distances: a stream worked out by hand, and a list that is searched from its end.
#include "look/stack.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

// a b c a a b d c: between the two a's lie b and c; a follows a; between the b's lie c and a; d is new; between the c's lie a, b, d.
static void test_by_hand(void **state) {
  (void)state;
  static const char stream[] = "abcaabdc";
  static const uint64_t expected[] = {
    WEIR_STACK_NEVER, WEIR_STACK_NEVER, WEIR_STACK_NEVER, 2, 0, 2, WEIR_STACK_NEVER, 3};
  struct weir_stack s = {0};
  for (unsigned i = 0; stream[i]; i++) assert_int_equal(weir_stack_use(&s, (uint64_t)stream[i]), expected[i]);
  // c d b a, the last used first. Without d a cache of two lines, which had lost b, has c and an empty place: b is third still, then b c and
  // the place, and a fourth, as a cache of three had lost it.
  weir_stack_remove(&s, 'd');
  assert_int_equal(weir_stack_use(&s, 'b'), 2);
  assert_int_equal(weir_stack_use(&s, 'a'), 3);
  assert_int_equal(weir_stack_use(&s, 'd'), WEIR_STACK_NEVER); // which takes the place
  assert_int_equal(weir_stack_use(&s, 'c'), 3);
  weir_stack_clear(&s);
  assert_int_equal(weir_stack_use(&s, 'a'), WEIR_STACK_NEVER);
  weir_stack_free(&s);
}

// The most recent first, in an array.
struct list {
  uint64_t lines[8192];
  unsigned count;
};

static uint64_t list_use(struct list *l, uint64_t line) {
  unsigned at = 0;
  while (at < l->count && l->lines[at] != line) at++;
  const uint64_t distance = at < l->count ? at : WEIR_STACK_NEVER;
  if (at < l->count) memmove(&l->lines[at], &l->lines[at + 1], (--l->count - at) * sizeof *l->lines);
  memmove(&l->lines[1], &l->lines[0], l->count++ * sizeof *l->lines);
  l->lines[0] = line;
  return distance;
}

// So many uses that slots run short again and again, of few lines and of many.
static void test_at_random(void **state) {
  (void)state;
  static struct list l;
  for (uint64_t lines = 1; lines <= 3000; lines = lines * 7 + 1) {
    struct weir_rng rng = weir_rng_seed(lines, 0);
    struct weir_stack s = {0};
    l.count = 0;
    for (unsigned i = 0; i < 8000; i++) {
      const uint64_t line = weir_rng_next(&rng) % lines << (weir_rng_next(&rng) & 1);
      const uint64_t expected = list_use(&l, line);
      assert_int_equal(weir_stack_use(&s, line), expected);
      assert_int_equal(s.marks, l.count);
    }
    weir_stack_free(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand), cmocka_unit_test(test_at_random)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
