// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which look-ups a cache may make in one cycle: one per bank, sectors of one line together, banks by a line's lowest bits or by a
// hash.
#include "mem_test.h"

static unsigned claims_of(const struct weir_cache *c, const uint64_t *places, unsigned count) {
  struct weir_bank_claims claims = {0};
  unsigned n = 0;
  while (n < count && weir_cache_claim_bank(c, places[n], &claims)) n++;
  return n;
}

static struct bench *bench_of(uint32_t banks, bool line_lookups, bool hash) {
  struct weir_cache_params p = small_cache();
  p.banks = banks;
  p.sector_bytes = 32;
  p.line_lookups = line_lookups;
  p.bank_hash = hash;
  return bench_new(&p);
}

// Four banks of lines of 128 bytes: four lines in a row, not a fifth; two lines four apart are of one bank.
static void one_per_bank(void **state) {
  (void)state;
  struct bench *b = bench_of(4, false, false);
  static const uint64_t row[] = {0, 128, 256, 384, 512}, apart[] = {0, 512}, twice[] = {0, 32};
  assert_int_equal(claims_of(&b->cache, row, 5), 4);
  assert_int_equal(claims_of(&b->cache, apart, 2), 1);
  assert_int_equal(claims_of(&b->cache, twice, 2), 1); // each is a look-up
  bench_free(b);
}

// With look-ups of lines, sectors of 32 bytes of one line share it: sixteen sectors of four lines in one cycle, but not those of a
// line that was left.
static void sectors_share_a_look_up(void **state) {
  (void)state;
  struct bench *b = bench_of(4, true, false);
  uint64_t sectors[17];
  for (unsigned i = 0; i < 17; i++) sectors[i] = 32 * i;
  assert_int_equal(claims_of(&b->cache, sectors, 17), 16);
  static const uint64_t back[] = {0, 128, 32};
  assert_int_equal(claims_of(&b->cache, back, 3), 2);
  bench_free(b);
}

// Hashed, the banks of 4^k lines in a row are as many of each, and so are those of lines four apart, which the lowest bits give
// one bank.
static void hashed_banks_spread(void **state) {
  (void)state;
  struct bench *b = bench_of(4, true, true);
  for (unsigned step = 1; step <= 4; step *= 4) {
    unsigned conflicts = 0;
    for (uint64_t line = 0; line < 1024; line += 4 * step) {
      const uint64_t four[] = {line * 128, (line + step) * 128, (line + 2 * step) * 128, (line + 3 * step) * 128};
      conflicts += claims_of(&b->cache, four, 4) != 4;
    }
    assert_int_equal(conflicts, 0);
  }
  bench_free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_per_bank),
    cmocka_unit_test(sectors_share_a_look_up),
    cmocka_unit_test(hashed_banks_spread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
