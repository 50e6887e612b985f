// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Set index functions: Fermi's against the formula of Nugteren et al. (HPCA 2014) written out bit by bit over byte
// addresses, and what those authors measured; the others against their definitions.
#include "mem_test.h"

static unsigned address_bit(uint64_t address, unsigned i) {
  return address / (UINT64_C(1) << i) % 2;
}

// index = addr[11:7] xor {addr19, addr17, addr15, addr14, addr13}, most significant first; addr12 is bit 5 of 64 sets.
static uint32_t nugteren(uint64_t address, bool sets_64) {
  static const unsigned with[5] = {13, 14, 15, 17, 19};
  uint32_t index = 0;
  for (unsigned i = 0; i < 5; i++) index += (address_bit(address, 7 + i) != address_bit(address, with[i])) * (1u << i);
  return index + (sets_64 ? 32 * address_bit(address, 12) : 0);
}

static void fermi_is_the_published_formula(void **state) {
  (void)state;
  struct weir_rng rng = weir_rng_seed(7, 0);
  for (int i = 0; i < 20000; i++) {
    uint64_t address = weir_rng_next(&rng) >> (i % 40);
    assert_int_equal(weir_index(WEIR_INDEX_FERMI, address >> 7, 5), nugteren(address, false));
    assert_int_equal(weir_index(WEIR_INDEX_FERMI, address >> 7, 6), nugteren(address, true));
  }
}

// Sets (of 32) that `count` blocks at a stride fall into.
static unsigned sets_covered(uint64_t stride, unsigned count) {
  uint64_t seen = 0;
  for (unsigned i = 0; i < count; i++) seen |= UINT64_C(1) << weir_index(WEIR_INDEX_FERMI, i * stride >> 7, 5);
  return weir_popcount(seen);
}

// Strides of a power of two from 4 to 16 KiB reach 16 of the 32 sets, 64 KiB only 4; a linear index would leave them
// 1 set, which is why the hash is there.
static void fermi_spreads_strides_as_measured(void **state) {
  (void)state;
  assert_int_equal(sets_covered(4096, 64), 16);
  assert_int_equal(sets_covered(8192, 64), 16);
  assert_int_equal(sets_covered(16384, 64), 16);
  assert_int_equal(sets_covered(65536, 64), 4);
  assert_int_equal(sets_covered(128, 64), 32);
}

// Among 32 neighbouring aligned lines no two collide: xor with a constant is a bijection.
static void fermi_keeps_neighbours_apart(void **state) {
  (void)state;
  for (uint64_t base = 0; base < 4096; base += 32) {
    uint64_t seen = 0;
    for (uint64_t i = 0; i < 32; i++) seen |= UINT64_C(1) << weir_index(WEIR_INDEX_FERMI, base + i, 5);
    assert_int_equal(seen, UINT32_MAX);
  }
}

static void linear_is_the_remainder(void **state) {
  (void)state;
  for (unsigned bits = 0; bits < 12; bits++)
    for (uint64_t line = 0; line < 5000; line += 7)
      assert_int_equal(weir_index(WEIR_INDEX_LINEAR, line, bits), line % (UINT64_C(1) << bits));
}

// By hand: groups of 4 bits of 0x1A35 are 5, 3, A, 1: 5^3 = 6, ^A = C, ^1 = D.
static void xor_folds_every_group(void **state) {
  (void)state;
  assert_int_equal(weir_index(WEIR_INDEX_XOR, 0x1A35, 4), 0xD);
  assert_int_equal(weir_index(WEIR_INDEX_XOR, 0xF00000000000000FU, 4), 0);
  assert_int_equal(weir_index(WEIR_INDEX_XOR, 0x8000000000000000U, 4), 8);
  assert_int_equal(weir_index(WEIR_INDEX_XOR, 0x1234, 0), 0);
  assert_int_equal(weir_index(WEIR_INDEX_XOR, 7, 1), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(fermi_is_the_published_formula), cmocka_unit_test(fermi_spreads_strides_as_measured),
    cmocka_unit_test(fermi_keeps_neighbours_apart),   cmocka_unit_test(linear_is_the_remainder),
    cmocka_unit_test(xor_folds_every_group),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
