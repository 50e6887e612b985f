// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// S-L1 as users reach it: the command, --sl1, schemes, sweeps of threads; and that runs which differ in it are kept apart.
#include "weir_process.h"

#include "conform.h"
#include "batch/batch.h"
#include "run/environment.h"
#include "run/experiment.h"
#include "run/object.h"
#include "ptx/parse.h"

#include <math.h>

#define UPPER WEIR_SOURCE_DIR "/workloads/upper/upper.ptx"

static json_t *json_of(const char *const *argv) {
  struct process p = process_run_all(argv);
  if (p.status) fail_msg("status %d: %s", p.status, p.err);
  json_t *v = json_loads(p.out, 0, NULL), *run;
  size_t i;
  if (!v) fail_msg("no JSON:\n%s%s", p.out, p.err);
  process_free(&p);
  if (json_is_object(v)) json_object_del(v, "host");
  json_array_foreach(v, i, run) json_object_del(run, "host");
  return v;
}
#define JSON_OF(...) json_of((const char *const[]){__VA_ARGS__, "--json", NULL})

#define REFUSES(says, ...) refuses(says, (const char *const[]){__VA_ARGS__, NULL})
static void refuses(const char *says, const char *const *argv) {
  struct process p = process_run_all(argv);
  assert_int_equal(p.status, 2);
  assert_holds(p.err, says);
  process_free(&p);
}

// ---- runs ----------------------------------------------------------------------------------------------------------------

static void the_run_object_tells(void **state) {
  (void)state;
  json_t *plain = JSON_OF("run", "matmul"),
         *run = JSON_OF("run", "matmul", "--sl1=counters=on", "--sl1", "--sl1=line_bytes=8");
  assert_true(json_is_null(json_object_get(plain, "sl1")));
  assert_string_equal(weir_run_text(run, "check"), "passed");
  assert_true(json_equal(json_object_get(plain, "checksums"), json_object_get(run, "checksums")));
  assert_string_equal(weir_run_text(run, "sl1.options.line_bytes"), "8");
  assert_string_equal(weir_run_text(run, "sl1.options.counters"), "true");
  assert_int_equal(json_object_size(weir_run_member(run, "sl1.options")), 2);
  const json_t *kernel = json_array_get(weir_run_member(run, "sl1.kernels"), 0);
  assert_string_equal(weir_run_text(kernel, "name"), "matmul");
  assert_int_equal(json_array_size(weir_run_member(kernel, "structures")), 3); // a, b, c
  json_decref(plain);
  json_decref(run);
}

static const struct weir_member *sl1_members(void) {
  const struct weir_member *m = weir_run_members;
  while (strcmp(m->name, "sl1")) m++;
  return m->members;
}

// wc reads each byte of its text once, 960 KiB and the rest of a paragraph, in chunks of 512 bytes or one more for each of
// 15 × 128 threads; the first 300 of each are monitored (section 3.2.1). The rest, 212 or 213 bytes, lies in 14 or 15 lines
// of 16, and the first access of each misses: between 197 of 212 and 199 of 213 hit.
static void hits_are_counted(void **state) {
  (void)state;
  enum { THREADS = 15 * 128, LEAST_BYTES = 960 << 10 };
  json_t *run = JSON_OF("run", "wc", "--sl1=counters=on", "--chip", "kepler-titan-black");
  const json_t *kernel = json_array_get(weir_run_member(run, "sl1.kernels"), 0);
  const json_t *text = json_array_get(weir_run_member(kernel, "structures"), 0);
  const json_t *c = weir_run_member(text, "counters");
  assert_true(json_is_true(weir_run_member(kernel, "transformed")));
  assert_string_equal(weir_run_text(text, "verdict"), "candidate");
  assert_false(json_is_true(weir_run_member(text, "written")));
  double monitored = weir_run_number(c, "monitored"), accesses = weir_run_number(c, "accesses"),
         hits = weir_run_number(c, "hits");
  assert_true(weir_run_number(c, "threads") == THREADS);
  assert_true(weir_run_number(c, "caching") == THREADS);
  assert_true(monitored == 300 * THREADS);
  assert_true(monitored + accesses >= LEAST_BYTES && monitored + accesses < LEAST_BYTES + 4096);
  assert_true(hits >= accesses * 197 / 212 && hits <= accesses * 199 / 213);
  assert_true(hits + weir_run_number(c, "fills") == accesses);
  assert_true(fabs(weir_run_number(c, "hit_rate") - hits / accesses) < 1e-12);
  conform("sl1", json_object_get(run, "sl1"), sl1_members(), true);
  assert_true(weir_run_number(c, "written_bytes") == 0);
  // its totals are added to atomically, and read by none
  assert_string_equal(weir_run_text(json_array_get(weir_run_member(kernel, "structures"), 2), "verdict"), "atomic");
  assert_true(json_is_null(weir_run_member(json_array_get(weir_run_member(kernel, "structures"), 2), "counters")));
  json_decref(run);
}

// An option before the scheme, in the scheme, or in its file, which has LRU: the same run. Where no scheme is named, it is that of none.
static void one_thing_said_in_several_ways(void **state) {
  (void)state;
  json_t *a = JSON_OF("run", "matmul", "--scheme", "lru", "--sl1=line_bytes=8"),
         *b = JSON_OF("run", "matmul", "--scheme", "lru,sl1.line_bytes=8"),
         *c = JSON_OF("run", "matmul", "--scheme", "sl1", "--sl1=line_bytes=8"),
         *d = JSON_OF("run", "matmul", "--scheme", "lru,sl1.line_bytes=8", "--sl1=line_bytes=32"),
         *unnamed = JSON_OF("run", "matmul", "--sl1=line_bytes=8"),
         *none = JSON_OF("run", "matmul", "--scheme", "none,sl1.line_bytes=8");
  json_t *all[] = {a, b, c, d};
  for (int i = 0; i < 4; i++) json_object_del(all[i], "scheme");
  for (int i = 1; i < 4; i++) assert_true(json_equal(a, all[i]));
  for (int i = 0; i < 4; i++) json_decref(all[i]);
  json_object_del(unnamed, "scheme");
  json_object_del(none, "scheme");
  assert_true(json_equal(unnamed, none));
  json_decref(unnamed);
  json_decref(none);
}

static void functional(void **state) {
  (void)state;
  json_t *plain = JSON_OF("run", "wc", "--functional"), *run = JSON_OF("run", "wc", "--functional", "--sl1");
  assert_string_equal(weir_run_text(run, "check"), "passed");
  assert_true(weir_run_number(run, "total.warp_instructions") != weir_run_number(plain, "total.warp_instructions"));
  json_decref(plain);
  json_decref(run);
}

// Programs with and without S-L1 are prepared apart, in whichever order and number of processes.
static void any_number_of_jobs(void **state) {
  (void)state;
#define SCHEMES "lru,sl1,lru,launch.blocks=30"
  json_t *one = JSON_OF("compare", "matmul", "reads-l2", "--schemes", SCHEMES, "--jobs", "1");
  json_t *two = JSON_OF("compare", "matmul", "reads-l2", "--schemes", SCHEMES, "--jobs", "2");
  json_t *alone = JSON_OF("run", "matmul", "--scheme", "sl1");
  assert_int_equal(json_array_size(one), 6);
  assert_true(json_equal(one, two));
  assert_true(json_equal(json_array_get(one, 1), alone));
  assert_true(json_is_null(json_object_get(json_array_get(one, 2), "sl1")));
  assert_true(weir_run_number(json_array_get(one, 2), "total.blocks") == 30);
  json_decref(one);
  json_decref(two);
  json_decref(alone);
}

// Each configuration by an ordinary run; the sweep is the one of them with the fewest cycles.
static void the_best_threads(void **state) {
  (void)state;
  json_t *sweep = JSON_OF("run", "matmul", "--scheme", "sl1,launch.blocks=best:15|30,launch.threads=best:64|128");
  json_t *tried = weir_run_member(sweep, "sweep.tried");
  assert_int_equal(json_array_size(tried), 4);
  double best = weir_run_number(sweep, "total.cycles");
  for (size_t i = 0; i < 4; i++) {
    char scheme[96];
    const json_t *entry = json_array_get(tried, i);
    int blocks = i < 2 ? 15 : 30, threads = i % 2 ? 128 : 64;
    snprintf(scheme, sizeof scheme, "sl1,launch.blocks=%d,launch.threads=%d", blocks, threads);
    json_t *one = JSON_OF("run", "matmul", "--scheme", scheme);
    assert_true(weir_run_number(one, "total.blocks") == blocks);
    assert_true(weir_run_number(json_object_get(entry, "values"), "launch.threads") != 0);
    assert_true(weir_run_number(entry, "cycles") == weir_run_number(one, "total.cycles"));
    assert_true(weir_run_number(entry, "cycles") >= best);
    assert_true(json_equal(json_object_get(one, "checksums"), json_object_get(sweep, "checksums")));
    json_decref(one);
  }
  json_decref(sweep);
}

static void refusals(void **state) {
  (void)state;
  REFUSES("--sl1: option 'line_bytes' of S-L1 must be one of 8, 16, 24, 32, not '12'", "run", "upper",
          "--sl1=line_bytes=12");
  REFUSES("--sl1: S-L1 has no option 'line'; did you mean 'line_bytes'?", "run", "upper", "--functional",
          "--sl1=line=8");
  REFUSES("'nn' cannot be given blocks and threads", "run", "nn", "--scheme", "lru,launch.blocks=3");
  REFUSES("a program says itself what it launches", "run", "--scheme", "lru,launch.blocks=3", "--", "true");
  REFUSES("a program says itself what it launches", "compare", "--schemes", "lru,launch.blocks=3", "--", "true");
}

// ---- results that are kept -------------------------------------------------------------------------------------------------

static void keys_tell_them_apart(void **state) {
  (void)state;
  enum { WAYS = 6 };
  static const char *const sl1[WAYS] = {NULL, "", "line_bytes=8", NULL, NULL, NULL};
  static const char *const schemes[WAYS] = {"lru", "lru", "lru", "sl1", "sl1,sl1.line_bytes=8", "sl1,launch.blocks=3"};
  char keys[WAYS][WEIR_HASH_TEXT];
  for (int i = 0; i < WAYS; i++) {
    struct weir_sink sink = {0};
    struct weir_experiment e = {.program = "upper", .chip = "gcn-apu", .scheme = schemes[i], .sl1 = sl1[i], .seed = 1};
    assert_true(weir_experiment_key(&e, keys[i], &sink));
    for (int k = 0; k < i; k++) assert_string_not_equal(keys[i], keys[k]);
  }
}

// ---- the command -----------------------------------------------------------------------------------------------------------

static void the_command_prints_ptx(void **state) {
  (void)state;
  char path[] = "/tmp/weir-sl1-XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  struct process p = process_run("sl1", UPPER, "line_bytes=8"),
                 q = process_run("sl1", UPPER, "--set", "line_bytes=8", "-o", path);
  assert_int_equal(p.status, 0);
  assert_string_equal(p.err, "");
  assert_int_equal(q.status, 0);
  assert_string_equal(q.out, "");
  struct weir_sink sink = {0};
  struct weir_module *m = weir_ptx_read(path, &sink), *n = weir_ptx_parse("out", p.out, strlen(p.out), &sink);
  assert_true(m && n && !sink.count);
  assert_string_equal(m->text, p.out);
  weir_module_free(m);
  weir_module_free(n);
  process_free(&p);
  process_free(&q);
  unlink(path);
}

static unsigned registers_by_check(const char *path, const char *chip) {
  struct process p =
    chip ? process_run("check", "--registers", path, "--chip", chip) : process_run("check", "--registers", path);
  unsigned registers = 0;
  assert_int_equal(p.status, 0);
  const char *line = strstr(p.out, "upper ");
  assert_non_null(line);
  assert_int_equal(sscanf(line, "upper %u", &registers), 1);
  process_free(&p);
  return registers;
}

static void the_command_reports(void **state) {
  (void)state;
  struct process p = process_run("sl1", UPPER, "--report");
  assert_int_equal(p.status, 0);
  assert_holds(p.err, "upper.ptx: kernel upper transformed");
  // A tag and a place per structure, a bitmap for the one that is written, and the window (docs/S-L1.md): at least 6 more;
  // both numbers are those of `weir check --registers`.
  unsigned after = 0, before = 0;
  const char *registers = strstr(p.err, "kernel upper: about ");
  assert_non_null(registers);
  assert_int_equal(
    sscanf(registers, "kernel upper: about %u registers per thread, before it was transformed %u", &after, &before), 2);
  assert_int_equal(before, registers_by_check(UPPER, NULL));
  assert_true(after >= before + 6);
  // the loop of upper.cl, unrolled once, and what is left of it
  assert_holds(p.err, ": structure upper_param_0, read-only, 3 loads and 0 stores in main loops: candidate");
  assert_holds(p.err, ": structure upper_param_1, read-write, 0 loads and 3 stores in main loops: candidate");
  assert_holds(p.err, "(upper.cl:10): main loop transformed");
  process_free(&p);
}

// Volta's assembler needs more than Kepler's, and both commands say the same of it.
static void the_command_reports_for_a_chip(void **state) {
  (void)state;
  const unsigned kepler = registers_by_check(UPPER, NULL), volta = registers_by_check(UPPER, "volta-v100");
  assert_true(volta > kepler);
  assert_int_equal(kepler, registers_by_check(UPPER, "kepler-titan-black"));
  struct process p = process_run("sl1", UPPER, "--report", "--chip", "volta-v100");
  char said[100];
  snprintf(said, sizeof said, "before it was transformed %u\n", volta);
  assert_int_equal(p.status, 0);
  assert_holds(p.err, said);
  process_free(&p);
  REFUSES("no-such-chip", "sl1", UPPER, "--report", "--chip", "no-such-chip");
}

static void the_command_helps_and_refuses(void **state) {
  (void)state;
  struct process p = process_run("sl1", "--help");
  assert_int_equal(p.status, 0);
  for (unsigned i = 0; i < weir_sl1_table.count; i++) {
    const struct weir_param *row = &weir_sl1_table.rows[i];
    char line[300], values[200];
    weir_param_describe(row, values, sizeof values);
    snprintf(line, sizeof line, "\n%s=%s (%s):", row->name, row->initial, values);
    assert_holds(p.out, line);
  }
  process_free(&p);
  REFUSES("FILE.ptx", "sl1");
  REFUSES("no-such.ptx", "sl1", "no-such.ptx");
  REFUSES("option 'scope' of S-L1 must be one of thread, block, not 'warp'", "sl1", UPPER, "scope=warp");
  REFUSES("'x' is not of the form option=value", "sl1", UPPER, "x");
  REFUSES("upper.cl:", "sl1", WEIR_SOURCE_DIR "/workloads/upper/upper.cl");
}

// Variables of the environment are values like any other; WEIR_SL1 may be a boolean or options.
static void the_environment(void **state) {
  (void)state;
  static const struct {
    const char *text, *options; // NULL: no S-L1
  } cases[] = {
    {"on", ""}, {"true", ""}, {"1", ""}, {"off", NULL}, {"No", NULL}, {"", NULL}, {"line_bytes=8", "line_bytes=8"}};
  struct weir_experiment e;
  struct weir_sink sink = {0};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    setenv(WEIR_ENV_SL1, cases[i].text, 1);
    assert_true(weir_environment_experiment(&e, &sink));
    if (cases[i].options)
      assert_string_equal(e.sl1, cases[i].options);
    else
      assert_null(e.sl1);
  }
  setenv(WEIR_ENV_STRICT, "yes", 1);
  setenv(WEIR_ENV_SEED, "0x10", 1);
  assert_true(weir_environment_experiment(&e, &sink));
  assert_true(e.strict && e.seed == 16);
  setenv(WEIR_ENV_SL1, "maybe", 1);
  setenv(WEIR_ENV_STRICT, "2", 1);
  setenv(WEIR_ENV_SEED, "-1", 1);
  assert_false(weir_environment_experiment(&e, &sink));
  assert_int_equal(sink.errors, 3);
  assert_holds(sink.diags[0].message, "WEIR_SL1: 'maybe' is not of the form option=value");
  assert_holds(sink.diags[1].message, "WEIR_SEED must be an integer from 0 to 9223372036854775807, not '-1'");
  assert_holds(sink.diags[2].message, "WEIR_STRICT must be true or false, not '2'");
  weir_sink_free(&sink);
  unsetenv(WEIR_ENV_SL1);
  unsetenv(WEIR_ENV_STRICT);
  unsetenv(WEIR_ENV_SEED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_run_object_tells),
    cmocka_unit_test(hits_are_counted),
    cmocka_unit_test(one_thing_said_in_several_ways),
    cmocka_unit_test(functional),
    cmocka_unit_test(any_number_of_jobs),
    cmocka_unit_test(the_best_threads),
    cmocka_unit_test(refusals),
    cmocka_unit_test(keys_tell_them_apart),
    cmocka_unit_test(the_command_prints_ptx),
    cmocka_unit_test(the_command_reports),
    cmocka_unit_test(the_command_reports_for_a_chip),
    cmocka_unit_test(the_command_helps_and_refuses),
    cmocka_unit_test(the_environment),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
