// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir gpu, on the driver's stand-in (fake_cuda.c), which takes half the time where all loads may use the L1.
#include "../800-cli/weir_process.h"
#include "all.h"

#include <dlfcn.h>
#include <jansson.h>
#include <math.h>

#define FAKE WEIR_BINARY_DIR "/tests/890-driver/fake"

static char folder[] = "/tmp/weir-gpu-XXXXXX";
static char yaml[64], ptx[64], log_path[64];

static void on_device(const char *switches) {
  setenv("LD_LIBRARY_PATH", FAKE, 1);
  setenv("WEIR_FAKE_CUDA", switches, 1);
}

static void expect(int status, const char *out, const char *err, const char *const *argv) {
  struct process p = process_run_all(argv);
  if (p.status != status) print_error("%s%s", p.out, p.err);
  assert_int_equal(p.status, status);
  if (out)
    assert_holds(p.out, out);
  else
    assert_string_equal(p.out, "");
  assert_holds(p.err, err);
  process_free(&p);
}
#define EXPECT(status, out, err, ...) expect(status, out, err, (const char *const[]){__VA_ARGS__, NULL})

static void write_text(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

// The rows of the table that it prints as JSON.
static json_t *rows_of(json_t **whole, const char *const *argv) {
  struct process p = process_run_all(argv);
  if (p.status) print_error("%s", p.err);
  assert_int_equal(p.status, 0);
  *whole = json_loads(p.out, 0, NULL);
  process_free(&p);
  assert_non_null(*whole);
  return json_object_get(json_object_get(*whole, "table"), "rows");
}
#define ROWS_OF(whole, ...) rows_of(whole, (const char *const[]){__VA_ARGS__, NULL})

static const char *text(const json_t *rows, size_t row, const char *column) {
  return json_string_value(json_object_get(json_array_get(rows, row), column));
}

static double number(const json_t *rows, size_t row, const char *column) {
  return json_number_value(json_object_get(json_array_get(rows, row), column));
}

// ---- what is missing ------------------------------------------------------------------------------------------------

static void test_no_library(void **state) {
  (void)state;
  unsetenv("LD_LIBRARY_PATH");
  if (dlopen("libcuda.so.1", RTLD_NOW)) skip(); // a machine with a driver
  EXPECT(3, NULL, "no CUDA driver library here: libcuda.so.1", "gpu", "upper");
  EXPECT(3, NULL, "no CUDA driver library here", "gpu", "upper", "--json");
}

static void test_no_device(void **state) {
  (void)state;
  on_device("no-device");
  EXPECT(3, NULL, "no CUDA device here: CUDA_ERROR_NO_DEVICE", "gpu", "upper");
  on_device("init-fails");
  EXPECT(3, NULL, "no CUDA device here: CUDA_ERROR_NO_DEVICE", "gpu", "upper", "--csv");
}

// Mistakes are found before the device is looked for.
static void test_mistakes(void **state) {
  (void)state;
  on_device("no-device");
  EXPECT(2, NULL, "did you mean 'upper'?", "gpu", "uppr");
  EXPECT(2, NULL, "PROGRAM is missing", "gpu");
  EXPECT(2, NULL, "--repeat must be an integer from 1 to 1000", "gpu", "upper", "--repeat", "0");
  EXPECT(2, NULL, "--threads takes BLOCKSxTHREADS", "gpu", "upper", "--threads", "60");
  EXPECT(2, NULL, "not '60x256,'", "gpu", "upper", "--threads", "60x256,");
  EXPECT(2, NULL, "not '60x1025'", "gpu", "upper", "--threads", "60x1025");
  EXPECT(2, NULL, "not '0x32'", "gpu", "upper", "--threads", "0x32");
  EXPECT(2, NULL, "not '1x-32'", "gpu", "upper", "--threads", "1x-32");
  EXPECT(2, NULL, "--sl1", "gpu", "upper", "--sl1=line_bites=8");
  on_device("");
  EXPECT(2, NULL, "'bfs' cannot be given blocks and threads", "gpu", "bfs", "--threads", "60x256");
}

// ---- workloads ------------------------------------------------------------------------------------------------------

static void test_workload(void **state) {
  (void)state;
  on_device("");
  json_t *whole, *rows = ROWS_OF(&whole, "gpu", "upper", "--json", "--repeat", "1");
  assert_int_equal(json_array_size(rows), 2);
  assert_string_equal(text(rows, 0, "variant"), "no L1");
  assert_string_equal(text(rows, 1, "variant"), "hardware L1");
  assert_string_equal(text(rows, 0, "check"), "passed");
  assert_string_equal(text(rows, 1, "check"), "passed");
  assert_true(number(rows, 0, "milliseconds") > 0);
  assert_true(fabs(number(rows, 0, "speedup") - 1) < 1e-6 && fabs(number(rows, 1, "speedup") - 2) < 1e-4);
  assert_string_equal(json_string_value(json_object_get(json_object_get(whole, "device"), "name")), "stand-in 0");
  assert_true(json_is_true(json_object_get(whole, "same_addresses")));
  json_decref(whole);
}

// Many launches, __local arguments, and a device that has the buffers elsewhere; there but in `make test-all` those with many launches
// and with __local arguments alone.
static void test_programs(void **state) {
  (void)state;
  static const char *const programs[] = {"bitonic", "dct", "kmeans-stream", "histogram", "grep"};
  static const char *const devices[] = {"", "moved", "no-mapping"};
  for (unsigned d = 0; d < 3; d++)
    for (unsigned k = 0; k < (!d || test_all() ? sizeof programs / sizeof *programs : 2); k++) {
      on_device(devices[d]);
      json_t *whole, *rows = ROWS_OF(&whole, "gpu", programs[k], "--json", "--repeat", "1");
      assert_string_equal(text(rows, 0, "check"), "passed");
      assert_string_equal(text(rows, 1, "check"), "passed");
      assert_int_equal(json_is_true(json_object_get(whole, "same_addresses")), !d);
      json_decref(whole);
    }
}

// Both configurations, then each variant's best: the fastest of its rows, against the fastest without L1.
static void expect_best(const char *list, const char *first, const char *second) {
  json_t *whole, *rows = ROWS_OF(&whole, "gpu", "wc", "--json", "--threads", list, "--repeat", "1");
  assert_int_equal(json_array_size(rows), 6);
  assert_string_equal(text(rows, 1, "threads"), first);
  assert_string_equal(text(rows, 2, "threads"), second);
  const double a = number(rows, 0, "milliseconds"), b = number(rows, 2, "milliseconds"), least = a < b ? a : b;
  assert_true(a != b); // other threads, other work
  assert_string_equal(text(rows, 4, "variant"), "no L1, at its best");
  assert_string_equal(text(rows, 4, "threads"), a < b ? first : second);
  assert_true(fabs(number(rows, 4, "milliseconds") - least) < 1e-9);
  assert_true(fabs(number(rows, 5, "speedup") - least / number(rows, 5, "milliseconds")) < 1e-9);
  json_decref(whole);
}

static void test_threads(void **state) {
  (void)state;
  on_device("");
  expect_best("2x32,15x128", "2×32", "15×128");
  expect_best("15x128,2x32", "15×128", "2×32");
}

// With S-L1, whose lines the driver gives room: shared memory that is dynamic, here behind __local arguments too (dct,
// kmeans-stream). On the device that has them elsewhere one of either kind, all in `make test-all`.
static void test_sl1(void **state) {
  (void)state;
  static const char *const programs[] = {"upper", "dct", "grep", "kmeans-stream"};
  static const char *const devices[] = {"", "moved"};
  for (unsigned d = 0; d < 2; d++)
    for (unsigned k = 0; k < (!d || test_all() ? sizeof programs / sizeof *programs : 2); k++) {
      on_device(devices[d]);
      json_t *whole, *rows = ROWS_OF(&whole, "gpu", programs[k], "--json", "--repeat", "1", "--sl1");
      assert_int_equal(json_array_size(rows), 3);
      assert_string_equal(text(rows, 2, "variant"), "S-L1");
      assert_string_equal(text(rows, 2, "check"), "passed");
      assert_true(number(rows, 2, "lines") >= 1);
      assert_true(json_is_null(json_object_get(json_array_get(rows, 0), "lines")));
      assert_true(json_is_null(json_object_get(json_array_get(rows, 2), "hit_rate")));
      json_decref(whole);
    }
  json_t *whole, *rows = ROWS_OF(&whole, "gpu", "grep", "--json", "--repeat", "1", "--sl1=counters=on");
  assert_true(number(rows, 2, "hit_rate") > 0 && number(rows, 2, "hit_rate") < 1);
  json_decref(whole);
}

// What the driver is given: every load says its operator, and the device's preferences follow (CUfunc_cache: 0 none, 2 L1).
static void test_operators(void **state) {
  (void)state;
  on_device("");
  setenv("WEIR_FAKE_CUDA_LOG", log_path, 1);
  EXPECT(0, "hardware L1,3×64,", "", "gpu", "upper", "--csv", "--threads", "3x64", "--repeat", "2");
  unsetenv("WEIR_FAKE_CUDA_LOG");
  FILE *f = fopen(log_path, "r");
  unsigned none, ca, cg, cv, nc, loads = 0, preference, launches = 0;
  char line[256];
  for (unsigned v = 0; fgets(line, sizeof line, f);) {
    if (sscanf(line, "module none=%u ca=%u cg=%u cv=%u nc=%u", &none, &ca, &cg, &cv, &nc) == 5) {
      assert_true(none == 0 && cv == 0 && nc == 0 && (v ? cg : ca) == 0 && ca + cg > 0);
      if (v) assert_int_equal(ca, loads);
      loads = ca + cg;
    } else if (sscanf(line, "prefer upper %u", &preference) == 1) {
      assert_int_equal(preference, v ? 2 : 0);
      v++;
    } else {
      assert_string_equal(line, "launch upper 3,1,1 64,1,1 0\n");
      launches++;
    }
  }
  fclose(f);
  assert_int_equal(launches, 4);
}

// ---- launch files ---------------------------------------------------------------------------------------------------

#define KERNEL(body)                                                                                                   \
  ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<3>;\n"           \
  ".reg .b64 %rd<3>;\nld.param.u64 %rd1, [out];\n" body "ret;\n}\n"
#define YAML                                                                                                           \
  "module: k.ptx\nbuffers:\n  out: {bytes: 64, fill: iota}\n"                                                          \
  "launches:\n  - {kernel: k, grid: [1], block: [1], args: [out]}\n"

static void launch_file(const char *launches, const char *kernel) {
  write_text(yaml, launches);
  write_text(ptx, kernel);
}

static void test_launch_files(void **state) {
  (void)state;
  on_device("");
  launch_file(YAML "checksum: [out]\n", KERNEL("ld.global.u32 %r1, [%rd1+8];\nst.global.u32 [%rd1], %r1;\n"));
  // 5 instructions, the stand-in's own among them, of a twentieth of a microsecond.
  EXPECT(0, "hardware L1,its own,0.00025", "", "gpu", yaml, "--csv", "--repeat", "1");
  EXPECT(0, "reference", "", "gpu", yaml);
  EXPECT(0, "same", "", "gpu", yaml);
  launch_file("module: k.ptx\nbuffers:\n  out: {bytes: 64, fill: iota}\nlaunches:\n"
              "  - {kernel: k, grid: [1], block: [1], carveout_percent: 50, args: [out]}\n",
              KERNEL(""));
  setenv("WEIR_FAKE_CUDA_LOG", log_path, 1);
  EXPECT(0, "none", "", "gpu", yaml, "--repeat", "1");
  unsetenv("WEIR_FAKE_CUDA_LOG");
  FILE *f = fopen(log_path, "r");
  char line[256];
  unsigned percent = 0;
  while (fgets(line, sizeof line, f)) sscanf(line, "carve-out k %u", &percent);
  fclose(f);
  assert_int_equal(percent, 50);
  launch_file(YAML, KERNEL(""));
  EXPECT(0, "none", "", "gpu", yaml);
  EXPECT(2, NULL, "takes no --input", "gpu", yaml, "--input", yaml);
}

static void test_faults(void **state) {
  (void)state;
  on_device("");
  launch_file(YAML, KERNEL("ld.global.u32 %r1, [16];\nst.global.u32 [%rd1], %r1;\n"));
  EXPECT(2, "stopped", "CUDA_ERROR_ILLEGAL_ADDRESS (700: an illegal memory access was encountered) (kernel 'k')", "gpu",
         yaml);
  EXPECT(2, "stopped", "weir: with hardware L1:", "gpu", yaml);
  launch_file(YAML, KERNEL(""));
  on_device("old-driver");
  EXPECT(2, "stopped", "ptxas fatal: Unsupported .version", "gpu", yaml);
  on_device("full");
  EXPECT(2, "stopped", "CUDA_ERROR_OUT_OF_MEMORY", "gpu", yaml);
}

// A device that returns other results with an operator than with the other: the check says so.
static void test_differences(void **state) {
  (void)state;
  on_device("wrong-l1");
  launch_file(YAML "checksum: [out]\n", KERNEL("ld.global.u32 %r1, [%rd1+8];\nst.global.u32 [%rd1], %r1;\n"));
  EXPECT(1, "differs", "", "gpu", yaml);
  EXPECT(1, "failed", "check failed", "gpu", "upper");
}

// ---- a real device --------------------------------------------------------------------------------------------------

static void test_real(void **state) {
  (void)state;
  unsetenv("LD_LIBRARY_PATH");
  struct process p = process_run("gpu", "upper", "--csv");
  if (p.status == 3) {
    process_free(&p);
    skip();
  }
  assert_int_equal(p.status, 0);
  assert_holds(p.out, "hardware L1,its own,");
  process_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_no_library),  cmocka_unit_test(test_no_device), cmocka_unit_test(test_mistakes),
    cmocka_unit_test(test_workload),    cmocka_unit_test(test_programs),  cmocka_unit_test(test_threads),
    cmocka_unit_test(test_operators),   cmocka_unit_test(test_faults),    cmocka_unit_test(test_launch_files),
    cmocka_unit_test(test_differences), cmocka_unit_test(test_real),      cmocka_unit_test(test_sl1),
  };
  if (!mkdtemp(folder)) return 1;
  snprintf(yaml, sizeof yaml, "%s/k.yaml", folder);
  snprintf(ptx, sizeof ptx, "%s/k.ptx", folder);
  snprintf(log_path, sizeof log_path, "%s/log", folder);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(yaml), unlink(ptx), unlink(log_path), rmdir(folder);
  return failed;
}
