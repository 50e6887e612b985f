// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Loads and stores of every size, vectors, spaces, generic addresses, initialised variables and atomics.
#include "harness.h"

#define OPEN(decl)                                                                                                     \
  PTX_HEADER decl                                                                                                      \
    "\n.visible .entry k(.param .u64 in, .param .u64 out) { .reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<16>;\n"    \
    " .reg .b64 %rd<16>; .reg .f32 %f<4>;\n ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x;\n"
#define K(decl, body) OPEN(decl) body " ret; }\n"

enum { THREADS = 70, BYTES = 8192 };

struct memory {
  struct bench b;
  uint64_t address[2];
  uint8_t *in, *out;
};

static void open_memory(struct memory *m, const char *ptx, unsigned lanes) {
  bench_open(&m->b, ptx, lanes);
  for (unsigned k = 0; k < 2; k++) m->address[k] = weir_memory_alloc(m->b.memory, k ? "out" : "in", BYTES);
  m->in = bench_at(&m->b, m->address[0], BYTES);
  m->out = bench_at(&m->b, m->address[1], BYTES);
  for (unsigned k = 0; k < BYTES; k++) m->in[k] = (uint8_t)(k * 37 + k / 256 * 11);
}

static void run_memory(struct memory *m) {
  bench_run(&m->b, "k", 1, THREADS, m->address);
}

// Each thread reads an element of one type and stores it widened to 64 bits.
static void check_load(const char *type, const char *reg, unsigned bytes, bool is_signed, unsigned lanes) {
  char body[512], ptx[2048];
  struct memory m;
  const bool narrow = !strcmp(reg, "%r2");
  snprintf(body, sizeof body,
           " mul.wide.u32 %%rd3, %%r1, %u; add.u64 %%rd4, %%rd1, %%rd3; ld.global.%s %s, [%%rd4+%u];\n %s\n"
           " mul.wide.u32 %%rd3, %%r1, 8; add.u64 %%rd4, %%rd2, %%rd3; st.global.u64 [%%rd4], %%rd5;\n ret; }\n",
           bytes, type, reg, bytes * 3,
           !narrow       ? ""
             : is_signed ? "cvt.s64.s32 %rd5, %r2;"
                         : "cvt.u64.u32 %rd5, %r2;");
  strcpy(ptx, OPEN(""));
  strcat(ptx, body);
  open_memory(&m, ptx, lanes);
  run_memory(&m);
  for (unsigned t = 0; t < THREADS; t++) {
    uint64_t want = 0, got;
    memcpy(&want, m.in + (t + 3) * bytes, bytes);
    const unsigned unused = 64 - 8 * bytes;
    if (is_signed && unused) want = (uint64_t)((int64_t)(want << unused) >> unused);
    memcpy(&got, m.out + t * 8, 8);
    assert_int_equal(got, want);
  }
  bench_close(&m.b);
}

static void test_loads(void **state) {
  (void)state;
  for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
    check_load("u8", "%r2", 1, false, lanes);
    check_load("s8", "%r2", 1, true, lanes);
    check_load("u16", "%r2", 2, false, lanes);
    check_load("s16", "%r2", 2, true, lanes);
    check_load("u32", "%r2", 4, false, lanes);
    check_load("u8", "%rd5", 1, false, lanes);
    check_load("s8", "%rd5", 1, true, lanes);
    check_load("s16", "%rd5", 2, true, lanes);
    check_load("s32", "%rd5", 4, true, lanes);
    check_load("u32", "%rd5", 4, false, lanes);
    check_load("b64", "%rd5", 8, false, lanes);
  }
}

// Vectors through shared memory and back, in odd threads only on the way back.
static void test_vectors(void **state) {
  (void)state;
  struct memory m;
  open_memory(
    &m,
    K(".shared .align 16 .b8 tile[2048];",
      " mul.wide.u32 %rd3, %r1, 16; add.u64 %rd4, %rd1, %rd3; ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd4];\n"
      " shl.b32 %r6, %r1, 4; mov.u32 %r7, tile; add.u32 %r8, %r6, %r7; st.shared.v4.b32 [%r8], {%r5, %r4, %r3, %r2};\n"
      " bar.sync 0; and.b32 %r9, %r1, 1; setp.eq.u32 %p1, %r9, 1; add.u64 %rd5, %rd2, %rd3;\n"
      " @%p1 ld.shared.v2.u64 {%rd6, %rd7}, [%r8]; @%p1 st.global.v2.u64 [%rd5], {%rd7, %rd6};\n"
      " @!%p1 ld.volatile.shared.v4.u8 {%h1, %h2, %h3, %h4}, [%r8]; @!%p1 st.global.v4.u8 [%rd5], {%h4, %h3, %h2, %h1};\n"),
    32);
  run_memory(&m);
  for (unsigned t = 0; t < THREADS; t++) {
    uint32_t w[4], got[4];
    memcpy(w, m.in + 16 * t, 16);
    memcpy(got, m.out + 16 * t, 16);
    const uint32_t odd[4] = {w[1], w[0], w[3], w[2]}, even[4] = {__builtin_bswap32(w[3]), 0, 0, 0};
    assert_memory_equal(got, t & 1 ? odd : even, 16);
  }
  bench_close(&m.b);
}

// One pointer per lane into shared, local, global and constant memory by turns.
// Each thread stores 7 × its number in shared memory at 4 × its number, named by 32-bit registers that are 400 less, below
// zero for all of them, and an offset that brings them back.
static void test_shared_below_zero(void **state) {
  (void)state;
  struct memory m;
  open_memory(
    &m,
    K(".shared .align 4 .b8 words[280];",
      " mov.u32 %r2, words; shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2; sub.u32 %r3, %r3, 400; mul.lo.u32 %r4, %r1, 7;\n"
      " st.shared.u32 [%r3+400], %r4; ld.shared.u32 %r5, [%r3+400];\n"
      " mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd2, %rd3; st.global.u32 [%rd4], %r5;\n"),
    32);
  run_memory(&m);
  const uint32_t *out = (const uint32_t *)(const void *)m.out;
  for (unsigned t = 0; t < THREADS; t++) assert_int_equal(out[t], 7 * t);
  bench_close(&m.b);
}

// Lanes' words in a row but for something: lanes 5 and 6 the other way round; the second half of 64 lanes 8 words on; from lane 20 on
// one word twice; in rows from a word that is no multiple of 32 lanes'. Each word is read there, and written back there.
static void test_nearly_rows(void **state) {
  (void)state;
  static const char *const place[] = {
    " mov.u32 %r2, %r1; setp.eq.u32 %p1, %r1, 5; @%p1 mov.u32 %r2, 6; setp.eq.u32 %p1, %r1, 6; @%p1 mov.u32 %r2, 5;",
    " and.b32 %r2, %r1, 32; shr.u32 %r2, %r2, 2; add.u32 %r2, %r2, %r1;",
    " setp.ge.u32 %p1, %r1, 20; selp.u32 %r2, 1, 0, %p1; sub.u32 %r2, %r1, %r2;", " add.u32 %r2, %r1, 3;"};
  for (unsigned k = 0; k < 4; k++)
    for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
      char ptx[2048];
      struct memory m;
      snprintf(
        ptx, sizeof ptx, "%s%s%s", OPEN(""), place[k],
        " mul.wide.u32 %rd3, %r2, 4; add.u64 %rd4, %rd1, %rd3; ld.global.u32 %r3, [%rd4]; add.u32 %r3, %r3, %r1;\n"
        " add.u64 %rd5, %rd2, %rd3; st.global.u32 [%rd5], %r3; ret; }\n");
      open_memory(&m, ptx, lanes);
      run_memory(&m);
      uint32_t want[THREADS + 32] = {0};
      for (unsigned t = 0; t < THREADS; t++) {
        const unsigned n = k == 0 ? (t == 5 || t == 6 ? 11 - t : t)
          : k == 1                ? t + (t & 32 ? 8 : 0)
          : k == 2                ? t - (t >= 20)
                                  : t + 3;
        memcpy(&want[n], m.in + 4 * n, 4);
        want[n] += t;
      }
      assert_memory_equal(m.out, want, sizeof want);
      bench_close(&m.b);
    }
}

static void test_generic(void **state) {
  (void)state;
  struct memory m;
  open_memory(
    &m,
    K(".shared .align 4 .u32 s; .const .align 4 .u32 c = 4000; .global .align 4 .u32 g[3] = {1, 2, 3000};\n"
      ".global .align 8 .u64 pointer = generic(g);\n",
      " .local .align 4 .b8 l[16]; mov.u32 %r2, 1000; st.shared.u32 [s], %r2; bar.sync 0; mov.u32 %r2, 2000; st.local.u32 [l+8], %r2;\n"
      " mov.u64 %rd3, s; cvta.shared.u64 %rd4, %rd3; mov.u64 %rd3, l; cvta.local.u64 %rd5, %rd3; add.u64 %rd5, %rd5, 8;\n"
      " ld.global.u64 %rd6, [pointer]; add.u64 %rd6, %rd6, 8; mov.u64 %rd3, c; cvta.const.u64 %rd7, %rd3;\n"
      " and.b32 %r3, %r1, 3; setp.eq.u32 %p1, %r3, 1; selp.b64 %rd8, %rd5, %rd4, %p1; setp.eq.u32 %p1, %r3, 2;\n"
      " selp.b64 %rd8, %rd6, %rd8, %p1; setp.eq.u32 %p1, %r3, 3; selp.b64 %rd8, %rd7, %rd8, %p1;\n"
      " ld.u32 %r4, [%rd8]; isspacep.shared %p2, %rd8; @%p2 add.u32 %r4, %r4, 7; add.u32 %r4, %r4, %r1;\n"
      " mul.wide.u32 %rd9, %r1, 4; add.u64 %rd9, %rd2, %rd9; st.u32 [%rd9], %r4;\n"),
    64);
  run_memory(&m);
  static const uint32_t base[4] = {1007, 2000, 3000, 4000};
  for (unsigned t = 0; t < THREADS; t++) {
    uint32_t got;
    memcpy(&got, m.out + 4 * t, 4);
    assert_int_equal(got, base[t & 3] + t);
  }
  bench_close(&m.b);
}

// There and back: in every space a variable's address becomes a generic one and comes back to it, and what is stored at one
// is loaded at the other; so with a private array that is indexed at run time, as clang writes it (an offset added to the
// generic address of the depot, then cvta.to.local).
static void test_to_and_from_generic(void **state) {
  (void)state;
  static const char *const space[] = {"shared", "local", "global", "const"};
  static const char *const open[] = {OPEN("") ".shared .align 4 .b8 v[16];", OPEN("") ".local .align 4 .b8 v[16];",
                                     OPEN(".global .align 4 .b8 v[16];"),
                                     OPEN(".const .align 4 .u32 v[4] = {5, 6, 7, 8};")};
  for (unsigned s = 0; s < 4; s++)
    for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
      char ptx[4096];
      snprintf(
        ptx, sizeof ptx,
        "%s mov.u64 %%rd3, v; cvta.%s.u64 %%rd4, %%rd3; cvta.to.%s.u64 %%rd5, %%rd4; sub.u64 %%rd6, %%rd5, %%rd3;\n"
        " isspacep.%s %%p1, %%rd4; selp.u32 %%r2, 1, 0, %%p1; cvt.u64.u32 %%rd7, %%r2; shl.b64 %%rd7, %%rd7, 32;\n"
        " or.b64 %%rd6, %%rd6, %%rd7; and.b32 %%r3, %%r1, 3; mul.wide.u32 %%rd8, %%r3, 4; add.u64 %%rd9, %%rd4, %%rd8;\n"
        " cvta.to.%s.u64 %%rd10, %%rd9; %s ld.%s.u32 %%r4, [%%rd10]; ld.u32 %%r5, [%%rd9]; shl.b32 %%r4, %%r4, 8;\n"
        " or.b32 %%r4, %%r4, %%r5; cvt.u64.u32 %%rd11, %%r4; add.u64 %%rd6, %%rd6, %%rd11; mul.wide.u32 %%rd12, %%r1, 8;\n"
        " add.u64 %%rd12, %%rd2, %%rd12; st.global.u64 [%%rd12], %%rd6; ret; }\n",
        open[s], space[s], space[s], space[s], space[s],
        s == 3 ? "" : "add.u32 %r6, %r3, 5; st.u32 [%rd9], %r6; bar.sync 0;", space[s]);
      struct memory m;
      open_memory(&m, ptx, lanes);
      run_memory(&m);
      for (unsigned t = 0; t < THREADS;
           t++) { // nothing is left of the address, it was of the space, and the word is t % 4 + 5
        uint64_t got;
        memcpy(&got, m.out + 8 * t, 8);
        assert_int_equal(got, UINT64_C(1) << 32 | (t % 4 + 5) << 8 | (t % 4 + 5));
      }
      bench_close(&m.b);
    }
}

// The same of parameters, which nobody writes. A kernel's are reached through ld.param, through a generic address that
// cvta.param gave, and through what cvta.to.param gives back: lanes read `in` and `out` in turn, and each way the difference to
// the value itself is 0. The address of a function's is one in local memory (PTX ISA, mov), where its second word, 2 t + 1, lies.
static void test_param_addresses(void **state) {
  (void)state;
  static const char kernel[] = OPEN(
    "") " mov.u64 %rd3, in; cvta.param.u64 %rd4, %rd3; isspacep.param %p1, %rd4; selp.u32 %r2, 1, 0, %p1;\n"
        " isspacep.global %p1, %rd4; selp.u32 %r3, 2, 0, %p1; or.b32 %r2, %r2, %r3; isspacep.local %p1, %rd4;\n"
        " selp.u32 %r3, 4, 0, %p1; or.b32 %r2, %r2, %r3; cvta.to.param.u64 %rd5, %rd4; sub.u64 %rd6, %rd5, %rd3;\n"
        " and.b32 %r4, %r1, 1; mul.wide.u32 %rd7, %r4, 8; add.u64 %rd8, %rd4, %rd7; cvta.to.param.u64 %rd9, %rd8;\n"
        " setp.eq.u32 %p2, %r4, 0; selp.b64 %rd10, %rd1, %rd2, %p2; ld.u64 %rd11, [%rd8]; sub.u64 %rd11, %rd11, %rd10;\n"
        " ld.param.u64 %rd12, [%rd9]; sub.u64 %rd12, %rd12, %rd10; or.b64 %rd6, %rd6, %rd11; or.b64 %rd6, %rd6, %rd12;\n"
        " cvt.u64.u32 %rd13, %r2; shl.b64 %rd6, %rd6, 8; or.b64 %rd6, %rd6, %rd13;\n"
        " mul.wide.u32 %rd12, %r1, 8; add.u64 %rd12, %rd2, %rd12; st.global.u64 [%rd12], %rd6; ret; }\n";
  static const char function[] = OPEN(
    ".func (.param .b32 r) f(.param .align 8 .b8 v[8]) { .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .pred %p;\n"
    " mov.u64 %rd1, v; cvta.local.u64 %rd2, %rd1; isspacep.local %p, %rd2; ld.u32 %r1, [%rd2+4];\n"
    " cvta.to.local.u64 %rd3, %rd2; ld.local.u32 %r2, [%rd3+4]; sub.u32 %r2, %r2, %r1; @!%p mov.u32 %r2, 1000;\n"
    " add.u32 %r1, %r1, %r2; st.param.b32 [r], %r1; ret; }\n") " mul.lo.u32 %r2, %r1, 2; add.u32 %r3, %r2, 1; { .param .align 8 .b8 a[8]; .param .b32 b;\n"
                                                               " st.param.v2.b32 [a], {%r2, %r3}; call.uni (b), f, (a); ld.param.b32 %r4, [b]; }\n"
                                                               " cvt.u64.u32 %rd6, %r4; mul.wide.u32 %rd12, %r1, 8; add.u64 %rd12, %rd2, %rd12; st.global.u64 [%rd12], %rd6; ret; }\n";
  for (unsigned k = 0; k < 4; k++) {
    struct memory m;
    open_memory(&m, k / 2 ? function : kernel, k % 2 ? 64 : 32);
    run_memory(&m);
    for (unsigned t = 0; t < THREADS; t++) {
      uint64_t got;
      memcpy(&got, m.out + 8 * t, 8);
      assert_int_equal(got, k / 2 ? 2 * t + 1 : 1);
    }
    bench_close(&m.b);
  }
}

// Lanes act in ascending order, so even the values returned are known.
static void test_atomics(void **state) {
  (void)state;
  struct memory m;
  open_memory(
    &m,
    K("",
      " atom.global.add.u32 %r2, [%rd2], 3; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd2, %rd3; st.global.u32 [%rd4+1024], %r2;\n"
      " red.global.max.s32 [%rd2+4], %r1; atom.global.inc.u32 %r3, [%rd2+8], 9; red.global.xor.b32 [%rd2+12], %r1;\n"
      " cvt.rn.f32.u32 %f1, %r1; atom.global.add.f32 %f2, [%rd2+16], %f1; atom.global.cas.b32 %r4, [%rd2+20], %r1, 69;\n"
      " cvt.u64.u32 %rd5, %r1; atom.global.exch.b64 %rd6, [%rd2+24], %rd5; add.u64 %rd7, %rd4, %rd3; st.global.u64 [%rd7+2048], %rd6;\n"
      " atom.global.dec.u32 %r5, [%rd2+32], 4; atom.global.min.u64 %rd8, [%rd2+40], %rd5;\n"),
    32);
  memset(m.out + 40, 0xff, 8);
  run_memory(&m);
  uint32_t w[12];
  uint64_t exchanged;
  float sum;
  memcpy(w, m.out, sizeof w);
  memcpy(&sum, &w[4], 4);
  assert_int_equal(w[0], 3 * THREADS);
  assert_int_equal(w[1], THREADS - 1);
  assert_int_equal(w[2], THREADS % 10);
  assert_int_equal(w[3], 69 ^ 68); // xor of 0…69: 0…67 cancel in fours
  assert_true(sum == 69 * 70 / 2);
  assert_int_equal(w[5], 69); // lane 0 finds 0 there
  assert_int_equal(w[6], 69);
  assert_int_equal(w[8], 0); // 0 → 4, 3, 2, 1, 0, 4, …: 70 steps end at 0
  assert_int_equal(w[10], 0);
  for (unsigned t = 0; t < THREADS; t++) {
    memcpy(w, m.out + 1024 + 4 * t, 4);
    memcpy(&exchanged, m.out + 2048 + 8 * t, 8);
    assert_int_equal(w[0], 3 * t);
    assert_int_equal(exchanged, t ? t - 1 : 0);
  }
  bench_close(&m.b);
}

static void test_async_copy(void **state) {
  (void)state;
  struct memory m;
  open_memory(
    &m,
    K(".extern .shared .align 16 .b8 dynamic[];",
      " mul.wide.u32 %rd3, %r1, 16; add.u64 %rd4, %rd1, %rd3; shl.b32 %r2, %r1, 4; mov.u32 %r3, dynamic; add.u32 %r2, %r2, %r3;\n"
      " and.b32 %r4, %r1, 12; cp.async.ca.shared.global [%r2], [%rd4], 16, %r4; cp.async.commit_group; cp.async.wait_group 0;\n"
      " ld.shared.v2.u64 {%rd5, %rd6}, [%r2]; add.u64 %rd7, %rd2, %rd3; st.global.v2.u64 [%rd7], {%rd5, %rd6};\n"),
    32);
  uint64_t steps = 0;
  struct weir_fault fault;
  struct weir_launch launch = bench_launch(&m.b, "k", 1, THREADS, m.address);
  launch.steps = &steps;
  launch.dynamic_shared_bytes = THREADS * 16;
  assert_true(weir_run_functional(&launch, &fault));
  for (unsigned t = 0; t < THREADS; t++) {
    uint8_t want[16] = {0};
    memcpy(want, m.in + 16 * t, t & 12);
    assert_memory_equal(m.out + 16 * t, want, 16);
  }
  bench_close(&m.b);
}

static void test_mapped(void **state) {
  (void)state;
  struct weir_memory *m = weir_memory_create();
  uint8_t *bytes = malloc(512);
  const uint64_t far = UINT64_C(0x7f0000001000);
  assert_true(weir_memory_map(m, "host", far, bytes, 512));
  assert_ptr_equal(weir_memory_at(m, far + 500, 12), bytes + 500);
  assert_null(weir_memory_at(m, far + 501, 12));
  assert_int_equal(weir_memory_bytes(m), 0); // it takes nothing of the device's memory
  assert_false(weir_memory_map(m, "begins inside", far + 511, bytes, 1));
  assert_false(weir_memory_map(m, "ends inside", far - 1, bytes, 2));
  assert_false(weir_memory_map(m, "covers", far - 1, bytes, 514));
  assert_true(weir_memory_map(m, "before", far - 2, bytes, 2));
  assert_true(weir_memory_map(m, "after", far + 512, bytes, 2));
  assert_false(weir_memory_map(m, "wraps", UINT64_MAX, bytes, 2));
  assert_false(weir_memory_map(m, "the heap's", WEIR_HEAP_BASE, bytes, 2));
  assert_false(weir_memory_map(m, "reaches the windows", WEIR_PARAM_BASE - 1, bytes, 2));
  assert_true(weir_memory_map(m, "ends below the windows", WEIR_PARAM_BASE - 2, bytes, 2));
  assert_true(weir_memory_release(m, far));
  assert_false(weir_memory_release(m, far));
  assert_null(weir_memory_at(m, far, 1));
  bytes[511] = 1; // still the caller's
  weir_memory_free(m);
  free(bytes);
}

static void expect_owner(const struct weir_memory *m, uint64_t low, uint64_t high, const char *expected) {
  char *is = weir_memory_owner(m, low, high);
  if (expected && is)
    assert_string_equal(is, expected);
  else
    assert_true(!expected && !is);
  weir_free(is);
}

// The heap begins at 0xc0000000. Its allocations are told by their addresses, which are the same in each run, also when they are gone.
static void test_owner(void **state) {
  (void)state;
  struct weir_memory *m = weir_memory_create();
  uint8_t bytes[16];
  const uint64_t a = weir_memory_alloc(m, "a", 1000), b = weir_memory_alloc(m, "b", 8), far = UINT64_C(0x7f0000001000);
  assert_true(weir_memory_map(m, "pinned", far, bytes, sizeof bytes));
  expect_owner(m, a, a + 999, "a 0xc0000000");
  expect_owner(m, a, a + 1000, NULL);
  expect_owner(m, a, b, NULL);
  expect_owner(m, a - 1, a, NULL);
  assert_true(weir_memory_release(m, a));
  expect_owner(m, a + 4, a + 4, "a 0xc0000000");
  expect_owner(m, far, far + 15, "pinned");
  assert_true(weir_memory_release(m, far));
  assert_true(weir_memory_map(m, "later", far, bytes, 8));
  expect_owner(m, far, far + 7, "later");
  expect_owner(m, far, far + 15, "pinned");
  weir_memory_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_loads),           cmocka_unit_test(test_vectors), cmocka_unit_test(test_shared_below_zero),
    cmocka_unit_test(test_nearly_rows),     cmocka_unit_test(test_generic), cmocka_unit_test(test_to_and_from_generic),
    cmocka_unit_test(test_param_addresses), cmocka_unit_test(test_atomics), cmocka_unit_test(test_async_copy),
    cmocka_unit_test(test_mapped),          cmocka_unit_test(test_owner)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
