// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The parts of weir gpu: what a child process does with the device, and what its parent makes of it. Invariant: only
// children open the driver, one at a time, for CUDA does not survive a fork; they answer in JSON.
#ifndef WEIR_CLI_GPU_H
#define WEIR_CLI_GPU_H

#include "cli/options.h"
#include "ptx/ir.h"
#include "table/table.h"

struct gpu_variant {
  const char *name;         // "no L1"
  enum weir_cache_op loads; // of global memory
  bool sl1;
};

// A program in one variant with one number of threads.
struct gpu_cell {
  const struct options *options;
  const struct weir_sl1_options *sl1;
  const struct gpu_variant *variant;
  struct weir_shape shape; // 0: the program's own
  json_t *answer;          // once it was run: {"milliseconds", "launches", "lines", "hit_rate" (if counted),
                           // "same_addresses", "check", "results": [{"name", "checksum"}]}; NULL: it was stopped
  const char *check;       // what its row says of its results
  bool right;
};

struct gpu_runs {
  struct gpu_cell *cells; // variants within numbers of threads
  unsigned count, variants;
  json_t *device;
};

// Work for weir_job_start (gpu_child.c). They return an exit status: WEIR_EXIT_NO_DEVICE without library or device,
// WEIR_EXIT_USER if the program cannot be opened. A run that was stopped has no answer and says why on stderr.
int weir_gpu_describe(void *context, FILE *answer);
int weir_gpu_run(void *cell, FILE *answer);

// One row per cell, and with several numbers of threads one per variant at its best (gpu_table.c).
void weir_gpu_table(struct weir_table *t, const struct gpu_runs *runs);

#endif
