// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// --ptxas by an assembler that says what the test has written, and by NVIDIA's where it is installed.
#include "run/object.h"
#include "weir_process.h"

#include <jansson.h>
#include <sys/stat.h>

// Knows sm_60 and sm_80. Of matmul's kernel it reports 40 registers; it keeps its arguments and the line that names the target.
static const char assembler[] = "#!/bin/sh\n"
                                "if [ \"$1\" = --help ]; then echo \"'sm_60','sm_80','sm_90a'\"; exit; fi\n"
                                "folder=$(dirname \"$0\")\n"
                                "echo \"$*\" >\"$folder/arguments\"\n"
                                "for file; do :; done\n"
                                "grep '^\\.target' \"$file\" >\"$folder/target\"\n"
                                "cat \"$folder/log\"\n"
                                "exit $(cat \"$folder/status\")\n";
static const char counts[] = "ptxas info    : 0 bytes gmem\n"
                             "ptxas info    : Compiling entry function 'matmul' for 'sm_60'\n"
                             "ptxas info    : Function properties for matmul\n"
                             "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                             "ptxas info    : Used 40 registers, 400 bytes cmem[0]\n";

static char folder[] = "/tmp/weir-ptxas-test-XXXXXX", path[64], option[80];

static void put(const char *name, const char *text, unsigned mode) {
  char file[80];
  snprintf(file, sizeof file, "%s/%s", folder, name);
  FILE *f = fopen(file, "w");
  assert_non_null(f);
  fputs(text, f);
  assert_int_equal(fclose(f) | chmod(file, mode), 0);
}

static void assert_kept(const char *name, const char *part) {
  char file[80], text[512] = "";
  snprintf(file, sizeof file, "%s/%s", folder, name);
  FILE *f = fopen(file, "r");
  assert_non_null(f);
  assert_non_null(fgets(text, sizeof text, f));
  fclose(f);
  assert_holds(text, part);
}

static int begin(void **state) {
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/ptxas", folder);
  snprintf(option, sizeof option, "--ptxas=%s", path);
  put("ptxas", assembler, 0755);
  return 0;
}

static int end(void **state) {
  (void)state;
  static const char *const files[] = {"ptxas", "log", "status", "arguments", "target"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char file[80];
    snprintf(file, sizeof file, "%s/%s", folder, files[i]);
    unlink(file);
  }
  return rmdir(folder);
}

static void says(const char *log, const char *status) {
  put("log", log, 0644);
  put("status", status, 0644);
}

// The first kernel of the first run that was printed.
static json_t *first_kernel(const char *printed) {
  json_t *all = json_loads(printed, 0, NULL);
  assert_non_null(all);
  json_t *run = json_is_array(all) ? json_array_get(all, 0) : all;
  json_t *kernel = json_incref(json_array_get(json_object_get(run, "kernels"), 0));
  json_decref(all);
  assert_non_null(kernel);
  return kernel;
}

// A warp of 40 registers has 1280, a block of matmul (128 threads) 5120, and 65536 are those of 12 blocks. Of sm_60 and sm_80
// the Kepler's sm_35 is nearest to the former.
static void its_counts_are_taken(void **state) {
  (void)state;
  says(counts, "0");
  struct process p = process_run("run", "matmul", "--chip", "kepler-titan-black", option, "--json");
  assert_int_equal(p.status, 0);
  json_t *k = first_kernel(p.out);
  assert_true(weir_run_number(k, "registers") == 40);
  assert_true(weir_run_number(k, "core_blocks") == 12);
  assert_string_equal(weir_run_text(k, "registers_by"), "ptxas");
  assert_holds(p.err, "does not assemble for sm_35, which the chip is: the kernels' registers are those for sm_60");
  assert_kept("arguments", "-v -arch=sm_60 -o /dev/null");
  assert_kept("target",
              ".target sm_60, texmode_independent\n"); // of sm_70, with debugging information that is not there
  json_decref(k);
  process_free(&p);
  p = process_run("compare", "matmul", "--chip", "kepler-titan-black", option, "--schemes", "lru,fifo", "--json");
  k = first_kernel(p.out);
  assert_string_equal(weir_run_text(k, "registers_by"), "ptxas");
  json_decref(k);
  process_free(&p);
}

static void what_is_said_goes_before(void **state) {
  (void)state;
  says(counts, "0");
  struct process p = process_run("run", "matmul", "--chip", "ampere-a100", option, "--registers", "64", "--json");
  json_t *k = first_kernel(p.out);
  assert_true(weir_run_number(k, "registers") == 64);
  assert_string_equal(weir_run_text(k, "registers_by"), "core.kernel_registers");
  assert_string_equal(p.err, ""); // it knows sm_80
  json_decref(k);
  process_free(&p);
}

static void assert_refused(const char *message, const char *const *argv) {
  struct process p = process_run_all(argv);
  assert_int_equal(p.status, 2);
  assert_holds(p.err, message);
  process_free(&p);
}
#define REFUSED(message, ...) assert_refused(message, (const char *const[]){__VA_ARGS__, NULL})

static void mistakes(void **state) {
  (void)state;
  says("ptxas /x/text.ptx, line 5; fatal   : Unsupported .version 8.5\nptxas fatal   : aborted due to errors\n", "255");
  REFUSED("matmul.ptx:5: error: ptxas refuses this PTX: Unsupported .version 8.5", "run", "matmul", "--chip",
          "ampere-a100", option);
  says(counts, "0");
  REFUSED("the chip 'gcn-apu' is no CUDA device", "run", "matmul", option);
  REFUSED("/nowhere/ptxas cannot be started", "run", "matmul", "--chip", "ampere-a100", "--ptxas=/nowhere/ptxas");
  REFUSED("/bin/true is no ptxas", "compare", "matmul", "--scheme", "lru", "--chip", "ampere-a100",
          "--ptxas=/bin/true");
  REFUSED("--ptxas and S-L1 exclude each other", "run", "matmul", "--chip", "ampere-a100", option, "--sl1");
  REFUSED("--ptxas has no meaning", "run", "matmul", "--functional", option);
  REFUSED("it carries no PTX", "run", option, "--", "/bin/true");
  REFUSED("'matmil'; did you mean 'matmul'?", "run", "matmil", "--chip", "ampere-a100", option);
}

// Whatever NVIDIA's says of the PTX without its debugging information is what is taken.
static void the_real_one(void **state) {
  (void)state;
  unsigned counted;
  char command[512];
  snprintf(command, sizeof command,
           "sed 's/^\\.target.*/.target sm_70, texmode_independent/' %s/workloads/matmul/matmul.ptx >%s/log && "
           "ptxas -v -arch=sm_80 -o /dev/null %s/log 2>&1 | sed -n 's/.*Used \\([0-9]*\\) registers.*/\\1/p'",
           WEIR_SOURCE_DIR, folder, folder);
  FILE *f = popen(command, "r");
  const int read = fscanf(f, "%u", &counted);
  pclose(f);
  if (read != 1) skip();
  struct process p = process_run("run", "matmul", "--chip", "ampere-a100", "--ptxas", "--json");
  assert_int_equal(p.status, 0);
  json_t *k = first_kernel(p.out);
  assert_true(weir_run_number(k, "registers") == counted);
  json_decref(k);
  process_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(its_counts_are_taken), cmocka_unit_test(what_is_said_goes_before),
                                     cmocka_unit_test(mistakes), cmocka_unit_test(the_real_one)};
  return cmocka_run_group_tests(tests, begin, end);
}
