// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A program's accesses into a stream: a timed run on a chip, of which every access that a first-level cache takes or that goes past it
// is kept, in the order in which that happens.
#ifndef WEIR_REPLAY_CAPTURE_H
#define WEIR_REPLAY_CAPTURE_H

#include "run/experiment.h"

struct weir_captured {
  uint64_t records, launches;
};

// False and diagnostics if the program, chip or scheme is wrong, has CPU cores, foresees or leaves values open, or the file cannot
// be written; no file is left then.
bool weir_record_program(const struct weir_experiment *e, const char *path, struct weir_captured *done,
                         struct weir_sink *sink);

#endif
