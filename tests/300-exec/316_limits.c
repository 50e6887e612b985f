// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Sizes and offsets at the edge: what PTX may ask for and what not, and that no sum of them wraps around.
#include "harness.h"

#include <sys/resource.h>

#define REGISTERS " { .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<2>;\n"
#define OPEN(params) PTX_HEADER ".visible .entry k(" params ")" REGISTERS
#define KERNEL(params, body) OPEN(params) body " ret; }\n"

// Line 5 of the text is that of the body.
static void refused_in(const char *ptx, uint64_t memory_bytes, const char *where, const char *why) {
  struct bench b = {.memory = weir_memory_create()};
  if (memory_bytes) weir_memory_set_limit(b.memory, memory_bytes);
  b.module = weir_ptx_parse("test.ptx", ptx, strlen(ptx), &b.sink);
  if (!b.module) bench_fail(&b, "PTX does not parse");
  assert_null(weir_program_build(b.module, 32, weir_code_written(WEIR_ASSEMBLER_SM_35), b.memory, &b.sink));
  const char *message = b.sink.diags[0].message;
  if (!strstr(message, where) || !strstr(message, why)) fail_msg("'%s' and '%s' are not in: %s", where, why, message);
  weir_module_free(b.module);
  weir_memory_free(b.memory);
  weir_sink_free(&b.sink);
}

static void refused(const char *ptx, const char *where, const char *why) {
  refused_in(ptx, 0, where, why);
}

static void accepted(const char *ptx) {
  struct bench b;
  bench_open(&b, ptx, 32);
  bench_close(&b);
}

// Eight bytes of parameters: everything that does not lie in them.
static void test_parameters(void **state) {
  (void)state;
  static const char *const outside[] = {"u64 %rd1, [a+-8]",
                                        "u64 %rd1, [a-1]",
                                        "b8 %h1, [a+-1]",
                                        "b8 %h1, [a+8]",
                                        "u64 %rd1, [a+8]",
                                        "u32 %r1, [a+5]",
                                        "v4.u32 {%r1, %r2, %r3, %r4}, [a+-16]",
                                        "v2.u32 {%r1, %r2}, [a+4]",
                                        "u64 %rd1, [a+9223372036854775800]"};
  char ptx[1024];
  for (unsigned k = 0; k < sizeof outside / sizeof *outside; k++) {
    snprintf(ptx, sizeof ptx, "%sld.param.%s; ret; }\n", OPEN(".param .u64 a"), outside[k]);
    refused(ptx, "test.ptx:5:", "outside of the kernel's parameters");
    snprintf(ptx, sizeof ptx, "%sld.param.%s; ret; }\n", PTX_HEADER ".func f(.param .u64 a)" REGISTERS, outside[k]);
    refused(ptx, "test.ptx:5:", "outside of the parameter");
  }
  accepted(KERNEL(".param .u64 a", "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [a+4]; ld.param.b8 %h1, [a+7];\n"));
  refused(KERNEL("", "{ .param .b32 x; st.param.b32 [x+4], %r1; }\n"), "test.ptx:5:", "outside of the parameter");
}

// 2^32 - 1 bytes are rounded up to none in 32 bits, and two of 2^31 add up to none.
static void test_frames(void **state) {
  (void)state;
  refused(KERNEL("", ".local .b8 l[4294967295];\n"),
          "test.ptx:5:", "'l' takes the .local and .param variables of 'k' past 524288");
  refused(KERNEL("", ".local .b8 l[8];\n.local .b8 m[2147483648], n[2147483648];\n"), "test.ptx:6:", "'m' takes");
  refused(KERNEL("", ".local .b8 l[524281]; .local .b64 m;\n"), "test.ptx:5:", "'m' takes");
  accepted(KERNEL("", ".local .b8 l[524280]; .local .b64 m;\n"));
  refused(KERNEL("", "{ .param .b8 x[1073741824]; }\n"), "test.ptx:5:", "'x' takes");
  refused(PTX_HEADER ".func f(.param .b8 x[4294967288], .param .b8 y[8]) { ret; }\n", "test.ptx:4:", "'x' takes");
  refused(PTX_HEADER
          ".func f() { .local .b8 l[300000]; ret; }\n.visible .entry k() { .local .b8 l[300000]; call f; ret; }\n",
          "test.ptx:5:", "kernel 'k' and the functions it calls have more than 524288 bytes");
}

static void test_spaces(void **state) {
  (void)state;
  refused(KERNEL("", ".shared .b8 s[1048576]; .shared .b32 t; mov.u32 %r1, s; mov.u32 %r2, t;\n"),
          "test.ptx:4:", "kernel 'k' has more than 1048576 bytes");
  refused(KERNEL("", ".shared .b8 s[4294967296]; mov.u32 %r1, s;\n"), "test.ptx:4:", "more than 1048576 bytes");
  refused(PTX_HEADER ".const .b8 c[3221225472];\n",
          "test.ptx:4:", "'c' takes the module's .const variables past 65536");
  refused(PTX_HEADER ".const .b8 c[65536];\n.const .b8 e;\n", "test.ptx:5:", "'e' takes");
  accepted(PTX_HEADER ".const .b8 c[65535];\n.const .b8 e;\n");
  refused(PTX_HEADER ".global .b8 g[3221225472];\n", "test.ptx:4:", "'g' has 3221225472 bytes;");
  refused_in(PTX_HEADER ".global .b8 g[600];\n.global .b8 h[401];\n", 1000,
             "test.ptx:5:", "'h' has 401 bytes; 400 of the device's memory are left");
  refused(KERNEL(".param .b8 a[4353]", ""), "test.ptx:4:", "'a' takes the parameters of kernel 'k' past 4352 bytes");
  refused(KERNEL(".param .b8 a[4294967295], .param .b8 b[4]", ""), "test.ptx:4:", "'a' takes");
  accepted(".version 8.1\n.target sm_80\n.address_size 64\n.visible .entry k(.param .b8 a[32764]) { ret; }\n");
}

// No address below an allocation, a window or a frame is let through, whatever the width.
static void test_below(void **state) {
  (void)state;
  static const char *const space[] = {"global", "shared", "local", "const", "param", ""};
  static const char *const access[] = {"b8 %h1, [%rd2+-1]",
                                       "u16 %h1, [%rd2+-2]",
                                       "u32 %r1, [%rd2+-4]",
                                       "u64 %rd3, [%rd2+-8]",
                                       "v4.u32 {%r1, %r2, %r3, %r4}, [%rd2+-16]",
                                       "u64 %rd3, [-8]",
                                       "v2.u64 {%rd3, %rd4}, [-16]",
                                       "b8 %h1, [-1]"};
  for (unsigned s = 0; s < 6; s++)
    for (unsigned a = 0; a < sizeof access / sizeof *access; a++) {
      char ptx[1024];
      snprintf(
        ptx, sizeof ptx, "%s ld%s%s.%s; ret; }\n",
        OPEN(
          ".param .u64 at") ".shared .b64 s; .local .b64 l; mov.u64 %rd5, s; mov.u64 %rd5, l; ld.param.u64 %rd2, [at];\n",
        *space[s] ? "." : "", space[s], access[a]);
      struct bench b;
      bench_open(&b, ptx, 32);
      const bool windows = s == 1 || s == 2; // whose addresses begin at 0
      const uint64_t at = s == 4 ? WEIR_PARAM_BASE : windows ? 0 : weir_memory_alloc(b.memory, "x", 64);
      uint64_t steps = 0;
      struct weir_fault fault;
      struct weir_launch launch = bench_launch(&b, "k", 1, 32, &at);
      launch.steps = &steps;
      assert_false(weir_run_functional(&launch, &fault));
      assert_true(fault.raised);
      bench_close(&b);
    }
}

// 64 GiB are there at once, all zero, and cost what is touched of them.
static void test_untouched(void **state) {
  (void)state;
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  struct weir_memory *m = weir_memory_create();
  const uint64_t bytes = UINT64_C(64) << 30, at = weir_memory_alloc(m, "large", bytes);
  for (uint64_t k = 0; k < 64; k++) {
    uint8_t *byte = weir_memory_at(m, at + (k << 30), 1);
    assert_int_equal(*byte, 0);
    *byte = 1;
  }
  assert_null(weir_memory_at(m, at + bytes - 1, 2));
  getrusage(RUSAGE_SELF, &after);
  assert_true(after.ru_maxrss - before.ru_maxrss < 256 << 10); // KiB; a touched page may be one of 2 MiB
  assert_int_equal(weir_memory_alloc(m, "more than there are addresses", UINT64_C(1) << 40), 0);
  assert_int_equal(weir_memory_alloc(m, "wraps", UINT64_MAX), 0);
  assert_true(weir_memory_release(m, at));
  weir_memory_set_limit(m, 1000);
  assert_int_equal(weir_memory_alloc(m, "a", 1001), 0);
  assert_int_not_equal(weir_memory_alloc(m, "b", 600), 0);
  assert_int_equal(weir_memory_alloc(m, "c", 401), 0);
  assert_int_not_equal(weir_memory_alloc(m, "d", 400), 0);
  weir_memory_free(m);
}

// A call counts as its frame or, that being empty, as 16 bytes: 1600 bytes hold 100 nested calls.
static void check_recursion(uint32_t depth, uint32_t stack_bytes, bool holds) {
  struct bench b;
  bench_open(&b,
             PTX_HEADER ".func f(.reg .b32 n) { .reg .pred %p; .reg .b32 %r; setp.eq.u32 %p, n, 1; @%p ret;\n"
                        " sub.u32 %r, n, 1; call f, (%r); ret; }\n"
                        ".visible .entry k(.param .u32 n) { .reg .b32 %r; ld.param.u32 %r, [n]; call f, (%r); ret; }\n",
             32);
  const struct weir_services services = {.stack_bytes = stack_bytes};
  uint64_t steps = 0;
  struct weir_fault fault = {0};
  struct weir_launch launch = bench_launch(&b, "k", 1, 32, &depth);
  launch.steps = &steps;
  launch.services = &services;
  assert_int_equal(weir_run_functional(&launch, &fault), holds);
  if (!holds) assert_non_null(strstr(fault.message, "call stack overflow"));
  bench_close(&b);
}

static void test_recursion(void **state) {
  (void)state;
  check_recursion(100, 1600, true);
  check_recursion(101, 1600, false);
  check_recursion(2048, 0, true); // 32 KiB
  check_recursion(2049, 0, false);
  check_recursion(10000, 160000, true);
}

// Without recursion there is as much stack as the chain needs, also of a function that is called twice.
static void test_chain(void **state) {
  (void)state;
  enum { LENGTH = 8000 };
  char *text = weir_alloc(LENGTH * 64 + 400), *at = stpcpy(text, PTX_HEADER);
  at += sprintf(at, ".func f0() { ret; }\n");
  for (unsigned k = 1; k < LENGTH; k++) at += sprintf(at, ".func f%u() { call f%u; ret; }\n", k, k - 1);
  sprintf(at, ".visible .entry k() { call f%u; ret; }\n", LENGTH - 1);
  struct bench b;
  bench_open(&b, text, 32);
  assert_int_equal(bench_run(&b, "k", 1, 32, NULL), 2 * LENGTH + 1);
  bench_close(&b);
  weir_free(text);
  bench_open(&b,
             PTX_HEADER ".func f() { .local .b8 l[40000]; ret; }\n.func g() { call f; call f; ret; }\n"
                        ".visible .entry k() { call g; call f; ret; }\n",
             32);
  assert_true(weir_program_kernel(b.program, "k")->local_bytes >= 40000);
  bench_run(&b, "k", 1, 32, NULL);
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_parameters), cmocka_unit_test(test_frames),    cmocka_unit_test(test_spaces),
    cmocka_unit_test(test_below),      cmocka_unit_test(test_untouched), cmocka_unit_test(test_recursion),
    cmocka_unit_test(test_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
