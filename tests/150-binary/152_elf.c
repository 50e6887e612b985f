// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a program needs, and what is said of one that cannot run.
#include "program.h"

#include "base/file.h"
#include "binary/calls.h"
#include "binary/elf.h"

#define RUNTIME "libcudart.so.13"
#define REGISTER "__cudaRegisterFatBinary"

static struct container ptx, machine_code;

static int make_containers(void **state) {
  (void)state;
  container_open(&ptx);
  container_add(&ptx, WEIR_FATBIN_ELF, 75, 0x40, PLAIN, "x", 1);
  container_add_text(&ptx, 75, ZSTD, ".version 8.5\n.target sm_75\n");
  container_open(&machine_code);
  container_add(&machine_code, WEIR_FATBIN_ELF, 75, 0x44, PLAIN, "x", 1); // ends at 4 modulo 8
  return 0;
}

static void read_ok(struct weir_binary *b, const struct made *made) {
  char path[] = "/tmp/weir_elf_XXXXXX";
  struct weir_sink sink = {0};
  make_program(path, made);
  const bool ok = weir_binary_read(b, path, &sink);
  unlink(path);
  if (!ok) weir_sink_print(&sink, stderr);
  assert_true(ok);
}

// The checks' only complaint says `what`; NULL: there is none.
static void says(const struct made *made, const char *what) {
  struct weir_binary b;
  struct weir_sink sink = {0};
  read_ok(&b, made);
  assert_int_equal(weir_binary_check(&b, "prog", &sink), !what);
  if (sink.count != (what ? 1 : 0)) weir_sink_print(&sink, stderr);
  assert_int_equal(sink.count, what ? 1 : 0);
  if (what && !strstr(sink.diags[0].message, what)) fail_msg("%s", sink.diags[0].message);
  weir_sink_free(&sink);
  weir_binary_free(&b);
}

// What is said before a program runs that asks for kernels in a library's own file.
static void test_warns(void **state) {
  (void)state;
  struct weir_binary b;
  struct weir_sink sink = {0};
  read_ok(&b, &(struct made){.needed = {RUNTIME, "libcublas.so.13", "libcudnn_ops.so.9", "libcurandom.so"}});
  weir_binary_report_libraries(&b, "prog", WEIR_WARNING, "whose kernels weir does not run", &sink);
  assert_int_equal(sink.errors, 0);
  assert_int_equal(sink.count, 2);
  assert_non_null(
    strstr(sink.diags[0].message, "it is linked against cuBLAS (libcublas.so.13), whose kernels weir does"));
  assert_non_null(strstr(sink.diags[1].message, "cuDNN (libcudnn_ops.so.9)"));
  weir_sink_free(&sink);
  weir_binary_free(&b);
}

static void test_reads(void **state) {
  (void)state;
  struct weir_binary b;
  read_ok(&b,
          &(struct made){.needed = {RUNTIME, "libc.so.6"},
                         .imports = {REGISTER, "cudaMalloc", "puts"},
                         .defined = {"main"},
                         .fatbin = ptx.bytes,
                         .fatbin_bytes = ptx.size});
  assert_int_equal(b.needed_count, 2);
  assert_string_equal(b.needed[0], RUNTIME);
  assert_int_equal(b.import_count, 3);
  assert_string_equal(b.imports[2], "puts");
  assert_true(weir_binary_imports(&b, "cudaMalloc"));
  assert_false(weir_binary_imports(&b, "main"));
  assert_int_equal(b.image_count, 1);
  assert_int_equal(b.images[0].bytes, ptx.size);
  assert_memory_equal(b.images[0].data, ptx.bytes, ptx.size);
  assert_false(b.images[0].relocatable);
  assert_true(b.has_fatbin && b.has_ptx);
  assert_false(b.is_static || b.static_cudart || b.driver_api || b.is_script || b.is_32bit);
  weir_binary_free(&b);
}

// Containers one after the other, aligned to 8 bytes, zeros between and behind them.
static void test_several_images(void **state) {
  (void)state;
  static uint8_t bytes[4096];
  const size_t second = ((machine_code.size + 7) & ~(size_t)7) + 16;
  memcpy(bytes, machine_code.bytes, machine_code.size);
  memcpy(bytes + second, ptx.bytes, ptx.size);
  struct weir_binary b;
  read_ok(&b,
          &(struct made){.needed = {RUNTIME},
                         .fatbin = bytes,
                         .fatbin_bytes = sizeof bytes,
                         .relfatbin = ptx.bytes,
                         .relfatbin_bytes = ptx.size});
  assert_int_equal(b.image_count, 3);
  assert_memory_equal(b.images[1].data, ptx.bytes, ptx.size);
  assert_false(b.images[1].relocatable);
  assert_true(b.images[2].relocatable);
  weir_binary_free(&b);
}

static void test_complaints(void **state) {
  (void)state;
  says(&(struct made){.needed = {RUNTIME}, .imports = {REGISTER}, .fatbin = ptx.bytes, .fatbin_bytes = ptx.size}, NULL);
  says(&(struct made){.needed = {"libOpenCL.so.1"}, .imports = {"clGetPlatformIDs"}}, NULL);
  says(&(struct made){.needed = {"libcublas.so.13"}, .imports = {"cublasCreate_v2"}}, NULL);
  says(&(struct made){0}, "link it without -static");
  says(&(struct made){.is_32bit = true}, "32-bit");
}

static void test_cudart_inside(void **state) {
  (void)state;
  const void *with = ptx.bytes;
  // Stripped: device code, and nobody to register it with.
  says(&(struct made){.needed = {"libc.so.6"}, .imports = {"puts"}, .fatbin = with, .fatbin_bytes = ptx.size},
       "-cudart shared");
  // Not stripped, and with no device code of its own.
  says(&(struct made){.needed = {"libc.so.6"}, .imports = {"puts"}, .defined = {"main", "cudaMalloc"}},
       "-cudart shared");
  // A library of the program's own may bring the runtime: it is imported.
  says(&(struct made){.needed = {"libmine.so"}, .imports = {REGISTER}, .fatbin = with, .fatbin_bytes = ptx.size}, NULL);
}

static void test_machine_code_only(void **state) {
  (void)state;
  says(&(struct made){.needed = {RUNTIME},
                      .imports = {REGISTER, "__cudaRegisterFunction"},
                      .fatbin = machine_code.bytes,
                      .fatbin_bytes = machine_code.size},
       "-gencode arch=compute_75,code=compute_75");
}

// deviceQuery and its like: nvcc leaves an empty container, or machine code with no kernel in it, and registers nothing of it.
static void test_no_kernels(void **state) {
  (void)state;
  struct container empty;
  container_open(&empty);
  says(&(struct made){.needed = {RUNTIME},
                      .imports = {REGISTER, "__cudaRegisterFatBinaryEnd", "cudaGetDeviceCount"},
                      .fatbin = empty.bytes,
                      .fatbin_bytes = empty.size},
       NULL);
  says(&(struct made){.needed = {RUNTIME},
                      .imports = {REGISTER, "cudaGetDeviceCount"},
                      .fatbin = machine_code.bytes,
                      .fatbin_bytes = machine_code.size},
       NULL);
  says(&(struct made){.needed = {RUNTIME},
                      .imports = {REGISTER, "__cudaRegisterVar"},
                      .fatbin = machine_code.bytes,
                      .fatbin_bytes = machine_code.size},
       "as machine code only");
}

static void test_driver_api(void **state) {
  (void)state;
  says(&(struct made){.needed = {"libcuda.so.1"}, .imports = {"cuCtxCreate_v2"}}, "driver API (cu… functions)");
  says(&(struct made){.needed = {RUNTIME, "libcuda.so.1"}, .imports = {"cuInit", "cuTensorMapEncodeTiled"}},
       NULL); // weir has these
  says(&(struct made){.needed = {"libmine.so"}, .imports = {"cuLaunchKernel"}}, "driver API (cu");
  says(
    &(struct made){
      .needed = {"libmine.so"}, .imports = {"cuModuleLoadFatBinary"}, .fatbin = ptx.bytes, .fatbin_bytes = ptx.size},
    "driver API"); // not a runtime inside
}

static void write_file(char *path, const void *bytes, size_t size) {
  struct weir_sink sink = {0};
  close(mkstemp(path));
  assert_true(weir_file_write(path, bytes, size, &sink));
}

static void test_other_files(void **state) {
  (void)state;
  struct weir_binary b;
  struct weir_sink sink = {0};
  assert_false(weir_binary_read(&b, "/nonexistent/program", &sink));
  assert_int_equal(sink.errors, 1);
  char script[] = "/tmp/weir_elf_XXXXXX", text[] = "/tmp/weir_elf_XXXXXX";
  write_file(script, "#!/bin/sh\n./program\n", 20);
  assert_true(weir_binary_read(&b, script, &sink));
  assert_true(b.is_script && weir_binary_check(&b, script, &sink));
  weir_binary_free(&b);
  write_file(text, "hello", 5);
  assert_false(weir_binary_read(&b, text, &sink));
  assert_int_equal(sink.errors, 2);
  assert_non_null(strstr(sink.diags[1].message, "neither an ELF file nor a script"));
  unlink(script), unlink(text);
  weir_sink_free(&sink);
}

// Any prefix of a program, and any with one byte changed, is read or refused.
static void test_damaged(void **state) {
  (void)state;
  char path[] = "/tmp/weir_elf_XXXXXX", other[] = "/tmp/weir_elf_XXXXXX";
  struct weir_sink sink = {0};
  make_program(
    path,
    &(struct made){
      .needed = {RUNTIME}, .imports = {REGISTER}, .fatbin = ptx.bytes, .fatbin_bytes = ptx.size, .defined = {"main"}});
  size_t size;
  char *bytes = weir_file_read(path, 0, &size, &sink);
  close(mkstemp(other));
  unsigned refusals = 0;
  for (size_t k = 0; k < 2 * size; k += k < size ? 31 : 7) {
    struct weir_sink told = {0};
    struct weir_binary b;
    const bool shorten = k < size;
    if (!shorten) bytes[k - size] = (char)~bytes[k - size];
    assert_true(weir_file_write(other, bytes, shorten ? k : size, &sink));
    if (!shorten) bytes[k - size] = (char)~bytes[k - size];
    const bool ok = weir_binary_read(&b, other, &told);
    assert_int_equal(ok, told.errors == 0);
    refusals += !ok;
    if (ok) weir_binary_free(&b);
    weir_sink_free(&told);
  }
  assert_true(refusals > 10);
  unlink(path), unlink(other);
  weir_free(bytes);
}

// The list is in order, or it could not be searched; what is not in it goes by its name.
static void test_calls(void **state) {
  (void)state;
  static const char *const names[] = {
#define X(name, state) #name,
#include "binary/cuda_calls.def"
#undef X
  };
  const size_t count = sizeof names / sizeof *names;
  assert_true(count > 450);
  for (size_t k = 0; k < count; k++) {
    if (k && strcmp(names[k - 1], names[k]) >= 0) fail_msg("%s comes after %s", names[k], names[k - 1]);
    assert_int_not_equal(weir_cuda_call(names[k]), WEIR_CUDA_NONE);
  }
  assert_int_equal(weir_cuda_call("cudaFromTheFuture"), WEIR_CUDA_MISSING);
  assert_int_equal(weir_cuda_call("__cudaFromTheFuture"), WEIR_CUDA_MISSING);
  assert_int_equal(weir_cuda_call("cudart"), WEIR_CUDA_NONE);
  assert_int_equal(weir_cuda_call("puts"), WEIR_CUDA_NONE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_warns),      cmocka_unit_test(test_reads),         cmocka_unit_test(test_several_images),
    cmocka_unit_test(test_complaints), cmocka_unit_test(test_cudart_inside), cmocka_unit_test(test_machine_code_only),
    cmocka_unit_test(test_no_kernels), cmocka_unit_test(test_driver_api),    cmocka_unit_test(test_other_files),
    cmocka_unit_test(test_damaged),    cmocka_unit_test(test_calls),
  };
  return cmocka_run_group_tests(tests, make_containers, NULL);
}
