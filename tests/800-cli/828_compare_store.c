// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What weir compare has run is kept as it ends, and nothing is run twice.
#include "weir_process.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

static char folder[] = "/tmp/weir-compare-XXXXXX", store[64];

static int make_folder(void **state) {
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(store, sizeof store, "%s/deeper/runs.sqlite", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

// What compare prints; *recalled: of how many runs it says that they had been made before.
static char *compare(unsigned *recalled, const char *const *argv) {
  struct process p = process_run_all(argv);
  if (p.status) print_error("%s", p.err);
  assert_int_equal(p.status, 0);
  *recalled = 0;
  const char *note = strstr(p.err, "weir: note: ");
  if (note && strstr(note, "had been made before")) assert_int_equal(sscanf(note, "weir: note: %u of", recalled), 1);
  char *out = strdup(p.out);
  process_free(&p);
  return out;
}
#define COMPARE(recalled, ...) compare(recalled, (const char *const[]){"compare", __VA_ARGS__, NULL})

static void nothing_runs_twice(void **state) {
  (void)state;
  unsigned n;
  char *first = COMPARE(&n, "nn", "backprop", "--schemes", "lru,plru", "--store", store, "--json");
  assert_int_equal(n, 0);
  char *again = COMPARE(&n, "nn", "backprop", "--schemes", "lru,plru", "--store", store, "--json");
  assert_int_equal(n, 4);
  assert_string_equal(first, again); // the time that it took, too
  free(again);
  free(COMPARE(&n, "backprop", "--schemes", "fifo,plru,lru", "--store", store));
  assert_int_equal(n, 2);
  free(first);
}

// The best of nn's schemes by cycles, which are the fewest: a row of the table has them.
static void a_pivot(void **state) {
  (void)state;
  unsigned n;
  char *out = COMPARE(&n, "nn", "--schemes", "lru,plru", "--store", store, "--csv", "--pivot=cycles", "--top", "1");
  assert_int_equal(n, 2);
  char *table = COMPARE(&n, "nn", "--schemes", "lru,plru", "--store", store, "--csv"),
       *row = strstr(table, "nn,lru,lru,");
  assert_non_null(row);
  const long lru = atol(row + 11), plru = atol(strstr(table, "nn,plru,plru,") + 13);
  char expected[96];
  snprintf(expected, sizeof expected, "scheme,nn\n%s,%ld\n", plru < lru ? "plru" : "lru", plru < lru ? plru : lru);
  assert_string_equal(out, expected);
  free(table);
  free(out);
  struct process p =
    process_run("compare", "nn", "backprop", "--schemes", "lru,plru", "--store", store, "--pivot=cycles", "--sort");
  assert_int_equal(p.status, 2);
  assert_holds(p.err, "there is no mean of cycles");
  process_free(&p);
  static const char *const wrong[][2] = {{"--pivot=cycle", "not 'cycle'"}, {"--sort=bfs", "not 'bfs'"}};
  char fresh[64];
  snprintf(fresh, sizeof fresh, "%s/pivot.sqlite", folder);
  for (unsigned i = 0; i < 2; i++) { // told before anything runs
    const char *pivot = i ? "--pivot=cycles" : "--pivot";
    p = process_run("compare", "nn", "--schemes", "lru", "--store", fresh, pivot, wrong[i][0]);
    assert_int_equal(p.status, 2);
    assert_holds(p.err, wrong[i][1]);
    assert_int_equal(access(fresh, F_OK), -1);
    process_free(&p);
  }
  p = process_run("compare", "nn", "--schemes", "lru", "--store", store, "--top", "3");
  assert_int_equal(p.status, 2);
  assert_holds(p.err, "--sort and --top are of --pivot");
  process_free(&p);
}

// What a run depends on makes another run of it.
static void what_differs_runs(void **state) {
  (void)state;
  unsigned n;
  static const char *const others[][3] = {{"--seed", "2"},        {"--strict"},          {"--chip", "fermi-gtx480"},
                                          {"--set", "l1.ways=2"}, {"--registers", "40"}, {"--step-limit", "100000000"},
                                          {"--no-store"}};
  free(COMPARE(&n, "backprop", "--schemes", "lru", "--store", store));
  assert_int_equal(n, 1);
  for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
    free(COMPARE(&n, "backprop", "--schemes", "lru", "--store", store, others[i][0], others[i][1]));
    if (n) print_error("%s is not told apart\n", others[i][0]);
    assert_int_equal(n, 0);
  }
}

static void default_places(void **state) {
  (void)state;
  unsigned n;
  char other[96];
  setenv("WEIR_STORE", store, 1);
  free(COMPARE(&n, "backprop", "--schemes", "lru"));
  assert_int_equal(n, 1);
  snprintf(other, sizeof other, "%s/cache", folder);
  setenv("XDG_CACHE_HOME", other, 1);
  setenv("WEIR_STORE", "", 1); // none
  free(COMPARE(&n, "backprop", "--schemes", "lru"));
  assert_int_equal(access(other, F_OK), -1);
  unsetenv("WEIR_STORE");
  free(COMPARE(&n, "backprop", "--schemes", "lru"));
  assert_int_equal(n, 0);
  free(COMPARE(&n, "backprop", "--schemes", "lru"));
  assert_int_equal(n, 1);
  setenv("XDG_CACHE_HOME", "/proc", 1); // where nothing can be made: told, and done without
  struct process p = process_run("compare", "backprop", "--schemes", "lru");
  assert_int_equal(p.status, 0);
  assert_holds(p.err, "warning: the results store below XDG_CACHE_HOME cannot be used");
  process_free(&p);
  unsetenv("XDG_CACHE_HOME");
  setenv("WEIR_STORE", "", 1);
}

static void refused(void **state) {
  (void)state;
  struct process p = process_run("compare", "backprop", "--schemes", "lru", "--store", folder);
  assert_int_equal(p.status, 2);
  assert_holds(p.err, "cannot be used as a results store");
  process_free(&p);
}

static int rows(const char *path) { // 0: no store yet
  sqlite3 *db;
  sqlite3_stmt *count;
  int n = 0;
  if (!sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) &&
      !sqlite3_prepare_v2(db, "SELECT count(*) FROM runs", -1, &count, NULL)) {
    if (sqlite3_step(count) == SQLITE_ROW) n = sqlite3_column_int(count, 0);
    sqlite3_finalize(count);
  }
  sqlite3_close(db);
  return n;
}

// Killed outright once something has ended: that is there, and the rest runs.
static void killed(void **state) {
  (void)state;
  char path[96];
  snprintf(path, sizeof path, "%s/killed.sqlite", folder);
  const char *const argv[] = {WEIR,     "compare", "reads-l2", "backprop", "--schemes", "lru,plru,fifo",
                              "--jobs", "1",       "--csv",    "--store",  path,        NULL};
  pid_t child = fork();
  if (!child) {
    freopen("/dev/null", "w", stdout);
    execv(WEIR, (char *const *)argv);
    _exit(127);
  }
  for (int i = 0; i < 4000 && !rows(path); i++) usleep(5000);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  const int kept = rows(path);
  assert_true(kept > 0);
  unsigned n, none;
  char *resumed = compare(&n, argv + 1);
  assert_int_equal(n, kept);
  char *whole = COMPARE(&none, "reads-l2", "backprop", "--schemes", "lru,plru,fifo", "--csv", "--no-store");
  assert_string_equal(resumed, whole);
  assert_int_equal(rows(path), 6);
  free(resumed);
  free(whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(nothing_runs_twice), cmocka_unit_test(a_pivot), cmocka_unit_test(what_differs_runs),
    cmocka_unit_test(default_places),     cmocka_unit_test(refused), cmocka_unit_test(killed)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
