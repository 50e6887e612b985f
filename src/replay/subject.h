// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A program that is recorded: opened, and run on its chip with a recorder between the two.
#ifndef WEIR_REPLAY_SUBJECT_H
#define WEIR_REPLAY_SUBJECT_H

#include "chip/chip.h"
#include "mem/watch.h"
#include "run/experiment.h"

struct weir_subject {
  const struct weir_experiment *experiment;
  struct weir_setup setup;
  struct weir_opened *opened;
  struct weir_chip *chip;    // while it runs
  struct weir_backend inner; // what the recorder passes on to
};

// False and diagnostics if program, chip or scheme is wrong, has CPU cores, foresees or leaves values open.
bool weir_subject_open(struct weir_subject *s, const struct weir_experiment *e, struct weir_sink *sink);
// The recorder is told of copies and launches; `watch` (NULL: nobody) of what the first-level caches do.
bool weir_subject_run(struct weir_subject *s, struct weir_backend recorder, const struct weir_cache_watch *watch,
                      struct weir_sink *sink);
void weir_subject_close(struct weir_subject *s); // opened or not

#endif
