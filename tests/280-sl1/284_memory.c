// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What else may see or change the bytes of a line: fences, barriers, other pointers into the same memory, atomics, accesses
// wider than a line. A thread stores a number in each of 64 elements of `out`, then does something, and keeps in `log` what
// it sees. 2 accesses of 2 structures an iteration: with threshold 32 the first 16 iterations are monitored, and 48 use
// lines. `other` is given the address of `out`.
#include "harness.h"

enum { N = 64, MONITORED = 16 };

// Elements of so many bytes, of type u8 or u32; the value of iteration i is i + 1, in r2; what r3 holds is kept. `sink`
// takes the address of `other`, which thereby escapes and is not cached; its first 8 bytes hold the address of `out`.
static char *kernel(unsigned bytes, const char *functions, const char *body) {
  return weir_text_format(
    SL1_HEADER
    "%s"
    ".visible .entry k(.param .u64 .ptr .global .align 1 out, .param .u64 .ptr .global .align 1 log,\n"
    " .param .u64 .ptr .global .align 1 other, .param .u64 .ptr .global .align 8 sink)\n{\n"
    ".reg .b64 %%rd<9>;\n.reg .b32 %%r<20>;\n.reg .pred %%p<4>;\n"
    "ld.param.u64 %%rd1, [out];\nld.param.u64 %%rd2, [log];\nld.param.u64 %%rd3, [other];\nld.param.u64 %%rd4, [sink];\n"
    "st.global.u64 [%%rd4+8], %%rd3;\nld.global.u64 %%rd5, [%%rd4];\nmov.u64 %%rd6, %%rd1;\nmov.u32 %%r1, 0;\n"
    "$LOOP:\nadd.u32 %%r2, %%r1, 1;\nst.global.u%u [%%rd1], %%r2;\n%s\nst.global.u%u [%%rd2], %%r3;\n"
    "add.s64 %%rd1, %%rd1, %u;\nadd.s64 %%rd2, %%rd2, %u;\nadd.s64 %%rd3, %%rd3, %u;\nadd.s64 %%rd5, %%rd5, %u;\n"
    "add.u32 %%r1, %%r1, 1;\nsetp.lt.u32 %%p1, %%r1, 64;\n@%%p1 bra $LOOP;\nret;\n}\n",
    functions, 8 * bytes, body, 8 * bytes, bytes, bytes, bytes, bytes);
}

struct seen {
  uint32_t out[N], log[N];
  uint64_t served; // by the lines of out
};

static uint32_t element(const void *at, unsigned bytes, unsigned i) {
  return bytes == 1 ? ((const uint8_t *)at)[i] : ((const uint32_t *)at)[i];
}

static struct seen run(unsigned bytes, const char *functions, const char *body, const char *options) {
  struct sl1_bench s;
  char full[160], *text = kernel(bytes, functions, body);
  snprintf(full, sizeof full, "threshold=32,counters=on,%s", options);
  sl1_open(&s, text, full);
  weir_free(text);
  const uint64_t out = sl1_buffer(&s, "out", N * bytes, 0, 0), log = sl1_buffer(&s, "log", N * bytes, 0, 0);
  const uint64_t sink = sl1_buffer(&s, "sink", 16, 0, 0), p[4] = {out, log, out, sink};
  *(uint64_t *)bench_at(&s.b, sink, 8) = out;
  sl1_launch(&s, 1, 1, 2, p);
  struct seen seen = {.served = sl1_count(&s, 0, WEIR_SL1_ACCESSES)};
  for (unsigned i = 0; i < N; i++) {
    seen.out[i] = element(bench_at(&s.b, out, N * bytes), bytes, i);
    seen.log[i] = element(bench_at(&s.b, log, N * bytes), bytes, i);
  }
  sl1_close(&s);
  return seen;
}

#define TOUCHES                                                                                                        \
  ".func touches(.param .b64 x)\n{\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [x];\nprefetch.global.L2 [%rd1];\n"          \
  "st.global.u8 [%rd1], 0;\nret;\n}\n"
#define COMPUTES                                                                                                       \
  ".func (.param .b32 y) computes(.param .b32 x)\n{\n.reg .b32 %r<2>;\nld.param.u32 %r1, [x];\n"                       \
  "st.param.b32 [y], %r1;\nret;\n}\n"

// Where the options say that `other` is another structure, it is read around the lines: what it finds is what memory holds.
static void fences_write_back(void **state) {
  (void)state;
  static const struct {
    const char *functions, *before, *options;
    bool fresh;
  } cases[] = {
    {"", "", "alias=none", false},
    {"", "membar.gl;", "alias=none", true},
    {"", "membar.cta;", "alias=none", true},
    {"", "fence.acq_rel.gpu;", "alias=none", true},
    {"", "ld.acquire.gpu.global.u32 %r7, [%rd4];", "alias=none", true},
    {"", "ld.volatile.global.u32 %r7, [%rd4];", "alias=none", true},
    {"", "setp.eq.u32 %p2, %r1, 99;\n@%p2 membar.gl;", "alias=none", true},
    {"", "bar.sync 0;", "alias=none", true},
    {"", "bar.sync 0;", "alias=none,barrier_fence=off", false},
    {"", "prefetch.global.L2 [%rd4];", "alias=none", false},
    {TOUCHES, "{\n.param .b64 x;\nst.param.b64 [x], %rd4;\ncall touches, (x);\n}", "alias=none", true},
    {COMPUTES, "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r1;\ncall (y), computes, (x);\n}", "alias=none",
     false},
    {"", "", "alias=search", true},
    {"", "", "alias=auto", true},
  };
  for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
    char *body = weir_text_format("%s\nld.global.u8 %%r3, [%%rd3];", cases[k].before);
    const struct seen seen = run(1, cases[k].functions, body, cases[k].options);
    for (unsigned i = 0; i < N; i++) {
      assert_int_equal(seen.out[i], i + 1);
      if (seen.log[i] != (cases[k].fresh || i < MONITORED ? i + 1 : 0))
        fail_msg("%s, %s: byte %u is %u", cases[k].before, cases[k].options, i, seen.log[i]);
    }
    const bool found = strstr(cases[k].options, "none") == NULL; // other's loads find out's line
    assert_int_equal(seen.served, (found ? 2 : 1) * (N - MONITORED));
    weir_free(body);
  }
}

// An address that nothing is known of may be in any line, whatever the options say.
static void unknown_pointers_find_lines(void **state) {
  (void)state;
  static const char *const options[] = {"alias=none", "alias=search", "alias=none,layout=interleaved",
                                        "alias=none,line_bytes=24"};
  for (unsigned k = 0; k < 4; k++) {
    const struct seen loads = run(1, "", "ld.global.u8 %r3, [%rd5];", options[k]);
    const struct seen stores =
      run(1, "", "xor.b32 %r4, %r2, 85;\nst.global.u8 [%rd5], %r4;\nld.global.u8 %r3, [%rd1];", options[k]);
    for (unsigned i = 0; i < N; i++) {
      assert_int_equal(loads.log[i], i + 1);
      assert_int_equal(stores.log[i], (i + 1) ^ 85);
      assert_int_equal(stores.out[i], (i + 1) ^ 85);
    }
    assert_int_equal(stores.served, 2 * (N - 11)); // 3 accesses an iteration: 33 in 11
  }
}

// The same of `other`, if options do not say that it is another structure.
static void pointers_into_one_structure_agree(void **state) {
  (void)state;
  static const char *const options[] = {"alias=search", "alias=search,line_bytes=8", "alias=search,write_miss=around"};
  for (unsigned k = 0; k < 3; k++) {
    const struct seen s =
      run(4, "", "add.u32 %r4, %r2, 1000;\nst.global.u32 [%rd3], %r4;\nld.global.u32 %r3, [%rd1];", options[k]);
    for (unsigned i = 0; i < N; i++) {
      assert_int_equal(s.log[i], i + 1001);
      assert_int_equal(s.out[i], i + 1001);
    }
  }
}

// Lines give way to atomics: what these find is what was stored, and what they leave is found.
static void atomics_find_what_was_stored(void **state) {
  (void)state;
  const struct seen old = run(4, "", "atom.global.add.u32 %r3, [%rd3], 1000;", "alias=search");
  const struct seen left = run(4, "", "red.global.add.u32 [%rd5], 1000;\nld.global.u32 %r3, [%rd1];", "alias=none");
  for (unsigned i = 0; i < N; i++) {
    assert_int_equal(old.log[i], i + 1);
    assert_int_equal(old.out[i], i + 1001);
    assert_int_equal(left.log[i], i + 1001);
    assert_int_equal(left.out[i], i + 1001);
  }
}

// 16 bytes at a time, of lines of 8 and 24 bytes: the sum of the four words that element i is in, when 0 to i are stored.
static void wide_accesses_pass_the_lines_by(void **state) {
  (void)state;
  static const char *const options[] = {"alias=none,line_bytes=8", "alias=none,line_bytes=24",
                                        "alias=search,line_bytes=8", "alias=search,line_bytes=16",
                                        "alias=search,layout=interleaved,line_bytes=32"};
  const char *body =
    "and.b64 %rd7, %rd1, -16;\nld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd7];\nadd.u32 %r3, %r4, %r5;\n"
    "add.u32 %r3, %r3, %r6;\nadd.u32 %r3, %r3, %r7;";
  const char *store =
    "and.b64 %rd7, %rd1, -16;\nld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd7];\nadd.u32 %r4, %r4, 1;\n"
    "add.u32 %r5, %r5, 1;\nst.global.v4.u32 [%rd7], {%r4, %r5, %r6, %r7};\nld.global.u32 %r3, [%rd1];";
  for (unsigned k = 0; k < 5; k++) {
    const struct seen s = run(4, "", body, options[k]), t = run(4, "", store, options[k]);
    for (unsigned i = 0; i < N; i++) {
      const unsigned first = i / 4 * 4;
      uint32_t sum = 0;
      for (unsigned j = first; j <= i; j++) sum += j + 1;
      assert_int_equal(s.log[i], sum);
      assert_int_equal(t.log[i], i % 4 < 2 ? i + 2 : i + 1);
    }
    // Element 0 of four is stored once and incremented by all four iterations, element 1 by three, the others by none.
    for (unsigned i = 0; i < N; i++) assert_int_equal(t.out[i], i + 1 + (i % 4 == 0 ? 4 : i % 4 == 1 ? 3 : 0));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(fences_write_back),
    cmocka_unit_test(unknown_pointers_find_lines),
    cmocka_unit_test(pointers_into_one_structure_agree),
    cmocka_unit_test(atomics_find_what_was_stored),
    cmocka_unit_test(wide_accesses_pass_the_lines_by),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
