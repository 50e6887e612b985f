// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A sweep as an array job of Slurm, and a job that merges what its tasks kept. Invariant: a task writes its own store and no other.
#ifndef WEIR_CLI_SLURM_H
#define WEIR_CLI_SLURM_H

#include "cli/options.h"

// The folder of the tasks' stores and scripts: the store's path and ".parts". Freed by weir_free.
char *weir_slurm_folder(const char *store);

// Writes the scripts and submits them: `tasks` tasks. False and a diagnostic if there is no sbatch, or it refuses.
bool weir_slurm_submit(const struct options *o, const char *store, unsigned tasks, struct weir_sink *sink);

#endif
