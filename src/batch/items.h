// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// From a batch's runs to its items' results. Private to batch*.c. Invariant: of a run object only the items that it is
// the result of, or the best so far, hold a reference.
#ifndef WEIR_BATCH_ITEMS_H
#define WEIR_BATCH_ITEMS_H

#include "batch/batch.h"

bool weir_same_text(const char *a, const char *b); // either may be NULL

// What is read of run k's object, NULL at the end; NULL: all of it.
const char *const *weir_batch_reads(struct weir_batch *b, unsigned k);

// Run k ended with this object, which has what is read of it.
void weir_batch_take(struct weir_batch *b, unsigned k, json_t *run);

// All runs are done: gives the items their failures, and the results of sweeps their member `sweep`.
void weir_batch_settle(struct weir_batch *b);

#endif
