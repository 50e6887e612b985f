// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "experiment/store.h"

#include "base/alloc.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BUSY_MS = 30000 };

struct weir_store {
  sqlite3 *db;
  sqlite3_stmt *get, *put;
};

static char *default_path(void) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  return cache && *cache ? weir_text_format("%s/weir/results.sqlite", cache)
                         : weir_text_format("%s/.cache/weir/results.sqlite", home ? home : ".");
}

// Every folder of the path that is not there yet.
static void make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(path, 0777);
    *slash = '/';
  }
}

static bool prepare(struct weir_store *s) {
  static const char schema[] =
    "CREATE TABLE IF NOT EXISTS runs (key TEXT PRIMARY KEY, program TEXT, size TEXT, chip TEXT, scheme TEXT,"
    " made TEXT DEFAULT CURRENT_TIMESTAMP, run TEXT NOT NULL) WITHOUT ROWID";
  sqlite3_busy_timeout(s->db, BUSY_MS);
  return !sqlite3_exec(s->db, "PRAGMA journal_mode=WAL", NULL, NULL, NULL) &&
         !sqlite3_exec(s->db, schema, NULL, NULL, NULL) &&
         !sqlite3_prepare_v2(s->db, "SELECT run FROM runs WHERE key = ?", -1, &s->get, NULL) &&
         !sqlite3_prepare_v2(s->db, "INSERT OR REPLACE INTO runs (key, program, size, chip, scheme, run)"
                                    " VALUES (?, ?, ?, ?, ?, ?)", -1, &s->put, NULL);
}

struct weir_store *weir_store_open(const char *path, struct weir_sink *sink) {
  char *file = path ? weir_text_copy(path) : default_path();
  make_folders(file);
  struct weir_store *s = weir_new(struct weir_store);
  bool ok = !sqlite3_open(file, &s->db) && prepare(s);
  if (!ok) {
    weir_fail(sink, (struct weir_place){file, NULL, 0, 0}, "cannot be used as a results store: %s",
              sqlite3_errmsg(s->db));
    weir_store_close(s);
  }
  weir_free(file);
  return ok ? s : NULL;
}

void weir_store_close(struct weir_store *s) {
  sqlite3_finalize(s->get);
  sqlite3_finalize(s->put);
  sqlite3_close(s->db);
  weir_free(s);
}

json_t *weir_store_get(struct weir_store *s, const char *key) {
  sqlite3_bind_text(s->get, 1, key, -1, SQLITE_STATIC);
  json_t *run = NULL;
  if (sqlite3_step(s->get) == SQLITE_ROW)
    run = json_loads((const char *)sqlite3_column_text(s->get, 0), 0, NULL);
  sqlite3_reset(s->get);
  return run;
}

bool weir_store_put(struct weir_store *s, const char *key, const json_t *run, struct weir_sink *sink) {
  static const char *const columns[] = {"program", "size", "chip", "scheme"};
  sqlite3_bind_text(s->put, 1, key, -1, SQLITE_STATIC);
  for (int i = 0; i < 4; i++)
    sqlite3_bind_text(s->put, 2 + i, weir_run_text(run, columns[i]), -1, SQLITE_STATIC);
  sqlite3_bind_text(s->put, 6, weir_json_text(run, false), -1, free);
  int status = sqlite3_step(s->put);
  sqlite3_reset(s->put);
  sqlite3_clear_bindings(s->put);
  return status == SQLITE_DONE || weir_fail_plain(sink, "a result cannot be stored: %s", sqlite3_errmsg(s->db));
}
