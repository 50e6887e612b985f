// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which pointers are structures, and what is said of them.
#include "harness.h"

struct expected {
  const char *parameter;
  uint32_t offset;
  enum weir_sl1_verdict verdict;
  bool written;
  uint32_t loads, stores;
};

static struct weir_sl1_report transform(const char *ptx, const char *options, struct weir_module **m, char **text) {
  struct weir_sink sink = {0};
  struct weir_sl1_report r;
  const struct weir_sl1_options o = sl1_options(options);
  *m = weir_ptx_parse("test.ptx", ptx, strlen(ptx), &sink);
  weir_sink_print(&sink, stderr);
  assert_non_null(*m);
  *text = weir_sl1_transform(*m, &o, &r);
  weir_sink_free(&sink);
  return r;
}

static void expect(const char *ptx, const char *options, const struct expected *e, uint32_t count, uint32_t untraced) {
  struct weir_module *m;
  char *text;
  struct weir_sl1_report r = transform(ptx, options, &m, &text);
  assert_int_equal(r.kernel_count, 1);
  const struct weir_sl1_kernel *k = &r.kernels[0];
  assert_int_equal(k->structure_count, count);
  assert_int_equal(k->untraced, untraced);
  for (uint32_t i = 0; i < count; i++) {
    const struct weir_sl1_structure *s = &k->structures[i];
    assert_string_equal(s->parameter, e[i].parameter);
    assert_int_equal(s->offset, e[i].offset);
    if (s->verdict != e[i].verdict) fail_msg("%s is %s", s->parameter, weir_sl1_verdict_name(s->verdict));
    assert_int_equal(s->written, e[i].written);
    assert_int_equal(s->loads, e[i].loads);
    assert_int_equal(s->stores, e[i].stores);
  }
  weir_free(text);
  weir_sl1_report_free(&r);
  weir_module_free(m);
}

// A loop around `body`; r9 counts, rd9 is 4 times r9.
#define KERNEL(parameters, before, body)                                                                               \
  SL1_HEADER ".visible .entry k(" parameters ")\n{\n.reg .b64 %rd<20>;\n.reg .b32 %r<20>;\n.reg .pred %p<4>;\n"        \
             ".reg .b64 %x;\n" before "\nmov.u32 %r9, 0;\n$L:\nmul.wide.u32 %rd9, %r9, 4;\n" body                      \
             "\nadd.u32 %r9, %r9, 1;\nsetp.lt.u32 %p1, %r9, %r8;\n@%p1 bra $L;\nret;\n}\n"
#define P(name) ".param .u64 .ptr .global .align 4 " name
#define LOAD(register, name) "ld.param.u64 " register ", [" name "];\n"

static void pointers_are_followed(void **state) {
  (void)state;
  static const struct expected loaded = {"a", 0, WEIR_SL1_CANDIDATE, false, 1, 0};
  static const char *const ways[] = {
    "add.s64 %rd2, %rd1, %rd9;\nld.global.u32 %r1, [%rd2];",
    "mov.u64 %x, %rd1;\nsub.s64 %rd2, %x, %rd9;\nld.global.u32 %r1, [%rd2+8];",
    "mad.wide.u32 %rd2, %r9, 4, %rd1;\nld.global.u32 %r1, [%rd2];",
    "setp.eq.u32 %p2, %r9, 3;\nadd.s64 %rd2, %rd1, 64;\nselp.b64 %rd3, %rd1, %rd2, %p2;\nld.global.u32 %r1, [%rd3];",
    "add.s64 %rd2, %rd1, %rd9;\nand.b64 %rd3, %rd2, -16;\nld.global.u32 %r1, [%rd3];",
    "cvta.global.u64 %rd2, %rd1;\nadd.s64 %rd2, %rd2, %rd9;\nld.u32 %r1, [%rd2];",
    "add.s64 %rd1, %rd1, 4;\nld.global.u32 %r1, [%rd1];", // of itself, by 4: hits
  };
  for (unsigned k = 0; k < sizeof ways / sizeof *ways; k++) {
    char *text = weir_text_format("%s", KERNEL(P("a"), LOAD("%rd1", "a"), "@@"));
    char *at = strstr(text, "@@");
    *at = 0;
    char *full = weir_text_format("%s%s%s", text, ways[k], at + 2);
    expect(full, "", &loaded, 1, 0);
    weir_free(full);
    weir_free(text);
  }
}

// nvcc before .ptr: a pointer is what is made a global address; a number of 64 bits that is added to one is none.
static void numbers_are_no_pointers(void **state) {
  (void)state;
  static const struct expected e[] = {{"a", 0, WEIR_SL1_CANDIDATE, false, 1, 0}};
  expect(KERNEL(".param .u64 a, .param .u64 n", LOAD("%rd1", "a") LOAD("%rd2", "n") "cvta.to.global.u64 %rd3, %rd1;\n",
                "add.s64 %rd4, %rd3, %rd2;\nadd.s64 %rd4, %rd4, %rd9;\nld.global.u32 %r1, [%rd4];"),
         "", e, 1, 0);
  static const struct expected f[] = {{"a", 0, WEIR_SL1_CANDIDATE, false, 1, 0}};
  expect(KERNEL(P("a") ", .param .u64 n", LOAD("%rd3", "a") LOAD("%rd2", "n"),
                "add.s64 %rd4, %rd3, %rd2;\nld.global.u32 %r1, [%rd4];"),
         "", f, 1, 0);
}

static void structs_hold_pointers(void **state) {
  (void)state;
  static const struct expected e[] = {{"s", 8, WEIR_SL1_CANDIDATE, false, 1, 0},
                                      {"s", 24, WEIR_SL1_CANDIDATE, true, 0, 1}};
  expect(KERNEL(".param .align 8 .b8 s[32]",
                "ld.param.u64 %rd1, [s+8];\nmov.b64 %rd5, s;\nld.param.u64 %rd2, [%rd5+24];\n",
                "add.s64 %rd3, %rd1, %rd9;\nld.global.u32 %r1, [%rd3];\nadd.s64 %rd4, %rd2, %rd9;\n"
                "st.global.u32 [%rd4], %r1;"),
         "static_proof=off", e, 2, 0);
  // clang copies the struct's address once more; a register that may hold something else is no parameter's address
  expect(KERNEL(".param .align 8 .b8 s[32]",
                "mov.b64 %rd6, s;\nmov.u64 %rd5, %rd6;\nld.param.u64 %rd1, [%rd5+8];\n"
                "ld.param.u64 %rd2, [%rd5+24];\n",
                "add.s64 %rd3, %rd1, %rd9;\nld.global.u32 %r1, [%rd3];\nadd.s64 %rd4, %rd2, %rd9;\n"
                "st.global.u32 [%rd4], %r1;"),
         "static_proof=off", e, 2, 0);
  expect(KERNEL(".param .align 8 .b8 s[32]",
                "mov.b64 %rd6, s;\nmov.u64 %rd5, %rd6;\n@%p1 add.s64 %rd5, %rd5, 16;\n"
                "ld.param.u64 %rd1, [%rd5+8];\n",
                "add.s64 %rd3, %rd1, %rd9;\nld.global.u32 %r1, [%rd3];"),
         "static_proof=off", e, 0, 0);
}

// An address that may be in either of two is in neither for certain; an index that was loaded is no address.
static void what_is_ambiguous_is_untraced(void **state) {
  (void)state;
  static const struct expected e[] = {{"a", 0, WEIR_SL1_NO_LOOP, false, 0, 0},
                                      {"b", 0, WEIR_SL1_CANDIDATE, false, 1, 0}};
  expect(KERNEL(P("a") ", " P("b"), LOAD("%rd1", "a") LOAD("%rd2", "b"),
                "setp.eq.u32 %p2, %r9, 3;\nselp.b64 %rd3, %rd1, %rd2, %p2;\nld.global.u64 %rd4, [%rd3];\n"
                "add.s64 %rd5, %rd2, %rd4;\nld.global.u32 %r1, [%rd5];\nld.global.u32 %r2, [%rd4];"),
         "", e, 2, 2);
}

static void verdicts(void **state) {
  (void)state;
  static const struct {
    const char *body;
    enum weir_sl1_verdict verdict;
    bool written;
    uint32_t loads, stores;
  } cases[] = {
    {"atom.global.add.u32 %r1, [%rd2], 1;\nld.global.u32 %r2, [%rd2];", WEIR_SL1_ATOMIC, true, 1, 0},
    {"red.global.max.u32 [%rd2], 1;", WEIR_SL1_ATOMIC, true, 0, 0},
    {"ld.volatile.global.u32 %r1, [%rd2];", WEIR_SL1_VOLATILE, false, 0, 0},
    {"st.release.gpu.global.u32 [%rd2], %r1;", WEIR_SL1_VOLATILE, true, 0, 0},
    {"ld.relaxed.gpu.global.u32 %r1, [%rd2];", WEIR_SL1_VOLATILE, false, 0, 0},
    {"ld.global.u32 %r1, [%rd2];\nst.shared.u64 [%rd7], %rd2;", WEIR_SL1_ESCAPES, false, 1, 0},
    {"ld.global.u32 %r1, [%rd2];\nst.global.u32 [%rd7], %r2;", WEIR_SL1_CANDIDATE, true, 1, 0}, // wherever rd7 leads
    {"ld.global.u32 %r1, [%rd2];\nxor.b64 %rd8, %rd2, 85;\nld.global.u32 %r1, [%rd8];", WEIR_SL1_ESCAPES, false, 1, 0},
    {"st.global.u32 [%rd2], %r1;", WEIR_SL1_CANDIDATE, true, 0, 1},
    {"mul.wide.u32 %rd4, %r9, 16;\nadd.s64 %rd5, %rd1, %rd4;\nld.global.u32 %r1, [%rd5];", WEIR_SL1_NO_REUSE, false, 1,
     0},
    {"mul.wide.u32 %rd4, %r9, 12;\nadd.s64 %rd5, %rd1, %rd4;\nld.global.u32 %r1, [%rd5];", WEIR_SL1_CANDIDATE, false, 1,
     0},
    {"add.s64 %rd1, %rd1, -32;\nst.global.u32 [%rd1], %r1;", WEIR_SL1_NO_REUSE, true, 0, 1},
    {"@%p3 add.s64 %rd1, %rd1, -32;\nst.global.u32 [%rd1], %r1;", WEIR_SL1_CANDIDATE, true, 0, 1},
    {"add.s64 %rd1, %rd1, 16;\nld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd1+4];", WEIR_SL1_CANDIDATE, false, 2,
     0},
    {"mov.u32 %r1, 0;", WEIR_SL1_NO_LOOP, false, 0, 0},
  };
  for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
    char *text = weir_text_format(
      "%s", KERNEL(P("a") ", .param .u64 .ptr .shared .align 8 s", LOAD("%rd1", "a"), "add.s64 %rd2, %rd1, %rd9;\n@@"));
    char *at = strstr(text, "@@");
    *at = 0;
    char *full = weir_text_format("%s%s%s", text, cases[k].body, at + 2);
    struct weir_module *m;
    char *out;
    struct weir_sl1_report r = transform(full, "", &m, &out);
    const struct weir_sl1_structure *s = &r.kernels[0].structures[0];
    if (r.kernels[0].structure_count != 1 && cases[k].verdict != WEIR_SL1_NO_LOOP)
      fail_msg("%s: no structure", cases[k].body);
    if (s->verdict != cases[k].verdict) fail_msg("%s: %s", cases[k].body, weir_sl1_verdict_name(s->verdict));
    assert_int_equal(s->written, cases[k].written);
    assert_int_equal(s->loads, cases[k].loads);
    assert_int_equal(s->stores, cases[k].stores);
    weir_free(out);
    weir_sl1_report_free(&r);
    weir_module_free(m);
    weir_free(full);
    weir_free(text);
  }
}

// With proofs off, and of longer lines, strides of 16 may gain.
static void proofs_are_an_option(void **state) {
  (void)state;
  static const struct expected e[] = {{"a", 0, WEIR_SL1_CANDIDATE, false, 1, 0}};
  const char *text = KERNEL(P("a"), LOAD("%rd1", "a"), "add.s64 %rd1, %rd1, 16;\nld.global.u32 %r1, [%rd1];");
  expect(text, "static_proof=off", e, 1, 0);
  expect(text, "line_bytes=32", e, 1, 0);
}

// What is left alone is printed as it was.
static void what_has_no_main_loop_stays_as_it_is(void **state) {
  (void)state;
  struct weir_module *m;
  char *text;
  struct weir_sl1_report r =
    transform(SL1_HEADER ".visible .entry k(.param .u64 .ptr .global .align 4 a)\n{\n.reg .b64 %rd<2>;\n"
                         ".reg .b32 %r<2>;\nld.param.u64 %rd1, [a];\nld.global.u32 %r1, [%rd1];\nret;\n}\n",
              "", &m, &text);
  assert_false(r.kernels[0].transformed);
  assert_null(strstr(text, "sl1"));
  weir_free(text);
  weir_sl1_report_free(&r);
  weir_module_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(pointers_are_followed),
    cmocka_unit_test(numbers_are_no_pointers),
    cmocka_unit_test(structs_hold_pointers),
    cmocka_unit_test(what_is_ambiguous_is_untraced),
    cmocka_unit_test(verdicts),
    cmocka_unit_test(proofs_are_an_option),
    cmocka_unit_test(what_has_no_main_loop_stays_as_it_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
