// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the compilers on this machine emit is read, runs (but for what the source says cannot) and prints as it was.
#include "base/file.h"
#include "ptx_test.h"

#include <unistd.h>

static const char source_folder[] = WEIR_SOURCE_DIR "/tests/200-ptx/data";

static bool has(const char *program) {
  char command[256];
  snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
  return system(command) == 0;
}

// Compiles by a command with %s for the output; skips the test if the compiler cannot.
static void compile_and_read(const char *program, const char *arguments) {
  if (!has(program)) skip();
  char path[] = "/tmp/weir-XXXXXX.ptx", command[1024];
  int fd = mkstemps(path, 4);
  assert_true(fd >= 0);
  close(fd);
  snprintf(command, sizeof command, "cd %s && %s %s -o %s 2>/dev/null", source_folder, program, arguments, path);
  int status = system(command);
  struct weir_sink sink = {0};
  size_t size;
  char *text = weir_file_read(path, 0, &size, &sink);
  struct weir_module *m = status == 0 ? weir_ptx_read(path, &sink) : NULL;
  unlink(path);
  if (m) weir_ptx_check(m, &sink);
  weir_sink_print(&sink, stderr);
  if (status == 0) assert_non_null(m);
  assert_int_equal(sink.errors, 0);
  char *printed = m ? print_text(m) : NULL;
  if (m) same_tokens(text, printed);
  free(printed);
  weir_free(text);
  weir_module_free(m);
  weir_sink_free(&sink);
  if (status) skip();
}

#define NVCC(name, options)                                                                                            \
  static void name(void **state) {                                                                                     \
    (void)state;                                                                                                       \
    compile_and_read("/usr/local/cuda/bin/nvcc", "-arch=compute_80 -DNDEBUG -ptx " options " mix.cu");                 \
  }
NVCC(test_nvcc, "")
NVCC(test_nvcc_debug, "-G")
NVCC(test_nvcc_lines, "-lineinfo -rdc=true")

#define CLANG(name, program, options)                                                                                  \
  static void name(void **state) {                                                                                     \
    (void)state;                                                                                                       \
    compile_and_read(program, "-x c --target=nvptx64-nvidia-cuda -march=sm_70 -nogpulib -S " options " mix.c.in");     \
  }
CLANG(test_clang_19, "clang-19", "-O3")
CLANG(test_clang_19_debug, "clang-19", "-O1 -g")
CLANG(test_clang_19_plain, "clang-19", "-O0")
CLANG(test_clang_14, "clang-14", "-O3")
CLANG(test_clang_14_plain, "clang-14", "-O0")

static void test_nvcc_images(void **state) {
  (void)state;
  compile_and_read("/usr/local/cuda/bin/nvcc", "-arch=compute_75 -ptx images.cu");
}

static void test_clang_19_images(void **state) {
  (void)state;
  compile_and_read("clang-19", "-x ir --target=nvptx64-nvidia-nvcl -march=sm_70 -O2 -S images.ll");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_nvcc),           cmocka_unit_test(test_nvcc_debug),
    cmocka_unit_test(test_nvcc_lines),     cmocka_unit_test(test_clang_19),
    cmocka_unit_test(test_clang_19_debug), cmocka_unit_test(test_clang_19_plain),
    cmocka_unit_test(test_clang_14),       cmocka_unit_test(test_clang_14_plain),
    cmocka_unit_test(test_nvcc_images),    cmocka_unit_test(test_clang_19_images),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
