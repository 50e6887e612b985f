// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// compare: the same bits for any number of jobs, and a run that dies costs its own row alone.
#include "weir_process.h"

#include "run/experiment.h"
#include "run/object.h"

#include <pty.h>
#include <signal.h>

static json_t *parse(const struct process *p) {
  json_t *v = json_loads(p->out, 0, NULL);
  if (!v) fail_msg("no JSON:\n%s%s", p->out, p->err);
  return v;
}

// The results, without what may differ.
static json_t *results(const char *const *argv) {
  struct process p = process_run_all(argv);
  if (p.status) fail_msg("status %d: %s", p.status, p.err);
  json_t *v = parse(&p), *run;
  size_t i;
  process_free(&p);
  if (json_is_object(v)) json_object_del(v, "host");
  json_array_foreach(v, i, run) json_object_del(run, "host");
  return v;
}
#define RESULTS(...) results((const char *const[]){__VA_ARGS__, "--json", NULL})

static void any_number_of_jobs(void **state) {
  (void)state;
  json_t *one = RESULTS("compare", "backprop", "nn", "--schemes", "lru,pcbp", "--jobs", "1");
  json_t *two = RESULTS("compare", "backprop", "nn", "--schemes", "lru,pcbp", "--jobs", "2");
  json_t *alone = RESULTS("run", "nn", "--scheme", "pcbp");
  assert_int_equal(json_array_size(one), 4);
  assert_true(json_equal(one, two));
  assert_true(json_equal(json_array_get(one, 3), alone));
  json_decref(one);
  json_decref(two);
  json_decref(alone);
}

// The process's first child; waits for it.
static pid_t first_child(pid_t parent) {
  char path[64], text[256];
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", parent, parent);
  for (int i = 0; i < 2000; i++, usleep(5000)) {
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    pid_t child = fgets(text, sizeof text, f) ? atoi(text) : 0;
    fclose(f);
    if (child) return child;
  }
  fail_msg("no child");
  return 0;
}

static void killed_child(void **state) {
  (void)state;
  struct process p =
    process_start((const char *const[]){"compare", "nn", "--schemes", "lru,plru,fifo", "--jobs", "1", "--json", NULL});
  assert_int_equal(kill(first_child(p.pid), SIGKILL), 0);
  process_end(&p);
  json_t *runs = parse(&p);
  assert_int_equal(p.status, 1);
  assert_holds(p.err, "nn under lru failed: ended by signal 9");
  assert_int_equal(json_array_size(runs), 2);
  assert_string_equal(weir_run_text(json_array_get(runs, 0), "scheme"), "plru");
  assert_string_equal(weir_run_text(json_array_get(runs, 1), "scheme"), "fifo");
  json_decref(runs);
  process_free(&p);
}

// A launch file whose kernel reads past its buffer.
static void fault_in_one_program(void **state) {
  (void)state;
  char path[] = "/tmp/weir-test-XXXXXX.yaml";
  FILE *f = fdopen(mkstemps(path, 5), "w");
  fprintf(f,
          "module: %s/bench/strided_load.ptx\n"
          "buffers:\n  in: {bytes: 1024, fill: iota}\n  out: {bytes: 1024, fill: zero}\n"
          "launches:\n  - {kernel: strided_load, grid: [1, 1, 1], block: [256, 1, 1],"
          " args: [in, out, {u32: 4}, {u32: 1}, {u32: 65535}]}\n",
          WEIR_SOURCE_DIR);
  fclose(f);
  struct process p = process_run("compare", path, "backprop", "--schemes", "lru,plru");
  assert_int_equal(p.status, 2);
  assert_holds(p.err, "strided_load");
  assert_holds(p.out, "failed");
  assert_holds(p.out, "geometric mean");
  assert_holds(p.out, "backprop");
  assert_holds(p.out, "passed");
  process_free(&p);
  unlink(path);
}

static void csv(void **state) {
  (void)state;
  struct process p = process_run("compare", "backprop", "--scheme", "lru", "--scheme", "lru,l1.size_kib=32", "--csv");
  assert_int_equal(p.status, 0);
  assert_holds(p.out,
               "program,scheme,replacement,cycles,speedup,l1_hit_rate,l1_misses,l1_bypassed,dram_bytes,energy,check\n");
  assert_holds(p.out, "\nbackprop,lru,lru,");
  assert_holds(p.out, "\nbackprop,\"lru,l1.size_kib=32\",lru,");
  process_free(&p);
}

// gcn-apu's own replacement is plru (chips/gcn-apu.yaml), which a bypass scheme leaves as it is.
static void replacement_below_a_bypass(void **state) {
  (void)state;
  struct process p = process_run("compare", "nn", "--chip", "gcn-apu", "--schemes", "lru,pcbp,plru", "--csv");
  assert_int_equal(p.status, 0);
  assert_holds(p.out, "\nnn,lru,lru,");
  assert_holds(p.out, "\nnn,pcbp,plru,");
  assert_holds(p.err, "note: 'pcbp' runs on the replacement plru, and 'lru', which it is measured against, on lru: ");
  assert_null(strstr(p.err, "'plru' runs on")); // its replacement is all there is to compare
  process_free(&p);
  p = process_run("compare", "nn", "--chip", "gcn-apu", "--schemes", "none,pcbp");
  assert_string_equal(p.err, "");
  process_free(&p);
}

// A core of fermi-gtx480 holds 48 warps (chips/fermi-gtx480.yaml).
static void swl_without_a_limit(void **state) {
  (void)state;
  static const char note[] = "limits nothing: swl lets 64 warps of a core go on, and a core of this chip holds 48";
  struct process p = process_run("run", "nn", "--chip", "fermi-gtx480", "--scheme", "swl");
  assert_int_equal(p.status, 0);
  assert_holds(p.err, note);
  process_free(&p);
  p = process_run("compare", "nn", "backprop", "--chip", "fermi-gtx480", "--schemes", "lru,swl,swl,warps=4");
  assert_int_equal(p.status, 0);
  assert_holds(p.err, note);
  assert_null(strstr(strstr(p.err, note) + 1, "limits nothing")); // once, and of that scheme alone
  process_free(&p);
}

// On a terminal, and only there, a line says how far it is; it is gone at the end.
static void progress_on_a_terminal(void **state) {
  (void)state;
  int terminal;
  static char text[1 << 20]; // on a busy machine it tells of its progress for long
  size_t n = 0;
  pid_t child = forkpty(&terminal, NULL, NULL, NULL);
  if (!child) {
    execl(WEIR, WEIR, "compare", "nn", "--schemes", "lru,plru", "--jobs", "1", (char *)NULL);
    _exit(127);
  }
  for (ssize_t got; n < sizeof text - 1 && (got = read(terminal, text + n, sizeof text - 1 - n)) > 0;) n += (size_t)got;
  text[n] = 0;
  int status;
  waitpid(child, &status, 0);
  close(terminal);
  assert_int_equal(status, 0);
  assert_holds(text, "0 of 2 runs done");
  assert_holds(text, "preparing nn");
  assert_holds(text, "\r\033[Kprogram");
  struct process p = process_run("compare", "backprop", "--schemes", "lru");
  assert_string_equal(p.err, "");
  process_free(&p);
}

// Wrong schemes are told before anything runs, each once, however many programs there are.
static void wrong_scheme(void **state) {
  (void)state;
  struct process p = process_run("compare", "backprop", "nn", "--schemes", "lru,nosuch");
  assert_int_equal(p.status, 2);
  assert_string_equal(p.out, "");
  const char *first = strstr(p.err, "nosuch");
  assert_non_null(first);
  assert_null(strstr(strchr(first, '\n'), "'nosuch'"));
  process_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(any_number_of_jobs),
    cmocka_unit_test(killed_child),
    cmocka_unit_test(fault_in_one_program),
    cmocka_unit_test(csv),
    cmocka_unit_test(replacement_below_a_bypass),
    cmocka_unit_test(swl_without_a_limit),
    cmocka_unit_test(wrong_scheme),
    cmocka_unit_test(progress_on_a_terminal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
