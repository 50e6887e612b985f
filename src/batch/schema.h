// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The tables of a results store, and how one of an older weir becomes one of today. Private to store*.c. Invariant: every
// object has a row in `runs` whose columns are what the object says, and the two come and go in one transaction.
#ifndef WEIR_BATCH_SCHEMA_H
#define WEIR_BATCH_SCHEMA_H

#include "batch/claims.h"
#include "batch/store.h"

#include <sqlite3.h>
#include <stdbool.h>

// PRAGMA user_version; 1: one table `runs` with the objects in it; 2: nothing of selections and samples; 3: no names
enum { WEIR_STORE_SCHEMA = 4 };

// What stores rows, prepared by the first of them.
struct weir_store_insertion {
  sqlite3_stmt *object, *columns;
};

struct weir_store {
  sqlite3 *db;
  sqlite3_stmt *get, *begin, *commit;
  struct weir_store_insertion put;
  double unsynced; // since when the log has what is not on the disk itself; 0: nothing
  bool writable;
  bool syncs; // its log, by itself
  bool changed_told, unwritable_told;
  struct weir_claims claims;
};

// Of a row's key and object: kept beside them, so that neither another row's object nor an edited one passes for it.
void weir_store_sum(const char *key, const char *text, char sum[static WEIR_HASH_TEXT]);

// Creates the tables, or brings those of an older weir up to date. False and a diagnostic at `file` if the database is not a
// results store, is of a newer weir, or cannot be written.
bool weir_store_prepare(sqlite3 *db, const char *file, struct weir_sink *sink);

struct weir_store_row {
  const char *key, *text, *sum; // text: the run object; sum: NULL if it has none
  const char *build, *made;     // NULL: not known; now
};

// Stores an object and its columns, in place of those that the key has, within the caller's transaction. False: sqlite3_errmsg says why.
bool weir_store_insert(sqlite3 *db, struct weir_store_insertion *i, const struct weir_store_row *row,
                       const json_t *run);
void weir_store_insertion_end(struct weir_store_insertion *i);

#endif
