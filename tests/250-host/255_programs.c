// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Launch files and workloads opened as programs: fills, results, dumps, inputs, and what is said when one cannot be
// opened.
#include "host_test.h"

#include "host/app.h"

static const struct weir_app_options plain = {.seed = 1, .lanes = 32};

// out[i] = in[i] + add
static const char module[] = ".version 6.0\n.target sm_70\n.address_size 64\n"
                             ".entry add(.param .u64 in, .param .u64 out, .param .u32 add) {\n"
                             "  .reg .b32 %r<4>; .reg .b64 %rd<5>;\n"
                             "  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [add];\n"
                             "  mov.u32 %r2, %tid.x; mul.wide.u32 %rd3, %r2, 4;\n"
                             "  add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;\n"
                             "  ld.global.u32 %r3, [%rd1]; add.s32 %r3, %r3, %r1; st.global.u32 [%rd2], %r3; ret;\n}\n";

// Opens a launch file of one launch of `add` over one block.
static struct weir_app *open_add(const char *fill, const char *launch, struct weir_sink *sink) {
  char text[1024];
  snprintf(text, sizeof text,
           "module: add.ptx\nbuffers:\n  in: {bytes: 16, fill: %s}\n  out: {bytes: 16, fill: zero}\n"
           "launches:\n  - %s\nchecksum: [out]\ndump: [out, in]\n",
           fill, launch);
  weir_free(write_test_file("add.ptx", module));
  char *path = write_test_file("case.yaml", text);
  struct weir_app *a = weir_app_open(path, &plain, sink);
  weir_free(path);
  return a;
}

static void assert_adds(const char *fill, const uint32_t *in) {
  struct weir_sink sink = {0};
  struct weir_app *a = open_add(fill, "{kernel: add, grid: [1], block: [4], args: [in, out, {u32: 5}]}", &sink);
  assert_clean(&sink);
  assert_non_null(a);
  assert_true(weir_app_run(a, weir_functional_backend(NULL)));
  assert_int_equal(weir_app_check(a), WEIR_CHECK_NONE);
  unsigned count;
  const struct weir_result *r = weir_host_results(weir_app_host(a), &count);
  assert_int_equal(count, 1);
  const uint32_t *out = weir_host_bytes(weir_app_host(a), r->address, r->bytes);
  for (int i = 0; i < 4; i++) assert_int_equal(out[i], in[i] + 5);
  weir_app_free(a);
}

// The device has 31 bytes and the two buffers 32.
static void buffers_are_held_to_the_device(void **state) {
  (void)state;
  weir_free(write_test_file("add.ptx", module));
  char *path =
    write_test_file("case.yaml",
                    "module: add.ptx\nbuffers:\n  in: {bytes: 16, fill: zero}\n  out: {bytes: 16, fill: zero}\n"
                    "launches:\n  - {kernel: add, grid: [1], block: [4], args: [in, out, {u32: 5}]}\n");
  struct weir_app_options options = plain;
  struct weir_sink sink = {0};
  options.memory_bytes = 31;
  assert_null(weir_app_open(path, &options, &sink));
  assert_int_equal(sink.errors, 1);
  assert_non_null(
    strstr(sink.diags[0].message, "case.yaml:4:16: error: the buffer 'out' has 16 bytes; 15 of the device's"));
  weir_sink_free(&sink);
  options.memory_bytes = 32;
  struct weir_app *a = weir_app_open(path, &options, &sink);
  assert_clean(&sink);
  weir_app_free(a);
  options.memory_bytes = 1000;
  assert_null(weir_app_open("bfs", &options, &sink));
  assert_non_null(strstr(sink.diags[0].message, "of the device's memory are left"));
  weir_sink_free(&sink);
  weir_free(path);
}

// By the formulas of the header: s = 1 × 1664525 + 1013904223 = 1015568748, and so on.
static void fills(void **state) {
  (void)state;
  assert_adds("zero", (uint32_t[]){0, 0, 0, 0});
  assert_adds("iota", (uint32_t[]){0, 1, 2, 3});
  assert_adds("{constant: 0x10}", (uint32_t[]){16, 16, 16, 16});
  assert_adds("{constant: -1}", (uint32_t[]){UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX});
  assert_adds("{ring: 3}", (uint32_t[]){3, 0, 1, 2});
  assert_adds("{lcg: {seed: 1, shift: 0, mask: 0xFFFFFFFF}}",
              (uint32_t[]){1015568748, 1586005467, 2165703038, 3027450565}); // Numerical Recipes' ranqd1 from 1
  assert_adds("{lcg: {seed: 1, shift: 8, mask: 0xFFFF}}",
              (uint32_t[]){(1015568748 >> 8) & 0xFFFF, (1586005467 >> 8) & 0xFFFF, (2165703038 >> 8) & 0xFFFF,
                           (3027450565 >> 8) & 0xFFFF});
  weir_free(write_test_file("words.bin", "aaaabbbbccccdddd"));
  assert_adds("{file: words.bin}", (uint32_t[]){0x61616161, 0x62626262, 0x63636363, 0x64646464});
}

static void uniform_fill_is_in_range(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  char *path = write_test_file("u.yaml",
                               "module: add.ptx\nbuffers:\n  u: {bytes: 40000, fill: {uniform: {seed: 2, low: -1, "
                               "high: 3}}}\nlaunches:\n  - {kernel: add, grid: [1], block: [1], args: [u, u, "
                               "{u32: 0}]}\nchecksum: [u]\n");
  struct weir_app *a = weir_app_open(path, &plain, &sink);
  assert_clean(&sink);
  unsigned count;
  const struct weir_result *r = weir_host_results(weir_app_host(a), &count);
  const float *u = weir_host_bytes(weir_app_host(a), r->address, r->bytes);
  double sum = 0;
  for (int i = 0; i < 10000; i++) {
    assert_true(u[i] >= -1 && u[i] <= 3);
    sum += (double)u[i];
  }
  // Mean 1 with standard deviation 4 / √12 / √10000 = 0.0115: six of them.
  assert_true(sum / 10000 > 0.93 && sum / 10000 < 1.07);
  weir_app_free(a);
  weir_free(path);
}

static void dumps_beside_the_file(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_app *a = open_add("iota", "{kernel: add, grid: [1], block: [4], args: [in, out, {u32: 1}]}", &sink);
  assert_true(weir_app_run(a, weir_functional_backend(NULL)) && weir_app_dump(a, &sink));
  size_t size;
  char *path = test_path("case.out.bin"), *bytes = weir_file_read(path, 0, &size, &sink);
  assert_clean(&sink);
  assert_int_equal(size, 16);
  assert_memory_equal(bytes, ((uint32_t[]){1, 2, 3, 4}), 16);
  weir_free(bytes);
  weir_free(path);
  path = test_path("case.in.bin");
  assert_int_equal(access(path, R_OK), 0);
  weir_free(path);
  weir_app_free(a);
}

static void assert_unopened(const char *fill, const char *launch, const char *message) {
  struct weir_sink sink = {0};
  assert_null(open_add(fill, launch, &sink));
  assert_message(&sink, 0, message);
  weir_sink_free(&sink);
}

// What only the module can tell is reported with the launch file's own places, before anything runs.
static void mismatches_with_the_module(void **state) {
  (void)state;
  assert_unopened("zero", "{kernel: ad, grid: [1], block: [4], args: [in, out, {u32: 5}]}", "case.yaml:6:14: error: ");
  assert_unopened("zero", "{kernel: add, grid: [1], block: [4], args: [in, out]}",
                  "case.yaml:6:48: error: kernel 'add' takes 3 arguments, not 2");
  assert_unopened("zero", "{kernel: add, grid: [1], block: [4], args: [in, out, {u64: 5}]}",
                  "case.yaml:6:58: error: argument 3 of 'add' has 8 bytes, but the parameter 'add' has 4");
  assert_unopened("zero", "{kernel: add, grid: [1], block: [2048], args: [in, out, {u32: 5}]}",
                  "case.yaml:6:37: error: a block of 2048 × 1 × 1 threads is too large");
  assert_unopened("zero", "{kernel: add, grid: [7], block: [4], cluster: [2], args: [in, out, {u32: 5}]}",
                  "case.yaml:6:51: error: a grid of 7 × 1 × 1 blocks cannot be divided into clusters of 2 × 1 × 1");
  assert_unopened("zero", "{kernel: add, grid: [64], block: [4], cluster: [4, 8], args: [in, out, {u32: 5}]}",
                  "case.yaml:6:52: error: a cluster of 4 × 8 × 1 blocks is too large: at most 16 in all");
  assert_unopened("{file: short.bin}", "{kernel: add, grid: [1], block: [4], args: [in, out, {u32: 5}]}",
                  "short.bin: error: cannot be read");
  weir_free(write_test_file("short.bin", "abc"));
  assert_unopened("{file: short.bin}", "{kernel: add, grid: [1], block: [4], args: [in, out, {u32: 5}]}",
                  "short.bin has 3 bytes, but the buffer 'in' has 16");
}

static void faults_are_reported(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_app *a = open_add("iota", "{kernel: add, grid: [1], block: [5], args: [in, out, {u32: 1}]}", &sink);
  assert_clean(&sink);
  assert_false(weir_app_run(a, weir_functional_backend(NULL))); // thread 4 reads past the end
  assert_message(&sink, 0, "add.ptx:9:3: error: out-of-bounds load of 4 bytes");
  weir_app_free(a);
  weir_sink_free(&sink);
}

static void assert_no_program(const char *name, const struct weir_app_options *options, const char *message) {
  struct weir_sink sink = {0};
  assert_null(weir_app_open(name, options, &sink));
  assert_message(&sink, 0, message);
  weir_sink_free(&sink);
}

static void programs_that_are_none(void **state) {
  (void)state;
  assert_no_program("matrixmull", &plain, "no workload is named 'matrixmull'; did you mean 'matrixmul'?");
  assert_no_program("somewhere.yaml", &plain, "somewhere.yaml: error: cannot be read");
  const struct weir_app_options input = {.input = "x", .lanes = 32};
  assert_no_program("matrixmul", &input, "takes no --input");
  const struct weir_app_options missing = {.input = "no-such.mtx", .lanes = 32};
  assert_no_program("bfs", &missing, "no-such.mtx: error: cannot be read");
}

static void runs_on_input(const char *workload, const char *file, const char *text) {
  struct weir_sink sink = {0};
  char *path = write_test_file(file, text);
  const struct weir_app_options options = {.input = path, .seed = 1, .lanes = 64};
  struct weir_app *a = weir_app_open(workload, &options, &sink);
  assert_clean(&sink);
  assert_true(weir_app_run(a, weir_functional_backend(NULL)));
  assert_int_equal(weir_app_check(a), WEIR_CHECK_PASSED);
  weir_app_free(a);
  weir_free(path);
}

static void workloads_take_real_inputs(void **state) {
  (void)state;
  const char *matrix = "%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 2\n2 1 -1\n3 2 -1e30\n4 4 .1\n";
  const char *roads = "c x\np sp 4 3\na 1 2 3\na 2 3 4\na 3 4 5\n";
  runs_on_input("spmv", "m.mtx", matrix);
  runs_on_input("spmv", "r.gr", roads);
  runs_on_input("spmv", "empty.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 0\n");
  runs_on_input("bfs", "m.mtx", matrix);
  runs_on_input("bfs", "r.gr", roads);
  runs_on_input("bfs", "e.txt", "10 20\n20 30\n50 60\n"); // two components: the second is not reached
  runs_on_input("nn", "p.txt", "1 2\n3 4\n5 6\n");
}

// 0 − 1 − 2 and a second component 3 − 4, searched from node 0.
static void bfs_distances(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  char *path = write_test_file("d.txt", "0 1\n1 2\n3 4\n");
  const struct weir_app_options options = {.input = path, .lanes = 32};
  struct weir_app *a = weir_app_open("bfs", &options, &sink);
  assert_non_null(a);
  assert_true(weir_app_run(a, weir_functional_backend(NULL)));
  unsigned count;
  const struct weir_result *r = weir_host_results(weir_app_host(a), &count);
  assert_memory_equal(weir_host_bytes(weir_app_host(a), r->address, r->bytes), ((int32_t[]){0, 1, 2, -1, -1}),
                      5 * sizeof(int32_t));
  weir_app_free(a);
  weir_free(path);
}

static bool keep_launch(void *context, const struct weir_launch *l, struct weir_fault *fault) {
  (void)fault;
  *(struct weir_launch *)context = *l;
  return true;
}

// What a launch says of its registers and carve-out reaches the chip; the next that says nothing has its kernel's, and no preference.
static void wishes(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_launch seen = {.registers = 1};
  struct weir_backend keep = {.context = &seen, .launch = keep_launch};
  struct weir_app *a = open_add(
    "iota", "{kernel: add, grid: [1], block: [4], registers: 40, carveout_percent: 0, args: [in, out, {u32: 1}]}",
    &sink);
  assert_clean(&sink);
  assert_true(weir_app_run(a, keep));
  assert_int_equal(seen.registers, 40);
  assert_int_equal(seen.shared_preference, weir_prefer_shared(0));
  weir_app_free(a);
  a = open_add("iota",
               "{kernel: add, grid: [1], block: [4], registers: 40, carveout_percent: 0, args: [in, out, {u32: 1}]}\n"
               "  - {kernel: add, grid: [1], block: [4], args: [in, out, {u32: 1}]}",
               &sink);
  assert_true(weir_app_run(a, keep));
  assert_int_equal(seen.registers, 0);
  assert_int_equal(seen.shared_preference, 0);
  weir_app_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(fills),
    cmocka_unit_test(uniform_fill_is_in_range),
    cmocka_unit_test(dumps_beside_the_file),
    cmocka_unit_test(buffers_are_held_to_the_device),
    cmocka_unit_test(mismatches_with_the_module),
    cmocka_unit_test(faults_are_reported),
    cmocka_unit_test(programs_that_are_none),
    cmocka_unit_test(workloads_take_real_inputs),
    cmocka_unit_test(bfs_distances),
    cmocka_unit_test(wishes),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
