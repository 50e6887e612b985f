// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Bit operations, selections and comparisons against bit-by-bit definitions from the PTX ISA.
#include "operation.h"

#include <math.h>

#define REF(name, expr)                                                                                                \
  static uint64_t name(uint64_t a, uint64_t b, uint64_t c) {                                                           \
    (void)a, (void)b, (void)c;                                                                                         \
    return (uint64_t)(expr);                                                                                           \
  }

static unsigned bit(uint64_t x, unsigned k) {
  return x >> k & 1;
}

static uint64_t shift_left(uint64_t x, uint32_t n, unsigned width) {
  uint64_t r = 0;
  for (unsigned k = 0; k < width; k++)
    if (k >= n) r |= (uint64_t)bit(x, k - n) << k;
  return r;
}

static uint64_t shift_right(uint64_t x, uint32_t n, unsigned width, unsigned fill) {
  uint64_t r = 0;
  for (unsigned k = 0; k < width; k++) r |= (uint64_t)((uint64_t)k + n < width ? bit(x, k + n) : fill) << k;
  return r;
}

// clang-format off
REF(and_, a & b) REF(or_, a | b) REF(xor_, a ^ b) REF(not_, ~a)
REF(cnot16, low_bits(a, 16) == 0) REF(cnot32, low_bits(a, 32) == 0) REF(cnot64, a == 0)
REF(shl16, shift_left(a, (uint32_t)b, 16)) REF(shl32, shift_left(a, (uint32_t)b, 32)) REF(shl64, shift_left(a, (uint32_t)b, 64))
REF(shr_u16, shift_right(a, (uint32_t)b, 16, 0)) REF(shr_u32, shift_right(a, (uint32_t)b, 32, 0))
REF(shr_u64, shift_right(a, (uint32_t)b, 64, 0))
REF(shr_s16, shift_right(a, (uint32_t)b, 16, bit(a, 15))) REF(shr_s32, shift_right(a, (uint32_t)b, 32, bit(a, 31)))
REF(shr_s64, shift_right(a, (uint32_t)b, 64, bit(a, 63)))
// clang-format on

// shf: 64 bits b:a, of which a window is taken.
static uint64_t funnel(uint64_t a, uint64_t b, unsigned n, bool left) {
  uint64_t r = 0;
  for (unsigned k = 0; k < 32; k++) {
    const unsigned from = left ? k + 32 - n : k + n;
    r |= (uint64_t)(from < 32 ? bit(a, from) : bit(b, from - 32)) << k;
  }
  return r;
}
static unsigned at_most_32(uint64_t c) {
  return (uint32_t)c > 32 ? 32 : (uint32_t)c;
}
// clang-format off
REF(shf_lc, funnel(a, b, at_most_32(c), true)) REF(shf_rc, funnel(a, b, at_most_32(c), false))
REF(shf_lw, funnel(a, b, c & 31, true)) REF(shf_rw, funnel(a, b, c & 31, false))
// clang-format on

static uint64_t table_lookup(uint64_t a, uint64_t b, uint64_t c, unsigned table) {
  uint64_t r = 0;
  for (unsigned k = 0; k < 32; k++) r |= (uint64_t)(table >> (bit(a, k) * 4 + bit(b, k) * 2 + bit(c, k)) & 1) << k;
  return r;
}
REF(lop3_96, table_lookup(a, b, c, 0x96))
REF(lop3_ca, table_lookup(a, b, c, 0xca))
REF(lop3_1b, table_lookup(a, b, c, 0x1b))

// The loop of the PTX ISA's semantics for bfe.
static uint64_t extract(uint64_t a, uint64_t b, uint64_t c, unsigned width, bool is_signed) {
  const unsigned msb = width - 1, position = b & 255, length = c & 255;
  unsigned sign = 0;
  if (is_signed && length) sign = bit(a, position + length - 1 < msb ? position + length - 1 : msb);
  uint64_t r = 0;
  for (unsigned k = 0; k <= msb; k++)
    r |= (uint64_t)(k < length && position + k <= msb ? bit(a, position + k) : sign) << k;
  return r;
}
// clang-format off
REF(bfe_u32, extract(a, b, c, 32, false)) REF(bfe_s32, extract(a, b, c, 32, true))
REF(bfe_u64, extract(a, b, c, 64, false)) REF(bfe_s64, extract(a, b, c, 64, true))
// clang-format on

static uint64_t insert(uint64_t a, uint64_t b, unsigned position, unsigned length, unsigned width) {
  uint64_t r = b;
  for (unsigned k = 0; k < length && position + k < width; k++)
    r = (r & ~(UINT64_C(1) << (position + k))) | (uint64_t)bit(a, k) << (position + k);
  return r;
}
REF(bfi32, insert(a, b, c & 255, 9, 32))
REF(bfi64, insert(a, b, c & 255, 40, 64))

static uint64_t find(uint64_t a, unsigned width, bool is_signed, bool shift) {
  const unsigned ignore = is_signed && bit(a, width - 1);
  for (unsigned k = width; k-- > 0;)
    if (bit(a, k) != ignore) return shift ? width - 1 - k : k;
  return UINT32_MAX;
}
// clang-format off
REF(bfind_u32, find(a, 32, false, false)) REF(bfind_s32, find(a, 32, true, false)) REF(bfind_u64, find(a, 64, false, false))
REF(bfind_s64, find(a, 64, true, false)) REF(bfinds_u32, find(a, 32, false, true)) REF(bfinds_s64, find(a, 64, true, true))
// clang-format on

static uint64_t reverse(uint64_t a, unsigned width) {
  uint64_t r = 0;
  for (unsigned k = 0; k < width; k++) r |= (uint64_t)bit(a, k) << (width - 1 - k);
  return r;
}
static uint64_t population(uint64_t a, unsigned width) {
  uint64_t n = 0;
  for (unsigned k = 0; k < width; k++) n += bit(a, k);
  return n;
}
static uint64_t leading(uint64_t a, unsigned width) {
  unsigned n = 0;
  while (n < width && !bit(a, width - 1 - n)) n++;
  return n;
}
// clang-format off
REF(brev32, reverse(a, 32)) REF(brev64, reverse(a, 64)) REF(popc32, population(a, 32)) REF(popc64, population(a, 64))
REF(clz32, leading(a, 32)) REF(clz64, leading(a, 64))
// clang-format on

static uint64_t bytes(uint64_t a, uint64_t b, const unsigned selector[4]) {
  const uint64_t all = low_bits(a, 32) | b << 32;
  uint64_t r = 0;
  for (unsigned k = 0; k < 4; k++) {
    uint64_t byte = all >> (8 * (selector[k] & 7)) & 255;
    if (selector[k] & 8) byte = byte & 128 ? 255 : 0;
    r |= byte << (8 * k);
  }
  return r;
}
#define PICK(w, x, y, z) bytes(a, b, (const unsigned[]){w, x, y, z})
REF(prmt, PICK(c & 15, c >> 4 & 15, c >> 8 & 15, c >> 12 & 15))
REF(f4e, PICK(0 + (c & 3), 1 + (c & 3), 2 + (c & 3), 3 + (c & 3)))
REF(b4e, PICK((0 + (c & 3)) & 7, (7 + (c & 3)) & 7, (6 + (c & 3)) & 7, (5 + (c & 3)) & 7))
REF(rc8, PICK(c & 3, c & 3, c & 3, c & 3))
REF(rc16, PICK(c & 1 ? 2 : 0, c & 1 ? 3 : 1, c & 1 ? 2 : 0, c & 1 ? 3 : 1))
static unsigned higher(unsigned x, unsigned y) {
  return x > y ? x : y;
}
static unsigned lower(unsigned x, unsigned y) {
  return x < y ? x : y;
}
REF(ecl, PICK(higher(0, c & 3), higher(1, c & 3), higher(2, c & 3), 3))
REF(ecr, PICK(0, lower(1, c & 3), lower(2, c & 3), lower(3, c & 3)))

static uint64_t bits(float f) {
  uint32_t x;
  memcpy(&x, &f, 4);
  return x;
}
static float ftz(uint64_t x) {
  const float f = f32(x);
  return fabsf(f) < 0x1p-126f ? copysignf(0, f) : f;
}
// clang-format off
REF(pack16, low_bits(a, 16) | low_bits(b, 16) << 16)
REF(pack16_4, low_bits(a, 16) | low_bits(b, 16) << 16 | low_bits(c, 16) << 32 | low_bits(a, 16) << 48)
REF(pack16_one, low_bits(a, 16) | 0x3c000000)
REF(pack32, low_bits(a, 32) | b << 32)
REF(unpack16, low_bits(a >> 16, 16)) REF(unpack16_4, low_bits(a >> 32, 16))
REF(slct_s, (int32_t)c >= 0 ? a : b) REF(slct_f, f32(c) >= 0 ? a : b) REF(slct_z, ftz(c) >= 0 ? a : b)
// clang-format on
// clang-format off
#define COMPARE(name, op)                                                                                           \
  REF(name##_s16, (int16_t)a op (int16_t)b) REF(name##_u16, (uint16_t)a op (uint16_t)b)                             \
  REF(name##_s32, (int32_t)a op (int32_t)b) REF(name##_u32, (uint32_t)a op (uint32_t)b)                             \
  REF(name##_s64, (int64_t)a op (int64_t)b) REF(name##_u64, a op b)                                                 \
  REF(name##_f32, f32(a) op f32(b)) REF(name##_f64, f64(a) op f64(b)) REF(name##_z32, ftz(a) op ftz(b))             \
  REF(name##u_f32, isnan(f32(a)) || isnan(f32(b)) || f32(a) op f32(b))                                              \
  REF(name##u_f64, isnan(f64(a)) || isnan(f64(b)) || f64(a) op f64(b))
// clang-format on
// clang-format off
COMPARE(eq, ==) COMPARE(lt, <) COMPARE(le, <=) COMPARE(gt, >) COMPARE(ge, >=)
REF(ne_s32, (uint32_t)a != (uint32_t)b) REF(ne_f32, f32(a) < f32(b) || f32(a) > f32(b))
REF(neu_f32, !(f32(a) == f32(b))) REF(ne_f64, f64(a) < f64(b) || f64(a) > f64(b))
REF(num_f32, !isnan(f32(a)) && !isnan(f32(b))) REF(nan_f64, isnan(f64(a)) || isnan(f64(b)))
REF(set_lt, f32(a) < f32(b) ? UINT32_MAX : 0) REF(set_ge_f, (int32_t)a >= (int32_t)b ? 0x3f800000 : 0)
// clang-format on

static uint64_t mask_of(uint64_t position, uint64_t length) {
  uint64_t r = 0;
  for (uint64_t k = 0; k < 32; k++) r |= (uint64_t)(k >= position && k - position < length) << k;
  return r;
}
REF(bmsk_clamp, mask_of(low_bits(a, 32), low_bits(b, 32)))
REF(bmsk_wrap, mask_of(a & 31, b & 31))
static uint64_t extend(uint64_t a, uint64_t n, bool is_signed) {
  uint64_t r = 0;
  for (unsigned k = 0; k < 32 && n; k++) r |= (uint64_t)(k < n ? bit(a, k) : is_signed && bit(a, (unsigned)n - 1)) << k;
  return r;
}
REF(szext_s, extend(a, at_most_32(b), true))
REF(szext_u, extend(a, at_most_32(b), false))
REF(szext_sw, extend(a, b & 31, true))
static uint64_t dot(uint64_t a, uint64_t b, uint64_t c, bool a_signed, bool b_signed) {
  for (unsigned k = 0; k < 32; k += 8)
    c += (uint64_t)((a_signed ? (int8_t)(a >> k) : (int64_t)(uint8_t)(a >> k)) *
                    (b_signed ? (int8_t)(b >> k) : (int64_t)(uint8_t)(b >> k)));
  return c;
}
// clang-format off
REF(dp4a_us, dot(a, b, c, false, true)) REF(dp4a_ss, dot(a, b, c, true, true)) REF(dp4a_uu, dot(a, b, c, false, false))
REF(dp2a_hi, c + (uint64_t)((int16_t)a * (int64_t)(uint8_t)(b >> 16) + (int16_t)(a >> 16) * (int64_t)(uint8_t)(b >> 24)))
REF(dp2a_lo, c + (uint64_t)((int64_t)(uint16_t)a * (int8_t)b + (int64_t)(uint16_t)(a >> 16) * (int8_t)(b >> 8)))
// clang-format on
// The pseudocode of the PTX ISA.
static uint64_t nth(uint64_t mask, uint64_t base, int32_t offset) {
  if (base > 31) return UINT32_MAX;
  if (offset == 0) return bit(mask, (unsigned)base) ? base : UINT32_MAX;
  int64_t position = (int64_t)base, count = llabs(offset) - 1;
  const int step = offset > 0 ? 1 : -1;
  for (; position >= 0 && position < 32; position += step) {
    if (!bit(mask, (unsigned)position)) continue;
    if (count == 0) return (uint64_t)position;
    count--;
  }
  return UINT32_MAX;
}
// clang-format off
REF(fns, nth(a, low_bits(b, 32), (int32_t)c))
REF(copysign32, bits(copysignf(f32(b), f32(a)))) REF(finite32, isfinite(f32(a))) REF(normal32, isnormal(f32(a)))
REF(subnormal64, fpclassify(f64(a)) == FP_SUBNORMAL) REF(infinite64, isinf(f64(a)) != 0) REF(number32, !isnan(f32(a)))
REF(nan32, isnan(f32(a)))
// clang-format on

static uint64_t random_float(struct weir_rng *r) {
  static const uint64_t corner[] = {
    0,          0x80000000, 0x7f800000,         0xff800000,         0x7fc00001,         1,
    0x80000001, 0x3f800000, 0x7ff8000000000000, 0x7ff0000000000000, 0x8000000000000000, 0xfff8000012345678};
  const uint64_t x = weir_rng_next(r);
  return x % 2 ? corner[weir_rng_below(r, sizeof corner / sizeof *corner)] : weir_rng_next(r);
}

struct entry {
  struct operation o;
  integer_reference expected;
};
#define ONE(op, to, bits, f)                                                                                           \
  { {op " %d, %a", "b" #to, "b" #bits, NULL, NULL}, f }
#define TWO(op, bits, f)                                                                                               \
  { {op " %d, %a, %b", "b" #bits, "b" #bits, "b" #bits, NULL}, f }
#define SHIFT(op, bits, f)                                                                                             \
  { {op " %d, %a, %b", "b" #bits, "b" #bits, "b32", NULL}, f }
#define THREE(op, f)                                                                                                   \
  { {op " %d, %a, %b, %c", "b32", "b32", "b32", "b32"}, f }
#define TEST(op, bits, f)                                                                                              \
  { {"setp." op " %d, %a, %b", "pred", "b" #bits, "b" #bits, NULL}, f }
// clang-format off
#define TESTS(cmp, name) \
  TEST(cmp ".s16", 16, name##_s16), TEST(cmp ".u16", 16, name##_u16), TEST(cmp ".s32", 32, name##_s32), \
  TEST(cmp ".u32", 32, name##_u32), TEST(cmp ".s64", 64, name##_s64), TEST(cmp ".u64", 64, name##_u64)
// clang-format on

static const struct entry entries[] = {
  TWO("and.b16", 16, and_),
  TWO("and.b32", 32, and_),
  TWO("or.b64", 64, or_),
  TWO("xor.b32", 32, xor_),
  ONE("not.b64", 64, 64, not_),
  ONE("not.b16", 16, 16, not_),
  ONE("cnot.b16", 16, 16, cnot16),
  ONE("cnot.b32", 32, 32, cnot32),
  ONE("cnot.b64", 64, 64, cnot64),
  SHIFT("shl.b16", 16, shl16),
  SHIFT("shl.b32", 32, shl32),
  SHIFT("shl.b64", 64, shl64),
  SHIFT("shr.u16", 16, shr_u16),
  SHIFT("shr.u32", 32, shr_u32),
  SHIFT("shr.b64", 64, shr_u64),
  SHIFT("shr.s16", 16, shr_s16),
  SHIFT("shr.s32", 32, shr_s32),
  SHIFT("shr.s64", 64, shr_s64),
  THREE("shf.l.clamp.b32", shf_lc),
  THREE("shf.r.clamp.b32", shf_rc),
  THREE("shf.l.wrap.b32", shf_lw),
  THREE("shf.r.wrap.b32", shf_rw),
  {{"lop3.b32 %d, %a, %b, %c, 0x96", "b32", "b32", "b32", "b32"}, lop3_96},
  {{"lop3.b32 %d, %a, %b, %c, 0xca", "b32", "b32", "b32", "b32"}, lop3_ca},
  {{"lop3.b32 %d, %a, %b, %c, 0x1b", "b32", "b32", "b32", "b32"}, lop3_1b},
  THREE("bfe.u32", bfe_u32),
  THREE("bfe.s32", bfe_s32),
  {{"bfe.u64 %d, %a, %b, %c", "b64", "b64", "b32", "b32"}, bfe_u64},
  {{"bfe.s64 %d, %a, %b, %c", "b64", "b64", "b32", "b32"}, bfe_s64},
  {{"bfi.b32 %d, %a, %b, %c, 9", "b32", "b32", "b32", "b32"}, bfi32},
  {{"bfi.b64 %d, %a, %b, %c, 40", "b64", "b64", "b64", "b32"}, bfi64},
  ONE("bfind.u32", 32, 32, bfind_u32),
  ONE("bfind.s32", 32, 32, bfind_s32),
  ONE("bfind.u64", 32, 64, bfind_u64),
  ONE("bfind.s64", 32, 64, bfind_s64),
  ONE("bfind.shiftamt.u32", 32, 32, bfinds_u32),
  ONE("bfind.shiftamt.s64", 32, 64, bfinds_s64),
  ONE("brev.b32", 32, 32, brev32),
  ONE("brev.b64", 64, 64, brev64),
  ONE("popc.b32", 32, 32, popc32),
  ONE("popc.b64", 32, 64, popc64),
  ONE("clz.b32", 32, 32, clz32),
  ONE("clz.b64", 32, 64, clz64),
  THREE("prmt.b32", prmt),
  THREE("prmt.b32.f4e", f4e),
  THREE("prmt.b32.b4e", b4e),
  THREE("prmt.b32.rc8", rc8),
  THREE("prmt.b32.rc16", rc16),
  THREE("prmt.b32.ecl", ecl),
  THREE("prmt.b32.ecr", ecr),
  THREE("slct.b32.s32", slct_s),
  {{"slct.b64.s32 %d, %a, %b, %c", "b64", "b64", "b64", "b32"}, slct_s},
  TESTS("eq", eq),
  TESTS("lt", lt),
  TESTS("le", le),
  TESTS("gt", gt),
  TESTS("ge", ge),
  TEST("ne.s32", 32, ne_s32),
  TEST("lo.u32", 32, lt_u32),
  TEST("ls.u64", 64, le_u64),
  TEST("hi.u16", 16, gt_u16),
  TEST("hs.u32", 32, ge_u32),
  TWO("bmsk.clamp.b32", 32, bmsk_clamp),
  TWO("bmsk.wrap.b32", 32, bmsk_wrap),
  TWO("szext.clamp.s32", 32, szext_s),
  TWO("szext.clamp.u32", 32, szext_u),
  TWO("szext.wrap.s32", 32, szext_sw),
  THREE("dp4a.u32.s32", dp4a_us),
  THREE("dp4a.s32.s32", dp4a_ss),
  THREE("dp4a.u32.u32", dp4a_uu),
  THREE("dp2a.hi.s32.u32", dp2a_hi),
  THREE("dp2a.lo.u32.s32", dp2a_lo),
  THREE("fns.b32", fns),
  {{"set.ge.f32.s32 %d, %a, %b", "b32", "b32", "b32", NULL}, set_ge_f},
  {{"mov.b32 %d, {%a, %b}", "b32", "b16", "b16", NULL}, pack16},
  {{"mov.b64 %d, {%a, %b, %c, %a}", "b64", "b16", "b16", "b16"}, pack16_4},
  {{"mov.b32 %d, {%a, 0x3c00}", "b32", "b16", NULL, NULL}, pack16_one},
  {{"mov.b64 %d, {%a, %b}", "b64", "b32", "b32", NULL}, pack32},
  {{"mov.b32 {_, %d}, %a", "b16", "b32", NULL, NULL}, unpack16},
  {{"mov.b64 {_, _, %d, _}, %a", "b16", "b64", NULL, NULL}, unpack16_4},
};

#define FLOAT(op, bits, f)                                                                                             \
  { {op " %d, %a, %b", "pred", "f" #bits, "f" #bits, NULL}, f }
#define FLOAT1(op, bits, f)                                                                                            \
  { {"testp." op " %d, %a", "pred", "f" #bits, NULL, NULL}, f }
// clang-format off
#define FLOATS(cmp, name) \
  FLOAT("setp." cmp ".f32", 32, name##_f32), FLOAT("setp." cmp ".f64", 64, name##_f64), \
  FLOAT("setp." cmp "u.f32", 32, name##u_f32), FLOAT("setp." cmp "u.f64", 64, name##u_f64), \
  FLOAT("setp." cmp ".ftz.f32", 32, name##_z32)
// clang-format on
static const struct entry floats[] = {
  FLOATS("eq", eq),
  FLOATS("lt", lt),
  FLOATS("le", le),
  FLOATS("gt", gt),
  FLOATS("ge", ge),
  FLOAT("setp.ne.f32", 32, ne_f32),
  FLOAT("setp.neu.f32", 32, neu_f32),
  FLOAT("setp.ne.f64", 64, ne_f64),
  FLOAT("setp.num.f32", 32, num_f32),
  FLOAT("setp.nan.f64", 64, nan_f64),
  {{"slct.b32.f32 %d, %a, %b, %c", "b32", "b32", "b32", "f32"}, slct_f},
  {{"slct.ftz.b32.f32 %d, %a, %b, %c", "b32", "b32", "b32", "f32"}, slct_z},
  {{"copysign.f32 %d, %a, %b", "b32", "f32", "f32", NULL}, copysign32},
  FLOAT1("finite.f32", 32, finite32),
  FLOAT1("normal.f32", 32, normal32),
  FLOAT1("subnormal.f64", 64, subnormal64),
  FLOAT1("infinite.f64", 64, infinite64),
  FLOAT1("number.f32", 32, number32),
  FLOAT1("notanumber.f32", 32, nan32),
  {{"set.lt.u32.f32 %d, %a, %b", "b32", "f32", "f32", NULL}, set_lt},
};

static void test_bits(void **state) {
  (void)state;
  for (unsigned k = 0; k < sizeof entries / sizeof *entries; k++)
    operation_check(&entries[k].o, entries[k].expected, random_integer);
}

static void test_float_comparisons(void **state) {
  (void)state;
  for (unsigned k = 0; k < sizeof floats / sizeof *floats; k++)
    operation_check(&floats[k].o, floats[k].expected, random_float);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_float_comparisons)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
