// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Bit arithmetic against loops that count one bit at a time.
#include "base_test.h"

#include "base/bits.h"
#include "base/rng.h"

static unsigned ones(uint64_t x) {
  unsigned n = 0;
  for (unsigned i = 0; i < 64; i++) n += x >> i & 1;
  return n;
}

static unsigned lowest(uint64_t x) {
  unsigned i = 0;
  while (!(x >> i & 1)) i++;
  return i;
}

static unsigned highest(uint64_t x) {
  unsigned i = 63;
  while (!(x >> i & 1)) i--;
  return i;
}

static void check(uint64_t x) {
  assert_int_equal(weir_popcount(x), ones(x));
  assert_int_equal(weir_is_pow2(x), ones(x) == 1);
  if (!x) return;
  assert_int_equal(weir_lowest(x), lowest(x));
  assert_int_equal(weir_log2(x), highest(x));
}

static void count_and_find_bits(void **state) {
  (void)state;
  struct weir_rng r = weir_rng_seed(1, 0);
  for (uint64_t x = 0; x < 1000; x++) check(x), check(~x);
  for (unsigned i = 0; i < 64; i++) check(UINT64_C(1) << i);
  for (int i = 0; i < 1000; i++) check(weir_rng_next(&r) & weir_rng_next(&r) & weir_rng_next(&r));
}

static void mask_the_lowest(void **state) {
  (void)state;
  for (unsigned n = 0; n <= 64; n++) {
    uint64_t mask = weir_mask(n);
    for (unsigned i = 0; i < 64; i++) assert_int_equal(mask >> i & 1, i < n);
  }
}

// Against sums of 128 bits, in which nothing passes the end.
static void offsets_at_both_ends(void **state) {
  (void)state;
  static const int64_t at[] = {INT64_MIN, INT64_MIN + 7, -8, -1, 0, 4, 8, INT64_MAX - 7, INT64_MAX};
  enum { COUNT = sizeof at / sizeof *at, MOST = 16 };
  for (unsigned i = 0; i < COUNT; i++)
    for (unsigned k = 0; k < COUNT; k++) {
      for (uint64_t a = 1; a <= MOST; a++)
        for (uint64_t b = 1; b <= MOST; b++)
          assert_int_equal(weir_apart(at[i], a, at[k], b),
                           (__int128)at[i] + a <= at[k] || (__int128)at[k] + b <= at[i]);
      assert_int_equal(weir_wrapped_sum(at[i], at[k]), (int64_t)((__int128)at[i] + at[k]));
    }
}

static void round_up(void **state) {
  (void)state;
  for (uint64_t x = 0; x < 300; x++) {
    for (uint64_t to = 1; to <= 256; to *= 2) {
      uint64_t up = weir_align_up(x, to);
      assert_true(up % to == 0 && up >= x && up - x < to);
    }
    for (uint64_t by = 1; by < 40; by++) {
      uint64_t n = weir_div_up(x, by);
      assert_true(n * by >= x && (!n || (n - 1) * by < x));
    }
  }
  assert_int_equal(weir_align_up(UINT64_C(0xFFFFFFF1), 256), UINT64_C(0x100000000)); // beyond 32 bits
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(count_and_find_bits),
    cmocka_unit_test(mask_the_lowest),
    cmocka_unit_test(offsets_at_both_ends),
    cmocka_unit_test(round_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
