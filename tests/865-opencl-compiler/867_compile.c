// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The compiler as a child process: what it is asked again and what the cache knows, what the host program's signals,
// descriptors, threads and folders have to do with it. A script runs clang and counts its calls.
#include "opencl/compile/compile.h"

#include "base/alloc.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char root[] = "/tmp/weir-test-compile-XXXXXX";

static char *in_root(const char *name) {
  return weir_text_format("%s/%s", root, name);
}

static void write_text(const char *name, const char *text) {
  char *path = in_root(name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
  weir_free(path);
}

static void set_folder(const char *variable, const char *name) {
  char *path = in_root(name);
  mkdir(path, 0700);
  setenv(variable, path, 1);
  weir_free(path);
}

// How many times the compiler was called; how many descriptors the last call had.
static unsigned calls(unsigned *descriptors) {
  char *path = in_root("calls"), line[256];
  FILE *f = fopen(path, "r");
  unsigned n = 0;
  while (f && fgets(line, sizeof line, f)) n++;
  if (descriptors) *descriptors = n ? (unsigned)strtoul(line, NULL, 10) : 0;
  if (f) fclose(f);
  weir_free(path);
  return n;
}

static unsigned entries(const char *path) {
  DIR *d = opendir(path);
  assert_non_null(d);
  unsigned n = 0;
  for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
  closedir(d);
  return n;
}

static struct weir_cl_result build(const char *text, const char *options) {
  return weir_cl_build(&(struct weir_cl_source){.text = text, .bytes = strlen(text), .options = options});
}

static void expect(const char *text, const char *options, enum weir_cl_status status, const char *said) {
  struct weir_cl_result r = build(text, options);
  if (r.status != status) print_error("%s", r.log);
  assert_int_equal(r.status, status);
  assert_int_equal(r.output != NULL, status == WEIR_CL_BUILT);
  if (said) assert_non_null(strstr(r.log, said));
  weir_cl_result_free(&r);
}

static const char simple[] = "kernel void k(global int *a) { a[get_global_id(0)] = 1; }\n";

static void test_cache(void **state) {
  (void)state;
  expect(simple, NULL, WEIR_CL_BUILT, NULL);
  const unsigned before = calls(NULL);
  expect(simple, NULL, WEIR_CL_BUILT, NULL);
  assert_int_equal(calls(NULL), before);
  expect(simple, "-DX", WEIR_CL_BUILT, NULL); // other options: two calls, to IR and to PTX
  assert_int_equal(calls(NULL), before + 2);
  expect("#warning hear me\nkernel void k() {}\n", "", WEIR_CL_BUILT, "hear me");
  expect("#warning hear me\nkernel void k() {}\n", "", WEIR_CL_BUILT, "hear me"); // the log, too, is kept
  assert_int_equal(calls(NULL), before + 4);
  expect("kernel void k() { x; }\n", "", WEIR_CL_FAILED, "'x'");
  expect("kernel void k() { x; }\n", "", WEIR_CL_FAILED, ":1:19: error:"); // failures are not kept
  assert_int_equal(calls(NULL), before + 6);
}

static void test_includes(void **state) {
  (void)state;
  static const char text[] = "#include \"part.h\"\nkernel void k(global int *a) { a[0] = PART; }\n";
  char *option = weir_text_format("-I %s", root);
  write_text("part.h", "#define PART 1234567\n");
  struct weir_cl_result r = build(text, option);
  assert_non_null(strstr(r.output, "1234567"));
  weir_cl_result_free(&r);
  const unsigned before = calls(NULL);
  r = build(text, option);
  assert_int_equal(calls(NULL), before);
  weir_cl_result_free(&r);
  write_text("part.h", "#define PART 7654321\n");
  r = build(text, option);
  assert_int_equal(calls(NULL), before + 2);
  assert_non_null(strstr(r.output, "7654321"));
  weir_cl_result_free(&r);
  weir_free(option);
}

// The text that the line table names is there.
static void test_source(void **state) {
  (void)state;
  struct weir_cl_result r = build(simple, NULL);
  const char *file = strstr(r.output, ".file");
  const char *open = strchr(file, '"') + 1;
  char *path = strndup(open, strcspn(open, "\"")), line[128] = "";
  assert_non_null(strstr(path, "/k-"));
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  assert_non_null(fgets(line, sizeof line, f));
  assert_string_equal(line, simple);
  fclose(f);
  free(path);
  weir_cl_result_free(&r);
}

// A folder that cannot be made (its name is a file's), a damaged entry, and no cache at all: the program is built.
static void test_no_cache(void **state) {
  (void)state;
  char *kept = weir_text_copy(getenv("WEIR_CL_CACHE")), *file = in_root("clang");
  setenv("WEIR_CL_CACHE", "none", 1);
  const unsigned before = calls(NULL);
  expect(simple, NULL, WEIR_CL_BUILT, NULL);
  expect(simple, NULL, WEIR_CL_BUILT, NULL);
  assert_int_equal(calls(NULL), before + 4);
  setenv("WEIR_CL_CACHE", file, 1);
  expect(simple, NULL, WEIR_CL_BUILT, NULL);
  setenv("WEIR_CL_CACHE", kept, 1);
  DIR *d = opendir(kept);
  for (struct dirent *e; (e = readdir(d));)
    if (strlen(e->d_name) == 32) {
      char *path = weir_text_format("%s/%s", kept, e->d_name);
      assert_int_equal(truncate(path, 60), 0);
      weir_free(path);
    }
  closedir(d);
  expect(simple, NULL, WEIR_CL_BUILT, NULL);
  weir_free(kept);
  weir_free(file);
}

static void reap(int number) {
  (void)number;
  while (waitpid(-1, NULL, WNOHANG) > 0)
    ;
}

// Whatever the program does with its children, ours are found to have succeeded or failed.
static void test_signals(void **state) {
  (void)state;
  static const char wrong[] = "kernel void k() { y; }\n";
  sigset_t all, old;
  setenv("WEIR_CL_CACHE", "none", 1);
  signal(SIGCHLD, SIG_IGN);
  expect(simple, NULL, WEIR_CL_BUILT, NULL);
  expect(wrong, NULL, WEIR_CL_FAILED, "'y'");
  signal(SIGCHLD, reap);
  expect(simple, NULL, WEIR_CL_BUILT, NULL);
  expect(wrong, NULL, WEIR_CL_FAILED, "'y'");
  signal(SIGCHLD, SIG_DFL);
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &old);
  expect(simple, NULL, WEIR_CL_BUILT, NULL);
  sigprocmask(SIG_SETMASK, &old, NULL);
  set_folder("WEIR_CL_CACHE", "cache");
}

// The child has its three streams (and what `ls` opens to count them); we have what we had; no file stays.
static void test_leaks(void **state) {
  (void)state;
  char *temporary = getenv("TMPDIR");
  const int kept = open("/dev/null", O_RDONLY); // inherited by children that are not careful
  const unsigned before = entries("/proc/self/fd");
  expect(simple, "-DLEAKS", WEIR_CL_BUILT, NULL);
  expect("kernel void k() { z; }\n", "-DLEAKS", WEIR_CL_FAILED, NULL);
  assert_int_equal(entries("/proc/self/fd"), before);
  unsigned descriptors;
  calls(&descriptors);
  assert_int_equal(descriptors, 4);
  assert_int_equal(entries(temporary), 0);
  close(kept);
}

static void *build_many(void *given) {
  const unsigned thread = (unsigned)(uintptr_t)given;
  for (unsigned i = 0; i < 4; i++) {
    char *text = weir_text_format("kernel void k%u(global int *a) { a[0] = %u; }\n", thread, 1000000 + i % 2);
    struct weir_cl_result r = build(text, "");
    char *value = weir_text_format("%u;", 1000000 + i % 2);
    struct weir_cl_kernels k;
    const bool ok = r.status == WEIR_CL_BUILT && strstr(r.output, value) &&
      weir_cl_kernels_read(&k, r.output, r.output_bytes) && k.items[0].name[1] == (char)('0' + thread);
    if (r.status == WEIR_CL_BUILT) weir_cl_kernels_free(&k);
    weir_cl_result_free(&r);
    weir_free(text);
    weir_free(value);
    if (!ok) return given;
  }
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  pthread_t threads[4];
  for (uintptr_t i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, build_many, (void *)i), 0);
  for (unsigned i = 0; i < 4; i++) {
    void *wrong;
    pthread_join(threads[i], &wrong);
    assert_null(wrong);
  }
}

static void test_linking(void **state) {
  (void)state;
  static const char a[] = "#include <f.h>\nkernel void k(global int *a) { a[0] = f(a[1]); }\n";
  static const char b[] = "int f(int x) { return x * 1000003; }\n";
  const struct weir_cl_header header = {"f.h", "int f(int);\n", 12}, outside = {"../f.h", "", 0};
  struct weir_cl_result ra = weir_cl_compile(&(struct weir_cl_source){a, sizeof a - 1, NULL, &header, 1});
  struct weir_cl_result rb = weir_cl_compile(&(struct weir_cl_source){b, sizeof b - 1, NULL, NULL, 0});
  struct weir_cl_result bad = weir_cl_compile(&(struct weir_cl_source){b, sizeof b - 1, NULL, &outside, 1});
  assert_int_equal(ra.status, WEIR_CL_BUILT);
  assert_int_equal(rb.status, WEIR_CL_BUILT);
  assert_int_equal(bad.status, WEIR_CL_FAILED);
  assert_memory_equal(ra.output, "BC", 2);
  const struct weir_cl_object both[] = {{ra.output, ra.output_bytes}, {rb.output, rb.output_bytes}};
  struct weir_cl_result whole = weir_cl_link(both, 2, "");
  assert_int_equal(whole.status, WEIR_CL_BUILT);
  assert_non_null(strstr(whole.output, "1000003"));
  struct weir_cl_result half = weir_cl_link(both, 1, "");
  assert_int_equal(half.status, WEIR_CL_FAILED);
  assert_non_null(strstr(half.log, "'f'"));
  struct weir_cl_result option = weir_cl_link(both, 2, "-DX");
  assert_int_equal(option.status, WEIR_CL_INVALID_OPTIONS);
  const struct weir_cl_object junk = {"not bitcode", 11};
  struct weir_cl_result damaged = weir_cl_link(&junk, 1, NULL);
  assert_int_equal(damaged.status, WEIR_CL_FAILED);
  weir_cl_result_free(&ra);
  weir_cl_result_free(&rb);
  weir_cl_result_free(&bad);
  weir_cl_result_free(&whole);
  weir_cl_result_free(&half);
  weir_cl_result_free(&option);
  weir_cl_result_free(&damaged);
}

// Without a compiler, or without libclc, the log says what to install.
static void test_missing(void **state) {
  (void)state;
  char *why, *kept = weir_text_copy(getenv("CLANG"));
  setenv("CLANG", "/nowhere/clang", 1);
  expect(simple, "-DMISSING", WEIR_CL_NO_COMPILER, "CLANG is /nowhere/clang");
  assert_false(weir_cl_compiler_available(&why));
  assert_non_null(strstr(why, "apt install clang-19"));
  weir_free(why);
  setenv("CLANG", "/bin/false", 1); // a program that is no compiler
  expect(simple, "-DMISSING", WEIR_CL_NO_COMPILER, "nvptx64");
  setenv("CLANG", kept, 1);
  setenv("LIBCLC", "/nowhere/libclc.bc", 1);
  expect(simple, "-DMISSING", WEIR_CL_NO_COMPILER, "LIBCLC is /nowhere/libclc.bc");
  unsetenv("LIBCLC");
  expect(simple, "-DMISSING", WEIR_CL_BUILT, NULL);
  assert_true(weir_cl_compiler_available(&why));
  assert_null(why);
  weir_free(kept);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cache),   cmocka_unit_test(test_includes), cmocka_unit_test(test_source),
    cmocka_unit_test(test_signals), cmocka_unit_test(test_leaks),    cmocka_unit_test(test_threads),
    cmocka_unit_test(test_linking), cmocka_unit_test(test_no_cache), cmocka_unit_test(test_missing),
  };
  if (!mkdtemp(root)) return 1;
  const char *given = getenv("CLANG");
  char *script = weir_text_format("#!/bin/sh\nls /proc/self/fd | wc -l >>%s/calls\nexec %s \"$@\"\n", root,
                                  given && *given ? given : "clang-19");
  char *clang = in_root("clang");
  write_text("clang", script);
  chmod(clang, 0700);
  setenv("CLANG", clang, 1);
  set_folder("WEIR_CL_CACHE", "cache");
  set_folder("TMPDIR", "temporary");
  const int failed = weir_cl_compiler_available(NULL) ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
  char *remove_all = weir_text_format("rm -r %s", root);
  if (system(remove_all)) perror(root);
  weir_free(remove_all);
  weir_free(script);
  weir_free(clang);
  return failed;
}
