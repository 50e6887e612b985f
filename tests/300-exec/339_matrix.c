// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// mma, wmma, ldmatrix, stmatrix and movmatrix against products made element by element. Where a thread's elements lie, PTX ISA says under
// "Matrix Fragments for mma" and "ldmatrix". Numbers are chosen so that every sum is exact in double precision: it is then
// the same in any order, and rounded once.
#include "base/rng.h"
#include "exec/half.h"
#include "exec/ops/types.h"
#include "harness.h"

#include <inttypes.h>
#include <math.h>

enum { LANES = 32, MOST = 1024, WORDS = 4096 }; // words of 64 bits that a kernel has
enum { A, B, C, D };

struct numbers { // of a matrix, row after row
  unsigned rows, columns;
  double value[MOST];
};

// ---- formats ----------------------------------------------------------------------------------------------------------------

static unsigned bits_of(const char *type) {
  static const struct {
    const char *type;
    unsigned bits;
  } all[] = {{"f64", 64}, {"f32", 32}, {"s32", 32}, {"tf32", 32}, {"f16", 16}, {"bf16", 16}, {"s8", 8},
             {"u8", 8},   {"e4m3", 8}, {"e5m2", 8}, {"s4", 4},    {"u4", 4},   {"b1", 1}};
  for (unsigned k = 0; k < sizeof all / sizeof *all; k++)
    if (!strcmp(all[k].type, type)) return all[k].bits;
  fail_msg("no type %s", type);
  return 0;
}

// A number of sign, exponent and mantissa bits, without infinities.
static double small_float(uint32_t x, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1, exponent = (int)(x >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const double fraction = x & ((1u << mantissa_bits) - 1);
  const double magnitude = exponent ? ldexp(fraction + (1 << mantissa_bits), exponent - bias - mantissa_bits)
                                    : ldexp(fraction, 1 - bias - mantissa_bits);
  return x >> (exponent_bits + mantissa_bits) & 1 ? -magnitude : magnitude;
}

static double value_of(const char *type, uint64_t x) {
  if (!strcmp(type, "f16")) return small_float((uint32_t)x, 5, 10);
  if (!strcmp(type, "bf16")) return small_float((uint32_t)x, 8, 7);
  if (!strcmp(type, "e4m3")) return small_float((uint32_t)x, 4, 3);
  if (!strcmp(type, "e5m2")) return small_float((uint32_t)x, 5, 2);
  if (!strcmp(type, "tf32")) return float32((uint32_t)x & ~0x1fffu);
  if (!strcmp(type, "f32")) return float32((uint32_t)x);
  if (!strcmp(type, "f64")) return float64(x);
  if (!strcmp(type, "s32")) return (int32_t)x;
  if (!strcmp(type, "s8")) return (int8_t)x;
  if (!strcmp(type, "s4")) return (int)((x & 15) ^ 8) - 8;
  return (double)x;
}

// Bits of an element: finite, of a few binary orders, so that sums are exact.
static uint64_t draw(struct weir_rng *r, const char *type) {
  const uint64_t x = weir_rng_next(r);
  if (!strcmp(type, "f16")) return (x & 0x83ff) | (12 + x % 6) << 10; // 2^-3 to 2^2
  if (!strcmp(type, "bf16")) return (x & 0x807f) | (124 + (x >> 20) % 6) << 7;
  if (!strcmp(type, "e4m3")) return x % 9 ? (x & 0x87) | (5 + (x >> 20) % 4) << 3 : x & 7;
  if (!strcmp(type, "e5m2")) return x % 9 ? (x & 0x83) | (13 + (x >> 20) % 4) << 2 : x & 3;
  if (!strcmp(type, "tf32") || !strcmp(type, "f32")) return (x & 0x807fffff) | (124 + (x >> 24) % 6) << 23;
  if (!strcmp(type, "f64")) return bits64((double)(int64_t)(x & 0xfffff) / 1024 - 512);
  if (!strcmp(type, "s32")) return (x & 1 ? 0 : 0x7fff0000) + (x >> 8 & 0xffff);
  return x & ((UINT64_C(1) << bits_of(type)) - 1);
}

static uint64_t rounded(const char *type, double sum, bool saturates) {
  if (!strcmp(type, "f16")) return weir_half_bits(&weir_f16, sum, WEIR_ROUND_RN);
  if (!strcmp(type, "f32")) return bits32((float)sum);
  if (!strcmp(type, "f64")) return bits64(sum);
  if (saturates && sum > INT32_MAX) return INT32_MAX;
  if (saturates && sum < INT32_MIN) return (uint32_t)INT32_MIN;
  return (uint32_t)(int64_t)sum;
}

// ---- fragments of mma ---------------------------------------------------------------------------------------------------------

struct form {
  const char *text;
  unsigned m, n, k;
  const char *type[4]; // of A, B, C, D
  bool a_columns, b_columns;
};

static bool is_quad(const struct form *f) {
  return f->m == 8 && f->k == 4 && !strcmp(f->type[A], "f16");
}

// Elements in a thread.
static unsigned elements(const struct form *f, unsigned part) {
  const unsigned all = part == A ? f->m * f->k : part == B ? f->k * f->n : f->m * f->n;
  return all * (is_quad(f) ? 4 : 1) / LANES;
}

static void place_quad(const struct form *f, unsigned part, unsigned lane, unsigned i, unsigned *row,
                       unsigned *column) {
  const unsigned high = lane < 16 ? 0 : 4, l = lane % 4;
  if (part == A && !f->a_columns) {
    *row = l + high, *column = i;
  } else if (part == A) {
    *row = i % 4 + high, *column = l;
  } else if (part == B && !f->b_columns) {
    *row = l, *column = i + high;
  } else if (part == B) {
    *row = i, *column = l + high;
  } else if (!strcmp(f->type[part], "f16")) {
    *row = l + high, *column = i;
  } else {
    *row = (lane & 1) + (i & 2) + high, *column = (i & 4) + (lane & 2) + (i & 1);
  }
}

// Row and column of element i of a thread.
static void place(const struct form *f, unsigned part, unsigned lane, unsigned i, unsigned *row, unsigned *column) {
  const unsigned g = lane >> 2, t = lane % 4, bits = bits_of(f->type[part]), p = bits < 32 ? 32 / bits : 1;
  if (is_quad(f)) {
    place_quad(f, part, lane, i, row, column);
  } else if (part == B) {
    *row = t * p + i % p + i / p * 4 * p;
    *column = g;
  } else if (part == A) {
    const bool two = f->m == 16;
    *row = g + (two && i / p % 2 ? 8 : 0);
    *column = t * p + i % p + i / (two ? 2 * p : p) * 4 * p;
  } else {
    *row = g + (i >= 2 ? 8 : 0);
    *column = t * 2 + i % 2;
  }
}

// Which of four matrices a lane holds a part of.
static unsigned quad_of(const struct form *f, unsigned lane) {
  return is_quad(f) ? lane / 4 % 4 : 0;
}

static unsigned registers(const struct form *f, unsigned part) {
  const unsigned bits = bits_of(f->type[part]);
  return elements(f, part) * bits / (bits == 64 ? 64 : 32);
}

static bool is_wide(const struct form *f, unsigned part) {
  return !strcmp(f->type[part], "f64");
}

static const char *kind(const struct form *f, unsigned part) {
  return is_wide(f, part) ? "f64" : !strcmp(f->type[part], "f32") ? "f32" : "b32";
}

static void list(char *text, char letter, unsigned count) {
  text += sprintf(text, "{");
  for (unsigned k = 0; k < count; k++) text += sprintf(text, "%s%%%c%u", k ? "," : "", letter, k);
  sprintf(text, "}");
}

// A register of each part lies at 8 (32 k + lane) bytes of the part's 8 KiB.
static void write_kernel(char *text, const struct form *f) {
  char lists[4][128];
  text += sprintf(text, PTX_HEADER ".visible .entry k(.param .u64 data) {\n .reg .b64 %%rd<4>; .reg .b32 %%r<2>;\n");
  for (unsigned part = A; part <= D; part++) {
    list(lists[part], "abcd"[part], registers(f, part));
    text += sprintf(text, " .reg .%s %%%c<16>;\n", kind(f, part), "abcd"[part]);
  }
  text += sprintf(text,
                  " ld.param.u64 %%rd0, [data]; mov.u32 %%r0, %%tid.x; mul.wide.u32 %%rd1, %%r0, 8;"
                  " add.u64 %%rd0, %%rd0, %%rd1;\n");
  for (unsigned part = A; part <= C; part++)
    for (unsigned k = 0; k < registers(f, part); k++)
      text += sprintf(text, " ld.global.%s %%%c%u, [%%rd0+%u];\n", kind(f, part), "abcd"[part], k,
                      part * 8192 + k * 8 * LANES);
  text += sprintf(text, " %s %s, %s, %s, %s;\n", f->text, lists[D], lists[A], lists[B], lists[C]);
  for (unsigned k = 0; k < registers(f, D); k++)
    text += sprintf(text, " st.global.%s [%%rd0+%u], %%d%u;\n", kind(f, D), D * 8192 + k * 8 * LANES, k);
  sprintf(text, " ret; }\n");
}

static uint64_t *at(uint64_t *data, unsigned part, unsigned k, unsigned lane) {
  return data + part * 1024 + k * LANES + lane;
}

static uint64_t element(const struct form *f, uint64_t *data, unsigned part, unsigned lane, unsigned i) {
  const unsigned bits = bits_of(f->type[part]), p = bits < 32 ? 32 / bits : 1;
  const uint64_t x = *at(data, part, i / p, lane) >> i % p * bits;
  return bits == 64 ? x : x & ((UINT64_C(1) << bits) - 1);
}

// Draws a part's registers, and puts what they stand for into four matrices.
static void fill(struct weir_rng *r, const struct form *f, unsigned part, uint64_t *data, double (*of)[MOST * 4]) {
  const unsigned bits = bits_of(f->type[part]), p = bits < 32 ? 32 / bits : 1, columns = part == A ? f->k : f->n;
  for (unsigned lane = 0; lane < LANES; lane++)
    for (unsigned i = 0; i < elements(f, part); i++) {
      const uint64_t x = draw(r, f->type[part]);
      uint64_t *word = at(data, part, i / p, lane);
      unsigned row, column;
      *word = (i % p ? *word : 0) | x << i % p * bits;
      place(f, part, lane, i, &row, &column);
      of[quad_of(f, lane)][row * columns + column] = value_of(f->type[part], x);
    }
}

static double product(const struct form *f, double x, double y) {
  if (strcmp(f->type[A], "b1")) return x * y;
  return strstr(f->text, ".and.") ? x && y : (x != 0) != (y != 0);
}

// Runs the kernel of the text on the data.
static void run(const char *text, uint64_t data[WORDS]) {
  struct bench bench;
  bench_open(&bench, text, LANES);
  const uint64_t bytes = WORDS * sizeof *data, address = weir_memory_alloc(bench.memory, "data", bytes);
  memcpy(bench_at(&bench, address, bytes), data, bytes);
  bench_run(&bench, "k", 1, LANES, &address);
  memcpy(data, bench_at(&bench, address, bytes), bytes);
  bench_close(&bench);
}

static void check_form(const struct form *f) {
  static double a[4][MOST * 4], b[4][MOST * 4], c[4][MOST * 4];
  static uint64_t data[WORDS];
  char text[16384];
  struct weir_rng r;
  r = weir_rng_seed(339, 0);
  write_kernel(text, f);
  memset(data, 0, sizeof data);
  fill(&r, f, A, data, a);
  fill(&r, f, B, data, b);
  fill(&r, f, C, data, c);
  run(text, data);
  for (unsigned lane = 0; lane < LANES; lane++)
    for (unsigned i = 0; i < elements(f, D); i++) {
      unsigned row, column;
      const unsigned q = quad_of(f, lane);
      place(f, D, lane, i, &row, &column);
      double sum = c[q][row * f->n + column];
      for (unsigned k = 0; k < f->k; k++) sum += product(f, a[q][row * f->k + k], b[q][k * f->n + column]);
      const uint64_t expected = rounded(f->type[D], sum, strstr(f->text, "satfinite") != NULL);
      const uint64_t got = element(f, data, D, lane, i);
      if (got != expected)
        fail_msg("%s: row %u, column %u: %" PRIx64 ", not %" PRIx64, f->text, row, column, got, expected);
    }
}

#define FORM(M, N, K, LAYOUT, MORE, TD, TA, TB, TC)                                                                    \
  {                                                                                                                    \
    "mma.sync.aligned.m" #M "n" #N "k" #K LAYOUT MORE "." TD "." TA "." TB "." TC, M, N, K, {TA, TB, TC, TD}, false,   \
      true                                                                                                             \
  }
#define RC ".row.col"

static void mma_multiplies(void **state) {
  static const struct form forms[] = {
    FORM(16, 8, 8, RC, "", "f16", "f16", "f16", "f16"),
    FORM(16, 8, 16, RC, "", "f16", "f16", "f16", "f16"),
    FORM(16, 8, 8, RC, "", "f32", "f16", "f16", "f32"),
    FORM(16, 8, 16, RC, "", "f32", "f16", "f16", "f32"),
    FORM(16, 8, 8, RC, "", "f32", "bf16", "bf16", "f32"),
    FORM(16, 8, 16, RC, "", "f32", "bf16", "bf16", "f32"),
    FORM(16, 8, 4, RC, "", "f32", "tf32", "tf32", "f32"),
    FORM(16, 8, 8, RC, "", "f32", "tf32", "tf32", "f32"),
    FORM(8, 8, 4, RC, "", "f64", "f64", "f64", "f64"),
    FORM(16, 8, 4, RC, "", "f64", "f64", "f64", "f64"),
    FORM(16, 8, 8, RC, "", "f64", "f64", "f64", "f64"),
    FORM(16, 8, 16, RC, "", "f64", "f64", "f64", "f64"),
    FORM(8, 8, 16, RC, "", "s32", "s8", "s8", "s32"),
    FORM(8, 8, 16, RC, ".satfinite", "s32", "u8", "s8", "s32"),
    FORM(16, 8, 16, RC, "", "s32", "s8", "u8", "s32"),
    FORM(16, 8, 32, RC, "", "s32", "u8", "u8", "s32"),
    FORM(16, 8, 32, RC, ".satfinite", "s32", "s8", "s8", "s32"),
    FORM(8, 8, 32, RC, "", "s32", "s4", "s4", "s32"),
    FORM(16, 8, 32, RC, "", "s32", "u4", "s4", "s32"),
    FORM(16, 8, 64, RC, ".satfinite", "s32", "s4", "u4", "s32"),
    FORM(16, 8, 16, RC, "", "f32", "e4m3", "e5m2", "f32"),
    FORM(16, 8, 32, RC, "", "f32", "e5m2", "e4m3", "f32"),
    FORM(16, 8, 32, RC, "", "f16", "e4m3", "e4m3", "f16"),
    {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 8, 8, 128, {"b1", "b1", "s32", "s32"}, false, true},
    {"mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc", 16, 8, 128, {"b1", "b1", "s32", "s32"}, false, true},
    {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 16, 8, 256, {"b1", "b1", "s32", "s32"}, false, true},
    {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", 8, 8, 4, {"f16", "f16", "f32", "f32"}, false, true},
    {"mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16", 8, 8, 4, {"f16", "f16", "f16", "f16"}, true, false},
    {"mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f16", 8, 8, 4, {"f16", "f16", "f16", "f32"}, false, false},
    {"mma.sync.aligned.m8n8k4.col.col.f16.f16.f16.f16", 8, 8, 4, {"f16", "f16", "f16", "f16"}, true, true},
  };
  (void)state;
  for (unsigned k = 0; k < sizeof forms / sizeof *forms; k++) check_form(&forms[k]);
}

// ---- wmma -------------------------------------------------------------------------------------------------------------------

struct wmma {
  const char *shape;
  unsigned m, n, k;
  const char *type[4]; // of A, B, C, D
  bool columns[4];
  unsigned pad;          // elements between lines of A, B and C, beyond their own
  const char *multiply;  // before the types
  bool types_of_sums;    // alone
  unsigned registers[4]; // PTX ISA, "Matrix Fragments for WMMA"
  const char *space;
};

static unsigned line_length(const struct wmma *f, unsigned part) {
  const unsigned rows = part == B ? f->k : f->m, columns = part == A ? f->k : f->n;
  return f->columns[part] ? rows : columns;
}

static unsigned stride(const struct wmma *f, unsigned part) {
  return line_length(f, part) + f->pad;
}

static const char *layout(const struct wmma *f, unsigned part) {
  return f->columns[part] ? "col" : "row";
}

static const char *wmma_kind(const struct wmma *f, unsigned part) {
  const char *t = f->type[part];
  return !strcmp(t, "f64") || !strcmp(t, "f32") || !strcmp(t, "s32") ? t : "b32";
}

// Each matrix has 8 KiB of its own; in shared memory, where it is copied to and from.
static void write_wmma(char *text, const struct wmma *f) {
  char lists[4][160];
  const bool shared = !strcmp(f->space, ".shared");
  text +=
    sprintf(text,
            PTX_HEADER ".visible .entry k(.param .u64 data) {\n .reg .b64 %%rd<8>; .reg .b32 %%r<8>; .reg .pred %%p;\n"
                       " .shared .align 32 .b8 own[32768];\n");
  for (unsigned part = A; part <= D; part++) {
    list(lists[part], "abcd"[part], f -> registers[part]);
    text += sprintf(text, " .reg .%s %%%c<16>; .reg .b32 %%s%c;\n mov.u32 %%s%c, %u;\n", wmma_kind(f, part),
                    "abcd"[part], "abcd"[part], "abcd"[part], stride(f, part));
  }
  text += sprintf(text, " ld.param.u64 %%rd0, [data]; mov.u64 %%rd5, %%rd0;\n");
  if (shared)
    text += sprintf(text,
                    " mov.u32 %%r0, %%tid.x; shl.b32 %%r0, %%r0, 2; mov.u32 %%r1, own;\n"
                    "$L: cvt.u64.u32 %%rd2, %%r0; add.u64 %%rd3, %%rd0, %%rd2; ld.global.u32 %%r2, [%%rd3];\n"
                    " add.u32 %%r3, %%r1, %%r0; st.shared.u32 [%%r3], %%r2; add.u32 %%r0, %%r0, 128;\n"
                    " setp.lt.u32 %%p, %%r0, 32768; @%%p bra $L;\n bar.sync 0; mov.u64 %%rd5, own;\n");
  for (unsigned part = A; part <= C; part++) {
    text += sprintf(text, " wmma.load.%c.sync.aligned.%s.%s%s.%s %s, [%%rd5+%u]", "abc"[part], layout(f, part),
                    f -> shape, f -> space, f -> type[part], lists[part], part * 8192);
    text += sprintf(text, f->pad ? ", %%s%c;\n" : ";\n", "abc"[part]);
  }
  text += sprintf(text, " wmma.mma%s.sync.aligned.%s.%s.%s.%s", f->multiply, layout(f, A), layout(f, B), f->shape,
                  f->type[D]);
  if (!f->types_of_sums) text += sprintf(text, ".%s.%s", f->type[A], f->type[B]);
  text += sprintf(text, ".%s %s, %s, %s, %s;\n", f->type[C], lists[D], lists[A], lists[B], lists[C]);
  text += sprintf(text, " wmma.store.d.sync.aligned.%s.%s%s.%s [%%rd5+%u], %s, %%sd;\n", layout(f, D), f->shape,
                  f->space, f->type[D], D * 8192, lists[D]);
  if (shared)
    text += sprintf(text,
                    " bar.sync 0; mov.u32 %%r0, %%tid.x; shl.b32 %%r0, %%r0, 2; add.u32 %%r0, %%r0, 24576;\n"
                    "$M: cvt.u64.u32 %%rd2, %%r0; add.u64 %%rd3, %%rd0, %%rd2; add.u32 %%r3, %%r1, %%r0;\n"
                    " ld.shared.u32 %%r2, [%%r3]; st.global.u32 [%%rd3], %%r2; add.u32 %%r0, %%r0, 128;\n"
                    " setp.lt.u32 %%p, %%r0, 32768; @%%p bra $M;\n");
  sprintf(text, " ret; }\n");
}

// Bits of an element of a matrix in memory.
static uint64_t *word_of(const struct wmma *f, uint64_t *data, unsigned part, unsigned row, unsigned column,
                         unsigned *shift) {
  const unsigned bits = bits_of(f->type[part]);
  const unsigned at_bit = (f->columns[part] ? column * stride(f, part) + row : row * stride(f, part) + column) * bits;
  *shift = at_bit % 64;
  return data + part * 1024 + at_bit / 64;
}

static void fill_wmma(struct weir_rng *r, const struct wmma *f, unsigned part, uint64_t *data, double *of) {
  const unsigned rows = part == B ? f->k : f->m, columns = part == A ? f->k : f->n;
  for (unsigned row = 0; row < rows; row++)
    for (unsigned column = 0; column < columns; column++) {
      unsigned shift;
      const uint64_t x = draw(r, f->type[part]);
      uint64_t *word = word_of(f, data, part, row, column, &shift);
      *word |= x << shift;
      of[row * columns + column] = value_of(f->type[part], x);
    }
}

static void check_wmma(const struct wmma *f) {
  static double a[MOST], b[MOST], c[MOST];
  static uint64_t data[WORDS];
  char text[16384];
  struct weir_rng r;
  r = weir_rng_seed(340, 0);
  write_wmma(text, f);
  memset(data, 0, sizeof data);
  fill_wmma(&r, f, A, data, a);
  fill_wmma(&r, f, B, data, b);
  fill_wmma(&r, f, C, data, c);
  run(text, data);
  const struct form as_form = {.text = f->multiply, .type = {f->type[A]}};
  for (unsigned row = 0; row < f->m; row++)
    for (unsigned column = 0; column < f->n; column++) {
      double sum = c[row * f->n + column];
      for (unsigned k = 0; k < f->k; k++) sum += product(&as_form, a[row * f->k + k], b[k * f->n + column]);
      unsigned shift;
      const unsigned bits = bits_of(f->type[D]);
      const uint64_t *at = word_of(f, data, D, row, column, &shift), word = *at >> shift;
      const uint64_t got = bits == 64 ? word : word & ((UINT64_C(1) << bits) - 1);
      const uint64_t expected = rounded(f->type[D], sum, strstr(f->multiply, "satfinite") != NULL);
      if (got != expected)
        fail_msg("%s %s: row %u, column %u: %" PRIx64 ", not %" PRIx64, f->shape, f->type[A], row, column, got,
                 expected);
    }
}

static void wmma_loads_multiplies_and_stores(void **state) {
  static const struct {
    const char *shape;
    unsigned m, n, k;
  } shapes[] = {{"m16n16k16", 16, 16, 16}, {"m32n8k16", 32, 8, 16}, {"m8n32k16", 8, 32, 16}};
  // Registers of A and B by shape.
  static const unsigned brain[3][2] = {{4, 4}, {8, 2}, {2, 8}}, bytes[3][2] = {{2, 2}, {4, 1}, {1, 4}};
  (void)state;
  for (unsigned s = 0; s < 3; s++)
    for (unsigned layouts = 0; layouts < 16; layouts++) {
      struct wmma f = {.shape = shapes[s].shape,
                       .m = shapes[s].m,
                       .n = shapes[s].n,
                       .k = shapes[s].k,
                       .type = {"f16", "f16", "f32", "f32"},
                       .columns = {layouts & 1, layouts >> 1 & 1, layouts >> 2 & 1, layouts >> 3 & 1},
                       .pad = layouts & 2 ? 16 : 0,
                       .multiply = "",
                       .types_of_sums = true,
                       .registers = {8, 8, 8, 8},
                       .space = layouts & 4 ? ".shared"
                         : layouts & 8      ? ".global"
                                            : ""};
      check_wmma(&f);
      f.type[C] = f.type[D] = "f16";
      f.registers[C] = f.registers[D] = 4;
      check_wmma(&f);
      f.type[A] = f.type[B] = "bf16";
      f.type[C] = f.type[D] = "f32";
      f.types_of_sums = false;
      f.registers[A] = brain[s][0], f.registers[B] = brain[s][1], f.registers[C] = f.registers[D] = 8;
      check_wmma(&f);
      f.type[A] = f.type[B] = layouts & 1 ? "s8" : "u8";
      f.type[C] = f.type[D] = "s32";
      f.registers[A] = bytes[s][0], f.registers[B] = bytes[s][1];
      check_wmma(&f);
    }
}

static void wmma_of_other_types(void **state) {
  static const struct wmma forms[] = {
    {"m16n16k8", 16, 16, 8, {"tf32", "tf32", "f32", "f32"}, {0, 0, 0, 0}, 4, "", false, {4, 4, 8, 8}, ".global"},
    {"m16n16k8", 16, 16, 8, {"tf32", "tf32", "f32", "f32"}, {1, 1, 1, 1}, 0, "", false, {4, 4, 8, 8}, ".shared"},
    {"m8n8k4", 8, 8, 4, {"f64", "f64", "f64", "f64"}, {0, 1, 0, 0}, 2, "", false, {1, 1, 2, 2}, ".global"},
    {"m8n8k4", 8, 8, 4, {"f64", "f64", "f64", "f64"}, {1, 0, 1, 0}, 0, "", false, {1, 1, 2, 2}, ".shared"},
    {"m8n8k32", 8, 8, 32, {"s4", "s4", "s32", "s32"}, {0, 1, 0, 0}, 32, "", false, {1, 1, 2, 2}, ".global"},
    {"m8n8k32", 8, 8, 32, {"u4", "u4", "s32", "s32"}, {0, 1, 1, 1}, 0, "", false, {1, 1, 2, 2}, ".shared"},
    {"m8n8k128", 8, 8, 128, {"b1", "b1", "s32", "s32"}, {0, 1, 0, 1}, 0, ".xor.popc", false, {1, 1, 2, 2}, ".global"},
    {"m8n8k128", 8, 8, 128, {"b1", "b1", "s32", "s32"}, {0, 1, 0, 1}, 128, ".and.popc", false, {1, 1, 2, 2}, ".shared"},
  };
  (void)state;
  for (unsigned k = 0; k < sizeof forms / sizeof *forms; k++) check_wmma(&forms[k]);
}

// ---- ldmatrix, stmatrix, movmatrix ----------------------------------------------------------------------------------------------

// Rows of 16 bytes, `pitch` apart, begin at 16-byte elements in no order.
static void rows_come_and_go(void **state) {
  (void)state;
  for (unsigned matrices = 1; matrices <= 4; matrices *= 2)
    for (unsigned both = 0; both < 4; both++) {
      const bool loads_transposed = both & 1, stores_transposed = both & 2;
      char text[4096], registers_list[64];
      list(registers_list, 'm', matrices);
      snprintf(text, sizeof text,
               PTX_HEADER
               ".visible .entry k(.param .u64 data) {\n .reg .b64 %%rd<8>; .reg .b32 %%r<16>, %%m<4>;\n"
               " .shared .align 16 .b8 own[2048];\n"
               " ld.param.u64 %%rd0, [data]; mov.u32 %%r0, %%tid.x; mul.wide.u32 %%rd1, %%r0, 16;\n"
               " add.u64 %%rd1, %%rd1, %%rd0; ld.global.v4.u32 {%%r1,%%r2,%%r3,%%r4}, [%%rd1];\n"
               " mul.lo.u32 %%r5, %%r0, 5; and.b32 %%r5, %%r5, 31; shl.b32 %%r5, %%r5, 4; mov.u32 %%r6, own;\n"
               " add.u32 %%r5, %%r5, %%r6; st.shared.v4.u32 [%%r5], {%%r1,%%r2,%%r3,%%r4};\n bar.sync 0;\n"
               " ldmatrix.sync.aligned.m8n8.x%u%s.shared.b16 %s, [%%r5];\n"
               " stmatrix.sync.aligned.m8n8.x%u%s.shared.b16 [%%r5+1024], %s;\n bar.sync 0;\n"
               " ld.shared.v4.u32 {%%r1,%%r2,%%r3,%%r4}, [%%r5+1024];\n"
               " st.global.v4.u32 [%%rd1+512], {%%r1,%%r2,%%r3,%%r4};\n st.global.u32 [%%rd1+1024], %%m0;\n"
               " ret; }\n",
               matrices, loads_transposed ? ".trans" : "", registers_list, matrices, stores_transposed ? ".trans" : "",
               registers_list);
      struct bench b;
      struct {
        uint16_t in[LANES][8], out[LANES][8];
        uint32_t first[LANES][4];
      } data = {0};
      bench_open(&b, text, LANES);
      for (unsigned l = 0; l < LANES; l++)
        for (unsigned e = 0; e < 8; e++) data.in[l][e] = (uint16_t)(l * 8 + e + 1);
      const uint64_t address = weir_memory_alloc(b.memory, "data", sizeof data);
      memcpy(bench_at(&b, address, sizeof data), &data, sizeof data);
      bench_run(&b, "k", 1, LANES, &address);
      memcpy(&data, bench_at(&b, address, sizeof data), sizeof data);
      // Lane 8 k + r gave row r of matrix k. Both ways transposed, or neither, it comes back.
      for (unsigned l = 0; l < 8 * matrices; l++)
        for (unsigned e = 0; e < 8; e++)
          assert_int_equal(data.out[l][e],
                           loads_transposed == stores_transposed ? data.in[l][e] : data.in[l / 8 * 8 + e][l % 8]);
      // Thread 4g + t has (g, 2t) and (g, 2t + 1) of the matrix, or of its transpose.
      for (unsigned l = 0; l < LANES; l++)
        for (unsigned e = 0; e < 2; e++) {
          const unsigned along = l % 4 * 2 + e;
          assert_int_equal(data.first[l][0] >> 16 * e & 0xffff,
                           loads_transposed ? data.in[along][l / 4] : data.in[l / 4][along]);
        }
      bench_close(&b);
    }
}

static void movmatrix_transposes(void **state) {
  static const char text[] = PTX_HEADER
    ".visible .entry k(.param .u64 data) {\n .reg .b64 %rd<4>; .reg .b32 %r<4>;\n ld.param.u64 %rd0, [data];\n"
    " mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd1, %rd0; ld.global.u32 %r1, [%rd1];\n"
    " movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1;\n st.global.u32 [%rd1], %r1; ret; }\n";
  struct bench b;
  uint16_t matrix[8][8]; // thread 4g + t has two neighbours of row g
  (void)state;
  bench_open(&b, text, LANES);
  const uint64_t address = weir_memory_alloc(b.memory, "data", sizeof matrix);
  for (unsigned k = 0; k < 64; k++) matrix[k / 8][k % 8] = (uint16_t)(1000 + k);
  memcpy(bench_at(&b, address, sizeof matrix), matrix, sizeof matrix);
  bench_run(&b, "k", 1, LANES, &address);
  const uint16_t *got = bench_at(&b, address, sizeof matrix);
  for (unsigned k = 0; k < 64; k++) assert_int_equal(got[k], matrix[k % 8][k / 8]);
  bench_close(&b);
}

// ---- what goes wrong --------------------------------------------------------------------------------------------------------------

static void assert_fault(const char *body, uint32_t threads, const char *says) {
  char text[2048];
  struct bench b;
  struct weir_fault fault;
  snprintf(text, sizeof text,
           PTX_HEADER ".visible .entry k(.param .u64 data) {\n .reg .b64 %%rd<4>; .reg .b32 %%r<9>; .reg .pred %%p;\n"
                      " .shared .align 32 .b8 own[512];\n ld.param.u64 %%rd0, [data]; mov.u32 %%r8, %%tid.x;\n"
                      " setp.lt.u32 %%p, %%r8, 16; mov.u32 %%r7, own;\n %s\n ret; }\n",
           body);
  bench_open(&b, text, LANES);
  const uint64_t address = weir_memory_alloc(b.memory, "data", 512);
  struct weir_launch launch = bench_launch(&b, "k", 1, threads, &address);
  assert_false(weir_run_functional(&launch, &fault));
  if (!strstr(fault.message, says)) fail_msg("'%s' says '%s'", body, fault.message);
  bench_close(&b);
}

#define EIGHT "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}"

static void faults_are_told(void **state) {
  (void)state;
  assert_fault("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " EIGHT ", [%rd0];", 20,
               "wmma.load is executed by 20 of the warp's 32 threads: it takes all of them");
  assert_fault("@%p wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd0], " EIGHT ";", 32,
               "wmma.store is executed by 16 of the warp's 32 threads");
  assert_fault("@%p ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%r7];", 32, "ldmatrix is executed by 16");
  assert_fault("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " EIGHT ", [%rd0+32];", 32, "out-of-bounds load");
  assert_fault("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " EIGHT ", [%rd0+8];", 32, "misaligned load");
  assert_fault("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%r7+4];", 32, "misaligned load");
  assert_fault("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r7+512], {%r0,%r1,%r2,%r3};", 32, "out-of-bounds store");
}

// ---- tf32 -----------------------------------------------------------------------------------------------------------------------

// cvt.rna.tf32.f32 (PTX ISA, cvt): ten bits of mantissa, away from zero where two are as near.
static void tf32_is_rounded(void **state) {
  static const uint32_t cases[][2] = {{0x3f800000, 0x3f800000}, {0x3f800fff, 0x3f800000}, {0x3f801000, 0x3f802000},
                                      {0xbf801000, 0xbf802000}, {0x3ffff000, 0x40000000}, {0x7f7fffff, 0x7f800000},
                                      {0x7f800000, 0x7f800000}, {0x7f800001, 0x7fffffff}, {0x00001000, 0x00002000},
                                      {0x80000fff, 0x80000000}};
  static const char text[] = PTX_HEADER
    ".visible .entry k(.param .u64 data) {\n .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .f32 %f;\n ld.param.u64 %rd0, [data];\n"
    " mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd1, %rd0; ld.global.f32 %f, [%rd1];\n"
    " cvt.rna.tf32.f32 %r1, %f;\n st.global.u32 [%rd1], %r1; ret; }\n";
  enum { CASES = sizeof cases / sizeof *cases };
  struct bench b;
  (void)state;
  bench_open(&b, text, LANES);
  const uint64_t address = weir_memory_alloc(b.memory, "data", sizeof(uint32_t) * CASES);
  uint32_t *x = bench_at(&b, address, sizeof(uint32_t) * CASES);
  for (unsigned k = 0; k < CASES; k++) x[k] = cases[k][0];
  bench_run(&b, "k", 1, CASES, &address);
  for (unsigned k = 0; k < CASES; k++) assert_int_equal(x[k], cases[k][1]);
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(mma_multiplies),       cmocka_unit_test(wmma_loads_multiplies_and_stores),
    cmocka_unit_test(wmma_of_other_types),  cmocka_unit_test(rows_come_and_go),
    cmocka_unit_test(movmatrix_transposes), cmocka_unit_test(faults_are_told),
    cmocka_unit_test(tf32_is_rounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
