// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Large and hostile texts end, with a diagnostic or a module, in bounded time and stack.
#include "ptx_test.h"

// `head`, then `unit` n times, then `tail`.
static char *repeated(const char *head, const char *unit, size_t n, const char *tail) {
  size_t length = strlen(unit);
  char *text = weir_alloc(strlen(head) + n * length + strlen(tail) + 1), *at = stpcpy(text, head);
  for (size_t i = 0; i < n; i++) at = stpcpy(at, unit);
  strcpy(at, tail);
  return text;
}

static void refused(char *text, const char *message) {
  struct weir_sink sink = {0};
  assert_null(weir_ptx_parse("deep.ptx", text, strlen(text), &sink));
  assert_non_null(strstr(sink.diags[0].message, message));
  weir_sink_free(&sink);
  weir_free(text);
}

static void test_nesting(void **state) {
  (void)state;
  refused(repeated(HEAD ".entry k() {", "{", 100000, ""), "nested");
  refused(repeated(HEAD ".global .u32 x = ", "(", 100000, "1;"), "nested");
  refused(repeated(HEAD ".global .u32 x = ", "-", 100000, "1;"), "nested");
  refused(repeated(HEAD ".global .u32 x = ", "1?1:", 100000, "1;"), "nested");
  refused(repeated(HEAD ".global .u32 x[4] = ", "{", 100000, "1;"), "nested");
  refused(repeated(HEAD ".entry k() { .reg .b32 r; mov.b32 r, ", "{", 100000, "; }"), "nested");
}

static void test_sizes(void **state) {
  (void)state;
  refused(repeated(HEAD ".entry k() { .reg .b32 %r<1048576>, %s<1048576>;", "", 0, "}"), "more than 1048576 registers");
  refused(repeated(HEAD ".entry k() { .reg .b32 %r<4294967297>;", "", 0, "}"), "1 to 1048576");
  refused(repeated(HEAD ".global .b8 x[1000000][1000000000] = {{1}, {2}};", "", 0, ""), "too large");
  refused(repeated(HEAD ".global .b8 x[2][1000000000] = {{1}, {2}};", "", 0, ""), "elements");
  refused(repeated(HEAD ".entry k() { .reg .b32 r; add", ".x", 1000, " r, r, r; }"), "modifiers");
}

static void test_nul(void **state) {
  (void)state;
  static const char text[] = HEAD "\n.entry\0k() { ret; }";
  struct weir_sink sink = {0};
  assert_null(weir_ptx_parse("nul.ptx", text, sizeof text - 1, &sink));
  assert_non_null(strstr(sink.diags[0].message, "nul.ptx:5: error: a NUL byte"));
  weir_sink_free(&sink);
}

// 50000 diamonds one behind the other: quadratic post-dominators would take minutes.
static void test_long_chain(void **state) {
  (void)state;
  enum { DIAMONDS = 50000 };
  char *text = weir_alloc(DIAMONDS * 60 + 200), *at = stpcpy(text, HEAD ".entry k() { .reg .pred p;");
  for (int i = 0; i < DIAMONDS; i++) at += sprintf(at, "@p bra A%d; bra B%d; A%d: B%d:\n", i, i, i, i);
  strcpy(at, "ret; }");
  struct weir_module *m = parse_ok(text);
  struct weir_cfg cfg;
  weir_cfg_build(&cfg, m->functions[0]);
  assert_int_equal(cfg.instruction_count, 2 * DIAMONDS + 1);
  for (uint32_t i = 0; i < 2 * DIAMONDS; i += 2) assert_int_equal(weir_cfg_reconvergence(&cfg, i), i + 2);
  weir_cfg_free(&cfg);
  weir_module_free(m);
  weir_free(text);
}

// Many errors are counted, the first hundred shown.
static void test_many_errors(void **state) {
  (void)state;
  char *text = repeated(HEAD ".entry k() {", "frob %unknown;\n", 50000, "}");
  struct weir_sink sink = {0};
  assert_null(weir_ptx_parse("many.ptx", text, strlen(text), &sink));
  assert_int_equal(sink.errors, 50000);
  assert_int_equal(sink.count, 100);
  weir_sink_free(&sink);
  weir_free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_nesting),    cmocka_unit_test(test_sizes),       cmocka_unit_test(test_nul),
    cmocka_unit_test(test_long_chain), cmocka_unit_test(test_many_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
