// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Recordings made of a timed run on a chip.
#ifndef WEIR_REPLAY_CAPTURE_H
#define WEIR_REPLAY_CAPTURE_H

#include "run/experiment.h"

struct weir_captured {
  uint64_t records, launches;
};

// Every access that a first-level cache takes or that goes past it, in the order in which that happens. False and diagnostics if the
// program, chip or scheme is wrong, has CPU cores, foresees or leaves values open, or the file cannot be written; no file is left then.
bool weir_record_accesses(const struct weir_experiment *e, const char *path, struct weir_captured *done,
                          struct weir_sink *sink);

// What each warp does, instruction by instruction; likewise. S-L1 is refused, too: its kernels ask the chip for their room.
bool weir_record_instructions(const struct weir_experiment *e, const char *path, struct weir_captured *done,
                              struct weir_sink *sink);

#endif
