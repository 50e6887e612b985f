// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The map against an array in which every key is looked for.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/map.h"
#include "base/rng.h"

enum { MOST = 3000 };

static void an_empty_map_has_nothing(void **state) {
  (void)state;
  struct weir_map m = {0};
  assert_null(weir_map_find(&m, 0));
  assert_null(weir_map_find(&m, UINT64_MAX));
  weir_map_free(&m);
}

// 0 and the highest number are keys like others.
static void every_number_is_a_key(void **state) {
  (void)state;
  struct weir_map m = {0};
  bool is_new;
  *weir_map_add(&m, 0, &is_new) = 7;
  assert_true(is_new);
  assert_int_equal(*weir_map_add(&m, UINT64_MAX, &is_new), 0);
  assert_true(is_new);
  assert_int_equal(*weir_map_add(&m, 0, &is_new), 7);
  assert_false(is_new);
  assert_int_equal(m.count, 2);
  assert_null(weir_map_find(&m, 1));
  weir_map_free(&m);
  assert_null(weir_map_find(&m, 0));
}

static void as_a_list(void **state) {
  (void)state;
  static uint64_t keys[MOST], values[MOST];
  unsigned count = 0;
  struct weir_map m = {0};
  struct weir_rng rng = weir_rng_seed(1, 106);
  for (unsigned step = 0; step < 20000; step++) {
    const unsigned kind = (unsigned)weir_rng_below(&rng, 3);
    const uint64_t key =
      kind ? weir_rng_below(&rng, 2000) << 7 * kind : weir_rng_below(&rng, 500); // collide in their bits
    unsigned i = 0;
    while (i < count && keys[i] != key) i++;
    if (weir_rng_below(&rng, 2)) {
      const uint64_t *found = weir_map_find(&m, key);
      assert_true(i < count ? found && *found == values[i] : !found);
    } else if (i < count || count < MOST) {
      bool is_new;
      uint64_t *value = weir_map_add(&m, key, &is_new);
      assert_true(is_new == (i == count));
      assert_int_equal(*value, i < count ? values[i] : 0);
      if (i == count) keys[count++] = key;
      *value = values[i] = step;
    }
    assert_int_equal(m.count, count);
  }
  weir_map_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_empty_map_has_nothing),
    cmocka_unit_test(every_number_is_a_key),
    cmocka_unit_test(as_a_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
