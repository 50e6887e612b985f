// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Sweeps: the best of runs that are each what it would be alone, whichever order they end in, none of them twice.
#include "weir_process.h"

#include "base/alloc.h"
#include "conform.h"
#include "batch/items.h"
#include "run/object.h"

#include <math.h>
#include <sys/stat.h>

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

// ---- as a user runs it -----------------------------------------------------------------------------------------------

// Each value by an ordinary run; the sweep is the one of them with the fewest cycles.
static void minimum_of_single_runs(void **state) {
  (void)state;
  static const char *const values[] = {"0.25", "0", "1", "0.5"};
  json_t *sweep = JSON_OF("run", "backprop", "--scheme", "bypass-random,probability=best:0.25|0|1|0.5"), *best = NULL;
  json_t *tried = weir_run_member(sweep, "sweep.tried");
  assert_int_equal(json_array_size(tried), 4);
  size_t chosen = 0;
  for (size_t i = 0; i < 4; i++) {
    char scheme[64];
    snprintf(scheme, sizeof scheme, "bypass-random,probability=%s", values[i]);
    json_t *one = JSON_OF("run", "backprop", "--scheme", scheme), *entry = json_array_get(tried, i);
    assert_true(weir_run_number(entry, "values.probability") == atof(values[i]));
    assert_true(weir_run_number(entry, "cycles") == weir_run_number(one, "total.cycles"));
    assert_string_equal(weir_run_text(entry, "check"), "passed");
    assert_int_equal(json_object_size(weir_run_member(one, "sweep.best")), 0);
    bool better = !best || weir_run_number(one, "total.cycles") < weir_run_number(best, "total.cycles");
    json_t *worse = better ? best : one;
    if (better) best = one, chosen = i;
    json_decref(worse);
  }
  assert_true(weir_run_number(sweep, "sweep.best.probability") == atof(values[chosen]));
  assert_string_equal(weir_run_text(sweep, "scheme"), "bypass-random,probability=best:0.25|0|1|0.5");
  json_object_set(best, "scheme", json_object_get(sweep, "scheme")); // all else is that run's
  json_object_set(best, "sweep", json_object_get(sweep, "sweep"));
  assert_true(json_equal(sweep, best));
  json_decref(best);
  json_decref(sweep);
}

#define TWO_KEYS "lru,l1.mshrs=best:4|8,l1.size_kib=best:16|32"

static void any_number_of_jobs(void **state) {
  (void)state;
  json_t *one = JSON_OF("compare", "backprop", "reads-l2", "--scheme", "lru", "--scheme", TWO_KEYS, "--jobs", "1");
  json_t *two = JSON_OF("compare", "backprop", "reads-l2", "--scheme", "lru", "--scheme", TWO_KEYS, "--jobs", "2");
  json_t *alone = JSON_OF("run", "reads-l2", "--scheme", TWO_KEYS, "--jobs", "2");
  assert_int_equal(json_array_size(one), 4);
  assert_int_equal(json_array_size(weir_run_member(alone, "sweep.tried")), 4);
  assert_true(json_equal(one, two));
  assert_true(json_equal(json_array_get(one, 3), alone));
  double kib = weir_run_number(alone, "sweep.best.l1.size_kib"); // a key with a dot
  assert_true(kib == 16 || kib == 32);
  conform("run", alone, weir_run_members, false);
  json_decref(one);
  json_decref(two);
  json_decref(alone);
}

// A measurement changes no cycle: of equals, the first is chosen.
static void first_of_equals(void **state) {
  (void)state;
  json_t *yes = JSON_OF("run", "backprop", "--scheme", "lru,l1.shadow_tags=best:true|false", "--jobs", "2");
  json_t *no = JSON_OF("run", "backprop", "--scheme", "lru,l1.shadow_tags=best:false|true", "--jobs", "2");
  assert_true(weir_run_number(yes, "total.cycles") == weir_run_number(no, "total.cycles"));
  assert_string_equal(weir_run_text(yes, "sweep.best.l1.shadow_tags"), "true");
  assert_string_equal(weir_run_text(no, "sweep.best.l1.shadow_tags"), "false");
  json_decref(yes);
  json_decref(no);
}

// By thread instructions per cycle, as single runs have them; here by what `tried` says of each.
static void highest_ipc(void **state) {
  (void)state;
  json_t *sweep = JSON_OF("run", "backprop", "--scheme", "lru,l1.size_kib=best-ipc:16|32|64"), *one;
  assert_string_equal(weir_run_text(sweep, "sweep.objective"), "ipc");
  double best = 0;
  size_t i, chosen = 3;
  json_array_foreach(weir_run_member(sweep, "sweep.tried"), i, one) {
    const double ipc = weir_run_number(sweep, "total.thread_instructions") / weir_run_number(one, "cycles");
    assert_true(fabs(weir_run_number(one, "thread_ipc") / ipc - 1) < 1e-9); // backprop's work is always the same
    if (ipc > best) best = ipc, chosen = i;
  }
  static const double sizes[] = {16, 32, 64};
  assert_true(chosen < 3 && weir_run_number(sweep, "sweep.best.l1.size_kib") == sizes[chosen]);
  json_decref(sweep);
  struct process p = process_run("run", "backprop", "--scheme", "lru,l1.shadow_tags=best-ipc:true|false");
  assert_holds(p.out, "the best of 2 runs, reported below: l1.shadow_tags=true");
  assert_holds(p.out, "thread IPC");
  process_free(&p);
}

static void tables_say_what_was_chosen(void **state) {
  (void)state;
  struct process p = process_run("compare", "backprop", "--schemes", "lru,lru,l1.shadow_tags=best:true|false", "--csv");
  assert_int_equal(p.status, 0);
  assert_holds(p.out, ",check,chosen\nbackprop,lru,");
  assert_holds(p.out, ",passed,l1.shadow_tags=true\n");
  process_free(&p);
  p = process_run("run", "backprop", "--scheme", "lru,l1.shadow_tags=best:true|false");
  assert_holds(p.out, "the best of 2 runs, reported below: l1.shadow_tags=true");
  process_free(&p);
}

static void mistakes_come_first(void **state) {
  (void)state;
  static const char *const schemes[] = {"bypass-random,probability=best:0|2", "lru,l1.replace=best:lru|lur",
                                        "lru,l1.size_kib=best:16|24"};
  static const char *const says[] = {"not '2'", "'lur'", "l1.size_kib (24) must be a power of two of sets"};
  for (int i = 0; i < 3; i++) {
    struct process p = process_run("compare", "nn", "backprop", "--scheme", schemes[i]);
    assert_int_equal(p.status, 2);
    assert_string_equal(p.out, "");
    assert_holds(p.err, says[i]);
    assert_null(strstr(strstr(p.err, says[i]) + 1, says[i])); // once, though for two programs
    process_free(&p);
  }
}

// A scheme of a file, as `weir list` shows it.
static void listed(void **state) {
  (void)state;
  char folder[] = "/tmp/weir-sweep-XXXXXX", path[64], command[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/schemes", folder);
  assert_int_equal(mkdir(path, 0777), 0);
  snprintf(path, sizeof path, "%s/schemes/mine.yaml", folder);
  FILE *f = fopen(path, "w");
  fputs("name: mine\nsummary: some\ncitation: me\n"
        "policies: [{cache: first, bypass: [random], knobs: {probability: best:0..0.5/0.1|1}}]\n",
        f);
  fclose(f);
  setenv("WEIR_DATA", folder, 1);
  struct process list = process_run("list", "schemes"), one = process_run("list", "schemes", "mine");
  json_t *run = JSON_OF("run", "backprop", "--scheme", "mine,probability=best:1|0");
  unsetenv("WEIR_DATA");
  assert_holds(list.out, "mine  some; sweeps probability: 0 0.1 0.2 ... 1 [me]\n");
  assert_holds(one.out, "\n  probability: 0 0.1 0.2 0.3 0.4 0.5 1\n");
  assert_int_equal(json_array_size(weir_run_member(run, "sweep.tried")), 2);
  json_decref(run);
  process_free(&list);
  process_free(&one);
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

// ---- from runs to results, with runs that never ran --------------------------------------------------------------------

static void plan(struct weir_batch *b, const char *const *schemes) {
  struct weir_sink sink = {0};
  *b = (struct weir_batch){0};
  for (; *schemes; schemes++)
    weir_batch_add(b,
                   &(struct weir_experiment){.program = "backprop", .chip = "gcn-apu", .scheme = *schemes, .seed = 1});
  assert_true(weir_batch_check(b, &sink));
}
#define PLAN(b, ...) plan(b, (const char *const[]){__VA_ARGS__, NULL})

static void end_run(struct weir_batch *b, unsigned k, int cycles, const char *check) {
  weir_batch_take(b, k,
                  json_pack("{s:s, s:s, s:{s:i}}", "scheme", b->runs[k].experiment.scheme, "check", check, "total",
                            "cycles", cycles));
  b->runs[k].state = WEIR_BATCH_DONE;
}

#define THREE "bypass-random,probability=best:0|0.5|1"

// Items that ask for the same run share it, the run of a combination included.
static void nothing_twice(void **state) {
  (void)state;
  struct weir_batch b;
  PLAN(&b, "bypass-random,probability=0.5", THREE, "bypass-random,probability=best:1|0.25",
       "bypass-random,probability=0.5");
  assert_int_equal(b.run_count, 4); // 0.5, 0, 1, 0.25
  for (unsigned k = 0; k < 4; k++) end_run(&b, k, 10 + (int)k, "passed");
  weir_batch_settle(&b);
  static const int cycles[] = {10, 10, 12, 10};
  for (unsigned i = 0; i < 4; i++) assert_true(weir_run_number(b.items[i].run, "total.cycles") == cycles[i]);
  assert_string_equal(weir_run_text(b.items[0].run, "scheme"), "bypass-random,probability=0.5");
  assert_string_equal(weir_run_text(b.items[1].run, "scheme"), THREE);
  assert_null(weir_run_member(b.items[0].run, "sweep"));
  assert_true(weir_run_number(b.items[1].run, "sweep.best.probability") == 0.5);
  weir_batch_free(&b);
}

// In whatever order they end: the fewest cycles, the first of equals, none with wrong results.
static void best_in_any_order(void **state) {
  (void)state;
  static const int cycles[] = {5, 7, 7};
  static const char *const checks[] = {"failed", "passed", "passed"};
  static const unsigned orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int o = 0; o < 6; o++) {
    struct weir_batch b;
    PLAN(&b, THREE);
    for (int i = 0; i < 3; i++) end_run(&b, orders[o][i], cycles[orders[o][i]], checks[orders[o][i]]);
    weir_batch_settle(&b);
    char *choice = weir_batch_choice(&b.items[0]), *said = NULL;
    size_t size;
    FILE *to = open_memstream(&said, &size);
    assert_string_equal(choice, "probability=0.5");
    assert_int_equal(weir_batch_status(&b, to), 1);
    fclose(to);
    assert_string_equal(
      said, "weir: backprop under bypass-random,probability=0: its results are wrong (weir run says where)\n");
    assert_int_equal(json_array_size(weir_run_member(b.items[0].run, "sweep.tried")), 3);
    weir_free(choice);
    free(said);
    weir_batch_free(&b);
  }
}

// The slower run did more work: 40 / 8 instructions per cycle against 20 / 5 and 30 / 10.
static void best_by_ipc(void **state) {
  (void)state;
  static const int cycles[] = {5, 8, 10}, instructions[] = {20, 40, 30};
  static const char *const lists[] = {"bypass-random,probability=best:0|0.5|1",
                                      "bypass-random,probability=best-ipc:0|0.5|1"};
  static const char *const chosen[] = {"probability=0", "probability=0.5"}, *const by[] = {"cycles", "ipc"};
  struct weir_batch b;
  PLAN(&b, lists[0], lists[1]);
  assert_int_equal(b.run_count, 3);
  for (unsigned k = 0; k < 3; k++) {
    weir_batch_take(&b, k,
                    json_pack("{s:s, s:s, s:{s:i, s:i}}", "scheme", b.runs[k].experiment.scheme, "check", "passed",
                              "total", "cycles", cycles[k], "thread_instructions", instructions[k]));
    b.runs[k].state = WEIR_BATCH_DONE;
  }
  weir_batch_settle(&b);
  for (unsigned i = 0; i < 2; i++) {
    char *choice = weir_batch_choice(&b.items[i]);
    assert_string_equal(choice, chosen[i]);
    assert_string_equal(weir_run_text(b.items[i].run, "sweep.objective"), by[i]);
    assert_true(weir_run_number(json_array_get(weir_run_member(b.items[i].run, "sweep.tried"), 1), "thread_ipc") == 5);
    weir_free(choice);
  }
  weir_batch_free(&b);
}

static json_t *keep_check(const json_t *run, const struct weir_run_numbers *total) {
  return json_pack("{s:f, s:O}", "cycles", total->cycles, "check", json_object_get(run, "check"));
}

// A mix's fastest programs are the result, also where little of a run object is read, and as the text that a child answers with.
static void best_of_a_mix(void **state) {
  (void)state;
  static const double speeds[] = {1.0, 3.0, 2.0};
  static const char *const members[] = {"check", "total", NULL};
  struct weir_batch b;
  PLAN(&b, THREE);
  b.keep = keep_check;
  b.members = members;
  for (unsigned k = 0; k < 3; k++) {
    json_t *whole = json_pack("{s:s, s:{s:i}, s:{s:[{s:f}]}, s:[i]}", "check", "passed", "total", "cycles", 5 + (int)k,
                              "mix", "programs", "ipc", speeds[k], "loads", 1);
    char *answer = weir_json_text(whole, false);
    weir_batch_take(&b, k, weir_json_members(answer, weir_batch_reads(&b, k)));
    b.runs[k].state = WEIR_BATCH_DONE;
    free(answer);
    json_decref(whole);
  }
  weir_batch_settle(&b);
  char *choice = weir_batch_choice(&b.items[0]);
  assert_string_equal(choice, "probability=0.5");
  assert_true(weir_run_number(b.items[0].run, "cycles") == 6);
  assert_null(weir_run_member(b.items[0].run, "total"));
  weir_free(choice);
  weir_batch_free(&b);
}

static void no_candidate(void **state) {
  (void)state;
  struct weir_batch b;
  PLAN(&b, THREE);
  for (unsigned k = 0; k < 2; k++) end_run(&b, k, 5, "failed");
  b.runs[2].state = WEIR_BATCH_DONE;
  b.runs[2].failure = weir_text_copy("ended by signal 9\n");
  weir_batch_settle(&b);
  assert_null(b.items[0].run);
  assert_string_equal(b.items[0].failure, "none of its sweep's runs ended with right results\n");
  char *choice = weir_batch_choice(&b.items[0]);
  assert_string_equal(choice, "");
  assert_int_equal(weir_batch_ended(&b), 2);
  weir_free(choice);
  weir_batch_free(&b);
}

// ---- the store -------------------------------------------------------------------------------------------------------

static json_t *stored(struct weir_store *s, const char *scheme) {
  char key[WEIR_HASH_TEXT];
  struct weir_sink sink = {0};
  const struct weir_experiment e = {.program = "backprop", .chip = "gcn-apu", .scheme = scheme, .seed = 1};
  assert_true(weir_experiment_key(&e, key, &sink));
  return weir_store_get(s, key, &sink);
}

// A longer sweep runs only what the shorter one left; an ordinary run finds a combination's result, and the other way round.
static void goes_on_from_the_store(void **state) {
  (void)state;
  char path[] = "/tmp/weir-sweep-XXXXXX";
  close(mkstemp(path));
  struct weir_sink sink = {0};
  struct weir_store *s = weir_store_open(path, WEIR_STORE_WAL, &sink);
  const struct weir_batch_options options = {.jobs = 2, .store = s};
  struct weir_batch first, second;
  PLAN(&first, "bypass-random,probability=best:0|1");
  assert_true(weir_batch_run(&first, &options, &sink));
  json_t *zero = stored(s, "bypass-random,probability=0"), *half = stored(s, "bypass-random,probability=0.5");
  assert_non_null(zero);
  assert_null(half);
  PLAN(&second, THREE, "bypass-random,probability=0");
  assert_true(weir_batch_run(&second, &options, &sink));
  assert_true(json_equal(second.items[1].run, zero)); // wall time included: it was not run again
  half = stored(s, "bypass-random,probability=0.5");
  assert_non_null(half);
  assert_int_equal(weir_batch_ended(&second), 3);
  json_decref(zero);
  json_decref(half);
  weir_batch_free(&first);
  weir_batch_free(&second);
  weir_store_close(s);
  char command[64];
  snprintf(command, sizeof command, "rm %s*", path);
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(minimum_of_single_runs),
    cmocka_unit_test(any_number_of_jobs),
    cmocka_unit_test(first_of_equals),
    cmocka_unit_test(tables_say_what_was_chosen),
    cmocka_unit_test(mistakes_come_first),
    cmocka_unit_test(listed),
    cmocka_unit_test(nothing_twice),
    cmocka_unit_test(best_in_any_order),
    cmocka_unit_test(best_by_ipc),
    cmocka_unit_test(highest_ipc),
    cmocka_unit_test(best_of_a_mix),
    cmocka_unit_test(no_candidate),
    cmocka_unit_test(goes_on_from_the_store),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
