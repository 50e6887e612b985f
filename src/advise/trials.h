// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One program's runs under other hints, perturbations and chips, side by side. Invariant: a run with the same hints, chip and
// perturbation as one of weir run has its counts.
#ifndef WEIR_ADVISE_TRIALS_H
#define WEIR_ADVISE_TRIALS_H

#include "run/experiment.h"

struct weir_measured {
  bool ran;
  double cycles, l1_misses, network_bytes, dram_bytes, energy_pj;
  double instructions; // that warps executed: the same whatever the hints, if the program does the same work
  double core_cycles, network_flits; // what a run's own time goes with
};

struct weir_wanted {
  const char *hints;                   // lines for weir_hints_read, behind those of the experiment; NULL: none
  unsigned perturb;                    // of core.perturb; 0: as the experiment has it
  double most_core_cycles, most_flits; // the run is given up that takes more; 0: it is not
  const char *chip, *scheme;           // NULL: the experiment's
  const char *sl1;                     // likewise, of --sl1
  const char *const *sets;             // set_count more of --set
  unsigned set_count;
  struct weir_measured outcome;
  char *failure; // why it did not run; NULL: it did. Freed by whoever asked
  json_t *run;   // the run object; freed by whoever asked
};

struct weir_trials {
  const struct weir_experiment *experiment;
  char *const *program; // the program after --, with its arguments; NULL: a workload or a launch file
  unsigned jobs;        // at a time; 0: one per processor
  double budget;        // seconds in all; 0: any
  double start;         // set by weir_trials_start
  unsigned done;        // runs so far
  unsigned expected;    // in all
  double busy;          // seconds that these took, a processor's each
};

void weir_trials_start(struct weir_trials *t);

// Runs wanted[count]. WEIR_EXIT_OK if all were tried: each has an outcome or a failure. Otherwise the exit status:
// interrupted, or what is wrong is reported.
int weir_trials_run(struct weir_trials *t, struct weir_wanted *wanted, unsigned count, struct weir_sink *sink);

// How many of `count` runs the budget has time for, as long as those before took.
unsigned weir_trials_affordable(const struct weir_trials *t, unsigned count);

#endif
