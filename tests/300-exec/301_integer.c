// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Integer arithmetic against the definitions in the PTX ISA, evaluated in 128 bits and cut to size.
#include "operation.h"

typedef __int128 wide;

static wide s(uint64_t x, unsigned bits) {
  return (wide)((int64_t)(x << (64 - bits)) >> (64 - bits));
}

static wide u(uint64_t x, unsigned bits) {
  return (wide)low_bits(x, bits);
}

#define REF(name, expr)                                                                                                \
  static uint64_t name(uint64_t a, uint64_t b, uint64_t c) {                                                           \
    (void)a, (void)b, (void)c;                                                                                         \
    return (uint64_t)(expr);                                                                                           \
  }

static wide clamp(wide x, wide low, wide high) {
  return x < low ? low : x > high ? high : x;
}

static wide divide(wide a, wide b) {
  return b ? a / b : -1;
}

static wide remain(wide a, wide b) {
  return b ? a % b : a;
}

static wide absolute(wide x) {
  return x < 0 ? -x : x;
}

// clang-format off
#define TYPES(name, expr_s, expr_u)                                                       \
  REF(name##_s16, expr_s(16)) REF(name##_u16, expr_u(16)) REF(name##_s32, expr_s(32))     \
  REF(name##_u32, expr_u(32)) REF(name##_s64, expr_s(64)) REF(name##_u64, expr_u(64))
// clang-format on

REF(add, a + b)
REF(sub, a - b)
REF(mul, a *b)
REF(mad, a *b + c)
REF(neg, 0 - a)
#define MULHI_S(n) (s(a, n) * s(b, n)) >> n
#define MULHI_U(n) (uint64_t)(((unsigned __int128)u(a, n) * (unsigned __int128)u(b, n)) >> n)
TYPES(mulhi, MULHI_S, MULHI_U)
#define MADHI_S(n) (uint64_t)(MULHI_S(n)) + c
#define MADHI_U(n) (MULHI_U(n)) + c
TYPES(madhi, MADHI_S, MADHI_U)
#define WIDE_S(n) s(a, n) * s(b, n)
#define WIDE_U(n) u(a, n) * u(b, n)
// clang-format off
REF(wide_s16, WIDE_S(16)) REF(wide_u16, WIDE_U(16)) REF(wide_s32, WIDE_S(32)) REF(wide_u32, WIDE_U(32))
REF(madwide_s16, (uint64_t)(WIDE_S(16)) + c) REF(madwide_u16, (uint64_t)(WIDE_U(16)) + c)
REF(madwide_s32, (uint64_t)(WIDE_S(32)) + c) REF(madwide_u32, (uint64_t)(WIDE_U(32)) + c)
// clang-format on
#define DIV_S(n) divide(s(a, n), s(b, n))
#define DIV_U(n) divide(u(a, n), u(b, n))
TYPES(div, DIV_S, DIV_U)
#define REM_S(n) remain(s(a, n), s(b, n))
#define REM_U(n) remain(u(a, n), u(b, n))
TYPES(rem, REM_S, REM_U)
#define MIN_S(n) s(a, n) < s(b, n) ? s(a, n) : s(b, n)
#define MIN_U(n) u(a, n) < u(b, n) ? u(a, n) : u(b, n)
TYPES(min, MIN_S, MIN_U)
#define MAX_S(n) s(a, n) > s(b, n) ? s(a, n) : s(b, n)
#define MAX_U(n) u(a, n) > u(b, n) ? u(a, n) : u(b, n)
TYPES(max, MAX_S, MAX_U)
#define SAD_S(n) absolute(s(a, n) - s(b, n)) + (wide)c
#define SAD_U(n) absolute(u(a, n) - u(b, n)) + (wide)c
// clang-format off
TYPES(sad, SAD_S, SAD_U)
REF(abs16, absolute(s(a, 16))) REF(abs32, absolute(s(a, 32))) REF(abs64, absolute(s(a, 64)))
REF(addsat, clamp(s(a, 32) + s(b, 32), INT32_MIN, INT32_MAX))
REF(subsat, clamp(s(a, 32) - s(b, 32), INT32_MIN, INT32_MAX))
REF(madhisat, clamp((MULHI_S(32)) + s(c, 32), INT32_MIN, INT32_MAX))
REF(mul24_s, s(a, 24) * s(b, 24)) REF(mul24_u, u(a, 24) * u(b, 24))
REF(mul24hi_s, (s(a, 24) * s(b, 24)) >> 16) REF(mul24hi_u, (u(a, 24) * u(b, 24)) >> 16)
REF(mad24_s, s(a, 24) * s(b, 24) + (wide)c) REF(mad24hi_u, ((u(a, 24) * u(b, 24)) >> 16) + (wide)c)
// clang-format on
static uint64_t halves(wide low, wide high) {
  return low_bits((uint64_t)low, 16) | low_bits((uint64_t)high, 16) << 16;
}
REF(add16x2, halves(u(a, 16) + u(b, 16), u(a >> 16, 16) + u(b >> 16, 16)))
static wide least(wide a, wide b) {
  return a < b ? a : b;
}
REF(min16x2_s, halves(least(s(a, 16), s(b, 16)), least(s(a >> 16, 16), s(b >> 16, 16))))
REF(min16x2_u, halves(least(u(a, 16), u(b, 16)), least(u(a >> 16, 16), u(b >> 16, 16))))
REF(max16x2_s, halves(-least(-s(a, 16), -s(b, 16)), -least(-s(a >> 16, 16), -s(b >> 16, 16))))
REF(minrelu, clamp(least(s(a, 32), s(b, 32)), 0, INT32_MAX))
REF(maxrelu, clamp(-least(-s(a, 32), -s(b, 32)), 0, INT32_MAX))

struct entry {
  struct operation o;
  integer_reference expected;
};

#define TWO(op, type, bits, f)                                                                                         \
  { {op "." type " %d, %a, %b", "b" #bits, "b" #bits, "b" #bits, NULL}, f }
#define THREE(op, type, bits, f)                                                                                       \
  { {op "." type " %d, %a, %b, %c", "b" #bits, "b" #bits, "b" #bits, "b" #bits}, f }
#define SIX(M, op, f)                                                                                                  \
  M(op, "s16", 16, f##_s16), M(op, "u16", 16, f##_u16), M(op, "s32", 32, f##_s32), M(op, "u32", 32, f##_u32),          \
    M(op, "s64", 64, f##_s64), M(op, "u64", 64, f##_u64)
#define SAME(M, op, f)                                                                                                 \
  M(op, "s16", 16, f), M(op, "u16", 16, f), M(op, "s32", 32, f), M(op, "u32", 32, f), M(op, "s64", 64, f),             \
    M(op, "u64", 64, f)
#define ONE(op, bits, f)                                                                                               \
  { {op " %d, %a", "b" #bits, "b" #bits, NULL, NULL}, f }

static const struct entry entries[] = {
  SAME(TWO, "add", add),
  SAME(TWO, "sub", sub),
  SAME(TWO, "mul.lo", mul),
  SAME(THREE, "mad.lo", mad),
  SIX(TWO, "mul.hi", mulhi),
  SIX(THREE, "mad.hi", madhi),
  SIX(TWO, "div", div),
  SIX(TWO, "rem", rem),
  SIX(TWO, "min", min),
  SIX(TWO, "max", max),
  SIX(THREE, "sad", sad),
  {{"mul.wide.s16 %d, %a, %b", "b32", "b16", "b16", NULL}, wide_s16},
  {{"mul.wide.u16 %d, %a, %b", "b32", "b16", "b16", NULL}, wide_u16},
  {{"mul.wide.s32 %d, %a, %b", "b64", "b32", "b32", NULL}, wide_s32},
  {{"mul.wide.u32 %d, %a, %b", "b64", "b32", "b32", NULL}, wide_u32},
  {{"mad.wide.s16 %d, %a, %b, %c", "b32", "b16", "b16", "b32"}, madwide_s16},
  {{"mad.wide.u16 %d, %a, %b, %c", "b32", "b16", "b16", "b32"}, madwide_u16},
  {{"mad.wide.s32 %d, %a, %b, %c", "b64", "b32", "b32", "b64"}, madwide_s32},
  {{"mad.wide.u32 %d, %a, %b, %c", "b64", "b32", "b32", "b64"}, madwide_u32},
  ONE("neg.s16", 16, neg),
  ONE("neg.s32", 32, neg),
  ONE("neg.s64", 64, neg),
  ONE("abs.s16", 16, abs16),
  ONE("abs.s32", 32, abs32),
  ONE("abs.s64", 64, abs64),
  TWO("add.sat", "s32", 32, addsat),
  TWO("sub.sat", "s32", 32, subsat),
  THREE("mad.hi.sat", "s32", 32, madhisat),
  TWO("mul24.lo", "s32", 32, mul24_s),
  TWO("mul24.lo", "u32", 32, mul24_u),
  TWO("mul24.hi", "s32", 32, mul24hi_s),
  TWO("mul24.hi", "u32", 32, mul24hi_u),
  THREE("mad24.lo", "s32", 32, mad24_s),
  THREE("mad24.hi", "u32", 32, mad24hi_u),
  TWO("add", "u16x2", 32, add16x2),
  TWO("min", "s16x2", 32, min16x2_s),
  TWO("min", "u16x2", 32, min16x2_u),
  TWO("max", "s16x2", 32, max16x2_s),
  TWO("min.relu", "s32", 32, minrelu),
  TWO("max.relu", "s32", 32, maxrelu),
};

static void test_every_operation(void **state) {
  (void)state;
  for (unsigned k = 0; k < sizeof entries / sizeof *entries; k++)
    operation_check(&entries[k].o, entries[k].expected, random_integer);
}

// Sums of 128 and 96 bits by carry chains, against the host's own wide arithmetic.
static void test_carries(void **state) {
  (void)state;
  static const char ptx[] = PTX_HEADER
    ".visible .entry k(.param .u64 p) { .reg .b64 %a<8>; .reg .b32 %r<4>; ld.param.u64 %a0, [p];\n"
    " ld.global.v2.u64 {%a1, %a2}, [%a0]; ld.global.v2.u64 {%a3, %a4}, [%a0+16];\n"
    " add.cc.u64 %a5, %a1, %a3; addc.u64 %a6, %a2, %a4; st.global.v2.u64 [%a0+32], {%a5, %a6};\n"
    " sub.cc.u64 %a5, %a1, %a3; subc.u64 %a6, %a2, %a4; st.global.v2.u64 [%a0+48], {%a5, %a6};\n"
    " mad.lo.cc.u64 %a5, %a1, %a3, %a2; madc.hi.u64 %a6, %a1, %a3, %a4; st.global.v2.u64 [%a0+64], {%a5, %a6}; ret; }\n";
  struct weir_rng r = weir_rng_seed(1, 301);
  struct bench b;
  bench_open(&b, ptx, 32);
  const uint64_t at = weir_memory_alloc(b.memory, "words", 80);
  uint64_t *x = bench_at(&b, at, 80);
  for (unsigned n = 0; n < 500; n++) {
    for (unsigned k = 0; k < 4; k++) x[k] = random_integer(&r);
    bench_run(&b, "k", 1, 1, &at);
    typedef unsigned __int128 big;
    const big a = (big)x[1] << 64 | x[0], c = (big)x[3] << 64 | x[2];
    const big want[3] = {a + c, a - c, (big)x[0] * x[2] + x[1] + ((big)x[3] << 64)};
    for (unsigned k = 0; k < 3; k++) assert_memory_equal(&want[k], &x[4 + 2 * k], 16);
  }
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_operation), cmocka_unit_test(test_carries)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
