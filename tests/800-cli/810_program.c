// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// weir run -- ./program: the program's own output and end, and weir's report beside them. The program is that of
// tests/820-device.
#include "../150-binary/program.h"
#include "weir_process.h"

#include "conform.h"

#include "base/alloc.h"
#include "batch/jobs.h"
#include "launcher/command.h"

#include <math.h>
#include <signal.h>
#include <sys/stat.h>

#define SUBJECT WEIR_BINARY_DIR "/tests/820-device/device_subject"

static void refuses(const char *message, const char *const *argv) {
  struct process p = process_run_all(argv);
  if (p.status != 2) print_error("%s", p.err);
  assert_int_equal(p.status, 2);
  assert_holds(p.err, message);
  assert_string_equal(p.out, "");
  process_free(&p);
}
#define REFUSES(message, ...) refuses(message, (const char *const[]){__VA_ARGS__, NULL})

static json_t *array_in(const char *text, size_t count) {
  json_t *list = json_loads(text, 0, NULL);
  assert_non_null(list);
  assert_int_equal(json_array_size(list), count);
  return list;
}

static void report_follows_the_output(void **state) {
  (void)state;
  struct process p = process_run("run", "--", SUBJECT, "exit", "20");
  assert_int_equal(p.status, 3);
  assert_int_equal(strncmp(p.out, "subject is done\n", 16), 0);
  assert_holds(p.out, "device_subject on hopper-h100 under scheme none");
  assert_holds(p.out, "ramp          22 "); // launches, in one line
  assert_null(strstr(p.out, "incomplete"));
  process_free(&p);
}

static void tells_why_threads_do_not_share_it(void **state) {
  (void)state;
  struct process p =
    process_run("run", "--functional", "--threads", "2", "--step-limit", "1000000", "--", SUBJECT, "exit", "20");
  assert_int_equal(p.status, 3);
  assert_holds(p.err, "some kernels ran on one thread: --step-limit counts the instructions of all warps");
  process_free(&p);
}

static void ends_as_the_program_does(void **state) {
  (void)state;
  static const struct {
    const char *mode, *end;
    int number;
  } modes[] = {{"abort", "SIGABRT", SIGABRT}, {"segv", "SIGSEGV", SIGSEGV}, {"kill", "SIGKILL", SIGKILL}};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    struct process p = process_run("run", "--", SUBJECT, modes[i].mode);
    assert_int_equal(p.status, 128 + modes[i].number);
    assert_holds(p.out, "incomplete: the process ended by");
    assert_holds(p.out, modes[i].end);
    process_free(&p);
  }
}

static void json_is_alone(void **state) {
  (void)state;
  struct process p = process_run("run", "--json", "--chip", "fermi-bucl", "--scheme", "plru", "--seed", "7", "--set",
                                 "l1.mshrs=8", "--", SUBJECT, "exit");
  assert_int_equal(p.status, 3);
  assert_holds(p.err, "subject is done\n");
  json_t *list = array_in(p.out, 1), *run = json_array_get(list, 0);
  assert_string_equal(json_string_value(json_object_get(run, "scheme")), "plru");
  assert_int_equal(json_integer_value(json_object_get(run, "seed")), 7);
  assert_string_equal(json_string_value(json_array_get(json_object_get(run, "set"), 0)), "l1.mshrs=8");
  conform("run", run, weir_run_members, true);
  json_t *command = json_object_get(json_object_get(run, "process"), "command");
  assert_string_equal(json_string_value(json_array_get(command, 1)), "exit");
  json_decref(list);
  process_free(&p);
}

// An argument may be any bytes; JSON is UTF-8.
static void foreign_arguments(void **state) {
  (void)state;
  struct process p = process_run("run", "--json", "--functional", "--", SUBJECT, "exit", "0", "caf\xe9", "\xc3\xa9");
  assert_int_equal(p.status, 3);
  json_t *list = array_in(p.out, 1);
  json_t *command = json_object_get(json_object_get(json_array_get(list, 0), "process"), "command");
  assert_int_equal(json_array_size(command), 5);
  assert_string_equal(json_string_value(json_array_get(command, 3)), "caf?");
  assert_string_equal(json_string_value(json_array_get(command, 4)), "\xc3\xa9");
  json_decref(list);
  process_free(&p);
}

static void into_a_file(void **state) {
  (void)state;
  char path[] = "/tmp/weir-report-XXXXXX", option[64];
  close(mkstemp(path));
  snprintf(option, sizeof option, "--json=%s", path);
  struct process p = process_run("run", option, "--functional", "--", SUBJECT, "exit");
  assert_int_equal(p.status, 3);
  assert_string_equal(p.out, "subject is done\n");
  json_t *list = json_load_file(path, 0, NULL);
  assert_int_equal(json_array_size(list), 1);
  json_decref(list);
  process_free(&p);
  p = process_run("run", "--output", path, "--", SUBJECT, "exit");
  assert_string_equal(p.out, "subject is done\n");
  FILE *f = fopen(path, "r");
  char first[256] = "";
  assert_non_null(fgets(first, sizeof first, f));
  assert_holds(first, "device_subject on hopper-h100 under scheme none");
  fclose(f);
  process_free(&p);
  unlink(path);
}

static void several_processes(void **state) {
  (void)state;
  struct process p = process_run("run", "--json", "--", "sh", "-c", SUBJECT " exit; " SUBJECT " abort 1; exit 4");
  assert_int_equal(p.status, 4);
  json_t *list = array_in(p.out, 2), *second = json_array_get(list, 1);
  assert_true(json_is_true(json_object_get(json_array_get(list, 0), "complete")));
  assert_false(json_is_true(json_object_get(second, "complete")));
  assert_int_equal(json_array_size(json_object_get(second, "kernels")), 3);
  json_decref(list);
  process_free(&p);
}

static void no_device(void **state) {
  (void)state;
  struct process p = process_run("run", "--", "true");
  assert_int_equal(p.status, 0);
  assert_string_equal(p.out, "");
  assert_holds(p.err, "true used no device");
  process_free(&p);
  p = process_run("run", "--json", "--", "sh", "-c", "exit 9");
  assert_int_equal(p.status, 9);
  json_decref(array_in(p.out, 0));
  process_free(&p);
}

// Without the launcher the report goes to stderr, or the run object into a file, wherever the program then is.
static void without_launcher(void **state) {
  (void)state;
  char folder[] = "/tmp/weir-alone-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/run.json", folder);
  struct process p = process_run("run", "--", "sh", "-c", "unset WEIR_RESULTS; exec " SUBJECT " exit");
  assert_int_equal(p.status, 3);
  assert_string_equal(p.out, "subject is done\n");
  assert_holds(p.err, "device_subject on hopper-h100 under scheme none");
  process_free(&p);
  assert_int_equal(chdir(folder), 0);
  p =
    process_run("run", "--", "sh", "-c", "unset WEIR_RESULTS; WEIR_REPORT=run.json WEIR_SCHEME=srrip " SUBJECT " exit");
  json_t *run = json_load_file(path, 0, NULL);
  assert_string_equal(json_string_value(json_object_get(run, "scheme")), "srrip");
  json_decref(run);
  process_free(&p);
  p = process_run("run", "--", "sh", "-c", "WEIR_SEED=x " SUBJECT " exit");
  assert_holds(p.err, "WEIR_SEED must be an integer from 0 to 9223372036854775807, not 'x'");
  assert_int_equal(p.status, 99);
  process_free(&p);
  unlink(path);
  rmdir(folder);
}

// Whether a program has PTX of a file is known when it ends: if it does so by itself.
static void hints_for_no_file(void **state) {
  (void)state;
  struct process p = process_run("run", "--hint", "k.cu:1=cg", "--", "sh", "-c", SUBJECT " exit; " SUBJECT " exit");
  assert_int_equal(p.status, 2);
  assert_non_null(strstr(p.err, "error: --hint: no PTX of the program comes from a file 'k.cu'"));
  process_free(&p);
  p = process_run("run", "--hint", "k.cu:1=cg", "--", SUBJECT, "abort", "1");
  assert_int_equal(p.status, 128 + SIGABRT);
  process_free(&p);
}

static void what_cannot_be_run(void **state) {
  (void)state;
  char path[] = "/tmp/weir-program-XXXXXX";
  close(mkstemp(path));
  REFUSES("no program follows --", "run", "--");
  REFUSES("'bfs' and a program after -- exclude each other", "run", "bfs", "--", SUBJECT);
  REFUSES("no program 'nosuchprogram' is on the PATH", "run", "--", "nosuchprogram");
  REFUSES("cannot be found", "run", "--", "./nosuchprogram");
  REFUSES("is a folder", "run", "--", "/tmp");
  REFUSES("is not executable", "run", "--", path);
  REFUSES("the chip has no link to its host", "run", "--timeline", path, "--chip", "fermi-gtx480", "--", SUBJECT,
          "exit");
  REFUSES("without a chip nothing takes time", "run", "--timeline", path, "--functional", "--", SUBJECT, "exit");
  REFUSES("--timeline is for a program after --", "run", "--timeline", path, "bfs");
  REFUSES("--size is for workloads", "run", "--size", "paper", "--", SUBJECT);
  REFUSES("--input is for workloads", "compare", "--schemes", "lru", "--input", path, "--", SUBJECT);
  REFUSES("weir run [OPTION...] -- " SUBJECT, "run", SUBJECT);
  REFUSES("weir compare [OPTION...] -- " SUBJECT, "compare", "--schemes", "lru", SUBJECT);
  REFUSES("did you mean", "run", "--scheme", "lur", "--", SUBJECT, "exit");
  REFUSES("no chip", "run", "--chip", "nosuchchip", "--", SUBJECT, "exit");
  REFUSES("leaves values open", "run", "--scheme", "lru,l1.mshrs=best:8|16", "--", SUBJECT, "exit");
  unlink(path);
  assert_int_equal(chdir(WEIR_BINARY_DIR "/tests/820-device"), 0);
  REFUSES("did you mean './device_subject'?", "run", "--", "device_subject");
}

// A program goes elsewhere before it opens the device: relative names still mean what they meant.
static void relative_names(void **state) {
  (void)state;
  assert_int_equal(chdir(WEIR_SOURCE_DIR "/chips"), 0);
  struct process p = process_run("run", "--json", "--chip", "./fermi-bucl.yaml", "--scheme", "../schemes/plru.yaml",
                                 "--", "sh", "-c", "cd / && exec " SUBJECT " exit");
  assert_int_equal(p.status, 3);
  json_t *list = array_in(p.out, 1);
  assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "chip")), "fermi-bucl");
  json_decref(list);
  process_free(&p);
}

// What is sent to weir alone is passed on, and the report still comes; nothing is left behind.
static void interrupted(void **state) {
  (void)state;
  char folder[] = "/tmp/weir-tmp-XXXXXX";
  assert_non_null(mkdtemp(folder));
  setenv("TMPDIR", folder, 1);
  struct process p = process_start((const char *const[]){"run", "--", SUBJECT, "during", NULL});
  unsetenv("TMPDIR");
  process_await(&p, "subject is done"); // what comes then does not end
  usleep(100000);
  kill(p.pid, SIGTERM);
  process_end(&p);
  assert_int_equal(p.status, 128 + SIGTERM);
  assert_holds(p.out, "incomplete: the process ended by SIGTERM");
  assert_int_equal(rmdir(folder), 0); // is empty
  process_free(&p);
}

static void interrupted_comparison(void **state) {
  (void)state;
  char folder[] = "/tmp/weir-tmp-XXXXXX";
  assert_non_null(mkdtemp(folder));
  setenv("TMPDIR", folder, 1);
  struct process p =
    process_start((const char *const[]){"compare", "--schemes", "lru,srrip", "--", SUBJECT, "during", NULL});
  unsetenv("TMPDIR");
  usleep(700000);
  kill(p.pid, SIGINT);
  process_end(&p);
  assert_int_equal(p.status, 130);
  assert_string_equal(p.out, "");
  assert_int_equal(rmdir(folder), 0);
  process_free(&p);
}

static void tells(const char *chip, const char *clock, long long *ns, long long *date, long long *ended_ps) {
  struct process p = process_run("run", "--json", "--chip", chip, "--clock", clock, "--", SUBJECT, "clock");
  assert_int_equal(p.status, 0);
  json_t *list = array_in(p.out, 1);
  assert_true(json_real_value(json_object_get(json_object_get(json_array_get(list, 0), "host"), "seconds")) > 1e-5);
  assert_int_equal(sscanf(p.err, "%lld ns, %lld, %lld ps", ns, date, ended_ps), 3);
  json_decref(list);
  process_free(&p);
}

// A reading takes a nanosecond. Where nothing but kernels takes time the host waits for each; else it waits when it says so, and
// this one does not.
static void the_program_s_clock(void **state) {
  (void)state;
  enum { YEAR_2000 = 946684800 };
  long long ns, date, ps;
  tells("gcn-apu", "modelled", &ns, &date, &ps);
  assert_true(ps > 100000);
  assert_int_equal(ns, ps / 1000 + 1);
  assert_int_equal(date, YEAR_2000);
  tells("hopper-h100", "modelled", &ns, &date, &ps);
  assert_int_equal(ns, 1);
  tells("gcn-apu", "still", &ns, &date, &ps);
  assert_int_equal(ns, 1);
  assert_int_equal(date, YEAR_2000);
  tells("gcn-apu", "real", &ns, &date, &ps);
  assert_true(ns > 1000 && date > YEAR_2000);
  REFUSES("--clock is real, modelled or still, not 'sundial'", "run", "--clock", "sundial", "--", SUBJECT);
  REFUSES("--clock is for a program after --", "compare", "--schemes", "lru", "--clock", "still", "nn");
  // what it prints differs between schemes by its time alone
  struct process p = process_run("compare", "--chip", "gcn-apu", "--schemes", "lru,lru,l1.hit_latency_cycles=60",
                                 "--clock", "still", "--ignore-output", "[0-9]+ ps", "--", SUBJECT, "clock");
  assert_int_equal(p.status, 0);
  process_free(&p);
}

static void comparison(void **state) {
  (void)state;
  struct process p = process_run("compare", "--json", "--schemes", "lru,srrip", "--", SUBJECT, "exit", "3");
  assert_int_equal(p.status, 0);
  json_t *list = array_in(p.out, 2);
  assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "scheme")), "lru");
  assert_string_equal(json_string_value(json_object_get(json_array_get(list, 1), "scheme")), "srrip");
  json_decref(list);
  process_free(&p);
  p = process_run("compare", "--schemes", "lru,srrip", "--", SUBJECT, "exit");
  assert_holds(p.out, "srrip");
  assert_null(strstr(p.out, "subject is done"));
  process_free(&p);
}

static void comparison_of_unequal_runs(void **state) {
  (void)state;
  struct process p =
    process_run("compare", "--schemes", "lru,srrip", "--", "sh", "-c", SUBJECT " exit; echo $WEIR_SCHEME");
  assert_int_equal(p.status, 1);
  assert_holds(p.err, "what it prints differs between lru and srrip");
  process_free(&p);
  p = process_run("compare", "--schemes", "lru,srrip", "--ignore-output", "[ls]r+[uip]+$", "--", "sh", "-c",
                  SUBJECT " exit; echo under $WEIR_SCHEME");
  assert_int_equal(p.status, 0);
  process_free(&p);
  p = process_run("compare", "--schemes", "lru,srrip", "--ignore-output", "^[ls]r", "--", "sh", "-c",
                  SUBJECT " exit; echo under $WEIR_SCHEME");
  assert_int_equal(p.status, 1);
  process_free(&p);
  p = process_run("compare", "--schemes", "lru,srrip", "--ignore-output", "a{", "--", SUBJECT, "exit");
  assert_int_equal(p.status, 2);
  assert_holds(p.err, "'a{' is none");
  process_free(&p);
  p = process_run("compare", "--schemes", "lru,srrip", "--", "sh", "-c", "echo trouble >&2; exit 1");
  assert_int_equal(p.status, 2);
  assert_holds(p.err, "launched nothing on a device; it said:\ntrouble");
  process_free(&p);
}

static void comparison_into_a_file(void **state) {
  (void)state;
  char path[] = "/tmp/weir-report-XXXXXX", option[64];
  close(mkstemp(path));
  snprintf(option, sizeof option, "--json=%s", path);
  struct process p = process_run("compare", option, "--schemes", "lru,srrip", "--", SUBJECT, "exit");
  assert_int_equal(p.status, 0);
  assert_string_equal(p.out, "");
  json_t *list = json_load_file(path, 0, NULL);
  assert_int_equal(json_array_size(list), 2);
  json_decref(list);
  process_free(&p);
  unlink(path);
}

// Whoever starts weir may leave its standard input open, and say nothing: a program that reads until its end gets one.
static void compared_programs_read_nothing(void **state) {
  (void)state;
  int ends[2], own = dup(0);
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  dup2(ends[0], 0);
  struct process p = process_run("compare", "--schemes", "lru,srrip", "--", "sh", "-c", "cat; exec " SUBJECT " exit");
  dup2(own, 0);
  close(own);
  close(ends[0]);
  close(ends[1]);
  assert_int_equal(p.status, 0);
  process_free(&p);
}

// 128 threads of two registers or more do not fit 128 registers. The chips with warps of 32 lanes have 32768 and more.
static void refused_launches(void **state) {
  (void)state;
  struct process p =
    process_run("run", "--chip", "fermi-gtx480", "--set", "core.registers=128", "--", SUBJECT, "careless");
  assert_int_equal(p.status, 0); // the program's own
  static const char first[] = "\nnot run: a block of kernel 'ramp' does not fit a core of fermi-gtx480: ";
  assert_int_equal(strncmp(p.out, first, strlen(first)), 0);
  assert_holds(p.out,
               "128 registers and 49152 bytes; chips that have room (--chip): ada-l40, ada-rtx4090, ampere-a100, "
               "ampere-a40, blackwell-b200, blackwell-rtx5090, fermi-bucl, fermi-gtx480, hopper-h100, hopper-h200, "
               "kepler-titan-black, turing-2080ti, volta-gv100, volta-v100\n");
  assert_null(strstr(strstr(p.out, "not run") + 1, "not run")); // two launches, one line
  assert_holds(p.err, "does not fit a core");
  process_free(&p);
  p = process_run("run", "--chip", "fermi-gtx480", "--json", "--set", "core.registers=128", "--", SUBJECT, "careless");
  json_t *list = array_in(p.out, 1);
  assert_int_equal(json_array_size(json_object_get(json_object_get(json_array_get(list, 0), "process"), "refused")), 1);
  json_decref(list);
  process_free(&p);
}

// The rate by processor time is what the run executed over host.cpu_seconds.
static void rates(void **state) {
  (void)state;
  struct process p = process_run("run", "nn");
  double wall, processor, rate, own_rate;
  const char *line = strstr(p.out, "\nsimulated in ");
  assert_non_null(line);
  assert_int_equal(
    sscanf(line,
           " simulated in %lf s, %lf s of processor time: %lf million warp instructions per second, %lf of "
           "processor time;",
           &wall, &processor, &rate, &own_rate),
    4);
  assert_true(wall > 0 && processor > 0);
  // Each of the four is within half a hundredth of what it stands for, so their products are within so much.
  const double rounded = 0.005 * (own_rate + processor + rate + wall + 0.01);
  assert_true(fabs(own_rate * processor - rate * wall) <= rounded);
  process_free(&p);
}

// As `trap '' CHLD` leaves it: children that end leave no trace.
static struct process run_without_sigchld(const char *const *argv) {
  signal(SIGCHLD, SIG_IGN);
  struct process p = process_start(argv);
  signal(SIGCHLD, SIG_DFL);
  process_end(&p);
  return p;
}

static void sigchld_may_be_ignored(void **state) {
  (void)state;
  struct process p = run_without_sigchld((const char *const[]){"run", "--", SUBJECT, "exit", NULL});
  assert_int_equal(p.status, 3);
  assert_holds(p.out, "device_subject on hopper-h100 under scheme none");
  process_free(&p);
  p = run_without_sigchld((const char *const[]){"compare", "--schemes", "lru,srrip", "--", SUBJECT, "exit", NULL});
  assert_int_equal(p.status, 0);
  process_free(&p);
  p = run_without_sigchld((const char *const[]){"compare", "nn", "--schemes", "lru,plru", NULL});
  assert_int_equal(p.status, 0);
  assert_holds(p.out, "plru");
  process_free(&p);
}

static int end_with_3(void *context, FILE *answer) {
  (void)context, (void)answer;
  return 3;
}

// Within one process that ignores it, too: a child that is gone has ended, how is not known.
static void a_child_that_is_gone_has_ended(void **state) {
  (void)state;
  struct weir_job job;
  unsigned which = 9;
  signal(SIGCHLD, SIG_IGN);
  weir_jobs_begin();
  assert_true(weir_job_start(&job, end_with_3, NULL));
  enum weir_wait what = WEIR_WAIT_TIMEOUT;
  for (int i = 0; i < 50 && what == WEIR_WAIT_TIMEOUT; i++) what = weir_jobs_wait(&job, 1, 0.1, &which);
  assert_int_equal(what, WEIR_WAIT_ENDED);
  assert_int_equal(which, 0);
  assert_int_equal(WEXITSTATUS(job.status), WEIR_STATUS_UNKNOWN);
  struct weir_job_text said = weir_job_answer(&job);
  assert_string_equal(said.text, "");
  weir_job_text_free(&said);
  weir_jobs_end();
  signal(SIGCHLD, SIG_DFL);
}

// Compute capabilities: chips/*.yaml. A program's PTX runs on what is not older than it was compiled for.
static void newer_programs(void **state) {
  (void)state;
  setenv("SUBJECT_TARGET", "sm_80", 1);
  struct process p = process_run("run", "--chip", "volta-v100", "--", SUBJECT, "exit");
  assert_holds(
    p.err,
    "weir: the program's PTX is for compute capability 8.0 and would not run on a real volta-v100 (7.0); chips "
    "that take it (--chip): ada-l40, ada-rtx4090, ampere-a100, "
    "ampere-a40, blackwell-b200, blackwell-rtx5090, hopper-h100, hopper-h200\n");
  assert_holds(p.out, "device_subject on volta-v100 under scheme none");
  process_free(&p);
  static const char *const quiet[] = {"ampere-a100", "hopper-h100"};
  for (unsigned i = 0; i < 2; i++) {
    p = process_run("run", "--chip", quiet[i], "--", SUBJECT, "exit");
    assert_null(strstr(p.err, "compute capability"));
    process_free(&p);
  }
  setenv("SUBJECT_TARGET", "sm_121", 1);
  p = process_run("run", "--", SUBJECT, "exit");
  assert_holds(
    p.err,
    "for compute capability 12.1 and would not run on a real hopper-h100 (9.0); chips that take it (--chip): "
    "none of those that come with weir\n");
  process_free(&p);
  unsetenv("SUBJECT_TARGET");
}

// PTX of sm_90a is for compute capability 9.0 alone, that of sm_100f for 10.x (PTX ISA, ".target").
static void programs_for_one_device(void **state) {
  (void)state;
  setenv("SUBJECT_TARGET", "sm_90a", 1);
  struct process p = process_run("run", "--chip", "blackwell-b200", "--", SUBJECT, "exit");
  assert_holds(p.err,
               "for compute capability 9.0 alone and would not run on a real blackwell-b200 (10.0); chips that "
               "take it (--chip): hopper-h100, hopper-h200\n");
  process_free(&p);
  p = process_run("run", "--", SUBJECT, "exit");
  assert_null(strstr(p.err, "compute capability"));
  process_free(&p);
  setenv("SUBJECT_TARGET", "sm_100f", 1);
  p = process_run("run", "--chip", "blackwell-rtx5090", "--", SUBJECT, "exit");
  assert_holds(p.err,
               "for compute capability 10.0 and others of its major version and would not run on a real "
               "blackwell-rtx5090 (12.0); chips that take it (--chip): blackwell-b200\n");
  process_free(&p);
  unsetenv("SUBJECT_TARGET");
}

static void default_is(const char *chip, const unsigned *archs, unsigned count) {
  char path[] = "/tmp/weir_program_XXXXXX";
  struct container c;
  container_open(&c);
  for (unsigned i = 0; i < count; i++) container_add_text(&c, archs[i], PLAIN, "");
  make_program(path, &(struct made){.needed = {"libcudart.so.13"}, .fatbin = c.bytes, .fatbin_bytes = c.size});
  assert_int_equal(chmod(path, 0700), 0);
  assert_string_equal(weir_command_default_chip(path), chip);
  unlink(path);
}

// Each entry of a container is the same code for another device: one that the chip takes is enough.
static void the_default_takes_the_program(void **state) {
  (void)state;
  default_is("hopper-h100", (const unsigned[]){0}, 0);
  default_is("hopper-h100", (const unsigned[]){75}, 1);
  default_is("hopper-h100", (const unsigned[]){120, 80}, 2);
  default_is("blackwell-b200", (const unsigned[]){100, 120}, 2);
  default_is("blackwell-rtx5090", (const unsigned[]){103}, 1);
  default_is("blackwell-rtx5090", (const unsigned[]){120}, 1);
  default_is("hopper-h100", (const unsigned[]){121}, 1); // none takes it
  assert_string_equal(weir_command_default_chip("/nowhere"), "hopper-h100");
  assert_string_equal(weir_command_default_chip("sh"), "hopper-h100");
}

static void unknown_instruction_set(void **state) {
  (void)state;
  setenv("WEIR_ISA", "bogus", 1);
  REFUSES("WEIR_ISA is sse, avx2 or avx512, not 'bogus'", "list", "chips");
  unsetenv("WEIR_ISA");
  struct process p = process_run("run", "--", "sh", "-c", "WEIR_ISA=bogus exec " SUBJECT " exit");
  assert_holds(p.err, "WEIR_ISA is sse, avx2 or avx512, not 'bogus'");
  assert_int_equal(p.status, 99);
  process_free(&p);
}

int main(void) {
  setenv("ASAN_OPTIONS", "handle_segv=0", 1); // of a sanitized subject: its handler would be in our way
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(report_follows_the_output),
    cmocka_unit_test(tells_why_threads_do_not_share_it),
    cmocka_unit_test(ends_as_the_program_does),
    cmocka_unit_test(json_is_alone),
    cmocka_unit_test(foreign_arguments),
    cmocka_unit_test(into_a_file),
    cmocka_unit_test(several_processes),
    cmocka_unit_test(no_device),
    cmocka_unit_test(without_launcher),
    cmocka_unit_test(hints_for_no_file),
    cmocka_unit_test(what_cannot_be_run),
    cmocka_unit_test(relative_names),
    cmocka_unit_test(interrupted),
    cmocka_unit_test(interrupted_comparison),
    cmocka_unit_test(the_program_s_clock),
    cmocka_unit_test(comparison),
    cmocka_unit_test(comparison_of_unequal_runs),
    cmocka_unit_test(comparison_into_a_file),
    cmocka_unit_test(compared_programs_read_nothing),
    cmocka_unit_test(sigchld_may_be_ignored),
    cmocka_unit_test(a_child_that_is_gone_has_ended),
    cmocka_unit_test(unknown_instruction_set),
    cmocka_unit_test(refused_launches),
    cmocka_unit_test(newer_programs),
    cmocka_unit_test(programs_for_one_device),
    cmocka_unit_test(the_default_takes_the_program),
    cmocka_unit_test(rates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
