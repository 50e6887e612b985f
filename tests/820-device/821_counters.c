// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a program's run object counts is what any other way of running the same kernels counts.
#include "subject_process.h"

// `weir run --json` of the same launches by way of a launch file.
static json_t *by_launch_file(void) {
  char path[] = "/tmp/weir-run-XXXXXX", command[512];
  close(mkstemp(path));
  snprintf(
    command, sizeof command,
    "%s/weir run --chip fermi-gtx480 --set l2.census=true --set sample_cycles=500 --json %s/tests/820-device/vector.yaml >%s",
    WEIR_BINARY_DIR, WEIR_SOURCE_DIR, path);
  assert_int_equal(system(command), 0);
  json_t *run = json_load_file(path, 0, NULL);
  unlink(path);
  assert_non_null(run);
  return run;
}

static void assert_same(const json_t *a, const json_t *b, const char *name) {
  const json_t *x = json_object_get(a, name), *y = json_object_get(b, name);
  assert_non_null(x);
  if (json_equal(x, y)) return;
  print_error("%s:\n%s\n%s\n", name, json_dumps(x, JSON_ENCODE_ANY), json_dumps(y, JSON_ENCODE_ANY));
  fail();
}

static void forget_file(json_t *loads) { // the launch file's has its path
  size_t i;
  json_t *l;
  json_array_foreach(loads, i, l) json_object_del(l, "file");
}

static void equal_to_a_launch_file(void **state) {
  (void)state;
  static const char *const members[] = {"total",  "kernels", "loads", "load_groups", "policy",
                                        "scheme", "chip",    "seed",  "set",         "samples"};
  setenv("WEIR_SET", "l2.census=true;sample_cycles=500", 1);
  struct subject s = subject_run("exit", NULL);
  unsetenv("WEIR_SET");
  json_t *other = by_launch_file();
  assert_int_equal(s.count, 1);
  forget_file(json_object_get(s.runs[0], "loads"));
  forget_file(json_object_get(other, "loads"));
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) assert_same(s.runs[0], other, members[i]);
  json_decref(other);
  subject_free(&s);
}

// A program's kernels are known once they are launched: a name of core.kernel_registers that none has is told then.
static void names_that_nothing_had(void **state) {
  (void)state;
  setenv("WEIR_SET", "core.kernel_registers=nosuch=20,ramp=30,16", 1);
  struct subject s = subject_run("exit", NULL);
  unsetenv("WEIR_SET");
  const json_t *names = json_object_get(json_object_get(s.runs[0], "process"), "not_launched");
  assert_int_equal(json_array_size(names), 1);
  assert_string_equal(json_string_value(json_array_get(names, 0)), "nosuch");
  const json_t *kernel = json_array_get(json_object_get(s.runs[0], "kernels"), 0);
  assert_int_equal(json_integer_value(json_object_get(kernel, "registers")), 30);
  assert_string_equal(json_string_value(json_object_get(kernel, "registers_by")), "core.kernel_registers");
  subject_free(&s);
}

static void forget_host(json_t *run) {
  json_object_del(run, "host");
  json_object_del(json_object_get(run, "process"), "command");
}

static void same_bits(const char *a, const char *b) {
  struct subject x = subject_run(a, "20"), y = subject_run(b, "20");
  assert_int_equal(x.count, 1);
  assert_int_equal(y.count, 1);
  forget_host(x.runs[0]);
  forget_host(y.runs[0]);
  char *text = json_dumps(x.runs[0], 0), *other = json_dumps(y.runs[0], 0);
  assert_string_equal(text, other);
  free(text);
  free(other);
  subject_free(&x);
  subject_free(&y);
}

static void same_twice(void **state) {
  (void)state;
  same_bits("exit", "exit");
}

// The program's own rounding is not the model's, and is not changed.
static void whatever_the_rounding(void **state) {
  (void)state;
  same_bits("exit", "upward");
}

// Up to 256 launches each has an entry; beyond, each kernel has one. Either way they sum up to the whole.
static void sums(const char *more, size_t entries, json_int_t launches) {
  static const char *const counters[] = {"cycles", "warp_instructions", "blocks", "network_bytes", "issue_slots_idle"};
  struct subject s = subject_run("exit", more);
  json_t *kernels = json_object_get(s.runs[0], "kernels"), *total = json_object_get(s.runs[0], "total"), *k;
  assert_int_equal(json_array_size(kernels), entries);
  assert_int_equal(launches_of(s.runs[0]), launches);
  for (size_t c = 0; c < sizeof counters / sizeof *counters; c++) {
    size_t i;
    json_int_t sum = 0;
    json_array_foreach(kernels, i, k) sum += json_integer_value(json_object_get(k, counters[c]));
    assert_true(sum > 0);
    assert_int_equal(sum, json_integer_value(json_object_get(total, counters[c])));
  }
  subject_free(&s);
}

static void many_launches(void **state) {
  (void)state;
  sums("254", 256, 256);
  sums("255", 1, 257);
  sums("1000", 1, 1002);
}

// Runs weir with these words, and reads the JSON that it prints, if it is to.
static json_t *weir(const char *words, bool prints, int status) {
  char path[] = "/tmp/weir-run-XXXXXX", command[512];
  close(mkstemp(path));
  snprintf(command, sizeof command, "%s/weir %s >%s 2>/dev/null", WEIR_BINARY_DIR, words, path);
  const int ended = system(command);
  assert_int_equal(WEXITSTATUS(ended), status);
  json_t *run = prints ? json_load_file(path, 0, NULL) : NULL;
  unlink(path);
  assert_int_equal(run != NULL, prints);
  return run;
}

// What the warps of a program's process did, of two modules at last, runs again from its recording; a process that was killed leaves
// none.
static void recorded(void **state) {
  (void)state;
  static const char *const modes[] = {"exit", "modules"};
  char file[64], words[512];
  snprintf(file, sizeof file, "/tmp/weir-821-%ld.wrec", (long)getpid());
  for (unsigned i = 0; i < 2; i++) {
    snprintf(words, sizeof words, "record --instructions --chip fermi-gtx480 -o %s -- %s %s", file, SUBJECT, modes[i]);
    weir(words, false, 3); // as the subject ends
    snprintf(words, sizeof words, "run --chip fermi-gtx480 --json -- %s %s", SUBJECT, modes[i]);
    json_t *own = weir(words, true, 3);
    snprintf(words, sizeof words, "run --chip fermi-gtx480 --json %s", file);
    json_t *again = weir(words, true, 0);
    const json_t *first = json_array_get(own, 0);
    assert_int_equal(json_array_size(json_object_get(again, "kernels")), 2 + i);
    assert_same(first, again, "total");
    assert_same(first, again, "kernels");
    assert_same(first, again, "load_groups");
    json_decref(own);
    json_decref(again);
    unlink(file);
  }
  snprintf(words, sizeof words, "record --instructions --chip fermi-gtx480 -o %s -- %s kill", file, SUBJECT);
  weir(words, false, 2);
  assert_int_not_equal(access(file, F_OK), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(equal_to_a_launch_file), cmocka_unit_test(names_that_nothing_had), cmocka_unit_test(same_twice),
    cmocka_unit_test(whatever_the_rounding),  cmocka_unit_test(many_launches),          cmocka_unit_test(recorded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
