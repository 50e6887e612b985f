// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the modifiers mean, whatever their order, and which forms run. Expectations are the PTX ISA's.
#include "ptx_test.h"

static struct weir_form form_of(const char *statement) {
  struct weir_module *m = parse_kernel(statement);
  struct weir_form form = instruction(m, 0)->form;
  weir_module_free(m);
  return form;
}

static void test_loads(void **state) {
  (void)state;
  struct weir_form f =
    form_of("ld.global.nc.cs.L1::no_allocate.L2::evict_last.L2::256B.v4.u32 {%r1,%r2,%r3,%r4}, [%rd1];");
  assert_int_equal(f.type, WEIR_T_U32);
  assert_int_equal(f.space, WEIR_SPACE_GLOBAL);
  assert_int_equal(f.cache, WEIR_CACHE_CS);
  assert_int_equal(f.l1_evict, WEIR_EVICT_NO_ALLOCATE);
  assert_int_equal(f.l2_evict, WEIR_EVICT_LAST);
  assert_int_equal(f.l2_prefetch_bytes, 256);
  assert_int_equal(f.vector, 4);
  assert_true(f.non_coherent);
  f = form_of("ld.acquire.sys.global.L2::cache_hint.f64 %fd1, [%rd1], %rd2;");
  assert_int_equal(f.order, WEIR_ORDER_ACQUIRE);
  assert_int_equal(f.scope, WEIR_SCOPE_SYS);
  assert_true(f.cache_hint);
  f = form_of("ld.u8 %h1, [%rd1];");
  assert_int_equal(f.space, WEIR_SPACE_GENERIC);
  assert_int_equal(f.vector, 1);
  assert_int_equal(f.order, WEIR_ORDER_WEAK);
}

static void test_atomics(void **state) {
  (void)state;
  struct weir_form f = form_of("atom.acq_rel.gpu.shared.cas.b64 %rd1, [%rd2], %rd3, %rd4;");
  assert_int_equal(f.sub, WEIR_SUB_CAS);
  assert_int_equal(f.space, WEIR_SPACE_SHARED);
  assert_int_equal(f.order, WEIR_ORDER_ACQ_REL);
  assert_int_equal(f.scope, WEIR_SCOPE_GPU);
  assert_int_equal(form_of("red.global.xor.b32 [%rd2], %r1;").sub, WEIR_SUB_XOR);
  assert_true(form_of("atom.global.add.noftz.f16x2 %r1, [%rd2], %r1;").noftz);
}

static void test_comparisons(void **state) {
  (void)state;
  struct weir_form f = form_of("setp.gtu.or.ftz.f32 %p1|%p2, %f1, %f2, !%p3;");
  assert_int_equal(f.compare, WEIR_CMP_GTU);
  assert_int_equal(f.boolean, WEIR_SUB_OR);
  assert_true(f.ftz);
  assert_int_equal(form_of("setp.lo.u32 %p1, %r1, %r2;").compare, WEIR_CMP_LO); // not mul's low half
  assert_int_equal(form_of("setp.nan.f32 %p1, %f1, %f2;").compare, WEIR_CMP_NAN);
  assert_int_equal(form_of("mul.lo.s32 %r1, %r1, %r2;").sub, WEIR_SUB_LO);
  f = form_of("set.le.and.f32.s32 %f1, %r1, %r2, %p1;");
  assert_int_equal(f.type, WEIR_T_F32);
  assert_int_equal(f.source_type, WEIR_T_S32);
  assert_int_equal(f.boolean, WEIR_SUB_AND);
}

static void test_conversions(void **state) {
  (void)state;
  struct weir_form f = form_of("cvt.rzi.ftz.sat.u8.f32 %h1, %f1;");
  assert_int_equal(f.type, WEIR_T_U8);
  assert_int_equal(f.source_type, WEIR_T_F32);
  assert_int_equal(f.rounding, WEIR_ROUND_RZI);
  assert_true(f.ftz && f.sat);
  f = form_of("cvta.to.shared.u64 %rd1, %rd2;");
  assert_int_equal(f.sub, WEIR_SUB_TO);
  assert_int_equal(f.space, WEIR_SPACE_SHARED);
  f = form_of("cp.async.cg.shared.global.L2::128B [%rd1], [%rd2], 16;");
  assert_int_equal(f.space, WEIR_SPACE_GLOBAL);
  assert_int_equal(f.to_space, WEIR_SPACE_SHARED);
  assert_int_equal(f.cache, WEIR_CACHE_CG);
}

static void test_synchronisation(void **state) {
  (void)state;
  struct weir_form f = form_of("bar.red.popc.u32 %r1, 0, %r2, %p1;");
  assert_int_equal(f.sub, WEIR_SUB_RED);
  assert_int_equal(f.boolean, WEIR_SUB_POPC);
  assert_int_equal(form_of("bar.warp.sync 1;").sub, WEIR_SUB_WARP_SYNC);
  assert_int_equal(form_of("barrier.sync.aligned 1, %r1;").sub, WEIR_SUB_SYNC);
  assert_int_equal(form_of("membar.sys;").sub, WEIR_SUB_SYS);
  assert_int_equal(form_of("vote.sync.uni.pred %p1, %p2, -1;").sub, WEIR_SUB_UNI);
  assert_int_equal(form_of("fence.sc.cta;").order, WEIR_ORDER_SC);
  assert_true(form_of("shf.r.wrap.b32 %r1, %r2, %r3, 5;").wrap);
}

// Every form of the list runs; no form of the other does, and check names each of them once.
static size_t obstacles_in(const char *path) {
  struct weir_sink sink = {0}, check = {.limit = 1000};
  struct weir_module *m = weir_ptx_read(path, &sink);
  weir_sink_print(&sink, stderr);
  assert_non_null(m);
  bool clean = weir_ptx_check(m, &check);
  size_t errors = check.errors;
  assert_int_equal(clean, errors == 0);
  weir_sink_free(&check);
  weir_sink_free(&sink);
  weir_module_free(m);
  return errors;
}

static void test_runnable(void **state) {
  (void)state;
  assert_int_equal(obstacles_in(WEIR_SOURCE_DIR "/tests/200-ptx/data/forms.ptx"), 0);
  // 15 instructions, an external variable and a cluster
  assert_int_equal(obstacles_in(WEIR_SOURCE_DIR "/tests/200-ptx/data/unusual.ptx"), 17);
}

// What a call of function `name` with these declarations in front of it says of the obstacle in its way; "": none.
static void expect_call(const char *declared, const char *call, const char *obstacle) {
  char text[600];
  snprintf(text, sizeof text,
           HEAD "%s .entry k() { .param .b64 a; .param .b32 l; .param .b32 r; .param .b64 q; call %s; ret; }\n"
                ".func later(.param .b64 a) { ret; }\n",
           declared, call);
  struct weir_module *m = parse_ok(text);
  const struct weir_function *k = m->functions[m->function_count - 2];
  const struct weir_instruction *in = k->statements[4].instruction;
  if (!*obstacle)
    assert_null(in->runnable);
  else if (!in->runnable || !strstr(in->runnable, obstacle))
    fail_msg("%s: %s", call, in->runnable);
  weir_module_free(m);
}

static void test_externals(void **state) {
  (void)state;
  expect_call(".func later(.param .b64 a);", "later, (a)", ""); // its body comes later
  expect_call(".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);", "(r), vprintf, (a, a)", "");
  expect_call(".func (.param .b32 r) printf(.param .b64 f, .param .b64 a);", "(r), printf, (a, a)", "");
  expect_call(".extern .func (.param .b64 r) malloc(.param .b64 a);", "(q), malloc, (a)", "");
  expect_call(".extern .func free(.param .b64 a);", "free, (a)", "");
  expect_call(".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);",
              "__assertfail, (a, a, l, a, a)", "");
}

static void test_undefined(void **state) {
  (void)state;
  expect_call(".extern .func strange(.param .b64 a);", "strange, (a)", "'strange' is declared but has no body here");
  // by the platform's name, but not with its parameters
  expect_call(".extern .func (.param .b32 r) vprintf(.param .b64 f);", "(r), vprintf, (a)", "'vprintf' is declared");
  expect_call(".extern .func (.param .b32 r) malloc(.param .b64 a);", "(r), malloc, (a)", "'malloc' is declared");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_loads),       cmocka_unit_test(test_atomics),         cmocka_unit_test(test_comparisons),
    cmocka_unit_test(test_conversions), cmocka_unit_test(test_synchronisation), cmocka_unit_test(test_runnable),
    cmocka_unit_test(test_externals),   cmocka_unit_test(test_undefined),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
