// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Allocation: zeroed, aligned, grown without loss, and what an arena gave stays where it is until the arena is freed.
#define _GNU_SOURCE // mincore
#include "base_test.h"

#include "base/arena.h"

#include <sys/mman.h>

static bool all_zero(const char *p, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (p[i]) return false;
  return true;
}

static void give_zeroed_memory(void **state) {
  (void)state;
  for (size_t n = 0; n < 5000; n = n * 3 + 1) { // what was freed comes back used
    char *p = weir_alloc(n);
    assert_non_null(p);
    assert_true(all_zero(p, n));
    memset(p, 0xa5, n);
    weir_free(p);
  }
}

static void give_aligned_memory(void **state) {
  (void)state;
  for (size_t alignment = 16; alignment <= 4096; alignment *= 2) {
    for (size_t n = 0; n <= 3 * alignment; n += alignment / 2 + 1) {
      char *p = weir_alloc_aligned(alignment, n);
      assert_int_equal((uintptr_t)p % alignment, 0);
      assert_true(all_zero(p, n));
      memset(p, 0xa5, n);
      weir_free(p);
    }
  }
}

static void give_tables(void **state) {
  (void)state;
  for (size_t n = 0; n <= 3 * 4096; n += 97) {
    char *p = weir_alloc_table(n);
    assert_int_equal((uintptr_t)p % 64, 0);
    assert_true(all_zero(p, n));
    memset(p, 0xa5, n);
    weir_free_table(p, n);
  }
  weir_free_table(NULL, 0);
  weir_free_table(NULL, 1 << 20);
}

enum { PAGES = 256, PAGE_BYTES = 4096 };

static unsigned resident(const void *p) {
  unsigned char pages[PAGES];
  unsigned count = 0;
  assert_int_equal(mincore((void *)p, sizeof pages * PAGE_BYTES, pages), 0);
  for (unsigned i = 0; i < PAGES; i++) count += pages[i] & 1;
  return count;
}

static void large_tables_cost_what_is_touched(void **state) {
  (void)state;
  char *p = weir_alloc_table((size_t)PAGES * PAGE_BYTES);
  assert_int_equal(resident(p), 0);
  p[17 * PAGE_BYTES] = 1;
  p[200 * PAGE_BYTES + 5] = 1;
  assert_int_equal(resident(p), 2);
  weir_free_table(p, (size_t)PAGES * PAGE_BYTES);
}

static void push_onto_a_growing_array(void **state) {
  (void)state;
  int *items = NULL;
  size_t count = 0, capacity = 0;
  for (int i = 0; i < 1000; i++) {
    *weir_push(items, count, capacity) = i * i;
    assert_true(count == (size_t)i + 1 && capacity >= count);
  }
  for (int i = 0; i < 1000; i++) assert_int_equal(items[i], i * i);
  weir_free(items);
}

static void format_text_of_any_length(void **state) {
  (void)state;
  char *text = weir_text_format("%0*d|%s", 3000, 7, "end");
  assert_int_equal(strlen(text), 3004);
  assert_string_equal(text + 2999, "7|end");
  char *copy = weir_text_copy(text);
  assert_ptr_not_equal(copy, text);
  assert_string_equal(copy, text);
  weir_free(copy);
  weir_free(text);
}

// Allocations of every size up to several times what an arena takes at once: aligned, zeroed, and none over another.
static void keep_what_an_arena_gave(void **state) {
  (void)state;
  enum { N = 600, STEP = 499 };
  struct weir_arena arena = {0};
  static unsigned char *given[N];
  for (size_t i = 0; i < N; i++) {
    given[i] = weir_arena_alloc(&arena, i * STEP);
    assert_int_equal((uintptr_t)given[i] % 16, 0);
    assert_true(all_zero((char *)given[i], i * STEP));
    memset(given[i], (int)(i % 251) + 1, i * STEP);
  }
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < i * STEP; j++)
      if (given[i][j] != i % 251 + 1) fail_msg("byte %zu of allocation %zu was overwritten", j, i);
  weir_arena_free(&arena);
  assert_null(arena.chunks);
  assert_non_null(weir_arena_alloc(&arena, 1)); // usable again
  weir_arena_free(&arena);
}

static void copy_part_of_a_text(void **state) {
  (void)state;
  struct weir_arena arena = {0};
  assert_string_equal(weir_arena_text(&arena, "kernel_name rest", 11), "kernel_name");
  assert_string_equal(weir_arena_text(&arena, NULL, 0), "");
  weir_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(give_zeroed_memory),
    cmocka_unit_test(give_aligned_memory),
    cmocka_unit_test(push_onto_a_growing_array),
    cmocka_unit_test(format_text_of_any_length),
    cmocka_unit_test(keep_what_an_arena_gave),
    cmocka_unit_test(copy_part_of_a_text),
    cmocka_unit_test(give_tables),
    cmocka_unit_test(large_tables_cost_what_is_touched),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
