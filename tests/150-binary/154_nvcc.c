// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The programs that nvcc makes, in every way that matters to whether they run: what their bytes are is NVIDIA's to say.
#include "nvcc.h"

#include "binary/elf.h"

static const char source[] =
  "__global__ void one(int *out) { out[threadIdx.x] = 1; }\n"
  "int main() { int *d; cudaMalloc(&d, 400); one<<<1, 100>>>(d); return cudaDeviceSynchronize(); }\n";

static struct weir_sink sink;

static struct weir_binary compiled(const char *flags) {
  struct weir_binary b;
  nvcc_run(flags, "one.cu");
  if (!weir_binary_read(&b, nvcc_file("p"), &sink)) {
    weir_sink_print(&sink, stderr);
    fail_msg("cannot read what nvcc %s makes", flags);
  }
  assert_true(b.has_fatbin);
  assert_false(b.is_static || b.driver_api || b.is_32bit || b.is_script);
  return b;
}

// The best PTX of all its images is for this architecture, and has the kernel; 0: there is none.
static void expect_ptx(const char *flags, unsigned arch) {
  struct weir_binary b = compiled(flags);
  const struct weir_place place = {.file = "p"};
  unsigned found = 0;
  assert_false(b.static_cudart);
  assert_int_equal(b.has_ptx, arch != 0);
  for (unsigned k = 0; k < b.image_count; k++) {
    unsigned count;
    size_t bytes;
    struct weir_fatbin_entry *e = weir_fatbin_entries(b.images[k].data, b.images[k].bytes, place, &count, &sink);
    assert_non_null(e);
    const struct weir_fatbin_entry *best = weir_fatbin_best(e, count, 0);
    char *text = best ? weir_fatbin_text(best, place, &bytes, &sink) : NULL;
    if (text && strstr(text, ".visible .entry _Z3onePi(")) {
      found = best->arch;
      assert_memory_equal(text, ".version ", 9);
      assert_int_equal(bytes, strlen(text));
    }
    weir_free(text);
    weir_free(e);
  }
  assert_int_equal(found, arch);
  assert_int_equal(weir_binary_check(&b, "p", &sink), arch != 0);
  weir_binary_free(&b);
}

static void test_ptx(void **state) {
  (void)state;
  if (!nvcc_open()) skip();
  nvcc_source("one.cu", source);
  expect_ptx("-cudart shared -arch=sm_75", 75);
  expect_ptx("-cudart shared -arch=sm_80 --compress-mode=none", 80);
  expect_ptx("-cudart shared -arch=sm_80 --compress-mode=speed", 80);
  expect_ptx("-cudart shared -arch=sm_80 --compress-mode=balance", 80);
  expect_ptx("-cudart shared -arch=sm_80 --compress-mode=size", 80);
  expect_ptx("-cudart shared -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=[sm_90,compute_90]",
             90);
  expect_ptx("-cudart shared -gencode arch=compute_75,code=sm_75", 0);
  nvcc_close();
}

static void test_runtime_inside(void **state) {
  (void)state;
  strcpy(nvcc_folder, "/tmp/weir_nvcc_XXXXXX");
  if (!nvcc_open()) skip();
  nvcc_source("one.cu", source);
  static const char *const flags[] = {"-arch=sm_75", "-arch=sm_75 -Xlinker -s"}; // with its symbols; stripped
  for (unsigned k = 0; k < 2; k++) {
    struct weir_binary b = compiled(flags[k]);
    assert_true(b.static_cudart && b.has_ptx);
    assert_false(weir_binary_check(&b, "p", &sink));
    weir_binary_free(&b);
  }
  nvcc_close();
  weir_sink_free(&sink);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ptx), cmocka_unit_test(test_runtime_inside)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
