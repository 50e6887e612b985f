// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a sweep leaves in the run object that is its result: the member `sweep`. Invariant: of runs that are no sweep's it
// has the same members, empty.
#ifndef WEIR_RUN_SWEEP_H
#define WEIR_RUN_SWEEP_H

#include "scheme/scheme.h"
#include "stats/json.h"

struct weir_sweep_tried { // that ended
  unsigned combination;
  double cycles, thread_ipc; // NaN without a GPU
  double mean_ipc;           // of a mix; NaN else
  const char *check;
};

struct weir_sweep_result {
  const struct weir_scheme *scheme; // that leaves values open; NULL: no sweep
  unsigned best;                    // combination
  struct weir_sweep_tried *tried;   // count, by combination
  unsigned count;
};

extern const struct weir_member weir_sweep_members[];
json_t *weir_sweep_json(const struct weir_sweep_result *s);

#endif
