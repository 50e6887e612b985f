// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The results store as a whole: columns, schemas, and what weir store does with them.
#include "folder.h"

#include "base/alloc.h"
#include "base/file.h"
#include "batch/store.h"
#include "run/object.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

static void execute(const char *path, const char *sql) {
  sqlite3 *db;
  char *why = NULL;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  sqlite3_exec(db, sql, NULL, NULL, &why);
  assert_null(why);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

// The first cell of an SQL statement's first row.
static const char *ask(const char *path, const char *sql) {
  static char answer[256];
  sqlite3 *db;
  sqlite3_stmt *s;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_step(s), SQLITE_ROW);
  const char *text = (const char *)sqlite3_column_text(s, 0);
  snprintf(answer, sizeof answer, "%s", text ? text : "NULL");
  sqlite3_finalize(s);
  sqlite3_close(db);
  return answer;
}

struct text {
  char bytes[256];
  size_t length;
};

static void write_cells(void *context, const struct weir_store_cell *cells, unsigned count) {
  struct text *to = context;
  for (unsigned i = 0; i < count; i++)
    to->length += (size_t)snprintf(to->bytes + to->length, sizeof to->bytes - to->length, "%s ",
                                   cells[i].text ? cells[i].text : "-");
}

// A run object as short as one can be: 100 loads of which 20 hit and 5 find their line on its way, 400 warp instructions in 200 cycles.
static json_t *object(const char *program, const char *scheme, int seed) {
  return json_pack("{s:s, s:s, s:s, s:s, s:i, s:s, s:[], s:{s:i, s:i, s:f, s:{s:{s:i, s:i, s:i, s:i}}}, s:{s:f}}",
                   "program", program, "size", "small", "chip", "gcn-apu", "scheme", scheme, "seed", seed, "check",
                   "passed", "set", "total", "cycles", 200, "warp_instructions", 400, "ipc", 2.0, "l1", "loads",
                   "accesses", 100, "hits", 20, "hits_on_miss", 5, "misses", 75, "host", "seconds", 0.5);
}

static void put(const char *path, const char *key, const char *program, const char *scheme, int seed) {
  struct weir_sink sink = {0};
  struct weir_store *s = weir_store_open(path, WEIR_STORE_WAL, &sink);
  assert_non_null(s);
  json_t *run = object(program, scheme, seed);
  assert_true(weir_store_put(s, key, NULL, run, &sink));
  json_decref(run);
  weir_store_close(s);
}

static void columns_are_the_objects(void **state) {
  (void)state;
  const char *path = file("columns.sqlite");
  put(path, "k", "bfs", "lru", 3);
  assert_string_equal(ask(path, "SELECT program || chip || scheme || seed || \"check\" || \"set\" FROM results"),
                      "bfsgcn-apulru3passed[]");
  assert_string_equal(ask(path, "SELECT cycles || ' ' || warp_instructions || ' ' || ipc FROM results"), "200 400 2.0");
  assert_string_equal(ask(path, "SELECT typeof(cycles) FROM runs"), "integer");
  assert_string_equal(ask(path, "SELECT l1_hit_rate FROM results"), "0.25");
  assert_string_equal(ask(path, "SELECT dram_bytes FROM results"), "NULL"); // it has no DRAM
  assert_string_equal(ask(path, "SELECT host_seconds FROM results"), "0.5");
  assert_string_equal(ask(path, "SELECT length(build) FROM runs"), "32");
  assert_string_equal(ask(path, "SELECT value FROM counters WHERE counter = 'warp_instructions'"), "400");
  assert_string_equal(ask(path, "SELECT value FROM counters WHERE counter = 'l1.loads.hits'"), "20");
  put(path, "k", "bfs", "plru", 3); // in place of the former
  assert_string_equal(ask(path, "SELECT count(*) || min(scheme) FROM runs"), "1plru");
}

// As weir made them before there were columns. The second row has no sum, the third is no JSON.
static void an_older_schema(void **state) {
  (void)state;
  const char *path = file("old.sqlite");
  char sql[2048];
  execute(path,
          "CREATE TABLE runs (key TEXT PRIMARY KEY, program TEXT, size TEXT, chip TEXT, scheme TEXT,"
          " made TEXT DEFAULT CURRENT_TIMESTAMP, run TEXT NOT NULL, sum TEXT) WITHOUT ROWID");
  json_t *run = object("spmv", "lru", 9);
  char *text = json_dumps(run, JSON_COMPACT);
  snprintf(sql, sizeof sql,
           "INSERT INTO runs VALUES ('a', 'spmv', 'small', 'gcn-apu', 'lru', '2020-01-02 03:04:05', '%s', 'sum');"
           "INSERT INTO runs VALUES ('b', 'spmv', 'small', 'gcn-apu', 'lru', '2020-01-02 03:04:06', '%s', NULL);"
           "INSERT INTO runs VALUES ('c', 'spmv', 'small', 'gcn-apu', 'lru', '2020-01-02 03:04:07', '{', NULL)",
           text, text);
  execute(path, sql);
  put(path, "d", "nn", "lru", 1); // opened by today's weir
  assert_string_equal(ask(path, "PRAGMA user_version"), "4");
  assert_string_equal(ask(path, "SELECT group_concat(key, '') FROM (SELECT key FROM runs ORDER BY key)"), "abd");
  assert_string_equal(ask(path, "SELECT group_concat(key, '') FROM (SELECT key FROM objects ORDER BY key)"), "abd");
  assert_string_equal(ask(path, "SELECT cycles || ' ' || seed || ' ' || made FROM runs WHERE key = 'a'"),
                      "200 9 2020-01-02 03:04:05");
  assert_string_equal(ask(path, "SELECT sum FROM objects WHERE key = 'a'"), "sum");
  assert_string_equal(ask(path, "SELECT count(*) FROM sqlite_schema WHERE name = 'old'"), "0");
  free(text);
  json_decref(run);
}

// Schema 2 had all columns but those of selections and samples.
static void the_schema_before(void **state) {
  (void)state;
  const char *path = file("two.sqlite");
  put(path, "a", "bfs", "lru", 1);
  put(path, "b", "bfs", "fifo", 1);
  execute(path,
          "UPDATE objects SET run = json_set(run, '$.selection', json('{\"selected\": 3}')) WHERE key = 'a';"
          "UPDATE objects SET run = json_set(run, '$.sampling', json('{\"timed\": 5}')) WHERE key = 'b';"
          "DROP VIEW results; DROP TABLE names; CREATE VIEW results AS SELECT *, 0 AS l1_hit_rate FROM runs;"
          "ALTER TABLE runs DROP COLUMN selected_launches; ALTER TABLE runs DROP COLUMN sampled_launches;"
          "PRAGMA user_version = 2");
  put(path, "c", "nn", "lru", 1);
  assert_string_equal(ask(path, "PRAGMA user_version"), "4");
  assert_string_equal(
    ask(path,
        "SELECT group_concat(key || ifnull(selected_launches, '-') || ifnull(sampled_launches, '-'), ' ')"
        " FROM (SELECT * FROM results ORDER BY key)"),
    "a3- b-5 c--");
  const char *sql = "SELECT group_concat(name) FROM pragma_table_info('runs')";
  char columns[2048];
  snprintf(columns, sizeof columns, "%s", ask(path, sql));
  put(file("three.sqlite"), "a", "bfs", "lru", 1);
  assert_string_equal(ask(file("three.sqlite"), sql), columns);
}

// Schema 3 had no names. It is read as it is where it cannot be written.
static void a_schema_without_names(void **state) {
  (void)state;
  const char *path = file("unnamed.sqlite");
  put(path, "a", "bfs", "lru", 1);
  execute(path,
          "DROP VIEW results; DROP TABLE names; CREATE VIEW results AS SELECT *, 0.5 AS l1_hit_rate FROM runs;"
          "PRAGMA user_version = 3; PRAGMA journal_mode = DELETE");
  struct weir_sink sink = {0};
  struct weir_store *s = weir_store_open_to_read(path, true, &sink);
  struct text to = {0};
  assert_true(weir_store_each(s, "coalesce(program_name, program), l1_hit_rate",
                              &(struct weir_store_filter){.program = "b*"}, write_cells, &to, &sink));
  assert_string_equal(to.bytes, "bfs 0.5 ");
  weir_store_close(s);
  put(path, "b", "nn", "lru", 1);
  assert_string_equal(ask(path, "PRAGMA user_version"), "4");
  assert_string_equal(ask(path, "SELECT count(*) || count(program_name) || round(l1_hit_rate, 2) FROM results"),
                      "200.25");
}

// Leaves the file as a process does that is killed while it writes: what it has not finished is in it, and what was there before in a journal.
static void write_and_die(const char *path) {
  fflush(NULL);
  const pid_t child = fork();
  if (!child) {
    sqlite3 *db;
    if (sqlite3_open(path, &db) == SQLITE_OK)
      sqlite3_exec(
        db,
        "PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE objects SET run = 'half'; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
        " SELECT i + 1 FROM n WHERE i < 200) INSERT INTO objects SELECT i, hex(randomblob(4000)), '' FROM n",
        NULL, NULL, NULL);
    kill(getpid(), SIGKILL);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  char *journal = weir_text_format("%s-journal", path);
  assert_int_equal(access(journal, F_OK), 0);
  weir_free(journal);
}

// What a task of a cluster has finished is read, and merged, although it was killed as it wrote.
static void a_task_that_was_killed(void **state) {
  (void)state;
  struct weir_sink sink = {0};
  for (unsigned merges = 0; merges < 2; merges++) {
    const char *path = file(merges ? "killed-2.sqlite" : "killed-1.sqlite"), *all = file("of-killed.sqlite");
    put(path, "a", "bfs", "lru", 1);
    execute(path, "PRAGMA journal_mode = DELETE");
    write_and_die(path);
    if (merges) {
      struct weir_store *s = weir_store_open(all, WEIR_STORE_WAL, &sink);
      struct weir_store_merged merged = {0};
      assert_true(weir_store_merge(s, path, &merged, &sink));
      assert_true(weir_store_has(s, "a", &sink));
      weir_store_close(s);
      continue;
    }
    struct weir_store *s = weir_store_open_to_read(path, false, &sink);
    assert_non_null(s);
    assert_true(weir_store_has(s, "a", &sink));
    assert_false(weir_store_has(s, "1", &sink));
    weir_store_close(s);
  }
}

static void name_run(const char *path, const char *key, const char *program, const char *scheme) {
  struct weir_sink sink = {0};
  struct weir_store *s = weir_store_open(path, WEIR_STORE_WAL, &sink);
  assert_true(weir_store_name(s, &(struct weir_store_name){.key = key, .program = program, .scheme = scheme}, 1));
  weir_store_close(s);
}

// The last name holds, merging takes those that are new, and pruning drops them.
static void names(void **state) {
  (void)state;
  const char *here = file("here.sqlite"), *there = file("there.sqlite");
  const char *sql =
    "SELECT group_concat(key || ifnull(program_name, '-') || ifnull(chip_name, '-') || ifnull(scheme_name, '-'), ' ')"
    " FROM (SELECT * FROM results ORDER BY key)";
  put(here, "a", "bfs", "lru", 1);
  put(here, "b", "bfs", "fifo", 1);
  put(there, "b", "bfs", "fifo", 1);
  put(there, "c", "nn", "lru", 1);
  name_run(here, "b", "B", NULL);
  name_run(here, "b", "Breadth", "First");
  name_run(there, "b", "other", NULL);
  name_run(there, "c", NULL, "LRU");
  struct weir_sink sink = {0};
  struct weir_store *s = weir_store_open(here, WEIR_STORE_WAL, &sink);
  struct weir_store_merged m;
  assert_true(weir_store_merge(s, there, &m, &sink));
  assert_string_equal(ask(here, sql), "a--- bBreadth-First c--LRU");
  unsigned removed;
  assert_true(weir_store_prune(s, &(struct weir_store_filter){.program = "Bre*"}, &removed, &sink));
  assert_int_equal(removed, 1);
  weir_store_close(s);
  assert_string_equal(ask(here, "SELECT group_concat(key) FROM names"), "c");
}

static void is_refused(const char *path, const char *why) {
  struct weir_sink sink = {0};
  assert_null(weir_store_open(path, WEIR_STORE_WAL, &sink));
  assert_int_equal(sink.errors, 1);
  assert_non_null(strstr(sink.diags[0].message, why));
  weir_sink_free(&sink);
}

static void other_files(void **state) {
  (void)state;
  const char *newer = file("newer.sqlite"), *other = file("other.sqlite"), *none = file("none.sqlite");
  execute(newer, "CREATE TABLE runs (key TEXT); PRAGMA user_version = 5");
  is_refused(newer, "its schema is 5, of a newer weir; this one knows 4");
  execute(other, "CREATE TABLE people (name TEXT)");
  is_refused(other, "it is a database of something else");
  assert_string_equal(ask(other, "SELECT group_concat(name) FROM sqlite_schema"), "people"); // nothing was added
  write_text_file(
    none, "This is no database, but a text that is longer than the head of one would be, which has a hundred bytes.\n");
  is_refused(none, "file is not a database");
}

// ---- weir store ------------------------------------------------------------------------------------------------------

#define STORE(...) process_run_all((const char *const[]){"store", __VA_ARGS__, NULL})

static void filters(void **state) {
  (void)state;
  const char *path = file("filters.sqlite");
  put(path, "a", "bfs", "lru", 1);
  put(path, "b", "bfs", "pcbp,threshold=6", 1);
  put(path, "c", "bfs-uniform", "lru", 2);
  gives(STORE("--store", path), 0, "3 runs");
  gives(STORE("list", "--store", path, "--program", "bfs"), 0, "2 runs");
  gives(STORE("list", "--store", path, "--program", "bfs*", "--scheme", "lru"), 0, "2 runs");
  gives(STORE("list", "--store", path, "--scheme", "pcbp*"), 0, "1 run\n");
  gives(STORE("list", "--store", path, "--where", "seed = 2 OR scheme LIKE 'p%'"), 0, "2 runs");
  gives(STORE("list", "--store", path, "--chip", "fermi*"), 0, "0 runs");
  gives(STORE("list", "--store", path, "--where", "cycle > 1"), 2, "no such column: cycle");
  gives(STORE("list", "--store", path, "--where", "1); DELETE FROM runs; SELECT (1"), 2, "more than one condition");
  assert_string_equal(ask(path, "SELECT count(*) FROM runs"), "3");
}

static void export_is_whole(void **state) {
  (void)state;
  const char *path = file("export.sqlite");
  put(path, "a", "bfs", "pcbp,threshold=6", 7);
  struct process p = STORE("export", "--store", path);
  json_t *got = json_loads(p.out, 0, NULL), *stored = object("bfs", "pcbp,threshold=6", 7);
  assert_true(json_equal(got, stored));
  json_decref(got);
  json_decref(stored);
  process_free(&p);
  p = STORE("export", "--csv", "--store", path, "--output", file("out.csv"));
  assert_int_equal(p.status, 0);
  process_free(&p);
  char csv[4096] = "";
  FILE *f = fopen(file("out.csv"), "r");
  assert_true(fread(csv, 1, sizeof csv - 1, f) > 0);
  fclose(f);
  assert_memory_equal(csv, "key,made,build,program,", 23);
  assert_non_null(strstr(csv, ",bfs,small,gcn-apu,\"pcbp,threshold=6\",passed,"));
  assert_non_null(strstr(csv, ",100,20,5,75,"));
}

static void merge(void **state) {
  (void)state;
  const char *into = file("into.sqlite"), *from = file("from.sqlite");
  put(into, "a", "bfs", "lru", 1);
  put(from, "a", "bfs", "lru", 1);
  put(from, "b", "bfs", "plru", 1);
  put(from, "c", "bfs", "fifo", 1);
  execute(from,
          "UPDATE objects SET run = replace(run, '200', '100') WHERE key = 'c';"
          "UPDATE runs SET made = '2020-01-02 03:04:05', build = 'x' WHERE key = 'b'");
  gives(STORE("merge", from, "--store", into), 0, "1 runs taken, 1 known already, 1 left");
  assert_string_equal(ask(into, "SELECT group_concat(key, '') FROM (SELECT key FROM runs ORDER BY key)"), "ab");
  assert_string_equal(ask(into, "SELECT made || build FROM runs WHERE key = 'b'"), "2020-01-02 03:04:05x");
  gives(STORE("merge", from, file("absent.sqlite"), "--store", into), 2, "unable to open");
  gives(STORE("merge", "--store", into), 2, "merge takes the stores to merge");
}

static void prune(void **state) {
  (void)state;
  const char *path = file("prune.sqlite");
  put(path, "a", "bfs", "lru", 1);
  put(path, "b", "nn", "lru", 1);
  gives(STORE("prune", "--store", path), 2, "prune removes what a filter lets through");
  gives(STORE("prune", "--store", path, "--program", "n*", "--dry-run"), 0, "1 runs would be removed");
  assert_string_equal(ask(path, "SELECT count(*) FROM objects"), "2");
  gives(STORE("prune", "--store", path, "--program", "n*"), 0, "1 runs removed");
  assert_string_equal(ask(path, "SELECT group_concat(key) FROM objects"), "a");
  assert_string_equal(ask(path, "SELECT group_concat(key) FROM runs"), "a");
  gives(STORE("prune", "--store", path, "--all"), 0, "1 runs removed");
}

static void usage(void **state) {
  (void)state;
  gives(STORE("lits"), 2, "there is no action 'lits'; did you mean 'list'?");
  gives(STORE("list", "bfs"), 2, "list takes no 'bfs'");
  gives(STORE("columns", "--program", "bfs"), 2, "columns takes no filter");
  gives(STORE("list", "--all"), 2, "--all is for prune");
  gives(STORE("list", "--json"), 2, "--json is for export");
  gives(STORE("columns", "--csv", "--store", file("usage.sqlite")), 0, "l1_zero_reuse_evictions,INTEGER,");
}

// What a key depends on cannot be read: the run says so, and it is the user's to mend.
static void an_input_that_is_not_there(void **state) {
  (void)state;
  gives(process_run_all((const char *const[]){"compare", "bfs", "--input", file("absent.txt"), "--schemes", "lru",
                                              "--store", file("input.sqlite"), NULL}),
        2, "absent.txt: error: cannot be read");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(columns_are_the_objects),
    cmocka_unit_test(an_older_schema),
    cmocka_unit_test(the_schema_before),
    cmocka_unit_test(a_schema_without_names),
    cmocka_unit_test(a_task_that_was_killed),
    cmocka_unit_test(names),
    cmocka_unit_test(other_files),
    cmocka_unit_test(filters),
    cmocka_unit_test(export_is_whole),
    cmocka_unit_test(merge),
    cmocka_unit_test(prune),
    cmocka_unit_test(usage),
    cmocka_unit_test(an_input_that_is_not_there),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
