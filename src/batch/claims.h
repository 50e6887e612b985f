// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which process makes which run: a file beside the store, STORE-claims, in which a run is one byte, and who has it locked has the run.
// Private to store.c. Invariant: locks are the system's, so that a process that is killed leaves none behind; the file is gone
// when nobody uses it.
#ifndef WEIR_BATCH_CLAIMS_H
#define WEIR_BATCH_CLAIMS_H

#include <stdbool.h>

struct weir_claims { // {0}: no file is open
  char *path;
  int file;
};

bool weir_claims_take(struct weir_claims *c, const char *store, const char *key); // false: another process has it
void weir_claims_give(struct weir_claims *c, const char *key);
void weir_claims_close(struct weir_claims *c, const char *store);

#endif
