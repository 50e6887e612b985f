// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Cache operators of loads. Which loads may have one, and where it stands, is the PTX ISA's ("ld", "ld.global.nc");
// where there is a ptxas it is asked too.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ptx/cache_operator.h"
#include "ptx/parse.h"
#include "ptx/print.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD ".version 7.4\n.target sm_75\n.address_size 64\n"

static struct weir_module *parsed(const char *text) {
  struct weir_sink sink = {0};
  struct weir_module *m = weir_ptx_parse("text", text, strlen(text), &sink);
  weir_sink_print(&sink, stderr);
  assert_non_null(m);
  weir_sink_free(&sink);
  return m;
}

static char *printed(const struct weir_module *m) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  weir_ptx_print(m, f);
  fclose(f);
  return text;
}

// Each line of `instruction` becomes the line of `want`.
static const struct {
  const char *instruction, *want;
} cases[] = {
  {"ld.global.u32 %r1, [%rd1]", "ld.global.cg.u32 %r1, [%rd1]"},
  {"ld.weak.global.v2.u32 {%r1, %r2}, [%rd1]", "ld.weak.global.cg.v2.u32 {%r1, %r2}, [%rd1]"},
  {"ld.u32 %r1, [%rd1]", "ld.cg.u32 %r1, [%rd1]"},
  {"ld.weak.u32 %r1, [%rd1]", "ld.weak.cg.u32 %r1, [%rd1]"},
  {"ld.global.nc.u32 %r1, [%rd1]", "ld.global.cg.u32 %r1, [%rd1]"},
  {"ld.global.L2::128B.u32 %r1, [%rd1]", "ld.global.cg.L2::128B.u32 %r1, [%rd1]"},
  {"@%p1 ld.global.f32 %f1, [%rd1+4]", "@%p1 ld.global.cg.f32 %f1, [%rd1+4]"},
  // Those that say it themselves, those that may not have one, and those that read something else.
  {"ld.global.ca.u32 %r1, [%rd1]", NULL},
  {"ld.global.cs.nc.u32 %r1, [%rd1]", NULL},
  {"ld.volatile.global.u32 %r1, [%rd1]", NULL},
  {"ld.relaxed.gpu.global.u32 %r1, [%rd1]", NULL},
  {"ld.acquire.sys.global.u32 %r1, [%rd1]", NULL},
  {"ld.global.L1::evict_first.u32 %r1, [%rd1]", NULL},
  {"ld.global.L1::no_allocate.u32 %r1, [%rd1]", NULL},
  {"ld.shared.u32 %r1, [%r2]", NULL},
  {"ld.local.u32 %r1, [%rd1]", NULL},
  {"ld.const.u32 %r1, [%rd1]", NULL},
  {"ld.param.u64 %rd1, [a]", NULL},
  {"st.global.u32 [%rd1], %r1", NULL},
  {"atom.global.add.u32 %r1, [%rd1], %r2", NULL},
};
enum { CASES = sizeof cases / sizeof *cases, CHANGED = 7 };

static char *module_of(bool wanted) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  fputs(HEAD ".visible .entry k(.param .u64 a)\n{\n"
             ".reg .pred %p<2>;\n.reg .b32 %r<3>;\n.reg .f32 %f<2>;\n.reg .b64 %rd<2>;\n",
        f);
  for (unsigned k = 0; k < CASES; k++)
    fprintf(f, "%s;\n", wanted && cases[k].want ? cases[k].want : cases[k].instruction);
  fputs("ret;\n}\n", f);
  fclose(f);
  return text;
}

static void test_forms(void **state) {
  (void)state;
  char *before = module_of(false), *after = module_of(true);
  struct weir_module *m = parsed(before), *want = parsed(after);
  assert_int_equal(weir_ptx_set_load_operator(m, WEIR_CACHE_CG), CHANGED);
  char *got_text = printed(m), *want_text = printed(want);
  assert_string_equal(got_text, want_text);
  assert_int_equal(weir_ptx_set_load_operator(m, WEIR_CACHE_CA), 0); // now all say it themselves
  free(got_text), free(want_text), free(before), free(after);
  weir_module_free(m);
  weir_module_free(want);
}

// What is printed means what the form says: read again it has the same form.
static void test_form_follows(void **state) {
  (void)state;
  struct weir_module *m = parsed(HEAD ".visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<2>;\n"
                                      "ld.global.nc.v2.u32 {%r1, %r2}, [%rd1];\nret;\n}\n");
  assert_int_equal(weir_ptx_set_load_operator(m, WEIR_CACHE_CV), 1);
  char *text = printed(m);
  struct weir_module *again = parsed(text);
  for (uint32_t k = 0; k < m->functions[0]->statement_count; k++) {
    if (m->functions[0]->statements[k].kind != WEIR_STMT_INSTRUCTION) continue;
    const struct weir_form *a = &m->functions[0]->statements[k].instruction->form;
    const struct weir_form *b = &again->functions[0]->statements[k].instruction->form;
    assert_memory_equal(a, b, sizeof *a);
  }
  free(text);
  weir_module_free(m);
  weir_module_free(again);
}

static void test_ptxas(void **state) {
  (void)state;
  if (system("ptxas --version > /dev/null 2>&1")) skip();
  char path[] = "/tmp/weir-operator-XXXXXX", command[128], *text = module_of(false);
  struct weir_module *m = parsed(text);
  FILE *f = fdopen(mkstemp(path), "w");
  weir_ptx_set_load_operator(m, WEIR_CACHE_CG);
  weir_ptx_print(m, f);
  fclose(f);
  snprintf(command, sizeof command, "ptxas -arch sm_75 %s -o /dev/null", path);
  assert_int_equal(system(command), 0);
  unlink(path);
  free(text);
  weir_module_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_form_follows),
                                     cmocka_unit_test(test_ptxas)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
