// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Linking: which definition each name stands for (the rules of linkage in the PTX ISA), what stays apart, what is refused,
// and that every line keeps its file.
#include "ptx/link.h"
#include "ptx_test.h"

enum { MOST = 3 };

// Modules a.ptx, b.ptx, c.ptx of these texts, up to a NULL.
static struct weir_module *link_texts(struct weir_sink *sink, const char *const texts[MOST]) {
  struct weir_module *modules[MOST];
  unsigned count = 0;
  for (; count < MOST && texts[count]; count++) {
    char path[] = "a.ptx", text[4096];
    path[0] = (char)('a' + count);
    snprintf(text, sizeof text, HEAD "%s", texts[count]);
    modules[count] = weir_ptx_parse(path, text, strlen(text), sink);
    if (!modules[count]) weir_sink_print(sink, stderr);
    assert_non_null(modules[count]);
  }
  return weir_ptx_link(modules, count, sink);
}

static struct weir_module *link_ok(const char *a, const char *b, const char *c) {
  struct weir_sink sink = {0};
  struct weir_module *m = link_texts(&sink, (const char *const[MOST]){a, b, c});
  if (!m) weir_sink_print(&sink, stderr);
  assert_non_null(m);
  assert_true(weir_ptx_check(m, &sink));
  weir_sink_free(&sink);
  return m;
}

// Linking fails with one error, which says `what` at a place in `where`, and one note at a place in `other`.
static void refused(const char *a, const char *b, const char *what, const char *where, const char *other) {
  struct weir_sink sink = {0};
  assert_null(link_texts(&sink, (const char *const[MOST]){a, b}));
  if (sink.count != 2) weir_sink_print(&sink, stderr);
  assert_int_equal(sink.count, 2);
  assert_int_equal(sink.errors, 1);
  assert_int_equal(sink.diags[0].severity, WEIR_ERROR);
  assert_non_null(strstr(sink.diags[0].message, what));
  assert_memory_equal(sink.diags[0].message, where, strlen(where));
  assert_memory_equal(sink.diags[1].message, other, strlen(other));
  weir_sink_free(&sink);
}

static const struct weir_function *function(const struct weir_module *m, const char *name) {
  for (uint32_t k = 0; k < m->function_count; k++)
    if (!strcmp(m->functions[k]->symbol->name, name)) return m->functions[k];
  fail_msg("no function %s", name);
  return NULL;
}

static const struct weir_instruction *nth(const struct weir_function *f, uint32_t n) {
  for (uint32_t k = 0; k < f->statement_count; k++)
    if (f->statements[k].kind == WEIR_STMT_INSTRUCTION && !n--) return f->statements[k].instruction;
  fail_msg("no such instruction");
  return NULL;
}

static const struct weir_symbol *used(const struct weir_module *m, const char *name, uint32_t n, uint32_t operand) {
  return nth(function(m, name), n)->operands[operand].symbol;
}

#define LOAD(kernel, variable)                                                                                         \
  ".visible .entry " kernel "() { .reg .b32 %r<2>; ld.global.u32 %r1, [" variable "]; ret; }\n"
#define CALL(kernel, callee) ".visible .entry " kernel "() { call " callee "; ret; }\n"

static void test_functions_meet(void **state) {
  (void)state;
  struct weir_module *m = link_ok(".extern .func f;\n" CALL("k", "f"), ".visible .func f { ret; }", NULL);
  assert_int_equal(m->function_count, 2); // the declaration is gone
  assert_ptr_equal(used(m, "k", 0, 0), function(m, "f")->symbol);
  assert_null(nth(function(m, "k"), 0)->runnable);
  assert_string_equal(function(m, "f")->home->path, "b.ptx");
  assert_string_equal(function(m, "k")->home->path, "a.ptx");
  weir_module_free(m);
  m = link_ok(".visible .func f { ret; }", ".extern .func f;\n" CALL("k", "f"), NULL);
  assert_ptr_equal(used(m, "k", 0, 0), function(m, "f")->symbol);
  weir_module_free(m);
}

// An extern array takes the size of its definition; an address in an initialiser follows too.
static void test_variables_meet(void **state) {
  (void)state;
  struct weir_module *m =
    link_ok(".extern .global .align 4 .b8 v[];\n.extern .const .align 4 .b8 c[8];\n" LOAD("k", "v"),
            ".visible .global .align 4 .b8 v[40];\n.visible .const .align 4 .b8 c[8];\n",
            ".extern .global .align 4 .b8 v[];\n.visible .global .u64 p = v;");
  assert_int_equal(used(m, "k", 0, 1)->bytes, 40);
  assert_ptr_equal(used(m, "k", 0, 1), weir_module_find(m, "v"));
  assert_ptr_equal(weir_module_find(m, "p")->initial[0].symbol, weir_module_find(m, "v"));
  assert_int_equal(m->item_count, 4); // k, v, c and p
  weir_module_free(m);
}

// A name that is a module's own is its own.
static void test_own_names(void **state) {
  (void)state;
  const char *text = ".global .u32 v = %d;\n.func f { ret; }\n.visible .entry %s() { .reg .b32 %%r<2>; "
                     "ld.global.u32 %%r1, [v]; call f; ret; }";
  char a[300], b[300];
  snprintf(a, sizeof a, text, 1, "k");
  snprintf(b, sizeof b, text, 2, "l");
  struct weir_module *m = link_ok(a, b, NULL);
  assert_int_equal(m->function_count, 4);
  assert_int_equal(used(m, "k", 0, 1)->initial[0].bits, 1);
  assert_int_equal(used(m, "l", 0, 1)->initial[0].bits, 2);
  assert_ptr_not_equal(used(m, "k", 1, 0), used(m, "l", 1, 0));
  assert_string_equal(used(m, "l", 1, 0)->function->home->path, "b.ptx");
  weir_module_free(m);
}

static void test_weak(void **state) {
  (void)state;
  const char *weak_1 = ".weak .global .u32 v = 1;\n.weak .func f { ret; }\n" CALL("k", "f");
  const char *weak_2 = ".weak .global .u32 v = 2;\n.weak .func f { ret; }\n" LOAD("l", "v");
  struct weir_module *m = link_ok(weak_1, weak_2, NULL);
  assert_int_equal(used(m, "l", 0, 1)->initial[0].bits, 1); // the first
  assert_int_equal(m->function_count, 3);
  assert_string_equal(used(m, "k", 0, 0)->function->home->path, "a.ptx");
  weir_module_free(m);
  m = link_ok(weak_1, weak_2, ".visible .global .u32 v = 3;\n.visible .func f { ret; }"); // but for a strong one
  assert_int_equal(used(m, "l", 0, 1)->initial[0].bits, 3);
  assert_string_equal(used(m, "k", 0, 0)->function->home->path, "c.ptx");
  weir_module_free(m);
  m = link_ok(".common .global .align 4 .b8 v[4];" LOAD("k", "v"), ".common .global .align 4 .b8 v[12];", NULL);
  assert_int_equal(used(m, "k", 0, 1)->bytes, 12); // the largest
  weir_module_free(m);
}

// Dynamic shared memory needs no definition, and the strictest alignment that any module asks for.
static void test_dynamic_shared(void **state) {
  (void)state;
  const char *text = ".extern .shared .align %d .b8 s[];\n.visible .entry %s() { .reg .b32 %%r<2>; "
                     "ld.shared.u32 %%r1, [s]; ret; }";
  char a[300], b[300];
  snprintf(a, sizeof a, text, 4, "k");
  snprintf(b, sizeof b, text, 64, "l");
  struct weir_module *m = link_ok(a, b, NULL);
  assert_ptr_equal(used(m, "k", 0, 1), used(m, "l", 0, 1));
  assert_int_equal(used(m, "k", 0, 1)->align, 64);
  weir_module_free(m);
}

static void test_refused(void **state) {
  (void)state;
  refused(".visible .func f { ret; }", "\n.visible .func f { ret; }", "'f' is defined in two modules",
          "b.ptx:5:", "a.ptx:4:");
  refused(".entry k() { ret; }", ".entry k() { ret; }", "'k' is defined in two modules", "b.ptx:4:", "a.ptx:4:");
  refused(".visible .global .u32 v;", ".visible .global .u32 v;", "'v' is defined in two", "b.ptx:4:", "a.ptx:4:");
  refused(".visible .global .u32 v;", ".extern .global .u64 v;", "'v' is of another size", "b.ptx:4:", "a.ptx:4:");
  refused(".visible .global .u32 v;", ".extern .const .u32 v;", "'v' is in another state space",
          "b.ptx:4:", "a.ptx:4:");
  refused(".visible .global .u32 v;", ".extern .func v;", "'v' is a function in one", "b.ptx:4:", "a.ptx:4:");
  refused(".visible .func f(.param .b32 x) { ret; }", ".extern .func f(.param .b64 x);", "'f' has other parameters",
          "b.ptx:4:", "a.ptx:4:");
  refused(".visible .func f(.param .align 4 .b8 x[4]) { ret; }", ".extern .func f(.param .align 4 .b8 x[8]);",
          "'f' has other parameters", "b.ptx:4:", "a.ptx:4:");
  refused(".visible .func f(.param .b32 x) { ret; }", ".extern .func f;", "'f' has other parameters",
          "b.ptx:4:", "a.ptx:4:");
  refused(".visible .func g { ret; }", ".extern .global .u32 v;\n" LOAD("k", "v"),
          "'v' is used here and defined in no module", "b.ptx:5:", "b.ptx:4:");
}

// What is declared and not used needs no definition; what is used and has no body is told by the check.
static void test_undefined(void **state) {
  (void)state;
  weir_module_free(link_ok(".extern .global .u32 v;\n.visible .entry k() { ret; }", ".visible .func g { ret; }", NULL));
  struct weir_sink sink = {0};
  struct weir_module *m =
    link_texts(&sink, (const char *const[MOST]){".visible .func g { ret; }", "\n\n.extern .func f;\n" CALL("k", "f")});
  assert_non_null(m);
  assert_false(weir_ptx_check(m, &sink));
  assert_memory_equal(sink.diags[0].message, "b.ptx:7:", 8); // three lines of HEAD, three of its own
  weir_sink_free(&sink);
  weir_module_free(m);
}

// .loc says the same file by another number.
static void test_source_files(void **state) {
  (void)state;
  const char *text = ".visible .entry %s() {\n.loc 1 %d 3\nret;\n}\n.file 1 \"%s\"\n";
  char a[200], b[200], c[200];
  snprintf(a, sizeof a, text, "k", 10, "one.cu");
  snprintf(b, sizeof b, ".visible .entry %s() { ret; }", "l");
  snprintf(c, sizeof c, text, "m", 30, "three.cu");
  struct weir_module *m = link_ok(a, b, c);
  const struct weir_instruction *first = nth(function(m, "k"), 0), *third = nth(function(m, "m"), 0);
  assert_string_equal(m->files[first->source_file], "one.cu");
  assert_string_equal(m->files[third->source_file], "three.cu");
  assert_int_equal(third->source_line, 30);
  assert_int_equal(nth(function(m, "l"), 0)->source_file, 0);
  assert_true(third->source_file < m->file_count);
  weir_module_free(m);
}

static void test_device_runtime(void **state) {
  (void)state;
  assert_true(weir_ptx_is_device_runtime(".entry __nv_static_52__f4510a67_22_cuda_device_runtime_cu_3ecce0c0__Z1kv"));
  assert_false(weir_ptx_is_device_runtime(".extern .func cudaGetDeviceRuntime;"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_functions_meet), cmocka_unit_test(test_variables_meet), cmocka_unit_test(test_own_names),
    cmocka_unit_test(test_weak),           cmocka_unit_test(test_dynamic_shared), cmocka_unit_test(test_refused),
    cmocka_unit_test(test_undefined),      cmocka_unit_test(test_source_files),   cmocka_unit_test(test_device_runtime),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
