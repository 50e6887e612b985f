// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Options of clBuildProgram: section 5.6.4 of OpenCL 1.2, its words, and those of other vendors.
#include "opencl/compile/options.h"

#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

// What clang is told, each argument in brackets; NULL: the options are wrong. Freed by weir_free.
static char *parsed(const char *options, enum weir_cl_stage stage, struct weir_cl_text *log) {
  struct weir_cl_options o;
  struct weir_cl_text t = {0};
  const bool ok = weir_cl_options_parse(&o, options, stage, log);
  weir_cl_text_add(&t, "", 0);
  for (size_t i = 0; i < o.clang.count; i++) weir_cl_text_print(&t, "[%s]", o.clang.items[i]);
  weir_cl_text_print(&t, "%s", o.level);
  weir_cl_options_free(&o);
  if (ok) return t.bytes;
  weir_free(t.bytes);
  return NULL;
}

static void expect_log(const char *options, const char *expected, const char *said) {
  struct weir_cl_text log = {0};
  char *got = parsed(options, WEIR_CL_STAGE_BUILD, &log);
  if (expected)
    assert_string_equal(got, expected);
  else
    assert_null(got);
  if (said)
    assert_non_null(strstr(log.bytes, said));
  else
    assert_true(!log.count);
  weir_free(got);
  weir_free(log.bytes);
}

static void test_words(void **state) {
  (void)state;
  expect_log(NULL, "-O3", NULL);
  expect_log("  \t\n ", "-O3", NULL);
  expect_log("-DA -D B -DC=1 -D D=2", "[-D][A][-D][B][-D][C=1][-D][D=2]-O3", NULL);
  expect_log("-I include -I/usr/x", "[-I][include][-I][/usr/x]-O3", NULL);
  expect_log("-D \"A=b c\" -D'E=f g'", "[-D][A=b c][-D][E=f g]-O3", NULL);
  expect_log("-DA=\\\"x\\\" -DB=\"\\\"two words\\\"\"", "[-D][A=\"x\"][-D][B=\"two words\"]-O3", NULL);
  expect_log("-DPATH=a\\ b -DC:\\x", "[-D][PATH=a b][-D][C:\\x]-O3", NULL);
  expect_log("-D", NULL, "'-D' has no value");
}

static void test_language(void **state) {
  (void)state;
  expect_log("-cl-std=CL1.1 -w -Werror", "[-cl-std=CL1.1][-w][-Werror]-O3", NULL);
  expect_log("-cl-std=CL3.0", NULL, "CL1.2"); // the device is of version 1.2
  expect_log("-cl-mad-enable -cl-fast-relaxed-math", "[-cl-mad-enable][-cl-fast-relaxed-math]-O3", NULL);
  expect_log("-cl-denorms-are-zero",
             "[-cl-denorms-are-zero][-Xclang][-fdenormal-fp-math-f32=preserve-sign,preserve-sign]-O3", NULL);
  expect_log("-cl-opt-disable", "-O0", NULL);
  expect_log("-O1", "-O1", NULL);
}

static void test_others(void **state) {
  (void)state;
  expect_log("-cl-nv-verbose -DA", "[-D][A]-O3", "'-cl-nv-verbose' has no effect");
  expect_log("-cl-nv-maxrregcount 32 -DA", "[-D][A]-O3", "'-cl-nv-maxrregcount' has no effect");
  expect_log("-cl-nv-maxrregcount=32 -DA", "[-D][A]-O3", "has no effect");
  expect_log("-x clc++ -fbin-llvmir -O5 -g", "-O3", "'-fbin-llvmir' has no effect");
  expect_log("-x -DA", "[-D][A]-O3", "'-x' has no effect");
  expect_log("-cl-mad-enabel", NULL, "did you mean '-cl-mad-enable'?");
  expect_log("file.cl", NULL, "unknown build option 'file.cl'");
  expect_log("-create-library", NULL, "unknown"); // of linking alone
}

static void test_linking(void **state) {
  (void)state;
  struct weir_cl_options o;
  struct weir_cl_text log = {0};
  assert_true(weir_cl_options_parse(&o, "-create-library -enable-link-options", WEIR_CL_STAGE_LINK, &log));
  assert_true(o.create_library);
  weir_cl_options_free(&o);
  assert_false(weir_cl_options_parse(&o, "-DA", WEIR_CL_STAGE_LINK, &log));
  weir_cl_options_free(&o);
  weir_free(log.bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_words),
    cmocka_unit_test(test_language),
    cmocka_unit_test(test_others),
    cmocka_unit_test(test_linking),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
