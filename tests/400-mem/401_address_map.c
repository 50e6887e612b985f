// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Where addresses live, by hand: 6 channels interleaved by 256 bytes, 2 slices each, "R12 B3 C4 B1 C2 S6".
#include "mem_test.h"

#include "mem/address_map.h"

static struct weir_address_map fermi_map(void) {
  struct weir_address_map m = {.channels = 6, .slices_per_channel = 2, .interleave_bytes = 256};
  assert_null(weir_address_map_parse(&m, "R12 B3 C4 B1 C2 S6"));
  return m;
}

// Blocks of 256 bytes: block n is block n / 6 of channel n mod 6; of that number, the low bit is the slice and the rest
// the place.
static void slices_by_hand(void **state) {
  (void)state;
  struct weir_address_map m = fermi_map();
  static const struct {
    uint64_t address;
    uint32_t slice;
    uint64_t place;
  } cases[] = {
    {0, 0, 0},
    {255, 0, 255},
    {256, 2, 0},              // channel 1, its block 0
    {5 * 256 + 7, 10, 7},     // channel 5
    {6 * 256, 1, 0},          // channel 0, its block 1: the other slice
    {7 * 256 + 1, 3, 1},      // channel 1, its block 1
    {12 * 256, 0, 256},       // channel 0, its block 2: the first slice's second
    {18 * 256 + 9, 1, 265},   // block 3
    {0x100000, 8, 341 * 256}, // block 4096 = 6 × 682 + 4, 682 = 2 × 341: channel 4, slice 0
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t place;
    assert_int_equal(weir_slice_of(&m, cases[i].address, &place), cases[i].slice);
    assert_int_equal(place, cases[i].place);
  }
}

// Local address, from the low end: 6 bits of byte, 2 of column, 1 of bank (its lowest), 4 of column, 3 of bank, 12 of row.
static void rows_and_banks_by_hand(void **state) {
  (void)state;
  struct weir_address_map m = fermi_map();
  static const struct {
    uint64_t local;
    uint32_t row;
    uint8_t bank;
  } cases[] = {
    {0, 0, 0},
    {0xFF, 0, 0},          // bytes and column
    {0x100, 0, 1},         // bit 8: bank bit 0
    {0x1E00, 0, 0},        // bits 9…12: column
    {0x2000, 0, 2},        // bit 13: bank bit 1
    {0x4000, 0, 4},        // bit 14
    {0x8000, 0, 8},        // bit 15
    {0xE100, 0, 15},       // all of them
    {0x10000, 1, 0},       // bit 16: row
    {0xABC0000, 0xABC, 0}, // bits 16…27
    {0xFFFE100, 0xFFF, 15},
    {UINT64_C(1) << 28, 0, 0}, // beyond the map
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    // The local block number times 6 is the block number in channel 0.
    uint64_t address = (cases[i].local >> 8) * 6 * 256 + (cases[i].local & 255);
    uint32_t row;
    uint8_t bank;
    weir_row_and_bank(&m, address, &row, &bank);
    assert_int_equal(row, cases[i].row);
    assert_int_equal(bank, cases[i].bank);
  }
}

// (slice, place) and address determine each other: no two addresses share both, and the inverse gives the address back.
static void undo(bool hashed) {
  struct weir_address_map m = fermi_map();
  m.hashed = hashed;
  struct weir_rng rng = weir_rng_seed(3, 0);
  for (int i = 0; i < 20000; i++) {
    uint64_t address = weir_rng_next(&rng) >> 24, place;
    uint32_t slice = weir_slice_of(&m, address, &place), channel = slice / 2;
    uint64_t hash = hashed ? (place >> 8) * UINT64_C(0x9E3779B97F4A7C15) >> 32 & UINT32_MAX : 0;
    uint64_t block =
      ((place >> 8) * 2 + (slice % 2 ^ hash % 2)) * 6 + (channel + 6 - hash * 6 / (UINT64_C(1) << 32)) % 6;
    assert_int_equal(block * 256 + (place & 255), address);
  }
}

static void the_map_can_be_undone(void **state) {
  (void)state;
  undo(false);
  undo(true);
}

// 12 channels of 2 slices. Blocks of a slice's round share their hash, and the others of the first rounds theirs; hashes by hand
// (round 1: 0x9E3779B9, of 2^32 times 12 the 7th twelfth, odd; round 2: 0x3C6EF372, the 2nd, even).
static void hashed_slices_by_hand(void **state) {
  (void)state;
  struct weir_address_map m = {.channels = 12, .slices_per_channel = 2, .interleave_bytes = 256, .hashed = true};
  static const struct {
    uint64_t block;
    uint32_t channel, slice;
    uint64_t place;
  } cases[] = {
    {0, 0, 0, 0},  {5, 5, 0, 0},   {12, 0, 1, 0}, {23, 11, 1, 0}, // round 0: hash 0
    {24, 7, 1, 1}, {28, 11, 1, 1}, {29, 0, 1, 1}, {36, 7, 0, 1},  // round 1
    {48, 2, 0, 2}, {60, 2, 1, 2},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t place;
    uint32_t slice = weir_slice_of(&m, cases[i].block * 256 + 3, &place);
    assert_int_equal(slice / 2, cases[i].channel);
    assert_int_equal(slice % 2, cases[i].slice);
    assert_int_equal(place, cases[i].place * 256 + 3);
  }
}

// 2400 blocks that many bytes apart: of each of the 24 slices about 100 (were they drawn at random, six standard deviations were
// 59), where without a hash some strides use one slice alone.
static void no_stride_keeps_to_few_slices(void **state) {
  (void)state;
  enum { BLOCKS = 2400, SLICES = 24 };
  struct weir_address_map m = {.channels = 12, .slices_per_channel = 2, .interleave_bytes = 256, .hashed = true};
  static const uint64_t factors[] = {1, 3, 6, 12, 24};
  for (size_t f = 0; f < sizeof factors / sizeof *factors; f++)
    for (unsigned shift = 8; shift < 20; shift++) {
      unsigned count[SLICES] = {0};
      for (uint64_t i = 0; i < BLOCKS; i++) {
        uint64_t place;
        count[weir_slice_of(&m, i * factors[f] << shift, &place)]++;
      }
      for (unsigned s = 0; s < SLICES; s++) assert_in_range(count[s], 41, 159);
    }
}

// By the reciprocal of the channels as by a division, up to the last byte that there is.
static void division_by_channels(void **state) {
  (void)state;
  struct weir_rng g = weir_rng_seed(401, 0);
  for (uint32_t channels = 1; channels <= 300; channels++) {
    struct weir_address_map m = {.channels = channels, .slices_per_channel = 2, .interleave_bytes = 256};
    assert_null(weir_address_map_parse(&m, "R12 B3 C4 B1 C2 S6"));
    struct weir_address_map divides = m;
    divides.reciprocal = 0;
    for (unsigned i = 0; i < 200; i++) {
      const uint64_t any = weir_rng_next(&g) >> weir_rng_below(&g, 64),
                     multiple = any / (channels * 256) * (channels * 256);
      const uint64_t addresses[] = {any, multiple, multiple - 1, UINT64_MAX - any};
      for (unsigned k = 0; k < sizeof addresses / sizeof *addresses; k++) {
        uint64_t place, expected;
        assert_int_equal(weir_slice_of(&m, addresses[k], &place), weir_slice_of(&divides, addresses[k], &expected));
        assert_int_equal(place, expected);
      }
    }
  }
}

static void malformed_maps_are_named(void **state) {
  (void)state;
  struct weir_address_map m = {.channels = 1, .slices_per_channel = 1, .interleave_bytes = 256};
  assert_non_null(weir_address_map_parse(&m, ""));
  assert_non_null(weir_address_map_parse(&m, "R12 S6"));                             // no bank
  assert_non_null(weir_address_map_parse(&m, "B4 S6"));                              // no row
  assert_non_null(weir_address_map_parse(&m, "R12 X4 B4"));                          // no such field
  assert_non_null(weir_address_map_parse(&m, "R12 B S6"));                           // no number
  assert_non_null(weir_address_map_parse(&m, "R0 B4"));                              // no bits
  assert_non_null(weir_address_map_parse(&m, "R12 B9 S6"));                          // more than 8 bank bits
  assert_non_null(weir_address_map_parse(&m, "R32 B8 C32"));                         // more than 64 bits
  assert_non_null(weir_address_map_parse(&m, "R1B1R1B1R1B1R1B1R1B1R1B1R1B1R1B1R1")); // more than 16 fields
  assert_null(weir_address_map_parse(&m, "R12B3C4B1C2S6"));                          // blanks are optional
  assert_null(weir_address_map_parse(&m, "R16 B4 C6 S6"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(slices_by_hand),
    cmocka_unit_test(rows_and_banks_by_hand),
    cmocka_unit_test(the_map_can_be_undone),
    cmocka_unit_test(hashed_slices_by_hand),
    cmocka_unit_test(no_stride_keeps_to_few_slices),
    cmocka_unit_test(division_by_channels),
    cmocka_unit_test(malformed_maps_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
