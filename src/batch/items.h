// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// From a batch's runs to its items' results. Private to batch*.c. Invariant: of a run object only the items that it is
// the result of, or the best so far, hold a reference.
#ifndef WEIR_BATCH_ITEMS_H
#define WEIR_BATCH_ITEMS_H

#include "batch/batch.h"

bool weir_same_text(const char *a, const char *b); // either may be NULL

// Whether of run k's object only some members are kept, and drops the others.
bool weir_batch_slims(const struct weir_batch *b, unsigned k);
void weir_batch_slim(const struct weir_batch *b, json_t *run);

// Run k ended with this object.
void weir_batch_take(struct weir_batch *b, unsigned k, json_t *run);

// All runs are done: gives the items their failures, and the results of sweeps their member `sweep`.
void weir_batch_settle(struct weir_batch *b);

#endif
