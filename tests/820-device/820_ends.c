// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// However a process ends, it leaves a run object that says so, and dies as it would have without weir.
#include "subject_process.h"

#include <signal.h>

enum { ANY = -1 }; // as many launches as the last snapshot has seen, at least the first

static void ends(const char *mode, int status, const char *end, bool complete, int launches) {
  struct subject s = subject_run(mode, NULL);
  if (s.status != status || s.count != 1) print_error("%s: status %d, %u run objects\n", mode, s.status, s.count);
  assert_int_equal(s.status, status);
  assert_int_equal(s.count, 1);
  assert_string_equal(end_of(s.runs[0]), end);
  assert_int_equal(json_is_true(json_object_get(s.runs[0], "complete")), complete);
  if (launches == ANY)
    assert_in_range(launches_of(s.runs[0]), 1, 2);
  else
    assert_int_equal(launches_of(s.runs[0]), launches);
  subject_free(&s);
}

static void chosen(void **state) {
  (void)state;
  ends("exit", 3, "exit", true, 2);
  ends("_exit", 5, "_exit", true, 2);
  ends("quick", 6, "quick_exit", true, 2);
}

static void fatal_signals(void **state) {
  (void)state;
  ends("abort", 256 + SIGABRT, "SIGABRT", false, 2);
  ends("segv", 256 + SIGSEGV, "SIGSEGV", false, 2);
  ends("overflow", 256 + SIGSEGV, "SIGSEGV", false, 2);
  ends("term", 256 + SIGTERM, "SIGTERM", false, 2);
  ends("kill", 256 + SIGKILL, "unknown", false, ANY);
}

// The launches sum up to the total.
static bool is_whole(const json_t *run) {
  size_t i;
  json_t *k;
  json_int_t executed = 0;
  json_array_foreach(json_object_get(run, "kernels"), i, k) executed +=
    json_integer_value(json_object_get(k, "warp_instructions"));
  return executed == json_integer_value(json_object_get(json_object_get(run, "total"), "warp_instructions"));
}

// The counters of a launch that is under way are not read: what was written last stands, with the end's cause.
static void during_a_launch(void **state) {
  (void)state;
  ends("beside", 256 + SIGTERM, "SIGTERM", false, ANY);
  ends("leave", 3, "exit", false, ANY);
  struct subject s = subject_start("during", NULL);
  subject_await(&s); // what comes then does not end
  usleep(100000);
  kill(s.pid, SIGINT);
  subject_end(&s);
  assert_int_equal(s.status, 256 + SIGINT);
  assert_int_equal(s.count, 1);
  assert_string_equal(end_of(s.runs[0]), "SIGINT");
  assert_true(is_whole(s.runs[0]));
  assert_in_range(launches_of(s.runs[0]), 1, 2);
  subject_free(&s);
}

// Who stops a program that hangs reads which kernel it hung in.
static void names_what_ran(void **state) {
  (void)state;
  char text[512] = "";
  FILE *errors = tmpfile();
  assert_non_null(errors);
  int before = dup(STDERR_FILENO);
  setenv("WEIR_TEST_LOUD", "1", 1);
  dup2(fileno(errors), STDERR_FILENO);
  struct subject s = subject_run("leave", NULL);
  dup2(before, STDERR_FILENO);
  close(before);
  unsetenv("WEIR_TEST_LOUD");
  rewind(errors);
  assert_true(fread(text, 1, sizeof text - 1, errors) > 0);
  assert_non_null(strstr(text, "ended (exit) while kernel 'count' was running"));
  fclose(errors);
  subject_free(&s);
}

// A program's own handler is called; what it does is its own business.
static void own_handler(void **state) {
  (void)state;
  ends("own", 7, "_exit", true, 2);
}

// The report cannot be made where the heap is damaged; the last snapshot stands, and the process dies of what it died of.
static void damaged_heap(void **state) {
  (void)state;
#ifdef __SANITIZE_ADDRESS__
  skip(); // it would notice
#endif
  ends("damage", 256 + SIGSEGV, "unknown", false, ANY);
}

static void replaced_by_another_program(void **state) {
  (void)state;
  struct subject s = subject_run("exec", NULL);
  assert_int_equal(s.status, 3);
  assert_int_equal(s.count, 2);
  assert_string_equal(end_of(s.runs[0]), "exec");
  assert_string_equal(end_of(s.runs[1]), "exit");
  assert_int_equal(launches_of(s.runs[0]), 2);
  assert_int_equal(launches_of(s.runs[1]), 2);
  subject_free(&s);
}

// Where nothing is preloaded, what the snapshots have stands.
static void unheard(void **state) {
  (void)state;
  setenv("WEIR_TEST_ALONE", "1", 1);
  ends("_exit", 5, "unknown", false, ANY);
  ends("quick", 6, "quick_exit", true, 2);
  unsetenv("WEIR_TEST_ALONE");
}

static void without_a_device(void **state) {
  (void)state;
  struct subject s = subject_run("idle", NULL);
  assert_int_equal(s.status, 0);
  assert_int_equal(s.count, 0);
}

static void a_fault_in_a_kernel(void **state) {
  (void)state;
  struct subject s = subject_run("misaligned", NULL);
  assert_int_equal(s.status, 3);
  assert_int_equal(s.count, 1);
  assert_true(json_is_true(json_object_get(s.runs[0], "complete")));
  json_t *faults = json_object_get(json_object_get(s.runs[0], "process"), "faults");
  assert_int_equal(json_array_size(faults), 1);
  assert_non_null(strstr(json_string_value(json_array_get(faults, 0)), "vector.ptx:29:3"));
  assert_int_equal(launches_of(s.runs[0]), 3);
  subject_free(&s);
}

static void forks(void **state) {
  (void)state;
  ends("fork", 3, "exit", true, 3);
}

static void threads(void **state) {
  (void)state;
  ends("threads", 3, "exit", true, 2 + 4 * 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(chosen),
    cmocka_unit_test(fatal_signals),
    cmocka_unit_test(own_handler),
    cmocka_unit_test(during_a_launch),
    cmocka_unit_test(names_what_ran),
    cmocka_unit_test(forks),
    cmocka_unit_test(replaced_by_another_program),
    cmocka_unit_test(threads),
    cmocka_unit_test(without_a_device),
    cmocka_unit_test(damaged_heap),
    cmocka_unit_test(a_fault_in_a_kernel),
    cmocka_unit_test(unheard),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
