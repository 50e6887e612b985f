// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "batch/schema.h"

#include "base/alloc.h"
#include "batch/store.h"
#include "run/numbers.h"
#include "run/object.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- columns -----------------------------------------------------------------------------------------------------------

#define TEXT_COLUMNS(X)                                                                                                \
  X(program, "workload, mix or launch file; of a program after -- its command line")                                   \
  X(size, "of the workload's input")                                                                                   \
  X(chip, "null: a functional run")                                                                                    \
  X(scheme, "with its knobs")                                                                                          \
  X(check, "of the program's results: passed, failed or none")                                                         \
  X(weir, "version that ran it")

// `n`: the run's numbers; `l1`, `l2`: the cache nearest the cores, and the first that they share, whatever a chip calls them.
#define NUMBER_COLUMNS(X)                                                                                              \
  X(seed, "INTEGER", weir_run_number(run, "seed"), "of every random choice")                                           \
  X(cycles, "INTEGER", n.cycles, "of the GPU's cores")                                                                 \
  X(time_ps, "INTEGER", n.time_ps, "modelled time, ps")                                                                \
  X(warp_instructions, "INTEGER", n.warp_instructions, "executed")                                                     \
  X(thread_instructions, "INTEGER", n.thread_instructions, "of the threads that took part")                            \
  X(cpu_instructions, "INTEGER", n.cpu_instructions, "of a mix's CPU programs")                                        \
  X(ipc, "REAL", n.ipc, "warp instructions per cycle")                                                                 \
  X(thread_ipc, "REAL", n.thread_ipc, "thread instructions per cycle")                                                 \
  X(l1_accesses, "INTEGER", l1.loads.accesses, "loads that looked up the cache nearest the cores")                     \
  X(l1_hits, "INTEGER", l1.loads.hits, "of these, hits")                                                               \
  X(l1_hits_on_miss, "INTEGER", l1.loads.hits_on_miss, "hits on a line that is on its way")                            \
  X(l1_misses, "INTEGER", l1.loads.misses, "misses")                                                                   \
  X(l1_bypasses, "INTEGER", l1.loads.bypasses, "loads that bypassed it")                                               \
  X(l1_fills, "INTEGER", l1.fills, "lines brought in")                                                                 \
  X(l1_evictions, "INTEGER", l1.evictions, "lines put out")                                                            \
  X(l1_zero_reuse_evictions, "INTEGER", l1.zero_reuse_evictions, "of these, never hit")                                \
  X(l2_accesses, "INTEGER", l2.loads.accesses, "loads that looked up the first shared cache")                          \
  X(l2_hits, "INTEGER", l2.loads.hits, "of these, hits")                                                               \
  X(l2_hits_on_miss, "INTEGER", l2.loads.hits_on_miss, "hits on a line that is on its way")                            \
  X(l2_misses, "INTEGER", l2.loads.misses, "misses")                                                                   \
  X(l2_bypasses, "INTEGER", l2.loads.bypasses, "loads that bypassed it")                                               \
  X(dram_reads, "INTEGER", n.dram.reads, "bursts")                                                                     \
  X(dram_writes, "INTEGER", n.dram.writes, "bursts")                                                                   \
  X(dram_bytes, "INTEGER", n.dram.bytes, "moved")                                                                      \
  X(energy_pj, "REAL", n.energy_pj, "of all parts of the chip, pJ; null: it has no costs")                             \
  X(host_seconds, "REAL", weir_run_number(json_object_get(run, "host"), "seconds"), "that the run took here")          \
  X(selected_launches, "INTEGER", weir_run_number(run, "selection.selected"),                                          \
    "launches that were timed where some were selected: all numbers are of these; null: no selection")                 \
  X(sampled_launches, "INTEGER", weir_run_number(run, "sampling.timed"),                                               \
    "launches that were timed where they were sampled: all numbers are estimates; null: no sample")

#define NAMED(name, ...) #name,
const char *const weir_store_members[] = {
  TEXT_COLUMNS(NAMED) "process", "set", "seed", "total", "host", "selection", "sampling", NULL};

#define COUNT(...) +1
enum {
  TEXTS = 0 TEXT_COLUMNS(COUNT),
  NUMBERS = 0 NUMBER_COLUMNS(COUNT),
  FIRST_TEXT = 4,
  FIRST_NUMBER = FIRST_TEXT + TEXTS
};

static void numbers_of(const json_t *run, double values[NUMBERS]) {
  const struct weir_run_numbers n = weir_run_total(run);
  const struct weir_cache_numbers l1 = weir_cache_of(&n, WEIR_FIRST_CACHE),
                                  l2 = weir_cache_of(&n, WEIR_FIRST_SHARED_CACHE);
#define VALUE(name, type, value, help) value,
  const double all[NUMBERS] = {NUMBER_COLUMNS(VALUE)};
  memcpy(values, all, sizeof all);
}

static const struct weir_store_column columns[] = {
  {"key", "TEXT", "of everything that the run depends on, this weir included"},
  {"made", "TEXT", "when, UTC"},
  {"build", "TEXT", "of the executable that ran it; null: kept by a weir that did not say"},
#define TEXT_COLUMN(name, help) {#name, "TEXT", help},
  TEXT_COLUMNS(TEXT_COLUMN){"set", "TEXT", "values of the chip changed by --set, as a JSON array"},
#define NUMBER_COLUMN(name, type, value, help) {#name, type, help},
  NUMBER_COLUMNS(NUMBER_COLUMN)};

const struct weir_store_column *weir_store_columns(unsigned *count) {
  *count = sizeof columns / sizeof *columns;
  return columns;
}

// ---- tables and views --------------------------------------------------------------------------------------------------

#define TEXT_DEFINITION(name, help) "\"" #name "\" TEXT, "
#define NUMBER_DEFINITION(name, type, value, help) ", " #name " " type
// What sweeps call a run's program, chip and scheme; null: what they are.
#define NAMES "CREATE TABLE names (key TEXT PRIMARY KEY, program TEXT, chip TEXT, scheme TEXT) WITHOUT ROWID;"
#define RESULTS                                                                                                        \
  "CREATE VIEW results AS SELECT r.*, (l1_hits + l1_hits_on_miss) * 1.0 / nullif(l1_accesses, 0) AS l1_hit_rate,"      \
  " (l2_hits + l2_hits_on_miss) * 1.0 / nullif(l2_accesses, 0) AS l2_hit_rate, energy_pj / 1e9 AS energy_mj,"          \
  " n.program AS program_name, n.chip AS chip_name, n.scheme AS scheme_name"                                           \
  " FROM runs r LEFT JOIN names n ON n.key = r.key;"

static const char TABLES[] =
  "CREATE TABLE objects (key TEXT PRIMARY KEY, run TEXT NOT NULL, sum TEXT);"
  "CREATE TABLE runs (key TEXT PRIMARY KEY, made TEXT NOT NULL, build TEXT, " TEXT_COLUMNS(TEXT_DEFINITION) "\"set\" TEXT" NUMBER_COLUMNS(
    NUMBER_DEFINITION) ") WITHOUT ROWID;" NAMES
    RESULTS "CREATE VIEW counters AS SELECT r.key, r.program, r.chip, r.scheme, replace(substr(t.fullkey, 9), '\"', '') AS counter, t.atom AS value"
                       " FROM runs r JOIN objects o USING (key), json_tree(o.run, '$.total') t WHERE t.type IN ('integer', 'real');"
                       "CREATE VIEW kernels AS SELECT r.key, r.program, r.chip, r.scheme, json_extract(k.value, '$.name') AS kernel,"
                       " json_extract(k.value, '$.launch') AS launch, json_extract(k.value, '$.launches') AS launches,"
                       " json_extract(k.value, '$.cycles') AS cycles, json_extract(k.value, '$.warp_instructions') AS warp_instructions,"
                       " json_extract(k.value, '$.ipc') AS ipc, k.value AS counters"
                       " FROM runs r JOIN objects o USING (key), json_each(o.run, '$.kernels') k;"
                       "CREATE VIEW loads AS SELECT r.key, r.program, r.chip, r.scheme, json_extract(l.value, '$.function') AS function,"
                       " json_extract(l.value, '$.source_file') AS source_file, json_extract(l.value, '$.source_line') AS source_line,"
                       " json_extract(l.value, '$.array') AS array, json_extract(l.value, '$.accesses') AS accesses,"
                       " json_extract(l.value, '$.hits') AS hits, json_extract(l.value, '$.misses') AS misses,"
                       " json_extract(l.value, '$.fills') AS fills, json_extract(l.value, '$.zero_reuse_fills') AS zero_reuse_fills,"
                       " json_extract(l.value, '$.latency_cycles') AS latency_cycles"
                       " FROM runs r JOIN objects o USING (key), json_each(o.run, '$.loads') l;"
                       "PRAGMA application_id = 2003134834;" // "weir"
                       "PRAGMA user_version = 4;";

static const char INSERT_OBJECT[] = "INSERT OR REPLACE INTO objects (key, run, sum) VALUES (?, ?, ?)";

#define IN_LIST(name, ...) ", \"" #name "\""
#define MARK(...) ", ?"
// A value per column: key, made, build, texts, set, numbers.
static const char INSERT_COLUMNS[] =
  "INSERT OR REPLACE INTO runs (key, made, build" TEXT_COLUMNS(IN_LIST) ", \"set\"" NUMBER_COLUMNS(
    IN_LIST) ") VALUES (?, coalesce(?, CURRENT_TIMESTAMP), ?" TEXT_COLUMNS(MARK) ", ?" NUMBER_COLUMNS(MARK) ")";

// The text outlives the statement's execution. NULL is NULL.
static void bind_text(sqlite3_stmt *s, int at, const char *text) {
  sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
}

static void bind_number(sqlite3_stmt *s, int at, double value) {
  if (isnan(value)) return;
  if (value == floor(value) && fabs(value) < 9e15)
    sqlite3_bind_int64(s, at, (sqlite3_int64)value);
  else
    sqlite3_bind_double(s, at, value);
}

static bool execute(sqlite3_stmt *s) {
  const bool ok = sqlite3_step(s) == SQLITE_DONE;
  sqlite3_reset(s);
  sqlite3_clear_bindings(s);
  return ok;
}

static bool insert_columns(sqlite3_stmt *s, const struct weir_store_row *row, const json_t *run) {
  static const char *const texts[] = {TEXT_COLUMNS(NAMED)};
  double numbers[NUMBERS];
  numbers_of(run, numbers);
  bind_text(s, 1, row->key);
  bind_text(s, 2, row->made);
  bind_text(s, 3, row->build);
  for (int i = 0; i < TEXTS; i++) bind_text(s, FIRST_TEXT + i, json_string_value(json_object_get(run, texts[i])));
  char *label = weir_run_label(run); // the executable's name is the same whatever it was told
  bind_text(s, FIRST_TEXT, *label ? label : NULL);
  char *set = json_dumps(json_object_get(run, "set"), JSON_COMPACT);
  bind_text(s, FIRST_NUMBER, set);
  for (int i = 0; i < NUMBERS; i++) bind_number(s, FIRST_NUMBER + 1 + i, numbers[i]);
  const bool ok = execute(s);
  weir_free(label);
  free(set);
  return ok;
}

static bool insert_object(sqlite3_stmt *s, const struct weir_store_row *row) {
  bind_text(s, 1, row->key);
  bind_text(s, 2, row->text);
  bind_text(s, 3, row->sum);
  return execute(s);
}

static bool is_prepared(sqlite3 *db, sqlite3_stmt **s, const char *sql) {
  return *s || !sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, s, NULL);
}

bool weir_store_insert(sqlite3 *db, struct weir_store_insertion *i, const struct weir_store_row *row,
                       const json_t *run) {
  return is_prepared(db, &i->object, INSERT_OBJECT) && is_prepared(db, &i->columns, INSERT_COLUMNS) &&
    insert_object(i->object, row) && insert_columns(i->columns, row, run);
}

void weir_store_insertion_end(struct weir_store_insertion *i) {
  sqlite3_finalize(i->object);
  sqlite3_finalize(i->columns);
  *i = (struct weir_store_insertion){0};
}

// ---- from an older weir's ----------------------------------------------------------------------------------------------

static int64_t number(sqlite3 *db, const char *sql) { // -1: there is none
  sqlite3_stmt *s;
  if (sqlite3_prepare_v2(db, sql, -1, &s, NULL)) return -1;
  const int64_t value = sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int64(s, 0) : -1;
  sqlite3_finalize(s);
  return value;
}

static bool has_column(sqlite3 *db, const char *name) {
  char *sql = weir_text_format("SELECT count(*) FROM pragma_table_info('runs') WHERE name = '%s'", name);
  const bool has = number(db, sql) == 1;
  weir_free(sql);
  return has;
}

static const char *column(sqlite3_stmt *s, int i) {
  return (const char *)sqlite3_column_text(s, i);
}

// Rows of schema 1, which has the objects in `runs`. What is no JSON was never a result.
static bool take_old_rows(sqlite3 *db, bool sums) {
  sqlite3_stmt *s;
  const char *sql = sums ? "SELECT key, run, made, sum FROM old" : "SELECT key, run, made, NULL FROM old";
  if (sqlite3_prepare_v2(db, sql, -1, &s, NULL)) return false;
  struct weir_store_insertion put = {0};
  bool ok = true;
  int status;
  while (ok && (status = sqlite3_step(s)) == SQLITE_ROW) {
    const struct weir_store_row row = {
      .key = column(s, 0), .text = column(s, 1), .made = column(s, 2), .sum = column(s, 3)};
    json_t *run = row.text ? json_loads(row.text, 0, NULL) : NULL;
    if (run) ok = weir_store_insert(db, &put, &row, run);
    json_decref(run);
  }
  weir_store_insertion_end(&put);
  sqlite3_finalize(s);
  return ok && status == SQLITE_DONE;
}

static const char FROM_2[] =
  "ALTER TABLE runs ADD COLUMN selected_launches INTEGER;"
  "ALTER TABLE runs ADD COLUMN sampled_launches INTEGER;"
  "UPDATE runs SET (selected_launches, sampled_launches) = (SELECT json_extract(run, '$.selection.selected'),"
  " json_extract(run, '$.sampling.timed') FROM objects WHERE objects.key = runs.key);";

static const char FROM_3[] = "DROP VIEW results;" NAMES RESULTS "PRAGMA user_version = 4;";

static bool migrate(sqlite3 *db) {
  return !sqlite3_exec(db, "ALTER TABLE runs RENAME TO old", NULL, NULL, NULL) &&
    !sqlite3_exec(db, TABLES, NULL, NULL, NULL);
}

static bool create_or_migrate(sqlite3 *db) {
  if (number(db, "SELECT count(*) FROM sqlite_schema") == 0) return !sqlite3_exec(db, TABLES, NULL, NULL, NULL);
  const int64_t version = number(db, "PRAGMA user_version");
  if (version == 2 && sqlite3_exec(db, FROM_2, NULL, NULL, NULL)) return false;
  if (version == 2 || version == 3) return !sqlite3_exec(db, FROM_3, NULL, NULL, NULL);
  const bool sums = has_column(db, "sum");
  return migrate(db) && take_old_rows(db, sums) && !sqlite3_exec(db, "DROP TABLE old", NULL, NULL, NULL);
}

static bool refuse(const char *file, struct weir_sink *sink, const char *why) {
  return weir_fail(sink, (struct weir_place){file, NULL, 0, 0}, "cannot be used as a results store: %s", why);
}

// Whether this is a store, or an empty database, of a schema that is known.
static bool is_ours(sqlite3 *db, int64_t version, const char *file, struct weir_sink *sink) {
  if (version > WEIR_STORE_SCHEMA) {
    char *why =
      weir_text_format("its schema is %d, of a newer weir; this one knows %d", (int)version, WEIR_STORE_SCHEMA);
    refuse(file, sink, why);
    weir_free(why);
    return false;
  }
  if (version || has_column(db, "run") || number(db, "SELECT count(*) FROM sqlite_schema") == 0) return true;
  return refuse(file, sink, "it is a database of something else");
}

bool weir_store_prepare(sqlite3 *db, const char *file, struct weir_sink *sink) {
  // At one moment: another process may be making the store.
  sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
  const int64_t version = number(db, "PRAGMA user_version");
  const bool ours = version < 0 ? refuse(file, sink, sqlite3_errmsg(db)) : is_ours(db, version, file, sink);
  sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
  if (!ours) return false;
  if (version == WEIR_STORE_SCHEMA) return true;
  bool ok = !sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
  // another process may have been quicker
  ok = ok && (number(db, "PRAGMA user_version") == WEIR_STORE_SCHEMA || create_or_migrate(db)) &&
    !sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
  if (!ok) refuse(file, sink, sqlite3_errmsg(db));
  if (!sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
  return ok;
}
