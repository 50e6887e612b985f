// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Many experiments on all cores. Invariant: each ends with either its run object or the text that says why there is
// none, whatever happens to the others; results do not depend on the number of jobs.
//
// Experiments that differ in chip and scheme alone share one prepared program: it is opened once and each of them is a
// fork of the process that has it.
#ifndef WEIR_EXPERIMENT_BATCH_H
#define WEIR_EXPERIMENT_BATCH_H

#include "experiment/experiment.h"
#include "experiment/store.h"

struct weir_batch_item {
  struct weir_experiment experiment;
  json_t *run;     // NULL: failed, or not run because of an interruption
  char *failure;   // why it failed, complete lines; NULL: did not
  bool user_error; // failed by what a user can get wrong
  struct weir_setup setup;
  char key[WEIR_HASH_TEXT];
};

struct weir_batch {
  struct weir_batch_item *items;
  unsigned count, capacity;
};

struct weir_batch_options {
  unsigned jobs;            // runs at a time; 0: as many as keep all processors busy to the end
  struct weir_store *store; // NULL: none
};

void weir_batch_add(struct weir_batch *b, const struct weir_experiment *e);
void weir_batch_free(struct weir_batch *b);

// Checks every experiment's program, chip and scheme without running anything: false and all diagnostics if any is wrong.
bool weir_batch_check(struct weir_batch *b, struct weir_sink *sink);

// Runs what is not in the store (results are stored as they arrive). After weir_batch_check. False if interrupted.
bool weir_batch_run(struct weir_batch *b, const struct weir_batch_options *o, struct weir_sink *sink);

enum { WEIR_EXIT_INTERRUPTED = 130 }; // as a shell reports a process that SIGINT ended

// 0 if every experiment ran and passed its check; 1 if a check failed or a run crashed; else 2. Prints the failures.
int weir_batch_status(const struct weir_batch *b, FILE *to);

#endif
