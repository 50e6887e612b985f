// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What is in device memory at one moment, so that a launch can be taken back, or be seen to change nothing. Invariant: a snapshot is
// of the allocations that there were; of others it says that they differ.
#ifndef WEIR_EXEC_SNAPSHOT_H
#define WEIR_EXEC_SNAPSHOT_H

#include "exec/memory.h"

struct weir_snapshot;

struct weir_snapshot *weir_snapshot_create(void); // of nothing yet
void weir_snapshot_free(struct weir_snapshot *s); // may be NULL

// False: device code has allocated memory itself, which nobody can take back; the snapshot is then of nothing.
bool weir_snapshot_take(struct weir_snapshot *s, struct weir_memory *m);
// False, and nothing is written, where there are other allocations by now.
bool weir_snapshot_restore(const struct weir_snapshot *s, struct weir_memory *m);
// Is every byte as it was?
bool weir_snapshot_same(const struct weir_snapshot *s, struct weir_memory *m);

#endif
