// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir check of programs: what kind they are, their kernels, and what of them cannot run. The programs are made by hand.
#include "../150-binary/program.h"
#include "weir_process.h"

#define REGISTER "__cudaRegisterFatBinary"
#define HEAD ".version 8.5\n.target sm_75\n.address_size 64\n"

static char path[] = "/tmp/weir_check_XXXXXX";

static void expect(const struct made *made, int status, const char *out, const char *err, const char *option) {
  strcpy(path, "/tmp/weir_check_XXXXXX");
  make_program(path, made);
  struct process p = process_run_all((const char *const[]){"check", path, option, NULL});
  unlink(path);
  if (p.status != status) print_error("%s%s\n", p.out, p.err);
  assert_int_equal(p.status, status);
  assert_holds(p.out, out);
  assert_holds(p.err, err);
  process_free(&p);
}

static struct made cuda_program(const struct container *c) {
  return (struct made){.needed = {"libcudart.so.13"},
                       .imports = {REGISTER, "cudaFromTheFuture", "puts"},
                       .fatbin = c->bytes,
                       .fatbin_bytes = c->size};
}

static void test_kernels(void **state) {
  (void)state;
  struct container c;
  container_open(&c);
  container_add_text(&c, 75, ZSTD,
                     HEAD ".visible .entry one() { ret; }\n.func f { ret; }\n.visible .entry two() { ret; }\n");
  const struct made made = cuda_program(&c);
  expect(&made, 0, ": a CUDA program, with 2 kernels in PTX\n  one\n  two\n", "", NULL);
  expect(&made, 0, "ok: weir can run everything in 1 file\n", "", NULL);
}

static void test_problems(void **state) {
  (void)state;
  struct container c;
  container_open(&c);
  container_add_text(&c, 75, LZ4, HEAD ".extern .func f;\n.visible .entry one() {\ncall f;\nret; }\n");
  const struct made made = cuda_program(&c);
  expect(&made, 2, "one", " (fat binary 1, sm_75):6:", NULL);
  expect(&made, 2, "one", "'f' is declared but has no body here", NULL);
  const struct made none = {.needed = {"libc.so.6"}, .imports = {"puts"}, .fatbin = c.bytes, .fatbin_bytes = c.size};
  expect(&none, 2, "a CUDA program", "nvcc -cudart shared", NULL);
}

// Two modules in one section: only together do they run.
static void test_separate(void **state) {
  (void)state;
  struct container a, b;
  container_open(&a);
  container_add_text(&a, 75, ZSTD, HEAD ".extern .func f;\n.visible .entry one() { call f; ret; }\n");
  container_open(&b);
  container_add_text(&b, 75, PLAIN, HEAD ".visible .func f { ret; }\n");
  uint8_t both[1024];
  memcpy(both, a.bytes, a.size);
  memcpy(both + a.size, b.bytes, b.size);
  struct made made = cuda_program(&a);
  made.fatbin = NULL, made.relfatbin = both, made.relfatbin_bytes = a.size + b.size;
  expect(&made, 0, ", with 1 kernel in PTX\n  one\n", "", NULL);
  made.relfatbin_bytes = a.size;
  expect(&made, 2, "one", "'f' is declared but has no body here", NULL);
}

// What run would refuse or misread is named, all of it at once, and in each function of the file.
static void test_refused_when_decoded(void **state) {
  (void)state;
  struct container c;
  container_open(&c);
  container_add_text(&c, 75, PLAIN,
                     HEAD ".visible .entry one(.param .u64 a) {\n.reg .b64 %d;\nld.param.u64 %d, [a+8];\n"
                          "ld.param.u64 %d, [a+-8];\nret; }\n.visible .entry two() {\n.local .b8 l[600000]; ret; }\n");
  const struct made made = cuda_program(&c);
  expect(&made, 2, "one", ":6:1: error: cannot run 'ld': it reads outside of the kernel's parameters", NULL);
  expect(&made, 2, "one", ":7:1: error: cannot run 'ld': it reads outside of the kernel's parameters", NULL);
  expect(&made, 2, "two", ":10:12: error: 'l' takes the .local and .param variables of 'two' past 524288 bytes", NULL);
}

static void test_symbols(void **state) {
  (void)state;
  struct container c;
  container_open(&c);
  container_add_text(&c, 75, PLAIN, HEAD ".visible .entry one() { ret; }\n");
  const struct made made = cuda_program(&c);
  expect(&made, 2, "of the 2 CUDA functions that it imports\n", "weir does not provide cudaFromTheFuture\n",
         "--symbols");
  expect(&made, 0, "one", "", NULL);
}

static size_t occurrences(const char *text, const char *part) {
  size_t n = 0;
  for (const char *at = text; (at = strstr(at, part)); at++) n++;
  return n;
}

// Two kernels. In `one` a form stands three times, another of the same opcode twice; in `two` the first form once.
// By form: three problems. One by one: six.
#define RED "red.async.release.gpu.global"
#define INC RED ".inc.u32 [%rd1], %r1;\n"
#define MAX RED ".max.u32 [%rd1], %r1;\n"
static void test_groups(void **state) {
  (void)state;
  static const char ptx[] =
    ".version 8.7\n.target sm_90a\n.address_size 64\n"
    ".visible .entry one() { .reg .b32 %r<4>; .reg .b64 %rd<4>;\n" INC INC MAX INC MAX "ret; }\n"
    ".visible .entry two() { .reg .b32 %r<4>; .reg .b64 %rd<4>;\n" INC "ret; }\n";
  strcpy(path, "/tmp/weir_check_XXXXXX");
  const int file = mkstemp(path);
  assert_int_equal(write(file, ptx, sizeof ptx - 1), sizeof ptx - 1);
  close(file);
  struct process grouped = process_run("check", path), each = process_run("check", "--all", path);
  unlink(path);
  assert_int_equal(grouped.status, 2);
  assert_int_equal(each.status, 2);
  assert_int_equal(occurrences(grouped.err, ": error: "), 3);
  assert_holds(grouped.err, ":5:1: error: cannot run '" RED ".inc.u32', the first of 3 in 'one': ");
  assert_holds(grouped.err, ":7:1: error: cannot run '" RED ".max.u32', the first of 2 in 'one': ");
  assert_holds(grouped.err, ":12:1: error: cannot run 'red': ");
  assert_holds(grouped.err, "weir: 3 problems in 1 file\n");
  assert_int_equal(occurrences(each.err, ": error: cannot run 'red': "), 6);
  process_free(&grouped);
  process_free(&each);
}

static void test_other_programs(void **state) {
  (void)state;
  expect(&(struct made){.needed = {"libOpenCL.so.1"}, .imports = {"clFinish"}}, 0, "an OpenCL program", "", NULL);
  expect(&(struct made){.needed = {"libc.so.6"}, .imports = {"puts"}}, 0, "imports neither CUDA nor OpenCL", "", NULL);
  struct process p = process_run_all((const char *const[]){"check", WEIR_SOURCE_DIR "/scripts/setup.sh", NULL});
  assert_int_equal(p.status, 2);
  assert_holds(p.err, "a script; name the program that it starts");
  process_free(&p);
}

// Kernels that come with NVIDIA's libraries are in no file of the program's.
static void test_libraries(void **state) {
  (void)state;
  struct container c;
  container_open(&c);
  container_add_text(&c, 75, PLAIN, HEAD ".visible .entry one() { ret; }\n");
  struct made made = cuda_program(&c);
  made.needed[1] = "libcublas.so.13", made.needed[2] = "libcudnn_ops_infer.so.8";
  expect(&made, 2, "with 1 kernel", "linked against cuBLAS (libcublas.so.13), which carries kernels of its own", NULL);
  expect(&made, 2, "with 1 kernel", "linked against cuDNN (libcudnn_ops_infer.so.8)", NULL);
}

// Of what sm_90 has: a parameter is an operand, a product that widens becomes one instruction with the sum behind it, and no operand is an immediate
// beside one from the constant bank (tests/300-exec/332_machine_count.c).
static void test_assembled(void **state) {
  (void)state;
  static const char text[] =
    HEAD ".visible .entry k(.param .u64 a) {\n.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n"
         "mov.u32 %r1, %tid.x;\nld.param.u64 %rd1, [a];\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
         "ld.global.f32 %f1, [%rd3];\nst.global.f32 [%rd3+8], %f1;\nret;\n}\n";
  strcpy(path, "/tmp/weir_check_XXXXXX");
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
  close(fd);
  struct process p = process_run_all((const char *const[]){"check", "--assembled", "--chip=hopper-h100", path, NULL});
  assert_int_equal(p.status, 0);
  assert_holds(p.out, "ld.param.u64 \t%rd1, [a];\t// 0 machine instructions\n");
  assert_holds(p.out, "mul.wide.u32 \t%rd2, %r1, 4;\t// 0 machine instructions\n");
  assert_holds(p.out, "add.s64 \t%rd3, %rd1, %rd2;\t// 2 machine instructions\n");
  assert_holds(p.out, "ld.global.f32 \t%f1, [%rd3];\n");
  process_free(&p);
  p = process_run_all((const char *const[]){"check", "--assembled", "--chip=kepler-titan-black", path, NULL});
  assert_int_equal(p.status, 0);
  assert_holds(p.out, "add.s64 \t%rd3, %rd1, %rd2;\n");
  assert_null(strstr(p.out, "machine instructions"));
  process_free(&p);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_kernels),
    cmocka_unit_test(test_problems),
    cmocka_unit_test(test_separate),
    cmocka_unit_test(test_symbols),
    cmocka_unit_test(test_assembled),
    cmocka_unit_test(test_libraries),
    cmocka_unit_test(test_other_programs),
    cmocka_unit_test(test_groups),
    cmocka_unit_test(test_refused_when_decoded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
