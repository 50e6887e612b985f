// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the driver's compiler is given of the bundled workloads is what ptxas takes, where there is one: with operators,
// visible names, and the kernel that looks for the start of shared memory; and in the version of an older driver.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "driver/driver_private.h"
#include "host/workload.h"
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/weir-text-XXXXXX";

static void accept_text(const char *text, const char *name, const char *arch) {
  char command[128];
  FILE *f = fopen(path, "w");
  fputs(text, f);
  fclose(f);
  snprintf(command, sizeof command, "ptxas -arch %s %s -o /dev/null", arch, path);
  if (system(command)) fail_msg("ptxas does not take %s for %s", name, arch);
}

static void accept_workload(const char *name, bool past) {
  char file[512];
  struct weir_sink sink = {0};
  snprintf(file, sizeof file, "%s/workloads/%s/%s.ptx", WEIR_SOURCE_DIR, name, name);
  struct weir_module *m = weir_ptx_read(file, &sink);
  assert_non_null(m);
  char *text = past ? weir_driver_text(m, WEIR_CACHE_CG, true, 71) : weir_driver_text(m, WEIR_CACHE_CA, false, 90);
  accept_text(text, name, past ? "sm_75" : "sm_90");
  weir_free(text);
  weir_module_free(m);
}

static void test_workloads(void **state) {
  (void)state;
  unsigned count;
  const struct weir_workload *const *all = weir_workloads(&count);
  if (system("ptxas --version > /dev/null 2>&1")) skip();
  for (unsigned k = 0; k < count; k++)
    accept_workload(all[k]->name, k % 2); // one of the two each: ptxas takes its time
  accept_workload("matrixmul", true);
  accept_workload("matrixmul", false);
}

// As CUDA's compilers write it: DWARF sections, which keep the target's debug, and names that are visible already.
static void test_debug(void **state) {
  (void)state;
  static const char with[] = ".version 7.4\n.target sm_75, debug\n.address_size 64\n.visible .global .u32 v;\n"
                             ".visible .entry k() { ret; }\n.section .debug_str { .b8 0 }\n";
  static const char without[] = ".version 7.4\n.target sm_75, texmode_independent, debug\n.address_size 64\n"
                                ".global .u32 v;\n.entry k() { ret; }\n.func f() { ret; }\n";
  struct weir_sink sink = {0};
  struct weir_module *m = weir_ptx_parse("with", with, sizeof with - 1, &sink);
  char *text = weir_driver_text(m, WEIR_CACHE_CG, false, 74);
  assert_non_null(strstr(text, ".version 7.4\n"));
  assert_non_null(strstr(text, ".target sm_75, debug\n"));
  assert_null(strstr(text, ".visible .visible"));
  weir_free(text);
  weir_module_free(m);
  m = weir_ptx_parse("without", without, sizeof without - 1, &sink);
  text = weir_driver_text(m, WEIR_CACHE_CG, false, 70);
  assert_non_null(strstr(text, ".target sm_75\n"));
  assert_non_null(strstr(text, ".version 7.0\n"));
  assert_non_null(strstr(text, ".visible .global .u32 v;"));
  assert_non_null(strstr(text, ".visible .entry k"));
  assert_null(strstr(text, ".visible .func"));
  weir_free(text);
  weir_module_free(m);
}

// The mode of textures stays where there are some.
static void test_images(void **state) {
  (void)state;
  static const char tex[] =
    ".version 7.0\n.target sm_70, texmode_independent\n.address_size 64\n"
    ".entry k(.param .u64 t)\n{\n.reg .b64 %rd<2>;\n.reg .b32 %r<6>;\n"
    "ld.param.u64 %rd1, [t];\ntex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5}];\nret;\n}\n";
  struct weir_sink sink = {0};
  struct weir_module *m = weir_ptx_parse("tex", tex, sizeof tex - 1, &sink);
  assert_non_null(m);
  char *text = weir_driver_text(m, WEIR_CACHE_CG, false, 90);
  assert_non_null(strstr(text, ".target sm_70, texmode_independent\n"));
  weir_free(text);
  weir_module_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_workloads), cmocka_unit_test(test_debug),
                                     cmocka_unit_test(test_images)};
  const int file = mkstemp(path);
  if (file < 0) return 1;
  close(file);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(path);
  return failed;
}
