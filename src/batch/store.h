// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Results of experiments, kept in one SQLite file. Invariant: a key names everything that a run object depends on (the
// weir that ran it included), so what is found under it is what a new run would give, but for `host`; each has a sum that
// tells whether it is still as it was stored. Any number of processes may use one file at a time.
#ifndef WEIR_BATCH_STORE_H
#define WEIR_BATCH_STORE_H

#include "run/experiment.h"
#include "base/hash.h"

struct weir_store;

// How a change gets into the file.
enum weir_store_log {
  WEIR_STORE_WAL,      // by a write-ahead log, which only the processes of one machine can share
  WEIR_STORE_JOURNAL,  // by a journal: for a store on a file system that several machines have
  WEIR_STORE_AS_IT_IS, // as whoever made runs into it has it
};

// NULL path: $WEIR_STORE, or $XDG_CACHE_HOME/weir/results.sqlite (else under $HOME/.cache). NULL and a diagnostic if it cannot be used.
// A file that can only be read is read.
struct weir_store *weir_store_open(const char *path, enum weir_store_log log, struct weir_sink *sink);
// One that is there, to read alone. still: nothing writes it meanwhile, so that it needs no lock and no file beside it.
struct weir_store *weir_store_open_to_read(const char *path, bool still, struct weir_sink *sink);

const char *weir_store_path(const struct weir_store *s);
void weir_store_close(struct weir_store *s);

// A new run object; NULL: not there, or (a warning, once per store) changed since it was stored.
json_t *weir_store_get(struct weir_store *s, const char *key, struct weir_sink *sink);
// Likewise, with no more than these members, NULL at the end.
json_t *weir_store_get_members(struct weir_store *s, const char *key, const char *const *members,
                               struct weir_sink *sink);
// Whether weir_store_get would give one.
bool weir_store_has(struct weir_store *s, const char *key, struct weir_sink *sink);
// The members that the columns are of, NULL at the end.
extern const char *const weir_store_members[];
// `text` is the object `run` as JSON without indentation; NULL: it is made. If it is given, these members of `run` will do. False if it is
// not stored; why is a diagnostic once per store, a warning if it can only be read.
bool weir_store_put(struct weir_store *s, const char *key, const char *text, const json_t *run, struct weir_sink *sink);
bool weir_store_can_write(const struct weir_store *s);
// Brings what was put to the disk, so that it outlives the machine's end, too; without `at_once`, if some of it waits for longer than a while.
// Closing does the same. What was put outlives the process without it.
void weir_store_sync(struct weir_store *s, bool at_once);

// What a sweep calls a run: the last that does is told from then on. NULL: what it is.
struct weir_store_name {
  const char *key, *program, *chip, *scheme;
};
// False if they cannot be stored, which no result depends on.
bool weir_store_name(struct weir_store *s, const struct weir_store_name *names, unsigned count);

// Of the processes that use one store, one at a time has the claim to a run: who has it makes the run, if it is still not there. False: another
// process has it. A claim ends when it is released or the process ends, however it does.
bool weir_store_claim(struct weir_store *s, const char *key);
void weir_store_release(struct weir_store *s, const char *key);

// ---- what is kept (docs/STORE.md): the view `results` has a row per run -----------------------------------------------

struct weir_store_column {
  const char *name, *type, *help; // type: TEXT, INTEGER or REAL
};
const struct weir_store_column *weir_store_columns(unsigned *count); // of the table `runs`

struct weir_store_filter {
  const char *program, *chip,
    *scheme;         // as the shell matches names: lru*, what it is or what a sweep calls it; NULL: any
  const char *where; // a condition of SQL on the columns of `results`; NULL: none
};

struct weir_store_cell {
  const char *name, *text; // text: NULL: nothing; numbers as SQLite prints them
};

// The columns ("*", or names between commas) of each run that the filter lets through, oldest first. False and a diagnostic if the
// filter or a column is wrong, or the file cannot be read.
bool weir_store_each(struct weir_store *s, const char *columns, const struct weir_store_filter *f,
                     void (*each)(void *context, const struct weir_store_cell *cells, unsigned count), void *context,
                     struct weir_sink *sink);

// Likewise its run object, as it was stored, and what sweeps call it.
bool weir_store_each_object(struct weir_store *s, const struct weir_store_filter *f,
                            void (*each)(void *context, const char *object, const struct weir_store_name *name),
                            void *context, struct weir_sink *sink);

// Takes the runs of another store that this one lacks, of whichever schema this weir knows; rows that are not as they were stored
// stay behind. False and a diagnostic if it cannot.
struct weir_store_merged {
  unsigned taken, known, changed; // runs
};
bool weir_store_merge(struct weir_store *s, const char *from, struct weir_store_merged *merged, struct weir_sink *sink);

// Removes what the filter lets through, and gives the space back.
bool weir_store_prune(struct weir_store *s, const struct weir_store_filter *f, unsigned *removed,
                      struct weir_sink *sink);

void weir_build(char build[static WEIR_HASH_TEXT]); // of the running executable

// Of program, size, the contents of its files, chip, scheme, seed, plugins and this weir: its build and not its model's version,
// since who edits a policy and compares again must not be given what the former one did. False and a diagnostic if one of
// the files cannot be read.
bool weir_experiment_key(const struct weir_experiment *e, char key[static WEIR_HASH_TEXT], struct weir_sink *sink);

// Likewise, but of the model's version (run/model.h) in place of this weir: it lasts from build to build, and changes with
// what a file says, not with its comments.
bool weir_experiment_fingerprint(const struct weir_experiment *e, char text[static WEIR_HASH_TEXT],
                                 struct weir_sink *sink);

#endif
