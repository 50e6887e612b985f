// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Source lines: of the .loc in force, and of the caller where a toolkit's function was inlined.
#include "ptx_test.h"

#define FILES                                                                                                          \
  ".file 1 \"/src/me/a.cu\"\n.file 2 \"/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_32.hpp\"\n"              \
  ".file 3 \"/src/me/include/mine.h\"\n.file 4 \"/opt/cuda/include/texture.h\"\n"

static void expect(const struct weir_module *m, unsigned n, uint32_t file, uint32_t line, uint32_t column) {
  const struct weir_instruction *i = instruction(m, n);
  assert_int_equal(i->source_file, file);
  assert_int_equal(i->source_line, line);
  assert_int_equal(i->source_column, column);
}

static struct weir_module *parse(const char *before, const char *body, const char *after) {
  char text[4096];
  struct weir_sink sink = {0};
  snprintf(text, sizeof text, HEAD "%s.visible .entry k() {\n%s ret; }\n%s", before, body, after);
  struct weir_module *m = weir_ptx_parse("a.ptx", text, strlen(text), &sink);
  weir_sink_print(&sink, stderr);
  assert_non_null(m);
  return m;
}

static void a_line_holds_until_the_next(void **state) {
  (void)state;
  struct weir_module *m = parse(FILES, "bar.sync 0; .loc 1 4 2\n bar.sync 0; bar.sync 0; .loc 3 9 1\n bar.sync 0;", "");
  expect(m, 0, 0, 0, 0);
  expect(m, 1, 1, 4, 2);
  expect(m, 2, 1, 4, 2);
  expect(m, 3, 3, 9, 1);
  weir_module_free(m);
}

// As nvcc writes: __ldg of file 2, in a function of line 1 of the user's, called in line 4; then called in line 5 directly. The
// files come last.
#define INLINED                                                                                                        \
  ".loc 1 4 3\n bar.sync 0;\n.loc 1 1 31, function_name $L1, inlined_at 1 4 3\n bar.sync 0;\n"                         \
  ".loc 2 134 49, function_name $L2, inlined_at 1 1 31\n bar.sync 0;\n"                                                \
  ".loc 1 5 3\n.loc 2 134 49, function_name $L2, inlined_at 1 5 3\n bar.sync 0;\n"                                     \
  ".loc 3 7 1, function_name $L3, inlined_at 1 5 3\n bar.sync 0;\n"                                                    \
  ".loc 2 122 3, function_name $L4, inlined_at 1 6 3\n.loc 4 115 4, function_name $L5, inlined_at 2 122 3\n bar.sync 0;\n"

static void expect_callers(const struct weir_module *m) {
  expect(m, 0, 1, 4, 3);
  expect(m, 1, 1, 1, 31); // a function of the user's own
  expect(m, 2, 1, 1, 31); // … which called the toolkit's
  expect(m, 3, 1, 5, 3);
  expect(m, 4, 3, 7, 1); // a header of the user's own
  expect(m, 5, 1, 6, 3); // through two headers of toolkits
}

static void a_toolkits_function_belongs_to_its_caller(void **state) {
  (void)state;
  struct weir_module *m = parse(FILES, INLINED, "");
  expect_callers(m);
  weir_module_free(m);
}

// Programs live in /opt and /usr/src, and libraries in /usr/local/include: a line there is one to read of. What compilers and
// the system bring is not.
static void only_toolkits_are_toolkits(void **state) {
  (void)state;
  static const struct {
    const char *path;
    bool own;
  } headers[] = {{"/opt/project/tile.h", true},
                 {"/usr/src/app/tile.h", true},
                 {"/usr/local/include/cutlass/gemm.h", true},
                 {"/srv/me/tile.h", true},
                 {"/usr/local/cuda-13.0/include/cub/cub.cuh", false},
                 {"/usr/include/cuda_fp16.hpp", false},
                 {"/usr/lib/llvm-14/lib/clang/14.0.6/include/__clang_cuda_math.h", false},
                 {"/srv/me/llvm/lib/clang/19/include/__clang_cuda_intrinsics.h", false},
                 {"/srv/me/cuda/targets/x86_64-linux/include/sm_32.hpp", false}};
  for (unsigned i = 0; i < sizeof headers / sizeof *headers; i++) {
    char files[256];
    snprintf(files, sizeof files, ".file 1 \"/opt/project/a.cu\"\n.file 2 \"%s\"\n", headers[i].path);
    struct weir_module *m =
      parse(files, ".loc 1 4 3\n.loc 2 9 7, function_name $L1, inlined_at 1 4 3\n bar.sync 0;\n", "");
    if (headers[i].own)
      expect(m, 0, 2, 9, 7);
    else
      expect(m, 0, 1, 4, 3);
    weir_module_free(m);
  }
}

static void files_may_come_last(void **state) {
  (void)state;
  struct weir_module *m = parse("", INLINED, FILES);
  expect_callers(m);
  weir_module_free(m);
}

static void a_function_begins_without_a_line(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  static const char text[] = HEAD FILES ".func f() { .loc 1 3 1\n ret; }\n.visible .entry k() { ret; }\n";
  struct weir_module *m = weir_ptx_parse("a.ptx", text, strlen(text), &sink);
  assert_non_null(m);
  expect(m, 0, 0, 0, 0); // the kernel
  weir_module_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_line_holds_until_the_next),      cmocka_unit_test(a_toolkits_function_belongs_to_its_caller),
    cmocka_unit_test(only_toolkits_are_toolkits),       cmocka_unit_test(files_may_come_last),
    cmocka_unit_test(a_function_begins_without_a_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
