// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Shared-memory bank conflicts: the closed form for strides, broadcast, wide elements, and random warps against counting.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/rng.h"
#include "gpu/coalesce.h"

static unsigned cycles_of_width(const uint64_t *addresses, uint64_t active, unsigned bytes, unsigned banks,
                                unsigned width) {
  struct weir_static what = {.op_class = WEIR_CLASS_LOAD, .access_bytes = (uint8_t)bytes, .element_bytes = 4};
  struct weir_winstr w = {.what = &what, .active = active};
  memcpy(w.address, addresses, sizeof w.address);
  unsigned n = weir_bank_cycles(&w, banks, width);
  assert_in_range(weir_bank_least_cycles(&w, banks, width), 1, n);
  return n;
}

static unsigned cycles(const uint64_t *addresses, uint64_t active, unsigned bytes, unsigned banks) {
  return cycles_of_width(addresses, active, bytes, banks, 4);
}

static unsigned gcd(unsigned a, unsigned b) {
  return b ? gcd(b, a % b) : a;
}

// Lanes s words apart meet gcd(s, banks) to a bank (as many lanes as banks).
static void strides(void **state) {
  (void)state;
  for (unsigned banks = 16; banks <= 64; banks *= 2)
    for (unsigned s = 1; s <= 2 * banks; s++) {
      uint64_t at[WEIR_MAX_LANES] = {0};
      for (unsigned i = 0; i < banks; i++) at[i] = 4 * s * i;
      assert_int_equal(cycles(at, weir_mask(banks), 4, banks), gcd(s, banks));
    }
}

// All lanes one word: served together, wherever it is; two words of one bank: two cycles, in whatever order.
static void broadcast(void **state) {
  (void)state;
  uint64_t at[WEIR_MAX_LANES];
  for (unsigned i = 0; i < WEIR_MAX_LANES; i++) at[i] = 400;
  assert_int_equal(cycles(at, UINT32_MAX, 4, 32), 1);
  for (unsigned i = 0; i < 32; i++) at[i] = i % 2 ? 0 : 128;
  assert_int_equal(cycles(at, UINT32_MAX, 4, 32), 2);
  for (unsigned i = 0; i < 32; i++) at[i] = i < 16 ? 0 : 128;
  assert_int_equal(cycles(at, UINT32_MAX, 4, 32), 2);
  assert_int_equal(cycles(at, 0xFFFF, 4, 32), 1); // only active lanes count
}

// Bytes of one word are one word.
static void narrow_elements(void **state) {
  (void)state;
  uint64_t at[WEIR_MAX_LANES] = {0};
  for (unsigned i = 0; i < 32; i++) at[i] = i;
  assert_int_equal(cycles(at, UINT32_MAX, 1, 32), 1);
  for (unsigned i = 0; i < 32; i++) at[i] = 32 * i; // every eighth bank: four banks, eight words each
  assert_int_equal(cycles(at, UINT32_MAX, 1, 32), 8);
}

// Elements wider than a bank: 32 banks of 4 bytes give 128 bytes a cycle, so 8 bytes of half a warp, 16 of a quarter. Lanes
// side by side do not conflict; lanes of such a group twice the width of all banks apart do, those of different groups do not.
static void wide_elements(void **state) {
  (void)state;
  uint64_t at[WEIR_MAX_LANES] = {0};
  assert_int_equal(cycles(at, UINT32_MAX, 8, 32), 2); // one word of all lanes, group after group
  for (unsigned i = 0; i < 32; i++) at[i] = 8 * i;
  assert_int_equal(cycles(at, UINT32_MAX, 8, 32), 2);
  assert_int_equal(cycles(at, 0xFFFF, 8, 32), 1);
  for (unsigned i = 0; i < 32; i++) at[i] = 16 * i;
  assert_int_equal(cycles(at, UINT32_MAX, 16, 32), 4);
  assert_int_equal(cycles(at, 0x01010101, 16, 32), 4); // a lane of each group
  assert_int_equal(cycles(at, UINT32_MAX, 8, 32), 4);  // only every other pair of banks: in each group, two to a bank
  for (unsigned i = 0; i < 32; i++) at[i] = 256 * (i / 16);
  assert_int_equal(cycles(at, UINT32_MAX, 8, 32), 2); // the first bank's words 0 and 64, but of different groups
  for (unsigned i = 0; i < 32; i++) at[i] = 256 * (i % 4);
  assert_int_equal(cycles(at, UINT32_MAX, 8, 32), 2 * 4);
}

// 32 banks of 8 bytes (Kepler). 16 bytes of each lane, side by side: 512 bytes, two cycles. Lines of 16 bytes side by side and 4
// bytes at the same offset of each: lane i's word is 2 i, so that lanes 16 apart meet in a bank with different words, two to
// each even one. With lines of 8 bytes, none; of 24, word 3 i: none, as 3 is odd; of 32, word 4 i: four to every fourth bank.
static void banks_of_eight_bytes(void **state) {
  (void)state;
  static const unsigned ways[][2] = {{8, 1}, {16, 2}, {24, 1}, {32, 4}};
  uint64_t at[WEIR_MAX_LANES] = {0};
  for (unsigned k = 0; k < sizeof ways / sizeof *ways; k++)
    for (unsigned offset = 0; offset < 8; offset += 4) {
      for (unsigned i = 0; i < 32; i++) at[i] = ways[k][0] * i + offset;
      assert_int_equal(cycles_of_width(at, UINT32_MAX, 4, 32, 8), ways[k][1]);
    }
  for (unsigned i = 0; i < 32; i++) at[i] = 16 * i;
  assert_int_equal(cycles_of_width(at, UINT32_MAX, 16, 32, 8), 2);
  for (unsigned i = 0; i < 32; i++) at[i] = 8 * i;
  assert_int_equal(cycles_of_width(at, UINT32_MAX, 8, 32, 8), 1);
  for (unsigned i = 0; i < 32; i++) at[i] = 4 * i;
  assert_int_equal(cycles_of_width(at, UINT32_MAX, 4, 32, 8), 1); // two lanes' halves of a word
}

// Different words per bank, counted with a table of all of them.
static void random_warps(void **state) {
  (void)state;
  struct weir_rng rng = weir_rng_seed(2, 5);
  for (int i = 0; i < 5000; i++) {
    uint64_t at[WEIR_MAX_LANES] = {0}, active = weir_rng_next(&rng) & weir_rng_next(&rng);
    unsigned words = 1u << weir_rng_below(&rng, 9), most = 0;
    uint8_t asked[512] = {0};
    if (!active) continue;
    for (unsigned k = 0; k < WEIR_MAX_LANES; k++) at[k] = 4 * weir_rng_below(&rng, words);
    for (uint64_t left = active; left; left &= left - 1) asked[at[weir_lowest(left)] / 4] = 1;
    for (unsigned bank = 0; bank < 32; bank++) {
      unsigned depth = 0;
      for (unsigned word = bank; word < 512; word += 32) depth += asked[word];
      if (depth > most) most = depth;
    }
    assert_int_equal(cycles(at, active, 4, 32), most);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(strides),
    cmocka_unit_test(broadcast),
    cmocka_unit_test(narrow_elements),
    cmocka_unit_test(wide_elements),
    cmocka_unit_test(banks_of_eight_bytes),
    cmocka_unit_test(random_warps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
