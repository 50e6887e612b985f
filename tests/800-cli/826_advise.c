// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir advise on a kernel whose best hint follows by hand, that its advice is what a run with it gives, and what it refuses.
#include "weir_process.h"

#include <jansson.h>
#include <math.h>

static char folder[] = "/tmp/weir_advise_XXXXXX", launch[64], hints[64], ptx[64];

// A warp goes over a table x of 64 lines eight times, and beside each line of it over a line of v and of w that it never comes back
// to: 512 loads of each, a transaction each. Which line of x, v says (it holds zeroes): the load waits for that one. `locs`: of the
// loads of v, w and x.
static void write_kernel(const char *path, const char *file, const char *const locs[3], unsigned times) {
  FILE *to = fopen(path, "w");
  assert_non_null(to);
  fprintf(
    to,
    ".version 7.8\n.target sm_80\n.address_size 64\n%s"
    ".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1, .param .u64 k_param_2)\n{\n"
    ".reg .b32 %%r<8>; .reg .b64 %%d<10>; .reg .pred %%p;\n"
    "ld.param.u64 %%d1, [k_param_0];\nld.param.u64 %%d2, [k_param_1];\nld.param.u64 %%d3, [k_param_2];\n"
    "mov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%d4, %%r1, 4;\nadd.u64 %%d2, %%d2, %%d4;\nadd.u64 %%d3, %%d3, %%d4;\n"
    "mov.u32 %%r2, 0;\nL:\n%sld.global.u32 %%r3, [%%d2];\n%sld.global.u32 %%r4, [%%d3];\n" // 16, 17
    "and.b32 %%r5, %%r2, 63;\nadd.u32 %%r5, %%r5, %%r3;\nmul.wide.u32 %%d5, %%r5, 128;\nadd.u64 %%d6, %%d1, %%d5;\n"
    "add.u64 %%d7, %%d6, %%d4;\n%sld.global.u32 %%r6, [%%d7];\nadd.u32 %%r3, %%r3, %%r4;\nadd.u32 %%r3, %%r3, %%r6;\n" // 23
    "add.u64 %%d2, %%d2, 128;\nadd.u64 %%d3, %%d3, 128;\nadd.u32 %%r2, %%r2, 1;\nsetp.ne.u32 %%p, %%r2, %u;\n@%%p bra L;\n"
    "ret;\n}\n",
    file, locs[0], locs[1], locs[2], times);
  fclose(to);
}

static int make_files(void **state) {
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(launch, sizeof launch, "%s/k.yaml", folder);
  snprintf(hints, sizeof hints, "%s/hints.txt", folder);
  snprintf(ptx, sizeof ptx, "%s/k.ptx", folder);
  write_text_file(launch,
                  "module: k.ptx\nbuffers:\n  x: {bytes: 8192, fill: zero}\n  v: {bytes: 65536, fill: zero}\n"
                  "  w: {bytes: 65536, fill: zero}\n"
                  "launches:\n  - {kernel: k, grid: [1], block: [32], args: [x, v, w]}\n");
  write_kernel(ptx, "", (const char *const[]){"", "", ""}, 512);
  return 0;
}

static double number(const json_t *o, const char *member, const char *name) {
  return json_number_value(json_object_get(json_object_get(o, member), name));
}

static double outcome(const json_t *o, const char *answer, const char *name) {
  return number(json_object_get(o, answer), "outcome", name);
}

static double cycles_of(const json_t *o) {
  return json_number_value(json_object_get(o, "cycles"));
}

#define CHIP "--chip", "fermi-gtx480", "--set", "l1.index=linear"

static json_t *json_of(const char *const *argv) {
  struct process p = process_run_all(argv);
  if (p.status) print_error("%s", p.err);
  assert_int_equal(p.status, 0);
  json_t *o = json_loads(p.out, 0, NULL);
  assert_non_null(o);
  process_free(&p);
  return o;
}

static void refuse(const char *const *argv, const char *err) {
  struct process p = process_run_all(argv);
  if (p.status != 2) print_error("%s%s", p.out, p.err);
  assert_int_equal(p.status, 2);
  assert_holds(p.err, err);
  process_free(&p);
}

// 32 sets of 4 ways. Between two uses of a line of x its set sees another of x, two of v and two of w: x misses always. Where loads
// of v, or of w, go past the cache, it sees three others, and x misses 64 times: each load has the less to wait for. What goes past
// is asked for in four pieces of 32 bytes. A hint on the other one as well changes nothing but its own accesses.
static void test_advice(void **state) {
  (void)state;
  json_t *a = json_of(
    (const char *const[]){"advise", launch, CHIP, "--perturb", "0", "--jobs", "1", "--json", "-o", hints, NULL});
  const json_t *base = json_object_get(json_object_get(a, "base"), "outcome");
  const json_t *together = json_object_get(json_object_get(a, "together"), "outcome");
  assert_true(json_integer_value(json_object_get(base, "l1_misses")) == 3 * 512);
  const size_t n = json_array_size(json_object_get(a, "hints"));
  const double misses = (double)(2 - n) * 512 + (double)n * 4 * 512 + 64;
  assert_true(n == 1 || n == 2);
  assert_true((double)json_integer_value(json_object_get(together, "l1_misses")) == misses);
  assert_true(json_real_value(json_object_get(a, "speedup")) > 1);
  const char *first = json_string_value(json_array_get(json_object_get(a, "hints"), 0));
  assert_true(!strcmp(first, "k.ptx:16[param_1]=cg") || !strcmp(first, "k.ptx:17[param_2]=cg"));
  assert_true(json_integer_value(json_object_get(a, "runs")) <= 12);

  json_t *run = json_of((const char *const[]){"run", launch, CHIP, "--hints", hints, "--json", NULL});
  assert_true(number(run, "total", "cycles") == json_number_value(json_object_get(together, "cycles")));
  const json_t *total = json_object_get(run, "total"), *l1 = json_object_get(total, "l1");
  assert_true(number(l1, "loads", "misses") == misses);
  assert_true(number(total, "dram", "bytes") == json_number_value(json_object_get(together, "dram_bytes")));
  const char *name;
  json_t *part;
  double energy = 0;
  json_object_foreach(json_object_get(total, "energy_pj"), name, part) energy += json_number_value(part);
  const double told = json_number_value(json_object_get(together, "energy_pj"));
  assert_true(energy > told * (1 - 1e-12) && energy < told * (1 + 1e-12));
  json_decref(run);
  json_decref(a);
}

// The perturbed runs count, too: the program, two perturbed, cg alone on each of three arrays, two times together with a second one,
// the answer perturbed twice. What is left, less the twelfth that is kept, is not enough for one of its hints alone twice.
static void test_runs(void **state) {
  (void)state;
  json_t *a = json_of((const char *const[]){"advise", launch, CHIP, "--jobs", "1", "--json", NULL});
  const json_t *perturbed = json_object_get(json_object_get(a, "together"), "perturbed");
  assert_int_equal(json_array_size(perturbed), 2);
  assert_true(json_is_integer(json_object_get(json_array_get(perturbed, 1), "cycles")));
  assert_int_equal(json_integer_value(json_object_get(a, "tried")), 3);
  assert_int_equal(json_integer_value(json_object_get(a, "runs")), 10);
  const double cost = json_number_value(json_object_get(a, "cost"));
  assert_true(cost <= 11 && cost >= (double)json_integer_value(json_object_get(a, "runs")));
  json_decref(a);
}

// Of two runs one is the program, and a sixth of one is kept: what is left is less than a run.
static void test_margin(void **state) {
  (void)state;
  json_t *a = json_of((const char *const[]){"advise", launch, CHIP, "--runs", "2", "--perturb", "0", "--json", NULL});
  assert_int_equal(json_integer_value(json_object_get(a, "tried")), 0);
  assert_int_equal(json_integer_value(json_object_get(a, "runs")), 1);
  json_decref(a);
}

static double more(const json_t *with, const json_t *without, const char *name) {
  return number(with, "total", name) / number(without, "total", name);
}

// A run that takes as much as it may ends; one that takes twice as much is given up.
static void expect_bound(const char *key, double takes) {
  char enough[64], half[64];
  snprintf(enough, sizeof enough, "%s=%.0f", key, takes);
  snprintf(half, sizeof half, "%s=%.0f", key, takes / 2);
  json_decref(json_of((const char *const[]){"run", launch, CHIP, "--set", enough, "--json", NULL}));
  refuse((const char *const[]){"run", launch, CHIP, "--set", half, NULL}, "the run is given up: ");
}

// The program and a hint, which is charged by what cores and the network have to do.
static void test_effort(void **state) {
  (void)state;
  json_t *a = json_of(
    (const char *const[]){"advise", launch, CHIP, "--lines", "1", "--runs", "3", "--perturb", "0", "--json", NULL});
  const json_t *tried = json_object_get(json_array_get(json_object_get(a, "sites"), 0), "tried");
  const char *hint = json_string_value(json_array_get(json_object_get(json_array_get(tried, 0), "requests"), 0));
  json_t *base = json_of((const char *const[]){"run", launch, CHIP, "--json", NULL});
  json_t *with = json_of((const char *const[]){"run", launch, CHIP, "--hint", hint, "--json", NULL});
  const double cores = more(with, base, "core_cycles"), flits = more(with, base, "network_flits");
  const double effort = 1 + round(10 * fmax(1, fmax(cores, flits))) / 10,
               cost = json_number_value(json_object_get(a, "cost"));
  assert_int_equal(json_array_size(tried), 1);
  assert_true(fabs(cost - effort) < 1e-9);
  expect_bound("most_core_cycles", number(base, "total", "core_cycles"));
  expect_bound("most_flits", number(base, "total", "network_flits"));
  json_decref(with);
  json_decref(base);
  json_decref(a);
}

// Of five runs one is the program, one that perturbed, one is kept for the answer and two are kept to put hints together; the first hint
// goes all the same. Three go side by side, of which two come to nothing: what is found is the same.
static void test_jobs(void **state) {
  (void)state;
#define FIVE(jobs) "advise", launch, CHIP, "--jobs", jobs, "--runs", "5", "--perturb", "1", "--json", NULL
  json_t *one = json_of((const char *const[]){FIVE("1")}), *three = json_of((const char *const[]){FIVE("3")});
  assert_int_equal(json_integer_value(json_object_get(one, "tried")), 1);
  assert_true(json_equal(one, three));
  json_decref(one);
  json_decref(three);
}

// Two of the three loads are looked at, each of which one hint is for: cg. Of five runs one is the program as it is, one that perturbed,
// which may take longer, one is kept for the answer and one for both hints together.
static void test_screen(void **state) {
  (void)state;
  struct process p = process_run_all((const char *const[]){"advise", launch, "--chip", "fermi-gtx480", "--perturb", "1",
                                                           "--lines", "2", "--runs", "5", "--chips", "gcn-apu", NULL});
  if (p.status) print_error("%s", p.err);
  assert_int_equal(p.status, 0);
  assert_holds(p.out, "over 2 runs, 1 of them perturbed");
  assert_holds(p.out, "1 of 2 hints tried alone; --runs and --budget bound the others");
  assert_holds(p.out, "gcn-apu: ");
  assert_holds(p.err, "runs done in"); // a log has lines
  process_free(&p);
}

// The same kernel with its lines. The hint on v, or w, can be written into its source; the command puts PTX of half the work in place of
// what a compiler would make of that. It is what is measured. A command that fails is an error.
static void test_build(void **state) {
  (void)state;
  char source[64], patch[64], other[64], command[320];
  snprintf(source, sizeof source, "%s/k.cu", folder);
  snprintf(patch, sizeof patch, "%s/p", folder);
  snprintf(other, sizeof other, "%s/other.ptx", folder);
  snprintf(command, sizeof command, "echo built; grep -q '^+.*((const volatile int .)[vw]).i.;' %s && mv %s %s", patch,
           other, ptx);
  write_text_file(source, "__global__ void k(int *x, int *v, int *w) {\n  a = v[i];\n  b = w[i];\n  c += x[a];\n}\n");
  write_kernel(ptx, ".file 1 \"k.cu\"\n", (const char *const[]){".loc 1 2 1\n", ".loc 1 3 1\n", ".loc 1 4 1\n"}, 512);
  write_kernel(other, "", (const char *const[]){"", "", ""}, 256);
#define BUILD(command) "advise", launch, CHIP, "--perturb", "0", "--lines", "3", "--patch", patch, "--build", command
  refuse((const char *const[]){BUILD("exit 3"), NULL}, "--build: 'exit 3' ended with status 3");
  json_t *a = json_of((const char *const[]){BUILD(command), "--json", NULL});
  const json_t *is = json_object_get(a, "patched"),
               *together = json_object_get(json_object_get(a, "together"), "outcome");
  assert_true(json_array_size(json_object_get(is, "hints")) >= 1);
  assert_true(json_equal(json_object_get(is, "hinted"), together));
  json_t *run = json_of((const char *const[]){"run", launch, CHIP, "--json", NULL});
  assert_true(number(run, "total", "cycles") == number(is, "compiled", "cycles"));
  assert_true(number(is, "compiled", "cycles") < cycles_of(together));
  json_decref(run);
  json_decref(a);
  refuse((const char *const[]){"advise", launch, CHIP, "--build", "true", NULL}, "--patch is missing");
  write_kernel(ptx, "", (const char *const[]){"", "", ""}, 512);
  unlink(source), unlink(patch);
}

static const json_t *remedy_of(const json_t *advice, const char *name) {
  size_t i;
  json_t *r;
  json_array_foreach(json_object_get(advice, "remedies"), i,
                     r) if (!strcmp(json_string_value(json_object_get(r, "name")), name)) return r;
  fail_msg("no remedy is %s", name);
  return NULL;
}

// A block of one warp and 8 KiB of shared memory, 9 with what the device keeps of each: as many as the core holds of them make ampere-a40
// take 100 KiB of the array of 116 for shared memory. The warp goes twice over 64 KiB, 512 lines, of which there is data for 128, so that
// every sector misses twice. With 16 KiB of shared memory there is data for 800, and every sector misses once; 8 KiB are too few for
// the block. Of the 512 lines that come around, the best of decisions keeps 128: those hit the second time.
static void test_beside(void **state) {
  (void)state;
  write_text_file(launch,
                  "module: k.ptx\nbuffers:\n  a: {bytes: 65536, fill: zero}\n"
                  "launches:\n  - {kernel: k, grid: [1], block: [32], args: [a]}\n");
  write_text_file(
    ptx,
    ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 k_param_0)\n{\n"
    ".reg .b32 %r<8>; .reg .b64 %d<8>; .reg .pred %p; .shared .align 4 .b8 s[8192];\n"
    "ld.param.u64 %d1, [k_param_0];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nst.shared.u32 [s], %r1;\nL:\n"
    "and.b32 %r3, %r2, 511;\nmad.lo.u32 %r3, %r3, 32, %r1;\nmul.wide.u32 %d2, %r3, 4;\nadd.u64 %d3, %d1, %d2;\n"
    "ld.global.u32 %r4, [%d3];\nadd.u32 %r1, %r1, %r4;\nadd.u32 %r2, %r2, 1;\nsetp.ne.u32 %p, %r2, 1024;\n@%p bra L;\n"
    "ret;\n}\n");
  json_t *a = json_of((const char *const[]){"advise", launch, "--chip", "ampere-a40", "--perturb", "0", "--runs", "2",
                                            "--jobs", "1", "--remedies", "--bound", "--json", NULL});
  assert_true(outcome(a, "base", "l1_misses") == 2 * 2048);
  const json_t *less = remedy_of(a, "carve-out of 16 KiB at most");
  assert_true(number(less, "outcome", "l1_misses") == 2048);
  assert_true(json_number_value(json_object_get(less, "speedup")) > 1);
  assert_true(json_is_null(json_object_get(less, "failure")));
  assert_non_null(strstr(json_string_value(json_object_get(less, "how")), "PreferredSharedMemoryCarveout, 16)"));
  const json_t *least = remedy_of(a, "carve-out of 8 KiB at most");
  assert_true(json_is_null(json_object_get(least, "outcome")));
  assert_true(json_is_string(json_object_get(least, "failure")));
  assert_true(json_is_null(json_object_get(remedy_of(a, "S-L1"), "failure")));
  assert_true(number(a, "bound", "load_misses") == 2 * 2048);
  assert_true(number(a, "bound", "least_load_misses") == 2048 + (512 - 128) * 4);
  json_decref(a);
  struct process p = process_run_all((const char *const[]){"advise", launch, "--chip", "ampere-a40", "--perturb", "0",
                                                           "--runs", "2", "--remedies", "--bound", NULL});
  assert_int_equal(p.status, 0);
  assert_holds(p.out, "carve-out of 8 KiB at most (does not run)");
  assert_holds(p.out, "the bound: of 4096 loads that missed l1 in the recorded run, 3584 (87.5 %)");
  process_free(&p);
}

static void test_refused(void **state) {
  (void)state;
  refuse((const char *const[]){"advise", NULL}, "PROGRAM is missing");
  refuse((const char *const[]){"advise", "nothing.yaml", NULL}, "nothing.yaml");
  refuse((const char *const[]){"advise", launch, "--budget", "2x", NULL}, "--budget is a time above 0");
  refuse((const char *const[]){"advise", launch, "--budget", "0m", NULL}, "--budget is a time above 0");
  refuse((const char *const[]){"advise", launch, "--lines", "0", NULL}, "--lines");
  refuse((const char *const[]){"advise", launch, "--perturb", "4", NULL}, "--perturb 4 needs --runs 16 or more");
  refuse((const char *const[]){"advise", launch, "--chips", "fermi-gtx480,gtx", NULL}, "gtx");
  refuse((const char *const[]){"advise", launch, "--scheme", "lru", "--scheme", "plru", NULL}, "one --scheme only");
  refuse((const char *const[]){"advise", launch, "--scheme", "swl,warps=best:1..2", NULL}, "leaves values open");
  refuse((const char *const[]){"advise", launch, "--hint", "k.ptx:1=cg", NULL}, "no load or store of global memory");
  static const char *const outputs[] = {"-o", "--patch", "--html"};
  for (unsigned i = 0; i < 3; i++) { // before anything runs
    struct process p = process_run_all((const char *const[]){"advise", launch, outputs[i], "/nowhere/h", NULL});
    assert_int_equal(p.status, 2);
    assert_holds(p.err, "/nowhere/h: error: cannot be written");
    assert_null(strstr(p.err, "runs done"));
    process_free(&p);
  }
}

static int remove_files(void **state) {
  (void)state;
  unlink(launch), unlink(hints), unlink(ptx);
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_advice), cmocka_unit_test(test_runs),    cmocka_unit_test(test_margin),
    cmocka_unit_test(test_jobs),   cmocka_unit_test(test_effort),  cmocka_unit_test(test_build),
    cmocka_unit_test(test_screen), cmocka_unit_test(test_refused), cmocka_unit_test(test_beside)};
  return cmocka_run_group_tests(tests, make_files, remove_files);
}
