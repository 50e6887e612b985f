// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a program can do beside hints: keep a first-level cache of its own in shared memory (S-L1), or take less of a core's array as
// shared memory and leave the rest to the first-level cache. Invariant: each is a run of the program as it is, with other options.
#ifndef WEIR_ADVISE_REMEDY_H
#define WEIR_ADVISE_REMEDY_H

#include "advise/trials.h"

enum { WEIR_REMEDIES = 8, WEIR_REMEDY_SETS = 3 };

struct weir_remedy {
  char *name; // "S-L1", "carve-out of 32 KiB"
  char *how;  // what a CUDA program calls for it
  bool sl1;
  char *sets[WEIR_REMEDY_SETS]; // as of --set
  unsigned set_count;
  struct weir_measured outcome;
  char *failure; // why it did not run; NULL: it did
};

// Those that there are for the run on its chip; their number. To be freed.
unsigned weir_remedies_of(struct weir_remedy remedies[WEIR_REMEDIES], const struct weir_setup *setup,
                          const struct weir_experiment *e, const json_t *run);

// Runs them, side by side. An exit status; what keeps one from running is its failure, and no error.
int weir_remedies_run(struct weir_remedy *remedies, unsigned count, struct weir_trials *trials);

void weir_remedies_free(struct weir_remedy *remedies, unsigned count);

#endif
