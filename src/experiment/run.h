// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a finished run leaves behind, on the way to its run object. Invariant: `kernels` and `total` point into the chip,
// or, without one, into the run's own.
#ifndef WEIR_EXPERIMENT_RUN_H
#define WEIR_EXPERIMENT_RUN_H

#include "experiment/experiment.h"

struct weir_run {
  const struct weir_experiment *experiment;
  const struct weir_setup *setup;
  struct weir_app *app;
  struct weir_chip *chip; // NULL: functional
  enum weir_check_outcome check;
  const struct weir_kernel_stats *kernels;
  unsigned kernel_count, kernel_capacity;
  const struct weir_run_stats *total;
  struct weir_kernel_stats *own_kernels;
  struct weir_run_stats own_total;
  double seconds, cpu_seconds; // wall and processor time of the run itself
  uint64_t peak_rss_bytes;
};

// experiment/run_samples.c; NULL if the chip was not sampled.
extern const struct weir_member weir_samples_members[];
json_t *weir_samples_json(const struct weir_chip *c);

json_t *weir_run_to_json(const struct weir_run *r);

double weir_seconds_now(void); // of a monotonic clock

#endif
