// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Many experiments on all cores. Invariant: each ends with either its run object or the text that says why there is
// none, whatever happens to the others; results do not depend on the number of jobs.
//
// An item is what was asked for; a run is one simulation. An item whose scheme leaves values open (scheme/values.h) has a run
// per combination, and its result is that of the best among those whose results are right: the fewest cycles; of a mix, the
// highest geometric mean of its programs' IPC; the first of equals. Items that ask for the same run share it.
//
// Runs that differ in chip and scheme alone share one prepared program: it is opened once and each of them is a fork of
// the process that has it.
#ifndef WEIR_BATCH_BATCH_H
#define WEIR_BATCH_BATCH_H

#include "base/arena.h"
#include "run/experiment.h"
#include "run/numbers.h"
#include "batch/store.h"

struct weir_batch_item {
  struct weir_experiment experiment;
  json_t *run;                             // NULL: failed, or not run because of an interruption
  const char *failure;                     // why it failed, complete lines; NULL: did not
  struct weir_setup setup;                 // of a sweep
  unsigned *runs, run_count, run_capacity; // its runs, in the order of the combinations
  unsigned best;                           // of a sweep, once there is `run`: the combination
};

enum weir_batch_state {
  WEIR_BATCH_PENDING,
  WEIR_BATCH_RUNNING,
  WEIR_BATCH_ELSEWHERE, // another process that uses the store makes it
  WEIR_BATCH_DONE
};

struct weir_batch_run {
  struct weir_experiment experiment; // its scheme leaves nothing open
  struct weir_setup setup;
  bool borrowed; // the setup is another run's
  char key[WEIR_HASH_TEXT];
  bool kept; // in the store, as weir_batch_look_up found it
  enum weir_batch_state state;
  char *failure;   // as an item's
  bool user_error; // failed by what a user can get wrong
  bool ended;      // with a run object
  bool wrong;      // … whose results are not the program's
  char check[8];   // what it says of them
  double cycles, warp_instructions;
  double thread_ipc; // thread instructions per core cycle; NaN without a GPU
  double mean_ipc;   // of a mix; NaN else
};

struct weir_batch {
  struct weir_batch_item *items;
  unsigned count, capacity;
  struct weir_batch_run *runs;
  unsigned run_count, run_capacity;
  unsigned recalled; // of these, how many the store had
  // What items have of a run object as their result, NULL: all of it; `total` is what it says in all. Then no more is read of it than `members`,
  // NULL at the end, which keep looks at. Runs of command lines are whole. Reading objects, and a fork of a process that holds many, cost as much
  // as a small run.
  json_t *(*keep)(const json_t *run, const struct weir_run_numbers *total);
  const char *const *members;
  const char **reads; // what is read, once it is known; NULL at the end
  unsigned read_count, read_capacity;
  struct weir_arena texts; // schemes of combinations
};

struct weir_batch_options {
  unsigned jobs;                    // runs at a time; 0: as many as keep all processors busy to the end
  struct weir_store *store;         // NULL: none
  struct weir_store *const *others; // other_count stores from which is taken what `store` lacks; needs `store`
  unsigned other_count;
  // Of an experiment with a command line: runs it, in a child process. NULL and a diagnostic if there is no run object.
  json_t *(*run_command)(const struct weir_experiment *e, struct weir_sink *sink);
  bool must_keep; // ends at the first run that ended and cannot be stored
};

void weir_batch_add(struct weir_batch *b, const struct weir_experiment *e);
void weir_batch_free(struct weir_batch *b);

// Checks every experiment's program, chip and scheme without running anything: false and all diagnostics if any is wrong.
bool weir_batch_check(struct weir_batch *b, struct weir_sink *sink);

// Runs what is not in the store (results are stored as they arrive), and no run that another process makes into the same store at the
// same time: that one's result is waited for. After weir_batch_check. False if interrupted.
bool weir_batch_run(struct weir_batch *b, const struct weir_batch_options *o, struct weir_sink *sink);

// Which runs the stores have, of a batch that is checked; nothing runs.
void weir_batch_look_up(struct weir_batch *b, const struct weir_batch_options *o, struct weir_sink *sink);

enum { WEIR_EXIT_INTERRUPTED = 130 }; // as a shell reports a process that SIGINT ended

unsigned weir_batch_ended(const struct weir_batch *b); // runs that have a run object

// What a sweep chose: "warps=5"; "" for other items, and while there is no best. Freed by weir_free.
char *weir_batch_choice(const struct weir_batch_item *item);

// 0 if every run ended and passed its check; 1 if a check failed or a run crashed; else 2. Prints the failures.
int weir_batch_status(const struct weir_batch *b, FILE *to);

#endif
