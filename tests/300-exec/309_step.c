// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Stepping as the timing model does: what an instruction is and did, and the same result as running functionally.
#include "harness.h"

static const char ptx[] = PTX_HEADER
  ".visible .entry k(.param .u64 in, .param .u64 out) { .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
  " .shared .align 4 .b8 s[512];\n"
  " ld.param.u64 %rd1, [in];\n"                     // 0
  " ld.param.u64 %rd2, [out];\n"                    // 1
  " mov.u32 %r1, %tid.x;\n"                         // 2
  " mul.wide.u32 %rd3, %r1, 8;\n"                   // 3
  " add.u64 %rd4, %rd1, %rd3;\n"                    // 4
  " setp.lt.u32 %p1, %r1, 40;\n"                    // 5
  " @%p1 ld.global.cg.v2.u32 {%r2, %r3}, [%rd4];\n" // 6
  " mov.u32 %r4, s;\n"                              // 7
  " mad.lo.u32 %r5, %r1, 4, %r4;\n"                 // 8
  " st.volatile.shared.u32 [%r5], %r3;\n"           // 9
  " bar.sync 0;\n"                                  // 10
  " cvta.shared.u64 %rd6, 0;\n"                     // 11
  " ld.u32 %r6, [%rd6+8];\n"                        // 12
  " add.u64 %rd5, %rd2, %rd3;\n"                    // 13
  " st.global.wt.u32 [%rd5], %r6;\n"                // 14
  " ret;\n}\n";

static void test_statics(void **state) {
  (void)state;
  struct bench b;
  bench_open(&b, ptx, 32);
  uint32_t n;
  const struct weir_static *s = weir_program_statics(b.program, &n);
  assert_int_equal(n, 17); // and the return past the end
  assert_int_equal(s[3].op_class, WEIR_CLASS_INT_MUL);
  assert_int_equal(s[8].op_class, WEIR_CLASS_INT_MAD);
  assert_int_equal(s[6].op_class, WEIR_CLASS_LOAD);
  assert_int_equal(s[6].space, WEIR_MEM_GLOBAL);
  assert_int_equal(s[6].l1_hint, WEIR_HINT_CG);
  assert_int_equal(s[6].access_bytes, 8);
  assert_int_equal(s[6].element_bytes, 4);
  assert_int_equal(s[6].dst_count, 2);
  assert_int_equal(s[6].src_count, 2); // address and guard
  assert_int_equal(s[6].line, 12);
  assert_int_equal(s[9].space, WEIR_MEM_SHARED);
  assert_true(s[9].is_volatile);
  assert_true(s[10].is_barrier);
  assert_int_equal(s[14].l1_hint, WEIR_HINT_WT);
  assert_int_equal(s[14].dst_count, 0);
  assert_true(s[15].is_exit);
  assert_int_equal(s[0].space, WEIR_MEM_PARAM);
  const struct weir_kernel *k = weir_program_kernel(b.program, "k");
  assert_int_equal(k->shared_bytes, 512);
  assert_int_equal(k->param_bytes, 16);
  bench_close(&b);
}

// The program's loads from global memory in the order of their PCs; there must be `count`.
static void find_global_loads(const struct bench *b, const struct weir_static **loads, uint32_t count) {
  uint32_t n, found = 0;
  const struct weir_static *s = weir_program_statics(b->program, &n);
  for (uint32_t i = 0; i < n; i++) {
    if (s[i].op_class != WEIR_CLASS_LOAD || s[i].space != WEIR_MEM_GLOBAL) continue;
    assert_true(found < count);
    loads[found++] = &s[i];
  }
  assert_int_equal(found, count);
}

// PTX ISA, "Memory Consistency Model": volatile is relaxed with the system's scope. What another block must see, no first-level cache
// may serve; what only the own block must, it may.
static void test_strong_loads(void **state) {
  (void)state;
  static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
    ".reg .b64 %rd<2>;\n.reg .b32 %r<8>;\nld.param.u64 %rd1, [p];\n"
    "ld.global.u32 %r1, [%rd1];\nld.volatile.global.u32 %r2, [%rd1];\nld.relaxed.cta.global.u32 %r3, [%rd1];\n"
    "ld.relaxed.gpu.global.u32 %r4, [%rd1];\nld.acquire.sys.global.u32 %r5, [%rd1];\nld.acquire.cta.global.u32 %r6, [%rd1];\n"
    "ret;\n}\n";
  static const bool strong[] = {false, true, false, true, true, false};
  struct bench b;
  bench_open(&b, text, 32);
  const struct weir_static *loads[6];
  find_global_loads(&b, loads, 6);
  for (unsigned i = 0; i < 6; i++) assert_int_equal(loads[i]->is_volatile, strong[i]);
  bench_close(&b);
}

// A priority of the first level is told behind it as well, where the access names none for there.
static void test_priorities(void **state) {
  (void)state;
  static const char text[] =
    ".version 8.5\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
    ".reg .b64 %rd<2>;\n.reg .b32 %r<8>;\nld.param.u64 %rd1, [p];\n"
    "ld.global.L1::evict_first.u32 %r1, [%rd1];\nld.global.L1::no_allocate.u32 %r2, [%rd1];\n"
    "ld.global.L1::evict_last.u32 %r3, [%rd1];\nld.global.L1::no_allocate.L2::evict_last.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r7}, [%rd1];\n"
    "ret;\n}\n";
  static const uint8_t l1[] = {WEIR_HINT_EVICT_FIRST, WEIR_HINT_NO_ALLOCATE, WEIR_HINT_EVICT_LAST,
                               WEIR_HINT_NO_ALLOCATE},
                       l2[] = {WEIR_HINT_L1_EVICT_FIRST, WEIR_HINT_L1_NO_ALLOCATE, WEIR_HINT_NONE,
                               WEIR_HINT_EVICT_LAST};
  struct bench b;
  bench_open(&b, text, 32);
  const struct weir_static *loads[4];
  find_global_loads(&b, loads, 4);
  for (unsigned i = 0; i < 4; i++) {
    assert_int_equal(loads[i]->l1_hint, l1[i]);
    assert_int_equal(loads[i]->l2_hint, l2[i]);
  }
  bench_close(&b);
}

static void check_instruction(const struct weir_winstr *w, const uint64_t *buffers, unsigned warp,
                              bool generic_shared) {
  for (unsigned l = 0; l < 32; l++) {
    const unsigned t = warp * 32 + l;
    const bool active = w->active >> l & 1;
    if (w->pc == 6) assert_int_equal(active, t < 40);
    if (w->pc == 6 && active) assert_int_equal(w->address[l], buffers[0] + 8 * t);
    if (w->pc == 9) assert_int_equal(w->address[l], 4 * t);
    if (w->pc == 12) assert_int_equal(w->address[l], 8);
    if (w->pc == 14) assert_int_equal(w->address[l], buffers[1] + 8 * t);
  }
  if (w->pc == 12) assert_int_equal(w->space == WEIR_MEM_SHARED, generic_shared);
}

static void test_steps(void **state) {
  (void)state;
  struct bench b;
  bench_open(&b, ptx, 32);
  uint64_t buffers[2] = {weir_memory_alloc(b.memory, "in", 1024), weir_memory_alloc(b.memory, "out", 1024)}, steps = 0;
  uint32_t *in = bench_at(&b, buffers[0], 1024), *out = bench_at(&b, buffers[1], 1024);
  for (unsigned k = 0; k < 256; k++) in[k] = 3 * k;
  struct weir_launch launch = bench_launch(&b, "k", 1, 96, buffers);
  launch.steps = &steps;
  struct weir_block_state *block = weir_block_create(&launch);
  weir_block_start(block, 0, 0, 0);
  assert_int_equal(weir_block_warps(block), 3);
  struct weir_winstr w;
  struct weir_fault fault;
  while (!weir_block_done(block))
    for (unsigned k = 0; k < 3; k++) {
      struct weir_warp *warp = weir_block_warp(block, k);
      if (weir_warp_exited(warp) || weir_warp_waiting(warp)) continue;
      const uint32_t pc = weir_warp_pc(warp);
      const enum weir_step s = weir_warp_step(warp, &w, &fault);
      assert_int_equal(w.pc, pc);
      check_instruction(&w, buffers, k, true);
      if (pc == 10) assert_int_equal(weir_warp_waiting(warp), k != 2); // the last to arrive goes on
      assert_int_equal(s, pc == 10 ? WEIR_STEP_BARRIER : pc == 15 ? WEIR_STEP_EXITED : WEIR_STEP_DONE_ONE);
    }
  weir_block_free(block);
  assert_int_equal(steps, 3 * 16);
  for (unsigned t = 0; t < 96; t++) assert_int_equal(out[2 * t], 15); // thread 2's second word: in[5]
  memset(out, 0, 1024);
  assert_int_equal(bench_run(&b, "k", 1, 96, buffers), 3 * 16);
  for (unsigned t = 0; t < 96; t++) assert_int_equal(out[2 * t], 15);
  bench_close(&b);
}

// A cache operator is for both levels, a priority for the one that it names, over the operator.
static void test_hints(void **state) {
  (void)state;
  static const char forms[] = PTX_HEADER ".visible .entry k(.param .u64 p) { .reg .b32 %r<8>; .reg .b64 %d;\n"
                                         " ld.param.u64 %d, [p];\n"
                                         " ld.global.u32 %r0, [%d];\n"
                                         " ld.global.cs.u32 %r1, [%d];\n"
                                         " ld.global.L2::evict_last.u32 %r2, [%d];\n"
                                         " ld.global.L1::no_allocate.L2::evict_first.u32 %r3, [%d];\n"
                                         " ld.global.nc.cs.L1::evict_last.u32 %r4, [%d];\n"
                                         " ret;\n}\n";
  static const uint8_t expected[][2] = {{WEIR_HINT_NONE, WEIR_HINT_NONE},
                                        {WEIR_HINT_CS, WEIR_HINT_CS},
                                        {WEIR_HINT_NONE, WEIR_HINT_EVICT_LAST},
                                        {WEIR_HINT_NO_ALLOCATE, WEIR_HINT_EVICT_FIRST},
                                        {WEIR_HINT_EVICT_LAST, WEIR_HINT_CS}};
  struct bench b;
  bench_open(&b, forms, 32);
  uint32_t n;
  const struct weir_static *s = weir_program_statics(b.program, &n);
  for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
    assert_int_equal(s[1 + i].l1_hint, expected[i][0]);
    assert_int_equal(s[1 + i].l2_hint, expected[i][1]);
  }
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_statics), cmocka_unit_test(test_strong_loads),
                                     cmocka_unit_test(test_priorities), cmocka_unit_test(test_hints),
                                     cmocka_unit_test(test_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
