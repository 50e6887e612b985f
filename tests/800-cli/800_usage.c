// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What is wrong on a command line ends with exit status 2, names the mistake, and prints no result.
#include "weir_process.h"

static void refuses(const char *message, const char *const *argv) {
  struct process p = process_run_all(argv);
  if (p.status != 2) print_error("%s %s: %s%s\n", argv[0], argv[0] ? argv[1] : "", p.out, p.err);
  assert_int_equal(p.status, 2);
  assert_holds(p.err, message);
  assert_string_equal(p.out, "");
  process_free(&p);
}
#define REFUSES(message, ...) refuses(message, (const char *const[]){__VA_ARGS__, NULL})

static void commands(void **state) {
  (void)state;
  refuses("no command given", (const char *const[]){NULL});
  refuses("  compare   compare schemes on programs", (const char *const[]){NULL}); // all of them are listed
  REFUSES("unknown command 'comapre'; did you mean 'compare'?", "comapre");
  REFUSES("unknown command 'zzzzzzzzz'", "zzzzzzzzz");
  REFUSES("unknown option '--frob'", "--frob");
  REFUSES("there is no command 'rum'; did you mean 'run'?", "help", "rum");
  REFUSES("there is no command 'zzzzzzzzz'\n", "help", "zzzzzzzzz");
}

static void options(void **state) {
  (void)state;
  REFUSES("unknown option '--chups'; did you mean '--chip'?", "run", "matrixmul", "--chups", "x");
  REFUSES("unknown option '--functonal'; did you mean '--functional'?", "run", "--functonal", "matrixmul");
  REFUSES("unknown option '--store'", "run", "matrixmul", "--store=x"); // study's, not run's
  REFUSES("--seed must be an integer from 0 to 9223372036854775807, not '-1'", "run", "matrixmul", "--seed=-1");
  REFUSES("--seed must be an integer", "run", "matrixmul", "--seed", "12x");
  REFUSES("--seed must be an integer", "run", "matrixmul", "--seed", "");
  REFUSES("--step-limit must be an integer", "run", "matrixmul", "--step-limit", "9223372036854775808");
  REFUSES("--size must be one of small, paper, not 'huge'", "run", "matrixmul", "--size", "huge");
  REFUSES("requires an argument", "run", "matrixmul", "--chip");
  REFUSES("--json and --csv exclude each other", "compare", "matrixmul", "--scheme", "lru", "--json", "--csv");
  REFUSES("--plugin /nonexistent.so", "run", "matrixmul", "--plugin", "/nonexistent.so");
}

static void arguments(void **state) {
  (void)state;
  REFUSES("PROGRAM is missing", "run");
  REFUSES("one argument too many: 'bfs'", "run", "matrixmul", "bfs");
  REFUSES("FILE or --plugin FILE.so is missing", "check");
  REFUSES("no scheme given", "compare", "matrixmul");
  REFUSES("one --scheme only", "run", "matrixmul", "--scheme", "lru", "--scheme", "plru");
  REFUSES("--functional runs on no chip", "run", "matrixmul", "--functional", "--scheme", "lru");
  REFUSES("one argument too many", "bench", "matrixmul");
}

// What is no launch file is told by its name or its first bytes, and how it is run instead.
static void other_files(void **state) {
  (void)state;
  static const char *const names[][2] = {{"k.cu", "k.cu: error: is CUDA source: compile it"},
                                         {"k.cl", "k.cl: error: is OpenCL C"},
                                         {"k.ptx", "k.ptx: error: is a module"}};
  char folder[] = "/tmp/weir_usage_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i][0]);
    write_text_file(path, "// text\n");
    REFUSES(names[i][1], "run", path);
    unlink(path);
  }
  rmdir(folder);
  REFUSES("'/bin/ls' is a program of its own", "run", "/bin/ls");
  REFUSES("'/bin/ls' is a program of its own", "run", "/bin/ls", "-n", "100"); // not: unknown option
  REFUSES("as in weir compare [OPTION...] -- /bin/ls", "compare", "--scheme", "lru", "/bin/ls", "--all");
}

static void names(void **state) {
  (void)state;
  REFUSES("no workload, CPU program or file 'matrixmull'; did you mean 'matrixmul'?", "run", "matrixmull",
          "--functional");
  REFUSES("no workload, CPU program or file 'no-such-program'", "run", "no-such-program", "--functional");
  REFUSES("has no kernel 'matmil'; did you mean 'matmul'?", "run", "matmul", "--registers", "64,matmil=32");
  REFUSES("core.kernel_registers must be estimated, or N or KERNEL=N", "run", "matmul", "--registers", "many");
  REFUSES("there is no list 'polices'; did you mean 'policies'?", "list", "polices");
  REFUSES("no 'lur' among the policies; did you mean 'lru'?", "list", "policies", "lur");
  REFUSES("there is no study 'nosuchstudy'", "study", "nosuchstudy");
}

static void broken_files(void **state) {
  (void)state;
  char path[] = "/tmp/weir-test-XXXXXX.ptx", launch[] = "/tmp/weir-test-XXXXXX.yaml";
  int fd = mkstemps(path, 4), launch_fd = mkstemps(launch, 5);
  static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n.entry k() { frobnicate.s32; ret; }\n";
  static const char yaml[] = "module: nothing.ptx\nlaunches: [\n";
  assert_int_equal(write(fd, ptx, sizeof ptx - 1), sizeof ptx - 1);
  assert_int_equal(write(launch_fd, yaml, sizeof yaml - 1), sizeof yaml - 1);
  close(fd);
  close(launch_fd);
  REFUSES(":4:", "check", path);
  REFUSES("^", "check", path);
  REFUSES("problem", "check", "/nonexistent.ptx", path);
  REFUSES(launch, "run", "--functional", launch);
  unlink(path);
  unlink(launch);
}

static void help(void **state) {
  (void)state;
  static const char *const commands[] = {"run", "compare", "check", "list", "study", "bench", "help"};
  struct process overview = process_run("--help");
  assert_int_equal(overview.status, 0);
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    struct process p = process_run(commands[i], "--help"), q = process_run("help", commands[i]);
    char usage[32];
    snprintf(usage, sizeof usage, "Usage: weir %s ", commands[i]);
    assert_int_equal(p.status, 0);
    assert_holds(p.out, usage);
    assert_string_equal(p.out, q.out);
    assert_holds(overview.out, commands[i]);
    process_free(&p);
    process_free(&q);
  }
  process_free(&overview);
  struct process version = process_run("--version");
  assert_int_equal(version.status, 0);
  assert_string_equal(version.out, "weir " WEIR_VERSION "\n");
  process_free(&version);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(commands),    cmocka_unit_test(options), cmocka_unit_test(arguments),
    cmocka_unit_test(other_files), cmocka_unit_test(names),   cmocka_unit_test(broken_files),
    cmocka_unit_test(help),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
