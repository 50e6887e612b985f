// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// --sample auto: of launches that are alike, some are timed and the others run for their results alone; what they would have counted is
// estimated from those (run/strata.h). One pass: a launch whose stratum is known well runs without time first, and is taken back and
// timed if it turns out to be of another. What launches access shortly before one that will be timed is put into the shared caches.
// Invariant: decisions depend on the launches and their counts alone.
#ifndef WEIR_RUN_SAMPLING_H
#define WEIR_RUN_SAMPLING_H

#include "exec/snapshot.h"
#include "run/experiment.h"
#include "run/foretell.h"

// A launch that comes again and again, and after which memory is what it was before: it need not run at all.
struct weir_sampling_echo {
  struct weir_launch launch; // the last one; its parameters are below
  uint32_t first_pc;         // of its program, since another may come to lie where that was
  uint8_t *params;
  uint32_t param_bytes, param_room;
  uint64_t repeats;             // of it, one after the other
  uint64_t instructions;        // of its last run
  struct weir_snapshot *after;  // memory after its last run; NULL: not yet taken
  bool settled;                 // it changes nothing in `after`, and prints nothing
  unsigned timed;               // repeats that were timed since
  struct weir_run_stats counts; // of the last of them
  double within[WEIR_ESTIMATES],
    apart[WEIR_ESTIMATES]; // half-width of its own counts; how far it is from the one before
};

// A host copy that the chip is yet to see: there is no need to put it into caches again and again for launches that are not timed.
struct weir_sampling_copy {
  uint64_t address, bytes;
};

struct weir_sampling {
  struct weir_chip *chip;
  struct weir_strata strata;
  struct weir_foretelling foretelling;
  struct weir_sampling_copy *copies; // copy_count, in their order since the last timed launch; of equal ones the last
  unsigned copy_count, copy_capacity;
  struct weir_snapshot *before; // a launch that may be taken back
  struct weir_sampling_echo echo;
  uint64_t launched, timed, warmed; // warmed: of those not timed, those whose accesses went into the shared caches
  uint64_t not_run;                 // repeats that would have changed nothing
  double whole[WEIR_ESTIMATES], passed_ps; // of all launches as estimated so far; of those not timed
  uint64_t stopped;                        // of the timed ones, those of which not all blocks were
  uint64_t rest_instructions;              // of their other blocks
};

// The struct, zeroed but for `chip`, stays the caller's, and there.
struct weir_backend weir_sampling_backend(struct weir_sampling *s);
void weir_sampling_free(struct weir_sampling *s);

// The whole program's counts, once the chip is finished.
void weir_sampling_total(const struct weir_sampling *s, struct weir_run_stats *total);

// The run object's member `sampling`; NULL: the run is not sampled.
extern const struct weir_member weir_sampling_members[];
json_t *weir_sampling_json(const struct weir_sampling *s, const struct weir_run_stats *total);

#endif
