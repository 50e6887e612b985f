// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Registers per kernel as machine code tells them: of a file made by hand, of damaged ones, and of what nvcc compiles,
// which must be what its assembler says (-Xptxas -v).
#include "nvcc.h"

#include "binary/cubin.h"
#include "binary/elf.h"
#include "cubin.h"

static const struct weir_place place = {.file = "p"};

static void reads_both_kernels(void **state) {
  (void)state;
  uint8_t c[CUBIN_BYTES];
  struct weir_sink sink = {0};
  unsigned count;
  cubin_make(c, 40, 255);
  struct weir_cubin_kernel *k = weir_cubin_kernels(c, sizeof c, place, &count, &sink);
  assert_non_null(k);
  assert_int_equal(count, 2);
  assert_string_equal(k[0].name, "one");
  assert_int_equal(k[0].registers, 40);
  assert_string_equal(k[1].name, "two");
  assert_int_equal(k[1].registers, 255);
  weir_cubin_free(k, count);
  cubin_put(c + CUBIN_HEADERS + 4 * 0x40, 1, 4); // .nv.info is named otherwise
  k = weir_cubin_kernels(c, sizeof c, place, &count, &sink);
  assert_non_null(k);
  assert_int_equal(count, 0);
  assert_int_equal(sink.count, 0);
  weir_cubin_free(k, count);
}

static void refused(const uint8_t *c, size_t bytes, const char *what) {
  struct weir_sink sink = {0};
  unsigned count;
  assert_null(weir_cubin_kernels(c, bytes, place, &count, &sink));
  assert_int_equal(sink.errors, 1);
  if (!strstr(sink.diags[0].message, what)) fail_msg("'%s' does not say '%s'", sink.diags[0].message, what);
  weir_sink_free(&sink);
}

static void says_what_is_damaged(void **state) {
  (void)state;
  uint8_t c[CUBIN_BYTES];
  cubin_make(c, 0, 20);
  refused(c, sizeof c, "gives 'one' 0 registers");
  cubin_make(c, 70000, 20);
  refused(c, sizeof c, "gives 'one' 70000 registers");
  cubin_make(c, 20, 20);
  cubin_put(c + CUBIN_INFO + 32, 3, 4);
  refused(c, sizeof c, "symbol 3, which is not there");
  cubin_make(c, 20, 20);
  cubin_put(c + CUBIN_INFO + 30, 9, 2); // one byte more than there is
  refused(c, sizeof c, "ends within an attribute");
  refused((const uint8_t *)"!<arch>", 7, "no ELF file");
  refused(c, 0, "no ELF file");
}

// Whatever one byte becomes, and wherever the file ends: nothing is read outside it, and a failure says why.
static void damaged_anywhere(void **state) {
  (void)state;
  uint8_t whole[CUBIN_BYTES];
  cubin_make(whole, 40, 255);
  for (size_t at = 0; at < 2 * CUBIN_BYTES; at++) {
    const size_t bytes = at < CUBIN_BYTES ? CUBIN_BYTES : at - CUBIN_BYTES;
    uint8_t *c = malloc(bytes ? bytes : 1);
    struct weir_sink sink = {0};
    unsigned count;
    memcpy(c, whole, bytes);
    if (at < CUBIN_BYTES) c[at] ^= 0xff;
    struct weir_cubin_kernel *k = weir_cubin_kernels(c, bytes, place, &count, &sink);
    assert_int_equal(!k, sink.errors > 0);
    if (k) weir_cubin_free(k, count);
    weir_sink_free(&sink);
    free(c);
  }
}

// CUDA C++ Programming Guide, "Binary Compatibility": the same major, and no higher minor.
static void chooses_what_the_device_runs(void **state) {
  (void)state;
  const struct weir_fatbin_entry e[] = {{.kind = WEIR_FATBIN_PTX, .arch = 86},
                                        {.kind = WEIR_FATBIN_ELF, .arch = 80},
                                        {.kind = WEIR_FATBIN_ELF, .arch = 86},
                                        {.kind = WEIR_FATBIN_ELF, .arch = 100}};
  assert_null(weir_fatbin_machine_code(e, 4, 7, 5));
  assert_ptr_equal(weir_fatbin_machine_code(e, 4, 8, 0), &e[1]);
  assert_ptr_equal(weir_fatbin_machine_code(e, 4, 8, 5), &e[1]);
  assert_ptr_equal(weir_fatbin_machine_code(e, 4, 8, 9), &e[2]);
  assert_null(weir_fatbin_machine_code(e, 4, 9, 0));
  assert_ptr_equal(weir_fatbin_machine_code(e, 4, 10, 3), &e[3]);
}

// ---- nvcc -----------------------------------------------------------------------------------------------------------

static const char source[] =
  "__global__ void scale(float a, float *y) { y[threadIdx.x] *= a; }\n"
  "__global__ void many(const double *x, double *y) {\n"
  "  double s[24], t = 0;\n"
  "  for (int i = 0; i < 24; i++) s[i] = x[threadIdx.x + 32 * i];\n"
  "  for (int r = 0; r < 10; r++) for (int i = 0; i < 24; i++) s[i] = s[i] * s[(i + 7) % 24] + x[r];\n"
  "  for (int i = 0; i < 24; i++) t += s[i];\n"
  "  y[threadIdx.x] = t;\n"
  "}\n"
  "int main() { scale<<<1, 32>>>(1, 0); many<<<1, 32>>>(0, 0); return 0; }\n";

// The assembler's own word: "Compiling entry function 'NAME' for …", then "Used N registers".
static unsigned assembled(const char *kernel) {
  char line[1000], wanted[100];
  unsigned registers = 0;
  bool here = false;
  FILE *f = fopen(nvcc_file("log"), "r");
  assert_non_null(f);
  snprintf(wanted, sizeof wanted, "entry function '%s'", kernel);
  while (fgets(line, sizeof line, f)) {
    if (strstr(line, "entry function")) here = strstr(line, wanted) != NULL;
    const char *used = here ? strstr(line, "Used ") : NULL;
    if (used) sscanf(used, "Used %u", &registers);
  }
  fclose(f);
  return registers;
}

static unsigned check_image(const struct weir_binary_image *image) {
  struct weir_sink sink = {0};
  unsigned count, kernels = 0;
  size_t bytes;
  struct weir_fatbin_entry *e = weir_fatbin_entries(image->data, image->bytes, place, &count, &sink);
  const struct weir_fatbin_entry *code = weir_fatbin_machine_code(e, count, 8, 0);
  uint8_t *elf = code ? weir_fatbin_bytes(code, place, &bytes, &sink) : NULL;
  struct weir_cubin_kernel *k = elf ? weir_cubin_kernels(elf, bytes, place, &kernels, &sink) : NULL;
  assert_int_equal(sink.errors, 0);
  for (unsigned i = 0; i < kernels; i++) {
    assert_int_equal(k[i].registers, assembled(k[i].name));
    assert_true(k[i].registers > 0);
  }
  if (k) weir_cubin_free(k, kernels);
  weir_free(elf);
  weir_free(e);
  return kernels;
}

static void is_what_the_assembler_says(void **state) {
  (void)state;
  static const char *const flags[] = {"-cudart shared -arch=sm_80 -Xptxas -v",
                                      "-cudart shared -arch=sm_80 -Xptxas -v --compress-mode=none",
                                      "-cudart shared -arch=sm_80 -Xptxas -v,-maxrregcount=32"};
  if (!nvcc_open()) skip();
  nvcc_source("two.cu", source);
  for (unsigned f = 0; f < sizeof flags / sizeof *flags; f++) {
    struct weir_sink sink = {0};
    struct weir_binary b;
    nvcc_run(flags[f], "two.cu");
    assert_true(weir_binary_read(&b, nvcc_file("p"), &sink));
    unsigned kernels = 0;
    for (unsigned i = 0; i < b.image_count; i++) kernels += check_image(&b.images[i]);
    assert_int_equal(kernels, 2);
    weir_binary_free(&b);
  }
  nvcc_close();
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(reads_both_kernels),         cmocka_unit_test(says_what_is_damaged),
    cmocka_unit_test(damaged_anywhere),           cmocka_unit_test(chooses_what_the_device_runs),
    cmocka_unit_test(is_what_the_assembler_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
