// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which launches of a program are timed (struct weir_select). The others run for their results alone, so that the program computes
// what it always does; the chip's counts are of the launches that were timed. Invariant: a launch has its number in program
// order whether it is timed or not.
#ifndef WEIR_RUN_SELECTION_H
#define WEIR_RUN_SELECTION_H

#include "run/experiment.h"

struct weir_selection;

// *s: what the experiment selects; NULL if that is every launch. False and a diagnostic if it cannot be understood, or has no
// meaning without a chip or on one with CPU cores, whose programs are counted in instructions.
bool weir_selection_read(struct weir_selection **s, const struct weir_experiment *e,
                         const struct weir_chip_config *chip, struct weir_sink *sink);
// The same of --sample, which there may not be.
bool weir_selection_sampled(const struct weir_experiment *e, const struct weir_setup *setup, struct weir_sink *sink);
void weir_selection_free(struct weir_selection *s); // may be NULL

// What came of it in one run.
struct weir_selecting {
  const struct weir_selection *by;
  struct weir_chip *chip;
  uint64_t launched, selected;
  uint64_t skipped_instructions; // warp instructions of the launches that were not
  char **skipped;                // skipped_count: kernels with such launches, one name of each
  unsigned skipped_count, skipped_capacity;
};

// Runs launches on the chip, or past it. The struct, zeroed but for `by` and `chip`, stays the caller's, and there.
struct weir_backend weir_selection_backend(struct weir_selecting *s);
void weir_selecting_free(struct weir_selecting *s);

// The run object's member `selection`; NULL: every launch is timed.
extern const struct weir_member weir_selection_members[];
json_t *weir_selection_json(const struct weir_selecting *s, const struct weir_experiment *e);

// False, and a diagnostic that says what there was to select, if the run's selection took no launch of those there were.
bool weir_selection_met(const json_t *run, struct weir_sink *sink);

#endif
