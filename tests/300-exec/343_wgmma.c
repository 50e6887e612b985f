// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// wgmma.mma_async against a triple loop. Numbers are small integers, so that every sum is exact. Where an element lies in shared memory is
// written here as CUTLASS describes it (cute/atom/mma_traits_sm90_gmma.hpp: canonical layouts ((T,W,m),(8,k)) and ((8,m),(T,2)), and
// Swizzle<B,4,3> of byte addresses), where in registers as PTX ISA does ("Matrix Fragments for wgmma.mma_async.m64nNk16").
#include "base/rng.h"
#include "exec/half.h"
#include "exec/ops/types.h"
#include "harness.h"

#include <inttypes.h>

enum { THREADS = 128, ROWS = 64, MOST_N = 256, MOST_K = 256 };
enum { SHARED = 64 << 10, D_AT = SHARED, A_AT = D_AT + 128 * 4 * THREADS, BYTES = A_AT + 4 * 4 * THREADS };
enum { NO_SWIZZLE, SWIZZLE_128, SWIZZLE_64, SWIZZLE_32 };

// ---- formats ----------------------------------------------------------------------------------------------------------------

static const struct type {
  const char *name;
  unsigned bits;
} types[] = {{"f16", 16}, {"bf16", 16}, {"tf32", 32}, {"e4m3", 8}, {"e5m2", 8},
             {"s8", 8},   {"u8", 8},    {"b1", 1},    {"f32", 32}, {"s32", 32}};

static unsigned bits_of(const char *type) {
  for (unsigned k = 0; k < sizeof types / sizeof *types; k++)
    if (!strcmp(types[k].name, type)) return types[k].bits;
  fail_msg("no type %s", type);
  return 0;
}

static bool is_float(const char *type) {
  return !strchr("sub", *type) || !strcmp(type, "bf16");
}

// Of an integer from -3 to 3; the 13 bits of tf32 that nobody reads are not zero.
static uint32_t encode(const char *type, int x) {
  static const uint8_t e4m3[] = {0, 0x38, 0x40, 0x44}, e5m2[] = {0, 0x3c, 0x40, 0x42};
  const unsigned magnitude = (unsigned)(x < 0 ? -x : x), sign = x < 0 ? 0x80 : 0;
  if (!strcmp(type, "f16")) return weir_half_bits(&weir_f16, x, WEIR_ROUND_RN);
  if (!strcmp(type, "bf16")) return bits32((float)x) >> 16;
  if (!strcmp(type, "tf32")) return bits32((float)x) | 0x1abc;
  if (!strcmp(type, "e4m3")) return e4m3[magnitude] | sign;
  if (!strcmp(type, "e5m2")) return e5m2[magnitude] | sign;
  if (!strcmp(type, "f32")) return bits32((float)x);
  return (uint32_t)x;
}

static int draw(struct weir_rng *r, const char *type) {
  const int x = (int)(weir_rng_next(r) >> 33);
  if (!strcmp(type, "b1")) return x & 1;
  if (!strcmp(type, "s8")) return (int8_t)x;
  return !strcmp(type, "u8") ? (uint8_t)x : x % 7 - 3;
}

// ---- a case -----------------------------------------------------------------------------------------------------------------

struct place { // of a matrix in shared memory
  unsigned swizzle;
  bool transposed;
  uint32_t start, pattern; // bytes; of what the pattern repeats it begins at `pattern`, a multiple of 128
  bool apart;              // strides that leave room
};

struct form {
  unsigned n;
  const char *d, *a, *b, *more; // types, and modifiers before them
  bool a_in_registers;
  struct place place[2];
  const char *adds; // operand scale-d, of which %p1 is true and %p2 is false
  int sign[2];
  int large;            // that D begins with, so that sums do not fit
  unsigned bits, depth; // of an element of A and B; k: from the above
};

static unsigned width_of(const struct place *p) { // in chunks
  return p->swizzle == SWIZZLE_128 ? 8 : p->swizzle == SWIZZLE_64 ? 4 : p->swizzle == SWIZZLE_32 ? 2 : 1;
}

struct strides {
  uint32_t leading, stride;
};

// `rows`: of A, or columns of B.
static struct strides strides_of(const struct place *p, unsigned rows) {
  const uint32_t atom = 128 * width_of(p), more = p->apart ? atom : 0;
  if (p->swizzle == NO_SWIZZLE && !p->transposed) return (struct strides){rows / 8 * (atom + more), atom + more};
  if (p->swizzle == NO_SWIZZLE) return (struct strides){rows / 8 * (atom + more), atom + more};
  if (!p->transposed) return (struct strides){16, atom + more}; // the first is not looked at
  return (struct strides){2 * (atom + more), atom + more};
}

static uint64_t descriptor(const struct place *p, unsigned rows) {
  const struct strides s = strides_of(p, rows);
  return (uint64_t)p->start >> 4 | (uint64_t)s.leading >> 4 << 16 | (uint64_t)s.stride >> 4 << 32 |
    (uint64_t)(p->pattern >> 7 & 7) << 49 | (uint64_t)p->swizzle << 62;
}

// Bit at which the element begins.
static uint32_t bit_at(const struct place *p, unsigned rows, unsigned bits, unsigned row, unsigned k) {
  static const unsigned swizzled_bits[] = {0, 3, 2, 1};
  const struct strides s = strides_of(p, rows);
  const unsigned t = 128 / bits, w = width_of(p), b = swizzled_bits[p->swizzle];
  uint32_t at; // in bits
  if (!p->transposed && w == 1)
    at = row % 8 * 128 + row / 8 * s.stride * 8 + k % t * bits + k / t * s.leading * 8;
  else if (!p->transposed)
    at = row % 8 * w * 128 + row / 8 * s.stride * 8 + k * bits;
  else if (w == 1)
    at = row % t * bits + row / t * s.stride * 8 + k % 8 * 128 + k / 8 * s.leading * 8;
  else
    at = row % t * bits + row / t % w * 128 + row / (t * w) * s.leading * 8 + k % 8 * w * 128 + k / 8 * s.stride * 8;
  uint32_t byte = p->start + at / 8 - p->pattern;
  byte ^= byte >> 3 & ((1u << b) - 1) << 4;
  return (byte + p->pattern) * 8 + at % 8;
}

static void put(uint8_t *memory, uint32_t bit, unsigned bits, uint32_t x) {
  if (bits == 1)
    memory[bit / 8] = (uint8_t)((memory[bit / 8] & ~(1u << bit % 8)) | x << bit % 8);
  else
    memcpy(memory + bit / 8, &x, bits / 8);
}

// ---- a kernel ---------------------------------------------------------------------------------------------------------------

static void list(char *text, char letter, unsigned count) {
  text += sprintf(text, "{");
  for (unsigned k = 0; k < count; k++) text += sprintf(text, "%s%%%c%u", k ? "," : "", letter, k);
  sprintf(text, "}");
}

static unsigned sums(const struct form *f) {
  return f->n / 2 * bits_of(f->d) / 32;
}

static void write_instruction(char *text, const struct form *f) {
  char d[1024], a[64];
  list(d, 'd', sums(f));
  if (f->a_in_registers)
    list(a, 'a', 4);
  else
    sprintf(a, "0x%" PRIx64, descriptor(&f->place[0], ROWS));
  text += sprintf(text, "wgmma.mma_async.sync.aligned.m64n%uk%u%s.%s.%s.%s%s %s, %s, %%rd3, %s", f->n, f->depth, "",
                  f->d, f->a, f->b, f->more, d, a, f->adds);
  if (is_float(f->d)) text += sprintf(text, ", %d, %d", f->sign[0], f->sign[1]);
  if (is_float(f->d) && f->bits == 16 && !f->a_in_registers) text += sprintf(text, ", %d", f->place[0].transposed);
  if (is_float(f->d) && f->bits == 16) text += sprintf(text, ", %d", f->place[1].transposed);
  sprintf(text, ";\n");
}

// Shared memory is filled as it is, the registers of D and A lie behind.
static void write_kernel(char *text, const struct form *f) {
  text += sprintf(
    text,
    ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 data) {\n"
    " .reg .b64 %%rd<8>; .reg .b32 %%r<8>, %%a<4>; .reg .%s %%d<128>; .reg .pred %%p<4>;\n"
    " .shared .align 1024 .b8 own[%u];\n"
    " ld.param.u64 %%rd0, [data]; mov.u32 %%r0, %%tid.x; mul.wide.u32 %%rd1, %%r0, 16; shl.b32 %%r1, %%r0, 4; mov.u32 %%r7, own; add.u32 %%r1, %%r1, %%r7;\n"
    " add.u64 %%rd1, %%rd0, %%rd1; mov.u64 %%rd2, %%rd1; mov.u32 %%r6, 0;\n"
    " LOOP: ld.global.v4.u32 {%%r2,%%r3,%%r4,%%r5}, [%%rd1]; st.shared.v4.u32 [%%r1], {%%r2,%%r3,%%r4,%%r5};\n"
    " add.u64 %%rd1, %%rd1, 2048; add.u32 %%r1, %%r1, 2048; add.u32 %%r6, %%r6, 1;\n"
    " setp.lt.u32 %%p1, %%r6, 32; @%%p1 bra LOOP; bar.sync 0;\n"
    " mul.wide.u32 %%rd1, %%r0, 4; add.u64 %%rd0, %%rd0, %%rd1; setp.eq.u32 %%p1, %%r6, 32;"
    " setp.ne.u32 %%p2, %%r6, 32; mov.u64 %%rd3, 0x%" PRIx64 ";\n",
    !strcmp(f->d, "f32") ? "f32" : "b32", SHARED, descriptor(&f->place[1], f->n));
  for (unsigned k = 0; k < sums(f); k++)
    text += sprintf(text, " ld.global.b32 %%d%u, [%%rd0+%u];\n", k, D_AT + 4 * k * THREADS);
  for (unsigned k = 0; k < 4; k++)
    text += sprintf(text, " ld.global.b32 %%a%u, [%%rd0+%u];\n", k, A_AT + 4 * k * THREADS);
  text += sprintf(text, " wgmma.fence.sync.aligned;\n ");
  write_instruction(text, f);
  text += strlen(text);
  text += sprintf(text, " wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n");
  for (unsigned k = 0; k < sums(f); k++)
    text += sprintf(text, " st.global.b32 [%%rd0+%u], %%d%u;\n", D_AT + 4 * k * THREADS, k);
  sprintf(text, " ret; }\n");
}

// ---- expectations -----------------------------------------------------------------------------------------------------------

static int a_of[ROWS][MOST_K], b_of[MOST_K][MOST_N], d_of[ROWS][MOST_N];

// Of element i of a thread of D.
static void place_sum(unsigned thread, unsigned i, unsigned *row, unsigned *column) {
  const unsigned lane = thread % 32;
  *row = thread / 32 * 16 + lane / 4 + i / 2 % 2 * 8;
  *column = i / 4 * 8 + lane % 4 * 2 + i % 2;
}

static void fill_operands(struct weir_rng *r, const struct form *f, uint8_t *data) {
  const unsigned bits = f->bits, per = 32 / bits;
  for (unsigned m = 0; m < ROWS; m++)
    for (unsigned k = 0; k < f->depth; k++) {
      const int x = a_of[m][k] = draw(r, f->a);
      if (!f->a_in_registers) {
        put(data, bit_at(&f->place[0], ROWS, bits, m, k), bits, encode(f->a, x));
        continue;
      }
      // Of m16k16 and its like: register r of four has rows 8 (r % 2) on and the columns of its half.
      const unsigned half = k / (4 * per), in_half = k % (4 * per);
      const unsigned thread = m / 16 * 32 + m % 8 * 4 + in_half / per, number = half * 2 + m % 16 / 8;
      put(data, (A_AT + (number * THREADS + thread) * 4) * 8 + in_half % per * bits, bits, encode(f->a, x));
    }
  for (unsigned k = 0; k < f->depth; k++)
    for (unsigned n = 0; n < f->n; n++) {
      b_of[k][n] = draw(r, f->b);
      put(data, bit_at(&f->place[1], f->n, bits, n, k), bits, encode(f->b, b_of[k][n]));
    }
}

static void fill_sums(struct weir_rng *r, const struct form *f, uint8_t *data) {
  const unsigned bits = bits_of(f->d);
  for (unsigned t = 0; t < THREADS; t++)
    for (unsigned i = 0; i < f->n / 2; i++) {
      unsigned m, n;
      place_sum(t, i, &m, &n);
      d_of[m][n] = draw(r, "f16") + f->large;
      put(data, (D_AT + (i * bits / 32 * THREADS + t) * 4) * 8 + i * bits % 32, bits, encode(f->d, d_of[m][n]));
    }
}

static uint32_t expected(const struct form *f, unsigned m, unsigned n) {
  const bool none = !strcmp(f->adds, "0") || !strcmp(f->adds, "%p2") || !strcmp(f->adds, "!%p1");
  int64_t sum = 0;
  for (unsigned k = 0; k < f->depth; k++) sum += a_of[m][k] * b_of[k][n];
  if (is_float(f->d)) sum *= f->sign[0] * f->sign[1];
  if (!none) sum += d_of[m][n];
  if (strstr(f->more, "satfinite") || !strcmp(f->d, "s32")) {
    if (strstr(f->more, "satfinite") && sum > INT32_MAX) return INT32_MAX;
    return (uint32_t)sum;
  }
  return encode(f->d, (int)sum);
}

static void check_sums(const struct form *f, const uint8_t *data) {
  const unsigned bits = bits_of(f->d);
  for (unsigned t = 0; t < THREADS; t++)
    for (unsigned i = 0; i < f->n / 2; i++) {
      unsigned m, n;
      uint32_t got = 0;
      place_sum(t, i, &m, &n);
      memcpy(&got, data + D_AT + (i * bits / 32 * THREADS + t) * 4 + i * bits % 32 / 8, bits / 8);
      if (got == expected(f, m, n)) continue;
      char text[2048];
      write_instruction(text, f);
      fail_msg("%s row %u, column %u: %x, not %x (A %u%s, B %u%s)", text, m, n, got, expected(f, m, n),
               f->place[0].swizzle, f->place[0].transposed ? "t" : "", f->place[1].swizzle,
               f->place[1].transposed ? "t" : "");
    }
}

static void check(struct form f) {
  static char text[32 << 10];
  static uint8_t data[BYTES];
  static uint64_t number;
  struct bench b;
  struct weir_rng r = weir_rng_seed(343, number++);
  if (!f.adds) f.adds = "1";
  if (!f.more) f.more = "";
  for (unsigned k = 0; k < 2; k++)
    if (!f.sign[k]) f.sign[k] = 1;
  f.bits = bits_of(f.a);
  f.depth = 256 / f.bits;
  memset(data, 0x5a, sizeof data); // what is read from the wrong place is no zero
  fill_operands(&r, &f, data);
  fill_sums(&r, &f, data);
  write_kernel(text, &f);
  bench_open(&b, text, 32);
  const uint64_t address = weir_memory_alloc(b.memory, "data", BYTES);
  memcpy(bench_at(&b, address, BYTES), data, BYTES);
  bench_run(&b, "k", 1, THREADS, &address);
  check_sums(&f, bench_at(&b, address, BYTES));
  bench_close(&b);
}

// ---- tests ------------------------------------------------------------------------------------------------------------------

enum { B_START = 24 << 10 };

// Every swizzle of A and B, k together or rows together.
static void halves_lie_in_every_layout(void **state) {
  (void)state;
  for (unsigned k = 0; k < 64; k++) {
    const struct place a = {k % 4, k / 4 % 2, 0, 0, k % 3 == 1}, b = {k / 8 % 4, k / 32, B_START, 0, k % 5 == 1};
    static const unsigned n[] = {8, 64, 40, 136, 16};
    check((struct form){n[k % 5], k % 2 ? "f32" : "f16", "f16", "f16", .place = {a, b}});
    check((struct form){n[k % 4], "f32", "bf16", "bf16", .place = {a, b}, .a_in_registers = k % 4 == 3});
  }
}

static void other_types_lie_in_every_layout(void **state) {
  static const struct {
    const char *d, *a, *b, *more;
  } all[] = {{"f32", "tf32", "tf32", ""},     {"f32", "e4m3", "e5m2", ""}, {"f16", "e5m2", "e5m2", ""},
             {"f16", "e4m3", "e4m3", ""},     {"s32", "s8", "u8", ""},     {"s32", "u8", "s8", ".satfinite"},
             {"s32", "b1", "b1", ".and.popc"}};
  static const unsigned n[] = {8, 256, 24, 80};
  (void)state;
  for (unsigned t = 0; t < sizeof all / sizeof *all; t++)
    for (unsigned k = 0; k < 16; k++) {
      const struct place a = {k % 4, false, 0, 0, k % 3 == 1},
                         b = {k / 4 % 4, false, B_START, 0, n[k % 4] < 256 && k % 5 == 1};
      check((struct form){n[k % 4], all[t].d, all[t].a, all[t].b, all[t].more, .place = {a, b}});
      check(
        (struct form){n[k % 4], all[t].d, all[t].a, all[t].b, all[t].more, .place = {a, b}, .a_in_registers = true});
    }
}

static void every_width(void **state) {
  (void)state;
  for (unsigned n = 8; n <= 256; n += 8) {
    const struct place a = {SWIZZLE_128, false, 0, 0, false}, b = {SWIZZLE_128, n % 16 == 8, B_START, 0, false};
    check((struct form){n, "f32", "f16", "f16", .place = {a, b}});
  }
}

// Half a line on, as a loop over k goes, and with a pattern that begins elsewhere.
static void a_matrix_begins_within_a_line(void **state) {
  (void)state;
  for (unsigned k = 0; k < 4; k++) {
    const struct place a = {SWIZZLE_128, false, 32 * k, 0, false},
                       b = {SWIZZLE_128, false, B_START + 32 * k, B_START, false};
    check((struct form){64, "f32", "f16", "f16", .place = {a, b}});
  }
  const struct place a = {SWIZZLE_128, false, 384, 384, false},
                     b = {SWIZZLE_64, false, B_START + 128, B_START + 128, false};
  check((struct form){64, "f32", "f16", "f16", .place = {a, b}});
}

static void d_counts_or_not(void **state) {
  static const char *const adds[] = {"0", "1", "%p1", "%p2", "!%p1", "!%p2"};
  (void)state;
  for (unsigned k = 0; k < sizeof adds / sizeof *adds; k++) {
    const struct place a = {SWIZZLE_64, false, 0, 0, false}, b = {SWIZZLE_128, false, B_START, 0, false};
    check((struct form){32, "f32", "f16", "f16", .place = {a, b}, .adds = adds[k]});
    check((struct form){32, "s32", "s8", "s8", .place = {a, b}, .adds = adds[k]});
  }
}

static void signs_are_changed(void **state) {
  (void)state;
  for (unsigned k = 0; k < 4; k++) {
    const struct place a = {SWIZZLE_64, false, 0, 0, false}, b = {SWIZZLE_128, false, B_START, 0, false};
    check((struct form){32, "f16", "f16", "f16", .place = {a, b}, .sign = {k & 1 ? -1 : 1, k & 2 ? -1 : 1}});
    check((struct form){32, "f32", "tf32", "tf32", .place = {a, b}, .sign = {k & 1 ? -1 : 1, k & 2 ? -1 : 1}});
  }
}

static void sums_are_held(void **state) {
  (void)state;
  const struct place a = {NO_SWIZZLE, false, 0, 0, false}, b = {SWIZZLE_32, false, B_START, 0, false};
  check((struct form){16, "s32", "u8", "u8", ".satfinite", .place = {a, b}, .large = INT32_MAX - 5});
  check((struct form){16, "s32", "u8", "u8", "", .place = {a, b}, .large = INT32_MAX - 5});
}

// setmaxnreg changes nothing, and what is about groups needs no product.
static void the_rest_runs(void **state) {
  struct bench b;
  (void)state;
  bench_open(&b,
             ".version 8.0\n.target sm_90a\n.address_size 64\n.entry k() { wgmma.fence.sync.aligned;"
             " wgmma.wait_group.sync.aligned 7; wgmma.commit_group.sync.aligned; setmaxnreg.dec.sync.aligned.u32 24;"
             " setmaxnreg.inc.sync.aligned.u32 256; ret; }",
             32);
  assert_int_equal(bench_run(&b, "k", 1, 32, NULL), 6);
  bench_close(&b);
}

// ---- misuse -----------------------------------------------------------------------------------------------------------------

static void assert_fault(const char *before, uint64_t a, uint64_t b, unsigned threads, const char *says) {
  char text[2048];
  struct bench bench;
  struct weir_fault fault;
  uint64_t steps = 0;
  snprintf(
    text, sizeof text,
    ".version 8.0\n.target sm_90a\n.address_size 64\n.entry k() { .reg .f32 %%d<4>; .reg .pred %%p<2>;"
    ".reg .b32 %%r<2>; .shared .align 1024 .b8 own[4096]; mov.u32 %%r1, own; mov.u32 %%r1, %%tid.x; setp.lt.u32 %%p1, %%r1, 100;\n"
    "%s wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%%d0,%%d1,%%d2,%%d3}, 0x%" PRIx64 ", 0x%" PRIx64
    ", 0, 1, 1, 0, 0; ret; }",
    before, a, b);
  bench_open(&bench, text, 32);
  struct weir_launch launch = bench_launch(&bench, "k", 1, threads, NULL);
  launch.steps = &steps;
  assert_false(weir_run_functional(&launch, &fault));
  if (!strstr(fault.message, says)) fail_msg("'%s', not '%s'", fault.message, says);
  bench_close(&bench);
}

static void misuse_is_a_fault(void **state) {
  const struct place whole = {NO_SWIZZLE, false, 0, 0, false}, b = {NO_SWIZZLE, false, 2048, 0, false},
                     beyond = {NO_SWIZZLE, false, 4096 - 1024, 0, false}, far = {NO_SWIZZLE, false, 1 << 17, 0, false};
  (void)state;
  // Row 0 of A has its second eight elements in the ninth core matrix, 1024 bytes on.
  assert_fault("", descriptor(&beyond, ROWS), descriptor(&b, 8), 128,
               "wgmma reads matrix A at shared address 0x1000, by descriptor 0x");
  assert_fault("", descriptor(&whole, ROWS), descriptor(&far, 8), 128, "matrix B at shared address 0x20000");
  assert_fault("", descriptor(&whole, ROWS), descriptor(&far, 8), 128, "the block has 4096 bytes");
  assert_fault("@%p1", descriptor(&whole, ROWS), descriptor(&b, 8), 128,
               "wgmma is executed by 4 of the warp's 32 threads");
  assert_fault("", descriptor(&whole, ROWS), descriptor(&b, 8), 64,
               "there are no four together: the block has 2 warps");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(halves_lie_in_every_layout),
    cmocka_unit_test(other_types_lie_in_every_layout),
    cmocka_unit_test(every_width),
    cmocka_unit_test(a_matrix_begins_within_a_line),
    cmocka_unit_test(d_counts_or_not),
    cmocka_unit_test(signs_are_changed),
    cmocka_unit_test(sums_are_held),
    cmocka_unit_test(the_rest_runs),
    cmocka_unit_test(misuse_is_a_fault),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
