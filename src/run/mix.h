// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs that run at once, named in one text: "bzip2+mcf+floyd" is two CPU programs and one of the GPU. Invariant: an
// experiment's program is a mix if a '+' is in its name or its one part is a CPU program; all else about it (schemes,
// jobs, the store, sweeps, studies) is as for any program.
#ifndef WEIR_RUN_MIX_H
#define WEIR_RUN_MIX_H

#include "chip/mix.h"
#include "run/experiment.h"

enum { WEIR_MIX_CPUS = WEIR_MAX_REQUESTERS - 1 };

struct weir_mix {
  char *names[WEIR_MIX_CPUS]; // of the CPU programs, in the order of the cores
  char *paths[WEIR_MIX_CPUS]; // of their traces
  unsigned cpus;
  char *gpu; // a workload's name or a launch file; NULL: none
};

// Is it one? A path with a '+' in it is not, if such a file exists.
bool weir_mix_is(const char *program);

// False and a diagnostic if a part is neither a CPU program nor one of the GPU, or there are two of the GPU. A program
// that is no mix is read as its GPU program alone.
bool weir_mix_read(struct weir_mix *m, const char *program, struct weir_sink *sink);
void weir_mix_release(struct weir_mix *m);

// What to execute: what was asked for, and the defaults of the size for the rest; `warmup` 0: none. Of a GPU program
// alone (no CPU program beside it) the default is 0: until it ends.
struct weir_mix_counts weir_mix_counts_of(const struct weir_mix_counts *asked, enum weir_size size, bool alone);

// Of the counts, those that were given (not left to the defaults).
bool weir_mix_counts_given(const struct weir_mix_counts *asked);

// False and a diagnostic if counts were given that mean nothing to any of the programs on that chip. After they, and
// the chip, were found to be right.
bool weir_mix_counts_meant(const struct weir_mix_counts *asked, const char *const *programs, unsigned count,
                           const struct weir_chip_config *chip, struct weir_sink *sink);

struct weir_opened {
  struct weir_mix mix;  // of a program that is no mix: its `gpu` alone
  struct weir_app *app; // of the GPU's program; NULL: there is none
};

// The GPU's program once more, as it was at first: its memory is its own.
struct weir_app *weir_mix_open_gpu(const struct weir_experiment *e, const struct weir_setup *setup, const char *name,
                                   struct weir_sink *sink);

#endif
