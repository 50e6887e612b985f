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

// In each aligned range of 512 lines every set has one, wherever the range lies.
static void mixed_keeps_neighbours_apart(void **state) {
  (void)state;
  for (uint64_t range = 0; range < 300; range++) {
    bool seen[512] = {false};
    for (uint64_t i = 0; i < 512; i++) seen[weir_index(WEIR_INDEX_MIXED, (range * 977 << 9) + i, 9)] = true;
    for (unsigned set = 0; set < 512; set++) assert_true(seen[set]);
  }
  assert_int_equal(weir_index(WEIR_INDEX_MIXED, 0x1234, 0), 0);
}

// Arrays of 16 KiB, one behind the other, of each of which a core reads the same 1 KiB: as many lines as 34 features of 256 points have,
// 272 of 512 sets. Of 128 KiB between them as well. No set gets more than four; linear, four sets get them all, 32 lines of them in groups of 8.
static void mixed_spreads_strides(void **state) {
  (void)state;
  for (unsigned lines = 128; lines <= 1024; lines *= 8) {
    unsigned in[512] = {0}, linear[512] = {0}, most = 0, most_linear = 0;
    for (uint64_t array = 0; array < 34; array++)
      for (uint64_t i = 0; i < 8; i++) {
        const uint64_t line = array * lines + i;
        const unsigned n = ++in[weir_index(WEIR_INDEX_MIXED, line, 9)],
                       m = ++linear[weir_index(WEIR_INDEX_LINEAR, line, 9)];
        if (n > most) most = n;
        if (m > most_linear) most_linear = m;
      }
    assert_in_range(most, 1, 4);
    assert_int_equal(most_linear, lines == 128 ? 9 : 34);
  }
}

// The golden ratio's multiples modulo 1, in 512ths, by arithmetic of 128 bits.
static void mixed_is_a_multiplication(void **state) {
  (void)state;
  struct weir_rng rng = weir_rng_seed(9, 0);
  for (int i = 0; i < 5000; i++) {
    const uint64_t line = weir_rng_next(&rng) >> (i % 50), high = line / 512;
    const unsigned __int128 product =
      (unsigned __int128)high * UINT64_C(0x9E3779B97F4A7C15) % ((unsigned __int128)1 << 64);
    assert_int_equal(weir_index(WEIR_INDEX_MIXED, line, 9), (line % 512) ^ (uint64_t)(product / (UINT64_C(1) << 55)));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(fermi_is_the_published_formula), cmocka_unit_test(fermi_spreads_strides_as_measured),
    cmocka_unit_test(fermi_keeps_neighbours_apart),   cmocka_unit_test(linear_is_the_remainder),
    cmocka_unit_test(xor_folds_every_group),          cmocka_unit_test(mixed_keeps_neighbours_apart),
    cmocka_unit_test(mixed_spreads_strides),          cmocka_unit_test(mixed_is_a_multiplication),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
