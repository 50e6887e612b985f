// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a results store holds, as a whole: read, merged, pruned.
#include "base/alloc.h"
#include "batch/schema.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool refuse(struct weir_store *s, const char *what, struct weir_sink *sink) {
  return weir_fail(sink, (struct weir_place){weir_store_path(s), NULL, 0, 0}, "%s: %s", what, sqlite3_errmsg(s->db));
}

// The view of what is kept; of a store that is read as an older weir left it, with names that it has not.
static const char *results(struct weir_store *s) {
  sqlite3_stmt *q = NULL;
  const bool named = !sqlite3_prepare_v2(s->db, "SELECT program_name FROM results", -1, &q, NULL);
  sqlite3_finalize(q);
  return named ? "results" : "(SELECT *, NULL AS program_name, NULL AS chip_name, NULL AS scheme_name FROM results)";
}

// Whether a text is SQL's own: nothing but space stands behind the statement's end.
static bool nothing_follows(const char *rest) {
  while (isspace((unsigned char)*rest)) rest++;
  return !*rest;
}

// A condition is one expression on the columns of `results`: neither ends the statement, nor changes anything.
static bool condition_fits(struct weir_store *s, const char *where, struct weir_sink *sink) {
  if (!where) return true;
  sqlite3_stmt *alone = NULL;
  const char *rest = "";
  char *sql = weir_text_format("SELECT 1 FROM %s WHERE (%s\n)", results(s), where);
  const bool ok = !sqlite3_prepare_v2(s->db, sql, -1, &alone, &rest) && nothing_follows(rest) && alone &&
    sqlite3_stmt_readonly(alone);
  if (!ok && sqlite3_errcode(s->db) != SQLITE_OK)
    weir_fail_plain(sink, "--where '%s' is no condition on the columns of results: %s", where, sqlite3_errmsg(s->db));
  else if (!ok)
    weir_fail_plain(sink, "--where '%s' is more than one condition", where);
  sqlite3_finalize(alone);
  weir_free(sql);
  return ok;
}

// `head`, what is kept and is joined, the filter and `tail` as one statement; NULL and a diagnostic if they make none.
static sqlite3_stmt *filtered(struct weir_store *s, const char *head, const char *join,
                              const struct weir_store_filter *f, const char *tail, struct weir_sink *sink) {
  const char *const names[] = {f->program, f->chip, f->scheme};
  sqlite3_stmt *statement = NULL;
  if (!condition_fits(s, f->where, sink)) return NULL;
  char *sql = weir_text_format("%s FROM %s %s WHERE (?1 IS NULL OR program GLOB ?1 OR program_name GLOB ?1)"
                               " AND (?2 IS NULL OR chip GLOB ?2 OR chip_name GLOB ?2)"
                               " AND (?3 IS NULL OR scheme GLOB ?3 OR scheme_name GLOB ?3) AND (%s\n) %s",
                               head, results(s), join, f->where ? f->where : "1", tail);
  if (sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL)) refuse(s, "cannot be asked", sink);
  for (int i = 0; statement && i < 3; i++) sqlite3_bind_text(statement, i + 1, names[i], -1, SQLITE_TRANSIENT);
  weir_free(sql);
  return statement;
}

static bool ended(struct weir_store *s, sqlite3_stmt *statement, int status, struct weir_sink *sink) {
  const bool ok = status == SQLITE_DONE || refuse(s, "cannot be read", sink);
  sqlite3_finalize(statement);
  return ok;
}

bool weir_store_each(struct weir_store *s, const char *columns, const struct weir_store_filter *f,
                     void (*each)(void *context, const struct weir_store_cell *cells, unsigned count), void *context,
                     struct weir_sink *sink) {
  char *head = weir_text_format("SELECT %s", columns);
  sqlite3_stmt *q = filtered(s, head, "", f, "ORDER BY made, program, chip, scheme, key", sink);
  weir_free(head);
  if (!q) return false;
  const unsigned count = (unsigned)sqlite3_column_count(q);
  struct weir_store_cell *cells = weir_new_array(struct weir_store_cell, count + 1);
  int status;
  while ((status = sqlite3_step(q)) == SQLITE_ROW) {
    for (unsigned i = 0; i < count; i++) {
      if (!cells[i].name) cells[i].name = sqlite3_column_name(q, (int)i);
      cells[i].text = (const char *)sqlite3_column_text(q, (int)i);
    }
    each(context, cells, count);
  }
  weir_free(cells);
  return ended(s, q, status, sink);
}

bool weir_store_each_object(struct weir_store *s, const struct weir_store_filter *f,
                            void (*each)(void *context, const char *object, const struct weir_store_name *name),
                            void *context, struct weir_sink *sink) {
  sqlite3_stmt *q = filtered(s, "SELECT run, key, program_name, chip_name, scheme_name", "JOIN objects USING (key)", f,
                             "ORDER BY made, program, chip, scheme, key", sink);
  if (!q) return false;
  int status;
  while ((status = sqlite3_step(q)) == SQLITE_ROW) {
    const char *texts[5];
    for (int i = 0; i < 5; i++) texts[i] = (const char *)sqlite3_column_text(q, i);
    each(context, texts[0], &(struct weir_store_name){texts[1], texts[2], texts[3], texts[4]});
  }
  return ended(s, q, status, sink);
}

// ---- merge -------------------------------------------------------------------------------------------------------------

static bool knows(struct weir_store *s, const char *key) {
  sqlite3_bind_text(s->get, 1, key, -1, SQLITE_TRANSIENT);
  const bool known = sqlite3_step(s->get) == SQLITE_ROW;
  sqlite3_reset(s->get);
  return known;
}

static bool is_as_stored(const struct weir_store_row *row) {
  char sum[WEIR_HASH_TEXT];
  weir_store_sum(row->key, row->text ? row->text : "", sum);
  return row->text && row->sum && !strcmp(sum, row->sum);
}

static bool take(struct weir_store *s, const struct weir_store_row *row, struct weir_store_merged *m) {
  if (knows(s, row->key)) {
    m->known++;
    return true;
  }
  json_t *run = is_as_stored(row) ? json_loads(row->text, 0, NULL) : NULL;
  const bool ok = !run || weir_store_insert(s->db, &s->put, row, run);
  m->taken += run && ok;
  m->changed += !run;
  json_decref(run);
  return ok;
}

// The other's rows, of either schema.
static sqlite3_stmt *rows_of(sqlite3 *db) {
  static const char *const sql[] = {
    "SELECT key, run, sum, build, made FROM objects JOIN runs USING (key) ORDER BY made, key",
    "SELECT key, run, sum, NULL, made FROM runs ORDER BY made, key"};
  sqlite3_stmt *q = NULL;
  for (unsigned i = 0; i < 2 && !q; i++) sqlite3_prepare_v2(db, sql[i], -1, &q, NULL);
  return q;
}

static bool take_all(struct weir_store *s, sqlite3 *other, struct weir_store_merged *m) {
  sqlite3_stmt *q = rows_of(other);
  bool ok = q;
  int status = SQLITE_ERROR;
  while (ok && (status = sqlite3_step(q)) == SQLITE_ROW) {
    const char *texts[5];
    for (int i = 0; i < 5; i++) texts[i] = (const char *)sqlite3_column_text(q, i);
    ok = take(s, &(struct weir_store_row){texts[0], texts[1], texts[2], texts[3], texts[4]}, m);
  }
  sqlite3_finalize(q);
  return ok && status == SQLITE_DONE;
}

// What the other's runs are called, if they have no name here. A store of an older schema has none.
static bool take_names(struct weir_store *s, sqlite3 *other) {
  static const char SQL[] =
    "INSERT OR IGNORE INTO names (key, program, chip, scheme) SELECT ?1, ?2, ?3, ?4 WHERE EXISTS (SELECT 1 FROM runs WHERE key = ?1)";
  sqlite3_stmt *from = NULL, *to = NULL;
  if (sqlite3_prepare_v2(other, "SELECT key, program, chip, scheme FROM names", -1, &from, NULL)) return true;
  bool ok = !sqlite3_prepare_v2(s->db, SQL, -1, &to, NULL);
  while (ok && sqlite3_step(from) == SQLITE_ROW) {
    for (int i = 0; i < 4; i++) sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i));
    ok = sqlite3_step(to) == SQLITE_DONE;
    sqlite3_reset(to);
  }
  sqlite3_finalize(from);
  sqlite3_finalize(to);
  return ok;
}

bool weir_store_merge(struct weir_store *s, const char *from, struct weir_store_merged *merged,
                      struct weir_sink *sink) {
  const struct weir_place place = {from, NULL, 0, 0};
  *merged = (struct weir_store_merged){0};
  sqlite3 *other = NULL;
  if (!s->writable)
    return weir_fail(sink, (struct weir_place){weir_store_path(s), NULL, 0, 0},
                     "can only be read: nothing can be merged into it");
  bool ok = !sqlite3_open_v2(from, &other, SQLITE_OPEN_READWRITE, NULL);
  if (!ok) weir_fail(sink, place, "cannot be read: %s", sqlite3_errmsg(other));
  ok = ok && (!sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) || refuse(s, "cannot be written", sink));
  if (ok && !(ok = take_all(s, other, merged) && take_names(s, other)))
    weir_fail(sink, place, "cannot be merged: %s",
              sqlite3_errcode(s->db) != SQLITE_OK ? sqlite3_errmsg(s->db) : sqlite3_errmsg(other));
  ok = ok && (!sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL) || refuse(s, "cannot be written", sink));
  if (!sqlite3_get_autocommit(s->db)) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
  sqlite3_close(other);
  return ok;
}

// ---- prune -------------------------------------------------------------------------------------------------------------

bool weir_store_prune(struct weir_store *s, const struct weir_store_filter *f, unsigned *removed,
                      struct weir_sink *sink) {
  static const char REMOVE[] = "DELETE FROM objects WHERE key IN (SELECT key FROM temp.gone);"
                               "DELETE FROM names WHERE key IN (SELECT key FROM temp.gone);"
                               "DELETE FROM runs WHERE key IN (SELECT key FROM temp.gone);"
                               "DROP TABLE temp.gone; COMMIT";
  *removed = 0;
  if (!s->writable)
    return weir_fail(sink, (struct weir_place){weir_store_path(s), NULL, 0, 0},
                     "can only be read: nothing can be removed");
  if (sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL)) return refuse(s, "cannot be written", sink);
  sqlite3_stmt *q = filtered(s, "CREATE TEMP TABLE gone AS SELECT key", "", f, "", sink);
  bool ok = q && ended(s, q, sqlite3_step(q), sink);
  ok = ok && (!sqlite3_exec(s->db, REMOVE, NULL, NULL, NULL) || refuse(s, "cannot be written", sink));
  *removed = ok ? (unsigned)sqlite3_changes(s->db) : 0; // of the last deletion
  if (!sqlite3_get_autocommit(s->db)) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
  if (ok) sqlite3_exec(s->db, "VACUUM", NULL, NULL, NULL); // else the space is used again
  return ok;
}
