// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Coalescing: cases derived by hand from the rules for compute capability 2.x, then random warps against those rules
// applied byte by byte.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/rng.h"
#include "gpu/coalesce.h"

enum { BASE = 0x10000 };

struct access {
  struct weir_static what;
  struct weir_winstr w;
  struct weir_transaction t[WEIR_MAX_TRANSACTIONS];
  unsigned count;
};

static void begin(struct access *a, enum weir_op_class class, unsigned element, unsigned vector) {
  memset(a, 0, sizeof *a);
  a->what.op_class = (uint8_t) class;
  a->what.element_bytes = (uint8_t)element;
  a->what.access_bytes = (uint8_t)(element * vector);
  a->w.what = &a->what;
}

static void lane(struct access *a, unsigned i, uint64_t address) {
  a->w.active |= UINT64_C(1) << i;
  a->w.address[i] = address;
}

// `lanes` lanes `stride` bytes apart.
static void strided(struct access *a, unsigned element, uint64_t from, uint64_t stride, unsigned lanes) {
  begin(a, WEIR_CLASS_LOAD, element, 1);
  for (unsigned i = 0; i < lanes; i++) lane(a, i, from + i * stride);
}

static void coalesce(struct access *a, uint32_t segment) {
  a->count = weir_coalesce(&a->w, segment, true, a->t);
}

static void assert_is(const struct weir_transaction *t, uint64_t address, unsigned bytes, unsigned lanes) {
  assert_int_equal(t->address, address);
  assert_int_equal(t->bytes, bytes);
  assert_int_equal(t->lanes, lanes);
}

// 32 lanes, elements side by side: 32 bytes of 1-byte elements are one segment of 32, 64 bytes of 2-byte ones one of 64,
// 128 of 4-byte ones one of 128; 8-byte ones take two, 16-byte ones four.
static void unit_stride(void **state) {
  (void)state;
  static const struct {
    unsigned element, count, bytes, lanes;
  } cases[] = {{1, 1, 32, 32}, {2, 1, 64, 32}, {4, 1, 128, 32}, {8, 2, 128, 16}, {16, 4, 128, 8}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct access a;
    strided(&a, cases[i].element, BASE, cases[i].element, 32);
    coalesce(&a, 128);
    assert_int_equal(a.count, cases[i].count);
    for (unsigned k = 0; k < a.count; k++) // in descending order
      assert_is(&a.t[k], BASE + (a.count - 1 - k) * 128, cases[i].bytes, cases[i].lanes);
  }
}

// 4-byte elements every s elements touch 32 × 4 s bytes: s segments of 128, each with 32 / s lanes. From stride 32 on a
// lane has a segment, shrunk to the 32 bytes it uses.
static void strides(void **state) {
  (void)state;
  for (unsigned s = 1; s <= 32; s *= 2) {
    struct access a;
    strided(&a, 4, BASE, 4 * s, 32);
    coalesce(&a, 128);
    assert_int_equal(a.count, s);
    for (unsigned k = 0; k < s; k++)
      // Lanes 4 s bytes apart reach the last quarter of the segment unless there is one lane, or two 64 bytes apart:
      // those two lie in different halves, which shrinks nothing.
      assert_is(&a.t[k], BASE + (uint64_t)(s - 1 - k) * 128, s == 32 ? 32 : 128, 32 / s);
  }
}

// One element off, 32 lanes reach into a second segment: 31 lanes in the first, which is still used in both halves; the
// last alone, in a quarter.
static void misaligned(void **state) {
  (void)state;
  struct access a;
  strided(&a, 4, BASE + 4, 4, 32);
  coalesce(&a, 128);
  assert_int_equal(a.count, 2);
  assert_is(&a.t[0], BASE + 128, 32, 1);
  assert_is(&a.t[1], BASE, 128, 31);
}

// An element across two segments belongs to both.
static void straddling(void **state) {
  (void)state;
  struct access a;
  begin(&a, WEIR_CLASS_LOAD, 4, 4);
  lane(&a, 3, BASE + 120);
  coalesce(&a, 128);
  assert_int_equal(a.count, 2);
  assert_is(&a.t[0], BASE + 128, 32, 1);
  assert_is(&a.t[1], BASE + 96, 32, 1);
}

// Only one half, or one quarter, used.
static void shrinking(void **state) {
  (void)state;
  static const struct {
    unsigned first, last; // bytes of a segment used
    unsigned at, bytes;
  } cases[] = {{0, 0, 0, 32},  {28, 28, 0, 32},  {32, 32, 32, 32}, {64, 64, 64, 32}, {124, 124, 96, 32}, {0, 32, 0, 64},
               {60, 0, 0, 64}, {64, 96, 64, 64}, {32, 64, 0, 128}, {0, 124, 0, 128}, {96, 100, 96, 32}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct access a;
    begin(&a, WEIR_CLASS_LOAD, 4, 1);
    lane(&a, 0, BASE + cases[i].first);
    lane(&a, 31, BASE + cases[i].last);
    coalesce(&a, 128);
    assert_int_equal(a.count, 1);
    assert_is(&a.t[0], BASE + cases[i].at, cases[i].bytes, 2);
  }
}

// 2-byte elements never take more than 64 bytes, 1-byte ones 32; without that rule both take 128.
static void narrow_elements(void **state) {
  (void)state;
  struct access a;
  strided(&a, 2, BASE, 4, 32);
  assert_int_equal(weir_coalesce(&a.w, 128, true, a.t), 2);
  assert_is(&a.t[0], BASE + 64, 64, 16);
  assert_int_equal(weir_coalesce(&a.w, 128, false, a.t), 1);
  assert_is(&a.t[0], BASE, 128, 32);
  strided(&a, 1, BASE, 4, 32);
  assert_int_equal(weir_coalesce(&a.w, 128, true, a.t), 4);
  assert_int_equal(weir_coalesce(&a.w, 128, false, a.t), 1);
}

static void inactive_lanes(void **state) {
  (void)state;
  struct access a;
  strided(&a, 4, BASE, 128, 32);
  a.w.active = 0x80000001;
  coalesce(&a, 128);
  assert_int_equal(a.count, 2);
  assert_is(&a.t[0], BASE + 31 * 128, 32, 1);
  assert_is(&a.t[1], BASE, 32, 1);
  a.w.active = 0;
  coalesce(&a, 128);
  assert_int_equal(a.count, 0);
}

// A wavefront of 64 lanes over segments of 64 bytes: 16 lanes of 4 bytes each.
static void wavefronts(void **state) {
  (void)state;
  struct access a;
  strided(&a, 4, BASE, 4, 64);
  coalesce(&a, 64);
  assert_int_equal(a.count, 4);
  for (unsigned k = 0; k < 4; k++) assert_is(&a.t[k], BASE + (3 - k) * 64, 64, 16);
  strided(&a, 4, BASE, 64, 64);
  coalesce(&a, 64);
  assert_int_equal(a.count, 64);
  assert_is(&a.t[63], BASE, 32, 1);
}

// A store knows which 32-byte parts it writes whole, counted from its first byte.
static void whole_parts(void **state) {
  (void)state;
  struct access a;
  begin(&a, WEIR_CLASS_STORE, 4, 1);
  for (unsigned i = 0; i < 32; i++)
    if (i != 9) lane(&a, i, BASE + 4 * i);
  coalesce(&a, 128);
  assert_int_equal(a.t[0].full, 0xD); // the second lacks lane 9
  begin(&a, WEIR_CLASS_STORE, 4, 1);
  for (unsigned i = 0; i < 8; i++) lane(&a, i, BASE + 96 + 4 * i);
  coalesce(&a, 128);
  assert_is(&a.t[0], BASE + 96, 32, 8);
  assert_int_equal(a.t[0].full, 1);
  begin(&a, WEIR_CLASS_STORE, 4, 4);
  lane(&a, 0, BASE + 16);
  lane(&a, 1, BASE + 0);
  coalesce(&a, 128);
  assert_int_equal(a.t[0].full, 1);
}

// Atomics: 32-byte segments; lanes that meet in a byte go one after the other, in different transactions.
static void atomics(void **state) {
  (void)state;
  struct access a;
  begin(&a, WEIR_CLASS_ATOMIC, 4, 1);
  for (unsigned i = 0; i < 32; i++) lane(&a, i, BASE + 4 * i);
  assert_int_equal(weir_coalesce_atomic(&a.w, a.t), 4);
  for (unsigned k = 0; k < 4; k++) assert_is(&a.t[k], BASE + 32 * (3 - k), 32, 8);
  begin(&a, WEIR_CLASS_ATOMIC, 4, 1);
  for (unsigned i = 0; i < 32; i++) lane(&a, i, BASE);
  assert_int_equal(weir_coalesce_atomic(&a.w, a.t), 32);
  begin(&a, WEIR_CLASS_ATOMIC, 4, 1);
  for (unsigned i = 0; i < 32; i++) lane(&a, i, BASE + 4 * (i % 8)); // four lanes to each word of one segment
  assert_int_equal(weir_coalesce_atomic(&a.w, a.t), 4);
  for (unsigned k = 0; k < 4; k++) assert_is(&a.t[k], BASE, 32, 8);
  begin(&a, WEIR_CLASS_ATOMIC, 8, 1);
  lane(&a, 0, BASE + 8);
  lane(&a, 1, BASE + 16);
  lane(&a, 2, BASE + 8);
  assert_int_equal(weir_coalesce_atomic(&a.w, a.t), 2);
}

// ---- against the rules, byte by byte ---------------------------------------------------------------------------------

enum { SPAN = 4096 };

static void check_random(struct weir_rng *rng) {
  static const unsigned elements[] = {1, 2, 4, 8, 16};
  struct access a;
  unsigned element = elements[weir_rng_below(rng, 5)], lanes = weir_rng_below(rng, 2) ? 32 : 64;
  unsigned vector = element <= 4 && weir_rng_below(rng, 2) ? 4 : 1;
  uint32_t segment = 32u << weir_rng_below(rng, 3);
  uint64_t spread = 1 + weir_rng_below(rng, SPAN / 2);
  begin(&a, weir_rng_below(rng, 2) ? WEIR_CLASS_LOAD : WEIR_CLASS_STORE, element, vector);
  for (unsigned i = 0; i < lanes; i++)
    if (weir_rng_below(rng, 8)) lane(&a, i, BASE + weir_rng_below(rng, spread) / element * element); // element-aligned
  coalesce(&a, segment);
  uint32_t size = element == 1 ? 32 : element == 2 ? 64 : segment;
  if (size > segment) size = segment;
  static uint8_t used[SPAN];
  memset(used, 0, sizeof used);
  for (uint64_t left = a.w.active; left; left &= left - 1)
    memset(used + (a.w.address[weir_lowest(left)] - BASE), 1, a.what.access_bytes);
  unsigned expected = 0;
  for (unsigned base = SPAN; base;) {
    base -= size;
    unsigned first = base, bytes = size, parts = 0;
    if (!memchr(used + base, 1, size)) continue;
    for (; bytes > 32; bytes /= 2) { // the half that alone is used
      bool low = memchr(used + first, 1, bytes / 2) != NULL,
           high = memchr(used + first + bytes / 2, 1, bytes / 2) != NULL;
      if (low && high) break;
      if (high) first += bytes / 2;
    }
    for (unsigned part = 0; part < bytes / 32; part++)
      if (!memchr(used + first + 32 * part, 0, 32)) parts |= 1u << part;
    assert_true(expected < a.count);
    assert_int_equal(a.t[expected].address, BASE + first);
    assert_int_equal(a.t[expected].bytes, bytes);
    if (a.what.op_class == WEIR_CLASS_STORE) assert_int_equal(a.t[expected].full, parts);
    expected++;
  }
  assert_int_equal(a.count, expected);
}

// Loads that go past the first level come in sectors of the next, which may have 256 bytes. No bytes are marked as written, whatever
// was in the room for further transactions.
static void long_segments(void **state) {
  (void)state;
  struct access a;
  strided(&a, 8, BASE, 8, 32);
  memset(a.t, 0xFF, sizeof a.t);
  a.count = weir_coalesce(&a.w, 256, false, a.t);
  assert_int_equal(a.count, 1);
  assert_is(&a.t[0], BASE, 256, 32);
  assert_int_equal(a.t[0].full, 0);
}

static void random_warps(void **state) {
  (void)state;
  struct weir_rng rng = weir_rng_seed(1, 5);
  for (int i = 0; i < 20000; i++) check_random(&rng);
}

// The bytes of a sector that some lane uses, from what the lanes say.
static uint32_t bytes_of(const struct access *a, uint64_t sector) {
  uint32_t used = 0;
  for (unsigned i = 0; i < 64; i++)
    for (unsigned k = 0; a->w.active >> i & 1 && k < a->what.access_bytes; k++)
      if ((a->w.address[i] + k) / 32 == sector / 32) used |= UINT32_C(1) << (a->w.address[i] + k) % 32;
  return used;
}

static void assert_bytes(const struct access *a) {
  for (unsigned k = 0; k < a->count; k++) assert_int_equal(a->t[k].used, bytes_of(a, a->t[k].address));
}

// Stores say which bytes of a sector they write, however their lanes lie; loads when they are marked: a word, two bytes at its end and in
// the next sector, a row of words from the middle of a sector on.
static void bytes_of_sectors(void **state) {
  (void)state;
  struct access a;
  begin(&a, WEIR_CLASS_STORE, 2, 1);
  lane(&a, 0, BASE + 30);
  lane(&a, 1, BASE + 32);
  coalesce(&a, 32);
  assert_int_equal(a.count, 2);
  assert_int_equal(a.t[0].used, 0x3);
  assert_int_equal(a.t[1].used, 0xC0000000);
  struct weir_rng rng = {9};
  for (unsigned i = 0; i < 3000; i++) {
    const unsigned element = 1u << weir_rng_below(&rng, 4), spread = 32u << weir_rng_below(&rng, 6);
    const bool row = weir_rng_below(&rng, 3) == 0;
    begin(&a, i & 1 ? WEIR_CLASS_STORE : WEIR_CLASS_LOAD, element, 1u << weir_rng_below(&rng, 2));
    const uint64_t from = BASE + weir_rng_below(&rng, 100);
    for (unsigned l = 0; l < 32; l++)
      if (row || weir_rng_below(&rng, 2))
        lane(&a, l, row ? from + l * a.what.access_bytes : BASE + weir_rng_below(&rng, spread));
    if (!a.w.active) continue;
    if (row) a.w.spread = WEIR_SPREAD_ROW, a.w.low = from, a.w.high = from + 31 * a.what.access_bytes;
    a.count = weir_coalesce(&a.w, 32, false, a.t);
    if (a.what.op_class == WEIR_CLASS_LOAD) weir_coalesce_mark(&a.w, a.t, a.count);
    assert_bytes(&a);
  }
}

// Runs of lanes side by side, or at one address: the same transactions as of lanes of which nothing is known.
static void runs(void **state) {
  (void)state;
  struct access a, b;
  struct weir_rng rng = {11};
  for (unsigned i = 0; i < 6000; i++) {
    const unsigned element = 1u << weir_rng_below(&rng, 4), lanes = i % 3 ? 32 : 64;
    const uint32_t segment = 32u << weir_rng_below(&rng, 3);
    begin(&a, i & 1 ? WEIR_CLASS_STORE : WEIR_CLASS_LOAD, element, 1u << weir_rng_below(&rng, 2));
    const unsigned bytes = a.what.access_bytes, aligned = weir_rng_below(&rng, 4) ? bytes : 1;
    uint64_t at = BASE, step = bytes;
    for (unsigned l = 0; l < lanes; l++) {
      if (!l || !weir_rng_below(&rng, 10)) {
        at = BASE + weir_rng_below(&rng, 400) * aligned;
        step = weir_rng_below(&rng, 3) ? bytes : 0;
      } else {
        at += weir_rng_below(&rng, 20) ? step : bytes;
      }
      lane(&a, l, at);
      if (l && (at == a.w.address[l - 1] || at == a.w.address[l - 1] + bytes)) a.w.follows |= UINT64_C(1) << l;
    }
    b = a;
    b.w.what = &b.what;
    a.w.spread = WEIR_SPREAD_RUNS;
    a.w.low = UINT64_MAX;
    for (unsigned l = 0; l < lanes; l++) {
      a.w.low = a.w.address[l] < a.w.low ? a.w.address[l] : a.w.low;
      a.w.high = a.w.address[l] > a.w.high ? a.w.address[l] : a.w.high;
    }
    coalesce(&a, segment);
    coalesce(&b, segment);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.t, b.t, a.count * sizeof *a.t);
    for (unsigned banks = 16; banks <= 128; banks *= 2)
      assert_int_equal(weir_bank_cycles(&a.w, banks, 4), weir_bank_cycles(&b.w, banks, 4));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(unit_stride),      cmocka_unit_test(strides),      cmocka_unit_test(misaligned),
    cmocka_unit_test(straddling),       cmocka_unit_test(shrinking),    cmocka_unit_test(narrow_elements),
    cmocka_unit_test(inactive_lanes),   cmocka_unit_test(wavefronts),   cmocka_unit_test(whole_parts),
    cmocka_unit_test(atomics),          cmocka_unit_test(random_warps), cmocka_unit_test(long_segments),
    cmocka_unit_test(bytes_of_sectors), cmocka_unit_test(runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
