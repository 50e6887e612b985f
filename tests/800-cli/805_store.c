// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The results store: keys tell experiments apart, processes share it, and a batch that was interrupted goes on.
#include "weir_process.h"

#include "batch/batch.h"
#include "batch/schema.h"
#include "report/study.h"
#include "run/object.h"

#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>

static char folder[] = "/tmp/weir-store-XXXXXX";
static char path[64], launch[64], module[64];

// A program that runs for a tenth of a second or so: 8 warps × so many turns of three instructions.
#if WEIR_SANITIZED
  #define TURNS "100000"
#else
  #define TURNS "500000"
#endif
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".entry spin()\n{\n.reg .b32 %i;\n.reg .pred %p;\nmov.u32 %i, 0;\n"
                          "$again:\nadd.u32 %i, %i, 1;\nsetp.lt.u32 %p, %i, " TURNS ";\n@%p bra $again;\nret;\n}\n";
static const char yaml[] = "module: spin.ptx\nbuffers:\n  out: {bytes: 4, fill: zero}\n"
                           "launches:\n  - {kernel: spin, grid: [1, 1, 1], block: [256, 1, 1], args: []}\n";

static int make_files(void **state) {
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/deeper/results.sqlite", folder);
  snprintf(launch, sizeof launch, "%s/spin.yaml", folder);
  snprintf(module, sizeof module, "%s/spin.ptx", folder);
  write_text_file(launch, yaml);
  write_text_file(module, ptx);
  return 0;
}

static int remove_files(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static struct weir_store *open_store(void) {
  struct weir_sink sink = {0};
  struct weir_store *s = weir_store_open(path, WEIR_STORE_WAL, &sink);
  assert_non_null(s);
  return s;
}

static void keeps(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_store *a = open_store(), *b = open_store();
  json_t *run = json_pack("{s:s, s:i, s:f}", "program", "x", "seed", 3, "ratio", 1.0 / 3);
  assert_null(weir_store_get(a, "k", &sink));
  assert_true(weir_store_put(a, "k", NULL, run, &sink));
  json_t *got = weir_store_get(b, "k", &sink);
  assert_true(fabs(weir_run_number(got, "ratio") - 1.0 / 3) < 1e-15);
  assert_int_equal(json_integer_value(json_object_get(got, "seed")), 3);
  json_decref(got);
  json_decref(run);
  weir_store_close(a);
  weir_store_close(b);
}

// Four processes write 25 results each at the same time.
static void shared(void **state) {
  (void)state;
  enum { WRITERS = 4, EACH = 25 };
  char key[16];
  for (int w = 0; w < WRITERS; w++) {
    if (fork()) continue;
    struct weir_sink sink = {0};
    struct weir_store *s = weir_store_open(path, WEIR_STORE_WAL, &sink);
    json_t *run = json_pack("{s:i}", "writer", w);
    bool ok = s != NULL;
    for (int i = 0; ok && i < EACH; i++) {
      snprintf(key, sizeof key, "%d-%d", w, i);
      ok = weir_store_put(s, key, NULL, run, &sink);
    }
    _exit(!ok);
  }
  for (int w = 0, status; w < WRITERS; w++) {
    wait(&status);
    assert_int_equal(status, 0);
  }
  struct weir_sink sink = {0};
  struct weir_store *s = open_store();
  for (int w = 0; w < WRITERS; w++)
    for (int i = 0; i < EACH; i++) {
      snprintf(key, sizeof key, "%d-%d", w, i);
      json_t *run = weir_store_get(s, key, &sink);
      assert_true(weir_run_number(run, "writer") == w);
      json_decref(run);
    }
  weir_store_close(s);
}

static void execute(const char *sql) {
  sqlite3 *db;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void is_refused(struct weir_store *s, const char *key, size_t warnings, struct weir_sink *sink) {
  assert_null(weir_store_get(s, key, sink));
  assert_int_equal(sink->count, warnings);
  assert_int_equal(sink->errors, 0);
}

// A number changed by hand, another row's text and its sum, and a row from before there were sums: none is a result.
static void edited_rows_are_no_results(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  json_t *run = json_pack("{s:i}", "cycles", 7), *other = json_pack("{s:i}", "cycles", 8);
  struct weir_store *s = open_store();
  assert_true(weir_store_put(s, "e1", NULL, run, &sink) && weir_store_put(s, "e2", NULL, run, &sink));
  assert_true(weir_store_put(s, "e3", NULL, run, &sink) && weir_store_put(s, "e4", NULL, other, &sink));
  weir_store_close(s);
  execute("UPDATE objects SET run = replace(run, '7', '-7') WHERE key = 'e1';"
          "UPDATE objects SET sum = NULL WHERE key = 'e2';"
          "UPDATE objects SET (run, sum) = (SELECT run, sum FROM objects WHERE key = 'e4') WHERE key = 'e3'");
  s = open_store();
  is_refused(s, "e1", 1, &sink);
  assert_non_null(strstr(sink.diags[0].message, "are not as weir stored them"));
  is_refused(s, "e2", 1, &sink); // said once
  is_refused(s, "e3", 1, &sink);
  json_t *got = weir_store_get(s, "e4", &sink);
  assert_true(json_equal(got, other));
  assert_true(weir_store_put(s, "e1", NULL, run, &sink)); // made again
  json_t *again = weir_store_get(s, "e1", &sink);
  assert_true(json_equal(again, run));
  json_decref(again);
  json_decref(got);
  json_decref(run);
  json_decref(other);
  weir_store_close(s);
  weir_sink_free(&sink);
}

// The table as it was without sums.
static void a_store_of_before(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  char now[64];
  strcpy(now, path);
  snprintf(path, sizeof path, "%s/old.sqlite", folder);
  execute("CREATE TABLE runs (key TEXT PRIMARY KEY, program TEXT, size TEXT, chip TEXT, scheme TEXT,"
          " made TEXT DEFAULT CURRENT_TIMESTAMP, run TEXT NOT NULL) WITHOUT ROWID;"
          "INSERT INTO runs (key, run) VALUES ('k', '{}')");
  struct weir_store *s = open_store();
  json_t *run = json_pack("{s:i}", "cycles", 7);
  is_refused(s, "k", 1, &sink);
  assert_true(weir_store_put(s, "k", NULL, run, &sink));
  json_t *got = weir_store_get(s, "k", &sink);
  assert_true(json_equal(got, run));
  json_decref(got);
  json_decref(run);
  weir_store_close(s);
  weir_sink_free(&sink);
  strcpy(path, now);
}

// As somebody who may read the file, and write neither it nor beside it.
static int read_only_child(const char *file) {
  struct weir_sink sink = {0};
  if (!getuid() && setuid(65534)) return 1;
  struct weir_store *s = weir_store_open(file, WEIR_STORE_WAL, &sink);
  weir_sink_print(&sink, stderr);
  if (!s) return 2;
  json_t *got = weir_store_get(s, "k", &sink);
  if (weir_run_number(got, "cycles") != 7) return 3;
  for (int i = 0; i < 3; i++)
    if (weir_store_put(s, "l", NULL, got, &sink)) return 4;
  return sink.errors || sink.count != 1 || !strstr(sink.diags[0].message, "new results are not kept") ? 5 : 0;
}

static void read_only_media(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  char own[96], file[128];
  int status;
  snprintf(own, sizeof own, "%s/100%% read-only?", folder); // what a URI would take for something else
  snprintf(file, sizeof file, "%s/results.sqlite", own);
  assert_int_equal(chmod(folder, 0755), 0);
  struct weir_store *s = weir_store_open(file, WEIR_STORE_WAL, &sink);
  json_t *run = json_pack("{s:i}", "cycles", 7);
  assert_true(weir_store_put(s, "k", NULL, run, &sink));
  weir_store_close(s);
  json_decref(run);
  assert_int_equal(chmod(file, 0444), 0);
  assert_int_equal(chmod(own, 0555), 0);
  pid_t child = fork();
  if (!child) _exit(read_only_child(file));
  waitpid(child, &status, 0);
  assert_int_equal(chmod(own, 0755), 0);
  assert_int_equal(status, 0);
}

// A file that may not grow stands for a disk that is full.
static int full_disk_child(void) {
  struct weir_sink sink = {0};
  struct weir_store *s = open_store();
  char *text = calloc(1, 1 << 20);
  memset(text, 'x', (1 << 20) - 1);
  json_t *run = json_pack("{s:s}", "text", text);
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){1 << 19, 1 << 19});
  for (int i = 0; i < 3; i++)
    if (weir_store_put(s, "full", NULL, run, &sink)) return 1;
  return sink.errors != 1 || sink.count != 1 || !strstr(sink.diags[0].message, "results cannot be stored");
}

static void a_full_disk_is_told_once(void **state) {
  (void)state;
  int status;
  pid_t child = fork();
  if (!child) _exit(full_disk_child());
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
}

static void key_of(const struct weir_experiment *e, char *key) {
  struct weir_sink sink = {0};
  assert_true(weir_experiment_key(e, key, &sink));
}

static void differs(const struct weir_experiment *a, const struct weir_experiment *b, bool differ) {
  char x[WEIR_HASH_TEXT], y[WEIR_HASH_TEXT];
  key_of(a, x);
  key_of(b, y);
  assert_true((strcmp(x, y) != 0) == differ);
}

static void keys(void **state) {
  (void)state;
  const struct weir_experiment base = {.program = "bfs", .chip = "gcn-apu", .scheme = "lru", .seed = 1};
  static const char *const sets[] = {"l1.size_kib=32"};
  struct weir_experiment e = base;
  differs(&base, &e, false);
  e.program = "spmv";
  differs(&base, &e, true);
  e = base, e.chip = "fermi-gtx480";
  differs(&base, &e, true);
  e = base, e.scheme = "lru,l1.size_kib=32";
  differs(&base, &e, true);
  e = base, e.sets = sets, e.set_count = 1;
  differs(&base, &e, true);
  e = base, e.seed = 2;
  differs(&base, &e, true);
  e = base, e.size = WEIR_SIZE_PAPER;
  differs(&base, &e, true);
  e = base, e.input = launch;
  differs(&base, &e, true);
  e = base, e.plugins = (const char *const[]){module}, e.plugin_count = 1;
  differs(&base, &e, true);
}

// A launch file's key follows what is in the files it names.
static void keys_of_contents(void **state) {
  (void)state;
  const struct weir_experiment e = {.program = launch};
  char before[WEIR_HASH_TEXT], after[WEIR_HASH_TEXT], restored[WEIR_HASH_TEXT];
  key_of(&e, before);
  write_text_file(module, ".version 7.0\n");
  key_of(&e, after);
  write_text_file(module, ptx);
  key_of(&e, restored);
  assert_string_not_equal(before, after);
  assert_string_equal(before, restored);
  struct weir_sink sink = {0};
  const struct weir_experiment none = {.program = "/nonexistent.yaml"};
  assert_false(weir_experiment_key(&none, after, &sink));
  weir_sink_free(&sink);
}

// A chip's key follows what its file says, and the file that it builds on, as they are now; not its comments.
static void keys_of_chips(void **state) {
  (void)state;
  char chip[96], base[96], first[WEIR_HASH_TEXT], now[WEIR_HASH_TEXT], last[WEIR_HASH_TEXT];
  snprintf(chip, sizeof chip, "%s/chip.yaml", folder);
  snprintf(base, sizeof base, "%s/base.yaml", folder);
  const struct weir_experiment e = {.program = "bfs", .chip = chip, .scheme = "lru", .seed = 1};
  write_text_file(chip, "base: base.yaml\nl1: {size_kib: 16}\n");
  write_text_file(base, "base: gcn-apu\nl1: {ways: 2}\n");
  key_of(&e, first);
  write_text_file(base, "base: gcn-apu\nl1: {ways: 4}\n");
  key_of(&e, now);
  assert_string_not_equal(first, now);
  write_text_file(base, "# as it was\nbase: gcn-apu\nl1: {ways: 2}\n");
  key_of(&e, last);
  assert_string_equal(first, last);
  write_text_file(chip, "base: base.yaml\nl1: {size_kib: 32}\n");
  key_of(&e, now);
  assert_string_not_equal(first, now);
}

// What is put is there for others at once, however long the disk itself waits for it.
static void others_see_it_at_once(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  struct weir_store *a = open_store(), *b = open_store();
  json_t *run = json_pack("{s:s, s:{s:i}, s:[i]}", "program", "y", "total", "cycles", 7, "loads", 3);
  for (unsigned i = 0; i < 3; i++) {
    char key[16];
    snprintf(key, sizeof key, "soon-%u", i);
    assert_true(weir_store_put(a, key, NULL, run, &sink));
    assert_true(weir_store_has(b, key, &sink));
    weir_store_sync(a, i == 1);
  }
  static const char *const members[] = {"total", NULL};
  json_t *some = weir_store_get_members(b, "soon-2", members, &sink);
  assert_int_equal(json_object_size(some), 1);
  assert_true(weir_run_number(some, "total.cycles") == 7);
  assert_null(weir_store_get_members(b, "soon-9", members, &sink));
  json_decref(some);
  json_decref(run);
  weir_store_close(a);
  weir_store_close(b);
}

enum { RUNS = 4 };

static bool run_batch(struct weir_batch *b) {
  struct weir_sink sink = {0};
  struct weir_store *s = open_store();
  for (unsigned i = 0; i < RUNS; i++) weir_batch_add(b, &(struct weir_experiment){.program = launch, .seed = 100 + i});
  bool ok = weir_batch_check(b, &sink) && weir_batch_run(b, &(struct weir_batch_options){.jobs = 1, .store = s}, &sink);
  weir_sink_print(&sink, stderr);
  weir_store_close(s);
  return ok;
}

static unsigned stored(json_t **runs) {
  struct weir_sink sink = {0};
  struct weir_store *s = open_store();
  unsigned count = 0;
  for (unsigned i = 0; i < RUNS; i++) {
    char key[WEIR_HASH_TEXT];
    key_of(&(struct weir_experiment){.program = launch, .seed = 100 + i}, key);
    runs[i] = weir_store_get(s, key, &sink);
    count += runs[i] != NULL;
  }
  weir_store_close(s);
  return count;
}

static void forget(json_t **runs) {
  for (unsigned i = 0; i < RUNS; i++) json_decref(runs[i]);
}

static void goes_on(void **state) {
  (void)state;
  json_t *runs[RUNS];
  struct weir_batch b = {0};
  pid_t child = fork();
  if (!child) _exit(run_batch(&b) ? 0 : WEIR_EXIT_INTERRUPTED);
  unsigned count = 0;
  for (int i = 0; i < 4000 && !count; i++, usleep(5000)) {
    count = stored(runs);
    forget(runs);
  }
  kill(child, SIGINT);
  int status;
  waitpid(child, &status, 0);
  // While a program is prepared, the signal ends the process as it is (batch/run.c).
  if (WIFSIGNALED(status))
    assert_int_equal(WTERMSIG(status), SIGINT);
  else
    assert_int_equal(WEXITSTATUS(status), WEIR_EXIT_INTERRUPTED);
  count = stored(runs);
  assert_in_range(count, 1, RUNS - 1);
  assert_true(run_batch(&b));
  for (unsigned i = 0; i < RUNS; i++) {
    assert_non_null(b.items[i].run);
    // what was there is not run again: even the wall time is that of the first run
    if (runs[i]) assert_true(json_equal(runs[i], b.items[i].run));
  }
  forget(runs);
  weir_batch_free(&b);
}

// Another process, which makes the store between two looks of this one into the file.
static int makes_it(unsigned what, void *context, void *statement, void *text) {
  (void)what, (void)context, (void)statement;
  static bool made;
  if (made || !strstr(text, "sqlite_schema")) return 0;
  struct weir_sink sink = {0};
  made = true;
  weir_store_close(weir_store_open(path, WEIR_STORE_WAL, &sink));
  assert_int_equal(sink.errors, 0);
  return 0;
}

static void made_by_two_at_once(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  sqlite3 *db;
  snprintf(path, sizeof path, "%s/two.sqlite", folder);
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  sqlite3_exec(db, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
  sqlite3_trace_v2(db, SQLITE_TRACE_STMT, makes_it, NULL);
  assert_true(weir_store_prepare(db, path, &sink));
  assert_int_equal(sink.errors, 0);
  sqlite3_close(db);
  weir_sink_free(&sink);
}

// A file that another process makes right after it has been looked for.
static const char *appears;

int access(const char *file, int mode) {
  const int found = faccessat(AT_FDCWD, file, mode, 0);
  if (!appears || strcmp(file, appears) != 0) return found;
  appears = NULL;
  close(open(file, O_CREAT | O_WRONLY, 0600));
  return found;
}

static void a_file_that_appears_is_no_read_only_one(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  snprintf(path, sizeof path, "%s/appears.sqlite", folder);
  appears = path;
  struct weir_store *s = weir_store_open(path, WEIR_STORE_WAL, &sink);
  assert_null(appears);
  assert_non_null(s);
  assert_int_equal(sink.errors, 0);
  weir_store_close(s);
  weir_sink_free(&sink);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(made_by_two_at_once),
    cmocka_unit_test(a_file_that_appears_is_no_read_only_one),
    cmocka_unit_test(keeps),
    cmocka_unit_test(shared),
    cmocka_unit_test(edited_rows_are_no_results),
    cmocka_unit_test(a_store_of_before),
    cmocka_unit_test(read_only_media),
    cmocka_unit_test(a_full_disk_is_told_once),
    cmocka_unit_test(keys),
    cmocka_unit_test(keys_of_contents),
    cmocka_unit_test(keys_of_chips),
    cmocka_unit_test(others_see_it_at_once),
    cmocka_unit_test(goes_on),
  };
  return cmocka_run_group_tests(tests, make_files, remove_files);
}
