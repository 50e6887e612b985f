// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "batch/store.h"

#include "base/alloc.h"
#include "base/file.h"
#include "batch/schema.h"
#include "run/object.h"
#include "run/run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUSY_MS = 30000 };

static char *default_path(void) {
  const char *store = getenv("WEIR_STORE"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (store && *store) return weir_text_copy(store);
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

static const char SELECT[] = "SELECT run, sum FROM objects WHERE key = ?";
static const char SELECT_OLD[] = "SELECT run, sum FROM runs WHERE key = ?"; // of schema 1

// ---- to the disk itself ------------------------------------------------------------------------------------------------

// What a process has written is in the file, whatever becomes of the process; only what the machine's end would lose is still to
// be brought to the disk. SQLite does that once per transaction, which takes longer than a small run. With a write-ahead log,
// which cannot become inconsistent by it, we do it for all runs of a while at once.
static const double SYNC_SECONDS = 0.5;

static bool has_log(struct weir_store *s) {
  sqlite3_stmt *q = NULL;
  bool has = !sqlite3_prepare_v2(s->db, "PRAGMA journal_mode", -1, &q, NULL) && sqlite3_step(q) == SQLITE_ROW &&
    !strcmp((const char *)sqlite3_column_text(q, 0), "wal");
  sqlite3_finalize(q);
  return has;
}

static bool sync_by_hand(struct weir_store *s) {
  s->syncs = true;
  return !sqlite3_exec(s->db, "PRAGMA synchronous=NORMAL", NULL, NULL, NULL);
}

void weir_store_sync(struct weir_store *s, bool at_once) {
  sqlite3_file *log = NULL;
  if (!s->unsynced || (!at_once && weir_seconds_now() - s->unsynced < SYNC_SECONDS)) return;
  s->unsynced = 0;
  if (!sqlite3_file_control(s->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) && log && log->pMethods)
    log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
}

static void note_unsynced(struct weir_store *s) {
  if (s->syncs && !s->unsynced) s->unsynced = weir_seconds_now();
  weir_store_sync(s, false);
}

// ---- opened and closed -------------------------------------------------------------------------------------------------

static bool prepare(struct weir_store *s, const char *file, enum weir_store_log log, struct weir_sink *sink) {
  sqlite3_busy_timeout(s->db, BUSY_MS);
  static const char *const modes[] = {
    [WEIR_STORE_WAL] = "PRAGMA journal_mode=WAL", [WEIR_STORE_JOURNAL] = "PRAGMA journal_mode=DELETE"};
  if (log != WEIR_STORE_AS_IT_IS) sqlite3_exec(s->db, modes[log], NULL, NULL, NULL); // what else it says, it says again
  s->writable = true;
  return weir_store_prepare(s->db, file, sink) && !sqlite3_prepare_v2(s->db, SELECT, -1, &s->get, NULL) &&
    !sqlite3_prepare_v2(s->db, "BEGIN IMMEDIATE", -1, &s->begin, NULL) &&
    !sqlite3_prepare_v2(s->db, "COMMIT", -1, &s->commit, NULL) && (!has_log(s) || sync_by_hand(s));
}

// `still`: on media that cannot be written, as the file lies there, since SQLite could not make its own files beside it. Else another process may
// have been killed while it wrote, and what it did not finish is first taken back, which is a write.
static bool open_to_read(struct weir_store *s, const char *file, bool still) {
  static const char digits[] = "0123456789abcdef";
  char *uri = weir_alloc(3 * strlen(file) + 32), *to = stpcpy(uri, "file:");
  for (const char *c = file; *c; c++) { // some have a meaning in a URI
    const unsigned char byte = (unsigned char)*c;
    if (!strchr("?#%", byte))
      *to++ = *c;
    else
      *to++ = '%', *to++ = digits[byte >> 4], *to++ = digits[byte & 15];
  }
  strcpy(to, still ? "?immutable=1" : "");
  const int way = still ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  const bool ok = !sqlite3_open_v2(uri, &s->db, way | SQLITE_OPEN_URI, NULL) && !sqlite3_busy_timeout(s->db, BUSY_MS) &&
    (!sqlite3_prepare_v2(s->db, SELECT, -1, &s->get, NULL) ||
     !sqlite3_prepare_v2(s->db, SELECT_OLD, -1, &s->get, NULL));
  weir_free(uri);
  return ok;
}

// Whether the file is there and nothing can be written to it or beside it.
static bool is_read_only(const char *file) {
  if (access(file, R_OK)) return false; // asked first: another process may be making it
  char *folder = weir_path_beside(file, ".");
  const bool can_write = !access(file, W_OK) && !access(folder, W_OK);
  weir_free(folder);
  return !can_write;
}

struct weir_store *weir_store_open(const char *path, enum weir_store_log log, struct weir_sink *sink) {
  char *file = path ? weir_text_copy(path) : default_path();
  make_folders(file);
  struct weir_store *s = weir_new(struct weir_store);
  const size_t errors = sink->errors;
  bool ok =
    is_read_only(file) ? open_to_read(s, file, true) : !sqlite3_open(file, &s->db) && prepare(s, file, log, sink);
  if (!ok && sink->errors == errors)
    weir_fail(sink, (struct weir_place){file, NULL, 0, 0}, "cannot be used as a results store: %s",
              sqlite3_errmsg(s->db));
  if (!ok) weir_store_close(s);
  weir_free(file);
  return ok ? s : NULL;
}

struct weir_store *weir_store_open_to_read(const char *path, bool still, struct weir_sink *sink) {
  struct weir_store *s = weir_new(struct weir_store);
  if (open_to_read(s, path, still)) return s;
  weir_fail(sink, (struct weir_place){path, NULL, 0, 0}, "cannot be used as a results store: %s",
            sqlite3_errmsg(s->db));
  weir_store_close(s);
  return NULL;
}

const char *weir_store_path(const struct weir_store *s) {
  return sqlite3_db_filename(s->db, "main");
}

void weir_store_close(struct weir_store *s) {
  weir_store_sync(s, true);
  if (s->writable) weir_claims_close(&s->claims, weir_store_path(s));
  sqlite3_finalize(s->get);
  sqlite3_finalize(s->begin);
  sqlite3_finalize(s->commit);
  weir_store_insertion_end(&s->put);
  sqlite3_close(s->db);
  weir_free(s);
}

// Of a row's key and text, so that neither another row's text nor an edited one passes for it.
void weir_store_sum(const char *key, const char *text, char sum[static WEIR_HASH_TEXT]) {
  weir_hash_print(weir_hash_bytes(weir_hash_bytes(weir_hash_start(), key, strlen(key) + 1), text, strlen(text)), sum);
}

// The text of the row that `get` stands at; NULL and a warning if it is not as it was stored.
static const char *row(struct weir_store *s, const char *key, struct weir_sink *sink) {
  const char *text = (const char *)sqlite3_column_text(s->get, 0), *kept = (const char *)sqlite3_column_text(s->get, 1);
  char sum[WEIR_HASH_TEXT];
  weir_store_sum(key, text ? text : "", sum);
  if (kept && !strcmp(kept, sum)) return text;
  if (!s->changed_told)
    weir_report(sink, WEIR_WARNING, (struct weir_place){sqlite3_db_filename(s->db, "main"), NULL, 0, 0},
                "holds results that are not as weir stored them (edited, or damaged): they are made again");
  s->changed_told = true;
  return NULL;
}

static const char *find(struct weir_store *s, const char *key, struct weir_sink *sink) { // until `get` is reset
  sqlite3_bind_text(s->get, 1, key, -1, SQLITE_STATIC);
  return sqlite3_step(s->get) == SQLITE_ROW ? row(s, key, sink) : NULL;
}

json_t *weir_store_get(struct weir_store *s, const char *key, struct weir_sink *sink) {
  const char *text = find(s, key, sink);
  json_t *run = text ? json_loads(text, 0, NULL) : NULL;
  sqlite3_reset(s->get);
  return run;
}

json_t *weir_store_get_members(struct weir_store *s, const char *key, const char *const *members,
                               struct weir_sink *sink) {
  const char *text = find(s, key, sink);
  json_t *run = text ? weir_json_members(text, members) : NULL;
  sqlite3_reset(s->get);
  return run;
}

bool weir_store_has(struct weir_store *s, const char *key, struct weir_sink *sink) {
  const bool has = find(s, key, sink);
  sqlite3_reset(s->get);
  return has;
}

// What keeps one result from being stored keeps the next: it is told once.
static bool told_unwritable(struct weir_store *s, const char *why, struct weir_sink *sink) {
  if (!s->unwritable_told) {
    if (s->writable)
      weir_fail_plain(sink, "results cannot be stored: %s", why);
    else
      weir_report(sink, WEIR_WARNING, (struct weir_place){sqlite3_db_filename(s->db, "main"), NULL, 0, 0},
                  "can only be read: new results are not kept");
  }
  s->unwritable_told = true;
  return false;
}

static bool done(sqlite3_stmt *statement) {
  const bool ok = sqlite3_step(statement) == SQLITE_DONE;
  sqlite3_reset(statement);
  return ok;
}

static bool insert(struct weir_store *s, const struct weir_store_row *row, const json_t *run) {
  return done(s->begin) && weir_store_insert(s->db, &s->put, row, run) && done(s->commit);
}

bool weir_store_put(struct weir_store *s, const char *key, const char *text, const json_t *run,
                    struct weir_sink *sink) {
  char sum[WEIR_HASH_TEXT], build[WEIR_HASH_TEXT];
  if (!s->writable) return told_unwritable(s, NULL, sink);
  char *own = text ? NULL : weir_json_text(run, false);
  if (own) text = own;
  weir_store_sum(key, text, sum);
  weir_build(build);
  const struct weir_store_row row = {.key = key, .text = text, .sum = sum, .build = build};
  const bool ok = insert(s, &row, run) || told_unwritable(s, sqlite3_errmsg(s->db), sink);
  if (!sqlite3_get_autocommit(s->db)) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
  if (ok) note_unsynced(s);
  free(own);
  return ok;
}

static bool put_name(sqlite3_stmt *put, const struct weir_store_name *name) {
  const char *const texts[] = {name->key, name->program, name->chip, name->scheme};
  for (int i = 0; i < 4; i++) sqlite3_bind_text(put, i + 1, texts[i], -1, SQLITE_STATIC);
  return done(put);
}

bool weir_store_name(struct weir_store *s, const struct weir_store_name *names, unsigned count) {
  static const char SQL[] = "INSERT OR REPLACE INTO names (key, program, chip, scheme) VALUES (?, ?, ?, ?)";
  sqlite3_stmt *put = NULL;
  if (!s->writable || !count) return s->writable;
  bool ok = !sqlite3_prepare_v2(s->db, SQL, -1, &put, NULL) && done(s->begin);
  for (unsigned i = 0; ok && i < count; i++) ok = put_name(put, &names[i]);
  ok = ok && done(s->commit);
  sqlite3_finalize(put);
  if (!sqlite3_get_autocommit(s->db)) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
  return ok;
}

bool weir_store_can_write(const struct weir_store *s) {
  return s->writable;
}

// ---- claims ------------------------------------------------------------------------------------------------------------

// What cannot be kept need not be claimed.
bool weir_store_claim(struct weir_store *s, const char *key) {
  return !s->writable || weir_claims_take(&s->claims, weir_store_path(s), key);
}

void weir_store_release(struct weir_store *s, const char *key) {
  if (s->writable) weir_claims_give(&s->claims, key);
}
