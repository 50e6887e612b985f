// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One PTX instruction over many operand values: all lanes at once in the first half of the threads, under a guard that
// is false in some lanes in the second half (where the old value must stay). Header of tests only.
#ifndef WEIR_TESTS_300_OPERATION_H
#define WEIR_TESTS_300_OPERATION_H

#include "harness.h"

#include "base/rng.h"

#include <math.h>

enum { VALUES = 1024 };

struct operation {
  const char *text;          // with %d, %a, %b, %c as operands
  const char *d, *a, *b, *c; // register types; NULL: not used. d "pred": the outcome is 0 or 1
};

static inline bool operation_guard(unsigned i) {
  return i < VALUES / 2 || i * 0x9E3779B1u < 0xC0000000u;
}

static inline int operation_load(char *to, size_t size, const char *type, char name, int offset) {
  if (!type) return 0;
  return snprintf(to, size, " ld.param.u64 %%rd2, [p%c]; add.u64 %%rd3, %%rd2, %%rd1; ld.global.%s %%%c, [%%rd3+%d];\n",
                  name, type, name, offset);
}

static inline void operation_ptx(const struct operation *o, char *to, size_t size) {
  const bool pred = !strcmp(o->d, "pred");
  const char *out = pred ? "u32" : o->d;
  int n = snprintf(to, size,
                   ".version 8.6\n.target sm_100\n.address_size 64\n"
                   ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {\n"
                   " .reg .pred %%p, %%q; .reg .b32 %%r<8>; .reg .b64 %%rd<8>; .reg .%s %%d; .reg .%s %%a;\n"
                   " .reg .%s %%b; .reg .%s %%c;\n"
                   " mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%ntid.x; mov.u32 %%r3, %%tid.x;\n"
                   " mad.lo.u32 %%r4, %%r1, %%r2, %%r3; mul.wide.u32 %%rd1, %%r4, 8;\n"
                   " mul.lo.u32 %%r5, %%r4, 0x9E3779B1; setp.lt.u32 %%p, %%r5, 0xC0000000;\n"
                   " setp.lt.or.u32 %%p, %%r4, %d, %%p;\n",
                   out, o->a ? o->a : "b32", o->b ? o->b : "b32", o->c ? o->c : "b32", VALUES / 2);
  n += operation_load(to + n, size - (size_t)n, o->a, 'a', 0);
  n += operation_load(to + n, size - (size_t)n, o->b, 'b', 0);
  n += operation_load(to + n, size - (size_t)n, o->c, 'c', 0);
  n += operation_load(to + n, size - (size_t)n, out, 'd', 0);
  if (pred) n += snprintf(to + n, size - (size_t)n, " setp.ne.u32 %%q, %%d, 0;\n");
  for (const char *s = o->text; *s && (size_t)n + 8 < size; s++) {
    if (s == o->text) n += snprintf(to + n, size - (size_t)n, " @%%p ");
    if (pred && s[0] == '%' && s[1] == 'd') {
      n += snprintf(to + n, size - (size_t)n, "%%q");
      s++;
    } else {
      to[n++] = *s;
    }
  }
  n += snprintf(to + n, size - (size_t)n, ";\n");
  if (pred) n += snprintf(to + n, size - (size_t)n, " selp.u32 %%d, 1, 0, %%q;\n");
  snprintf(to + n, size - (size_t)n,
           " ld.param.u64 %%rd2, [pd]; add.u64 %%rd3, %%rd2, %%rd1; st.global.%s [%%rd3], %%d;\n ret;\n}\n", out);
}

// values: a, b, c, d (before); d becomes what the instruction left.
static inline void operation_run(const struct operation *o, unsigned lanes, uint64_t values[4][VALUES]) {
  char ptx[4096];
  struct bench b;
  uint64_t params[4];
  operation_ptx(o, ptx, sizeof ptx);
  bench_open(&b, ptx, lanes);
  for (unsigned k = 0; k < 4; k++) {
    params[k] = weir_memory_alloc(b.memory, "values", sizeof values[k]);
    memcpy(bench_at(&b, params[k], sizeof values[k]), values[k], sizeof values[k]);
  }
  bench_run(&b, "k", VALUES / 256, 256, params);
  memcpy(values[3], bench_at(&b, params[3], sizeof values[3]), sizeof values[3]);
  bench_close(&b);
}

static inline unsigned type_bits(const char *type) {
  return !strcmp(type, "pred") ? 32 : (unsigned)strtoul(type + 1, NULL, 10);
}

// The number that the bits are, and its bits: of any NaN those that PTX gives.
static inline float f32(uint64_t x) {
  float f;
  const uint32_t low = (uint32_t)x;
  memcpy(&f, &low, 4);
  return f;
}

static inline double f64(uint64_t x) {
  double d;
  memcpy(&d, &x, 8);
  return d;
}

static inline uint64_t bits32(float f) {
  uint32_t x;
  memcpy(&x, &f, 4);
  return isnan(f) ? 0x7fffffff : x;
}

static inline uint64_t low_bits(uint64_t x, unsigned bits) {
  return bits >= 64 ? x : x & ((UINT64_C(1) << bits) - 1);
}

// Integers: corner values among random ones of every magnitude.
static inline uint64_t random_integer(struct weir_rng *r) {
  static const uint64_t corner[] = {0,
                                    1,
                                    UINT64_MAX,
                                    2,
                                    31,
                                    32,
                                    33,
                                    63,
                                    64,
                                    65,
                                    0x7f,
                                    0x80,
                                    0xff,
                                    0x7fff,
                                    0x8000,
                                    0xffff,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0x100000000,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    0xffffffff80000000};
  const uint64_t x = weir_rng_next(r), n = sizeof corner / sizeof *corner;
  if (x % 4 == 0) return corner[weir_rng_below(r, n)];
  return weir_rng_next(r) >> (x >> 8) % 64;
}

typedef uint64_t (*integer_reference)(uint64_t a, uint64_t b, uint64_t c);

static inline void operation_check(const struct operation *o, integer_reference expected,
                                   uint64_t (*random)(struct weir_rng *)) {
  static uint64_t v[4][VALUES], before[VALUES];
  const unsigned bits = type_bits(o->d);
  for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
    struct weir_rng r = weir_rng_seed(lanes, 300);
    for (unsigned k = 0; k < 4; k++)
      for (unsigned i = 0; i < VALUES; i++) v[k][i] = random(&r);
    if (!strcmp(o->d, "pred"))
      for (unsigned i = 0; i < VALUES; i++) v[3][i] &= 1;
    memcpy(before, v[3], sizeof before);
    operation_run(o, lanes, v);
    for (unsigned i = 0; i < VALUES; i++) {
      const uint64_t want = operation_guard(i) ? expected(v[0][i], v[1][i], v[2][i]) : before[i];
      if (low_bits(want, bits) != low_bits(v[3][i], bits))
        fail_msg("%s, %u lanes, value %u: a %llx b %llx c %llx: %llx, expected %llx", o->text, lanes, i,
                 (unsigned long long)v[0][i], (unsigned long long)v[1][i], (unsigned long long)v[2][i],
                 (unsigned long long)low_bits(v[3][i], bits), (unsigned long long)low_bits(want, bits));
    }
  }
}

#endif
