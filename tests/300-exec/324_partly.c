// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs built as far as they can be run: what cannot be is a fault where it is executed, and nowhere else.
#include "harness.h"

// Cube maps are not run. In `bad` a thread asks for one if its number is below `limit`.
static const char text[] = PTX_HEADER
  ".visible .entry good(.param .u64 out) { .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
  "ld.param.u64 %rd1, [out]; mov.u32 %r1, 7; st.global.u32 [%rd1], %r1; ret; }\n"
  ".visible .entry bad(.param .u64 out, .param .u32 limit) { .reg .pred %p1; .reg .b32 %r<4>; .reg .f32 %f<8>; .reg .b64 %rd<3>;\n"
  "ld.param.u64 %rd1, [out]; ld.param.u32 %r2, [limit]; mov.u32 %r1, %tid.x; mov.u32 %r3, 9; setp.lt.u32 %p1, %r1, %r2;\n"
  "@%p1 tex.cube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f0, %f1, %f2, %f3}];\n"
  "st.global.u32 [%rd1], %r3; ret; }\n";

struct launched {
  bool went_on;
  uint32_t out;
  struct weir_fault fault;
};

static struct launched run(const char *kernel, uint32_t limit, unsigned lanes) {
  struct bench b = {.module = weir_ptx_parse("test.ptx", text, strlen(text), &b.sink), .memory = weir_memory_create()};
  assert_non_null(b.module);
  b.program = weir_program_build_partly(b.module, lanes, weir_code_written(WEIR_ASSEMBLER_SM_35), b.memory, &b.sink);
  assert_non_null(b.program);
  assert_int_equal(b.sink.count, 0);
  struct {
    uint64_t out;
    uint32_t limit;
  } params = {weir_memory_alloc(b.memory, "out", 4), limit};
  struct weir_launch launch = bench_launch(&b, kernel, 1, 40, &params);
  struct launched l = {0};
  l.went_on = weir_run_functional(&launch, &l.fault);
  memcpy(&l.out, bench_at(&b, params.out, 4), 4);
  bench_close(&b);
  return l;
}

static void a_whole_program_is_refused(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_module *m = weir_ptx_parse("test.ptx", text, strlen(text), &sink);
  struct weir_memory *memory = weir_memory_create();
  assert_null(weir_program_build(m, 32, weir_code_written(WEIR_ASSEMBLER_SM_35), memory, &sink));
  assert_int_equal(sink.errors, 1);
  assert_non_null(strstr(sink.diags[0].message, "test.ptx:8:"));
  weir_sink_free(&sink);
  weir_memory_free(memory);
  weir_module_free(m);
}

static void other_kernels_run(void **state) {
  (void)state;
  for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
    struct launched l = run("good", 0, lanes);
    assert_true(l.went_on);
    assert_int_equal(l.out, 7);
  }
}

static void what_no_thread_executes_is_no_fault(void **state) {
  (void)state;
  for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
    struct launched l = run("bad", 0, lanes);
    assert_true(l.went_on);
    assert_int_equal(l.out, 9);
  }
}

static void what_one_thread_executes_is_a_fault_that_says_why(void **state) {
  (void)state;
  for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
    struct launched l = run("bad", 1, lanes);
    assert_false(l.went_on);
    assert_int_equal(l.fault.thread[0], 0);
    assert_int_equal(strncmp(l.fault.message, "cannot run 'tex': ", 18), 0);
    assert_non_null(strstr(l.fault.message, "cube"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_whole_program_is_refused),
    cmocka_unit_test(other_kernels_run),
    cmocka_unit_test(what_no_thread_executes_is_no_fault),
    cmocka_unit_test(what_one_thread_executes_is_a_fault_that_says_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
