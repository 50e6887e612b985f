// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// core.perturb: a launch of one warp ends as many cycles later as the warp starts late, for nothing else has happened before.
#include "base/rng.h"
#include "weir_process.h"

static char folder[] = "/tmp/weir_perturb_XXXXXX", launch[64], ptx[64];

static int make_files(void **state) {
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(launch, sizeof launch, "%s/k.yaml", folder);
  snprintf(ptx, sizeof ptx, "%s/k.ptx", folder);
  write_text_file(launch,
                  "module: k.ptx\nbuffers:\n  a: {bytes: 128, fill: zero}\n"
                  "launches:\n  - {kernel: k, grid: [1], block: [32], args: [a]}\n");
  write_text_file(ptx,
                  ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 k_param_0)\n{\n"
                  ".reg .b32 %r<4>; .reg .b64 %d<4>;\nld.param.u64 %d1, [k_param_0];\nmov.u32 %r2, %tid.x;\n"
                  "mad.wide.u32 %d2, %r2, 4, %d1;\nld.global.u32 %r3, [%d2];\nadd.u32 %r2, %r3, 1;\n"
                  "st.global.u32 [%d2], %r2;\nret;\n}\n");
  return 0;
}

// One core, and one clock for all of the chip: a later start finds it as an earlier one does.
static long cycles(unsigned perturb) {
  char option[32];
  snprintf(option, sizeof option, "core.perturb=%u", perturb);
  struct process p = process_run_all(
    (const char *const[]){"run", launch, "--chip", "ampere-a40", "--set", "core.count=1", "--set",
                          "clocks.core_mhz=1000", "--set", "clocks.network_mhz=1000", "--set", "clocks.cache_mhz=1000",
                          "--set", "clocks.dram_mhz=1000", "--set", option, "--json", NULL});
  assert_int_equal(p.status, 0);
  const char *total = strstr(p.out, "\"total\""), *at = total ? strstr(total, "\"cycles\":") : NULL;
  assert_non_null(at);
  const long n = strtol(at + strlen("\"cycles\":"), NULL, 10);
  process_free(&p);
  return n;
}

static void test_delay(void **state) {
  (void)state;
  const long from = cycles(0);
  for (unsigned n = 1; n < 5; n++) {
    struct weir_rng r = weir_rng_seed(n, 0); // core 0
    const long block = (long)weir_rng_below(&r, 128), warp = (long)weir_rng_below(&r, 32);
    assert_int_equal(cycles(n), from + block + warp);
  }
}

static int remove_files(void **state) {
  (void)state;
  unlink(launch), unlink(ptx);
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_delay)};
  return cmocka_run_group_tests(tests, make_files, remove_files);
}
