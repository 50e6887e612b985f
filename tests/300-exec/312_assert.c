// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A failed device-side assert: its text is that of the CUDA C++ Programming Guide ("Assertion"). And which kind each fault is.
#include "harness.h"

static const char kernel[] = PTX_HEADER
  ".extern .func __assertfail(.param .b64 a0, .param .b64 a1, .param .b32 a2, .param .b64 a3, .param .b64 a4);\n"
  ".global .align 1 .b8 message[14] = {115, 104, 111, 117, 108, 100, 95, 98, 101, 95, 111, 110, 101, 0};\n"
  ".global .align 1 .b8 file[8] = {116, 101, 115, 116, 46, 99, 117, 0};\n"
  ".const .align 1 .b8 function[18] = {118, 111, 105, 100, 32, 116, 101, 115, 116, 65, 115, 115, 101, 114, 116, 40, 41, 0};\n"
  ".visible .entry k() { .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
  " mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.y; setp.ne.u32 %p, %r2, 1; @%p ret; and.b32 %r1, %r1, 1;\n"
  " setp.eq.u32 %p, %r1, 0; @%p bra $E; mov.u64 %rd1, message; cvta.global.u64 %rd1, %rd1; mov.u64 %rd2, file;\n"
  " cvta.global.u64 %rd2, %rd2; mov.u64 %rd3, function; mov.u32 %r3, 19; mov.u64 %rd4, 1;\n"
  " { .param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3; .param .b64 p4; st.param.b64 [p0], %rd1;\n"
  "  st.param.b64 [p1], %rd2; st.param.b32 [p2], %r3; st.param.b64 [p3], %rd3; st.param.b64 [p4], %rd4;\n"
  "  call.uni __assertfail, (p0, p1, p2, p3, p4); }\n$E: ret; }\n";

struct printed {
  char text[2000];
  unsigned calls;
};

static void keep(void *context, const char *text, size_t bytes) {
  struct printed *p = context;
  const size_t at = strlen(p->text);
  memcpy(p->text + at, text, bytes);
  p->text[at + bytes] = 0;
  p->calls++;
}

// Blocks (2, 1, 1) of threads (2, 2, 1): those of odd x in the second row of blocks fail; the first block to do so is
// (0, 1, 0), and its threads 1 and 3, which are (1, 0, 0) and (1, 1, 0).
static void test_text(void **state) {
  (void)state;
  struct bench b;
  struct printed printed = {"", 0};
  struct weir_fault fault;
  const struct weir_services services = {.context = &printed, .print = keep};
  bench_open(&b, kernel, 32);
  struct weir_launch launch = bench_launch(&b, "k", 2, 2, NULL);
  launch.grid[1] = launch.block[1] = 2;
  launch.services = &services;
  assert_false(weir_run_functional(&launch, &fault));
  assert_string_equal(
    printed.text,
    "test.cu:19: void testAssert(): block: [0,1,0], thread: [1,0,0] Assertion `should_be_one` failed.\n"
    "test.cu:19: void testAssert(): block: [0,1,0], thread: [1,1,0] Assertion `should_be_one` failed.\n");
  assert_int_equal(printed.calls, 2);
  assert_int_equal(fault.kind, WEIR_FAULT_ASSERT);
  assert_string_equal(fault.message, "assertion 'should_be_one' failed at test.cu:19");
  assert_int_equal(fault.thread[0], 1);
  bench_close(&b);
}

static void expect_kind(const char *body, enum weir_fault_kind kind) {
  struct bench b;
  struct weir_fault fault;
  char ptx[1000];
  snprintf(ptx, sizeof ptx,
           PTX_HEADER ".visible .entry k(.param .u64 out) { .reg .b32 %%r<4>; .reg .b64 %%rd<4>;"
                      " .shared .align 4 .b8 s[8]; ld.param.u64 %%rd1, [out]; %s ret; }\n",
           body);
  bench_open(&b, ptx, 32);
  const uint64_t out = weir_memory_alloc(b.memory, "out", 64);
  struct weir_launch launch = bench_launch(&b, "k", 1, 1, &out);
  launch.step_limit = 1000;
  assert_false(weir_run_functional(&launch, &fault));
  if (fault.kind != kind) fail_msg("%s: kind %d, %s", body, fault.kind, fault.message);
  bench_close(&b);
}

static void test_kinds(void **state) {
  (void)state;
  expect_kind("ld.global.u32 %r1, [%rd1+64];", WEIR_FAULT_ACCESS);
  expect_kind("st.shared.u32 [s+8], %r1;", WEIR_FAULT_ACCESS);
  expect_kind("mov.u64 %rd2, 8; ld.u32 %r1, [%rd2];", WEIR_FAULT_ACCESS);
  expect_kind("ld.global.u32 %r1, [%rd1+1];", WEIR_FAULT_MISALIGNED);
  expect_kind("trap;", WEIR_FAULT_TRAP);
  expect_kind("$L: bra $L;", WEIR_FAULT_RUNAWAY);
  expect_kind("bar.sync 0, 64;", WEIR_FAULT_OTHER);
  expect_kind("P: .callprototype _ (); call %rd1, (), P;", WEIR_FAULT_OTHER); // no function's address
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_text), cmocka_unit_test(test_kinds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
