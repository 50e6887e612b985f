// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a kernel can do wrong ends with a diagnostic that names kernel, PTX line, source line, block and thread.
#include "harness.h"

// The body begins at line 11 of the text.
#define K(body)                                                                                                        \
  PTX_HEADER ".file 1 \"kernel.cu\"\n.const .align 4 .u32 fixed = 1;\n.visible .entry broken(.param .u64 out)\n"       \
             "{ .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .shared .align 4 .b8 tile[64];\n"               \
             " ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"                                \
             " mad.lo.u32 %r3, %r2, 64, %r1; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %rd1, %rd2;\n"                   \
             " .loc 1 77 3\n" body " ret;\n}\n"

static void expect(const char *body, const char *const *parts) {
  struct bench b;
  bench_open(&b, body, 32);
  const uint64_t out = weir_memory_alloc(b.memory, "out", 1000);
  uint64_t steps = 0;
  struct weir_fault fault;
  struct weir_launch launch = bench_launch(&b, "broken", 8, 64, &out);
  launch.steps = &steps;
  launch.step_limit = 100000;
  assert_false(weir_run_functional(&launch, &fault));
  assert_true(fault.raised);
  weir_fault_report(&fault, &launch, &b.sink);
  assert_int_equal(b.sink.errors, 1);
  const char *message = b.sink.diags[b.sink.count - 1].message;
  for (; *parts; parts++)
    if (!strstr(message, *parts)) fail_msg("'%s' is not in: %s", *parts, message);
  bench_close(&b);
}

#define EXPECT(body, ...) expect(K(body), (const char *const[]){__VA_ARGS__, NULL})

// 1000 bytes are 250 words: thread 250 - 3 × 64 = 58 of block 3 is the first past the end.
static void test_out_of_bounds(void **state) {
  (void)state;
  EXPECT(" st.global.u32 [%rd3], %r1;\n", "test.ptx:11:", "out-of-bounds store of 4 bytes",
         "0 bytes past the end of 'out'", "1000 bytes at 0xc0000000", "kernel 'broken'", "kernel.cu:77",
         "block (3, 0, 0)", "thread (58, 0, 0)");
  EXPECT(" ld.global.v2.u32 {%r4, %r5}, [%rd1+1000];\n", "load of 8 bytes", "0 bytes past the end of 'out'",
         "thread (0, 0, 0)");
  EXPECT(" ld.global.u64 %rd4, [%rd1+-8];\n", "out-of-bounds load of 8 bytes at 0xbffffff8");
  EXPECT(" mov.u32 %r6, tile; shl.b32 %r4, %r1, 2; ld.shared.u32 %r5, [%r4];\n", "shared memory, which has 64 bytes",
         "thread (16, 0, 0)");
  EXPECT(" atom.global.add.u32 %r4, [%rd1+2000], 1;\n", "out-of-bounds atomic", "1000 bytes past the end of 'out'");
  EXPECT(" add.u64 %rd3, %rd1, 140000000000000; ld.global.u32 %r4, [%rd3];\n", "out-of-bounds load",
         "far from all device memory: a pointer of the host's?");
}

// Of a warp whose other lanes are inside, lane 21's address is 2^63 too high, or every lane's is.
static void test_top_half(void **state) {
  (void)state;
  EXPECT(" setp.eq.u32 %p1, %r1, 21; xor.b64 %rd4, %rd1, 0x8000000000000000; selp.b64 %rd3, %rd4, %rd1, %p1;\n"
         " ld.global.u32 %r4, [%rd3];\n",
         "test.ptx:12:", "out-of-bounds load of 4 bytes at 0x80000000c0000000", "thread (21, 0, 0)");
  EXPECT(" xor.b64 %rd3, %rd3, 0x8000000000000000; st.global.u32 [%rd3], %r1;\n",
         "out-of-bounds store of 4 bytes at 0x80000000c0000000", "thread (0, 0, 0)");
}

static void test_other_accesses(void **state) {
  (void)state;
  EXPECT(" ld.global.u32 %r4, [%rd1+2];\n", "misaligned load: address 0xc0000002 is not a multiple of 4 bytes");
  EXPECT(" setp.eq.u32 %p1, %r1, 9; mov.u64 %rd4, 0; @%p1 ld.global.u32 %r4, [%rd4+16];\n",
         "null pointer: load of 4 bytes", "thread (9, 0, 0)");
  EXPECT(" mov.u64 %rd4, fixed; st.global.u32 [%rd4], %r1;\n", "store of 4 bytes", "'fixed' is constant");
  EXPECT(" mov.u64 %rd4, out; cvta.param.u64 %rd5, %rd4; st.u32 [%rd5], %r1;\n", "store of 4 bytes",
         "the kernel's parameters are constant", "thread (0, 0, 0)");
}

// The first half of a warp has a row that begins two words below 0 and ends above it; the second has one inside.
static void test_half_below_zero(void **state) {
  (void)state;
  EXPECT(
    " setp.lt.u32 %p1, %r1, 16; mul.wide.u32 %rd4, %r1, 4; sub.u64 %rd5, %rd4, 8; selp.b64 %rd3, %rd5, %rd3, %p1;\n"
    " ld.global.u32 %r4, [%rd3];\n",
    "test.ptx:12:", "load of 4 bytes at 0xfffffffffffffff8", "thread (0, 0, 0)");
  EXPECT(" setp.lt.u32 %p1, %r1, 16; shl.b32 %r4, %r1, 2; sub.u32 %r5, %r4, 8; sub.u32 %r6, %r4, 64;\n"
         " selp.b32 %r4, %r5, %r6, %p1; mov.u32 %r6, tile; ld.shared.u32 %r7, [%r4];\n",
         "load of 4 bytes at 0xfffffff8", "shared memory, which has 64 bytes", "thread (0, 0, 0)");
}

static void test_no_end(void **state) {
  (void)state;
  EXPECT("$L: bra $L;\n", "runaway: stopped after 100000 warp instructions", "test.ptx:11:");
  EXPECT(" trap;\n", "trap");
  EXPECT(" setp.lt.u32 %p1, %r1, 32; @%p1 bra $A; bar.sync 1; bra $E;\n$A: bar.sync 2;\n$E:\n",
         "barrier 2 cannot be met", "32 of 64 threads arrived", "test.ptx:12:");
  EXPECT(" bar.sync 0, 128;\n", "barrier 0 cannot be met", "64 of 128 threads");
}

static void test_deep_recursion(void **state) {
  (void)state;
  static const char ptx[] =
    PTX_HEADER ".func deep() { { call deep; } ret; }\n.visible .entry broken(.param .u64 out) { call deep; ret; }\n";
  expect(ptx, (const char *const[]){"call stack overflow", "in function 'deep'", "kernel 'broken'", NULL});
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_out_of_bounds),   cmocka_unit_test(test_other_accesses),
                                     cmocka_unit_test(test_no_end),          cmocka_unit_test(test_top_half),
                                     cmocka_unit_test(test_half_below_zero), cmocka_unit_test(test_deep_recursion)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
