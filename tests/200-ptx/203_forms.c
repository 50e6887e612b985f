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

// mma writes its types in the order d, a, b, c (PTX ISA, "Matrix multiply-accumulate"); the video instructions three.
static void test_four_types(void **state) {
  (void)state;
  struct weir_form f = form_of("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3},"
                               "{%f1,%f2,%f3,%f4};");
  assert_int_equal(f.types[0], WEIR_T_F32);
  assert_int_equal(f.types[1], WEIR_T_F16);
  assert_int_equal(f.types[2], WEIR_T_F16);
  assert_int_equal(f.types[3], WEIR_T_F32);
  f = form_of("vabsdiff4.u32.s32.s32.add %r1, %r2, %r3, %r4;");
  assert_int_equal(f.type, WEIR_T_U32);
  assert_int_equal(f.source_type, WEIR_T_S32);
  assert_int_equal(f.types[2], WEIR_T_S32);
  assert_int_equal(f.types[3], WEIR_T_NONE);
  assert_int_equal(f.sub, WEIR_SUB_ADD);
}

// ---- rows -----------------------------------------------------------------------------------------------------------

struct row {
  enum weir_opcode opcode;
  const char *kind, *decoder;
  const char *forms; // a line each: + if it runs, else -; T if it has a type; the letters of its operands
};

static const struct row rows[] = {
#define FORM(types, modifiers, operands) "+" types "|" operands "\n"
#define UNABLE(types, modifiers, operands, reason) "-" types "|" operands "\n"
#define OPCODE(name, spelling, kind, effect, convergence, flow, writes, decoder, forms)                                \
  {WEIR_OP_##name, #kind, #decoder, forms},
#include "ptx/opcodes.def"
#undef OPCODE
};

static bool is_destination(char letter) {
  return letter && strchr("dDcvxXUHpPTemR_", letter); // as the first operand, m is one too
}

// What a form's first operand is, of which its row says whether it is written.
static void check_form(const struct row *r, const char *form) {
  const bool typed = form[1] != '|';
  const char *operands = strchr(form, '|') + 1;
  if (*operands == '*') return; // anything
  switch ((enum weir_writes)weir_opcode_rows[r->opcode].writes) {
  case WEIR_WRITES_FIRST: assert_true(is_destination(*operands)); break;
  case WEIR_WRITES_NOTHING: assert_false(is_destination(*operands)); break;
  case WEIR_WRITES_TYPED: assert_true(is_destination(*operands) == typed); break;
  case WEIR_WRITES_VALUE: assert_true(is_destination(*operands) != (*operands == 'a')); break;
  case WEIR_WRITES_LIST: fail(); break;
  }
}

// A row that weir runs has a kind and a decoder, another has neither; and its columns say of the operands what its forms do.
static void test_rows(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const bool runs = strstr(rows[k].forms, "+") != NULL;
    assert_true(runs == (strcmp(rows[k].decoder, "unable") != 0));
    assert_true(runs == (strcmp(rows[k].kind, "NONE") != 0));
    for (const char *form = rows[k].forms; *form; form = strchr(form, '\n') + 1) check_form(&rows[k], form);
  }
}

// PTX ISA: what is .aligned, or names the lanes that take part, is executed by a warp together; barriers by a block.
static void test_convergence(void **state) {
  (void)state;
  static const enum weir_opcode warp[] = {WEIR_OP_SHFL,     WEIR_OP_VOTE,      WEIR_OP_MATCH,     WEIR_OP_REDUX,
                                          WEIR_OP_ELECT,    WEIR_OP_MMA,       WEIR_OP_WMMA,      WEIR_OP_WGMMA,
                                          WEIR_OP_LDMATRIX, WEIR_OP_STMATRIX,  WEIR_OP_MOVMATRIX, WEIR_OP_SETMAXNREG,
                                          WEIR_OP_TCGEN05,  WEIR_OP_ACTIVEMASK};
  for (size_t k = 0; k < sizeof warp / sizeof *warp; k++)
    assert_int_equal(weir_opcode_convergence(warp[k]), WEIR_CONVERGENCE_WARP);
  assert_int_equal(weir_opcode_convergence(WEIR_OP_BAR), WEIR_CONVERGENCE_BLOCK);
  assert_int_equal(weir_opcode_convergence(WEIR_OP_BARRIER), WEIR_CONVERGENCE_BLOCK);
  assert_int_equal(weir_opcode_convergence(WEIR_OP_ADD), WEIR_CONVERGENCE_LANE);
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
  assert_int_equal(obstacles_in(WEIR_SOURCE_DIR "/tests/200-ptx/data/forms_90a.ptx"), 0);
  // 11 instructions, an external variable and a grid that counts clusters
  assert_int_equal(obstacles_in(WEIR_SOURCE_DIR "/tests/200-ptx/data/unusual.ptx"), 13);
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
    cmocka_unit_test(test_conversions), cmocka_unit_test(test_synchronisation), cmocka_unit_test(test_four_types),
    cmocka_unit_test(test_rows),        cmocka_unit_test(test_convergence),     cmocka_unit_test(test_runnable),
    cmocka_unit_test(test_externals),   cmocka_unit_test(test_undefined),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
