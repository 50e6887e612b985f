// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs that run at once, named in one text: "bzip2+mcf+floyd" is two CPU programs and one of the GPU. Invariant: an
// experiment's program is a mix if a '+' is in its name or its one part is a CPU program; all else about it (schemes, jobs, the
// store, sweeps, studies) is as for any program.
#ifndef WEIR_EXPERIMENT_MIX_H
#define WEIR_EXPERIMENT_MIX_H

#include "chip/mix.h"
#include "experiment/experiment.h"

enum { WEIR_MIX_CPUS = WEIR_MAX_OWNERS - 1 };

// What a mix's programs are to execute; 0 of instructions: the default of the experiment's size.
struct weir_mix_counts {
  uint64_t cpu, gpu, warmup; // instructions of each CPU program; warp instructions; UINT64_MAX as warmup: the default
};

struct weir_mix {
  char *names[WEIR_MIX_CPUS]; // of the CPU programs, in the order of the cores
  char *paths[WEIR_MIX_CPUS]; // of their traces
  unsigned cpus;
  char *gpu;                  // a workload's name or a launch file; NULL: none
};

// Is it one? A path with a '+' in it is not, if such a file exists.
bool weir_mix_is(const char *program);

// False and a diagnostic if a part is neither a CPU program nor one of the GPU, or there are two of the GPU. `chip`: one that
// has cores enough; NULL: not checked.
bool weir_mix_read(struct weir_mix *m, const char *program, const struct weir_chip_config *chip, struct weir_sink *sink);
void weir_mix_free(struct weir_mix *m);

#endif
