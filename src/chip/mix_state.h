// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The programs of a mix while they run. Private to src/chip.
#ifndef WEIR_CHIP_MIX_STATE_H
#define WEIR_CHIP_MIX_STATE_H

#include "chip/mix.h"

// The programs that run at once (chip/mix.c).
struct weir_mix_state {
  struct weir_chip_program programs[WEIR_MAX_REQUESTERS];         // the GPU's first, if there is one
  struct weir_chip_cpu_program cpu_programs[WEIR_MAX_REQUESTERS]; // of CPU cores, in their order
  uint32_t count, cpus, left;        // programs; of CPU cores; those that have not reached their count
  uint64_t due[WEIR_MAX_REQUESTERS]; // by program: its count; UINT64_MAX: what it executes until it ends
  bool began, broken;                // broken: a CPU program's feed has ended
  weir_time start;
};

// The run begins; looks whether programs have reached their counts, answers whether all have.
void weir_mix_begin(struct weir_chip *c);
bool weir_mix_count(struct weir_chip *c);
void weir_mix_free(struct weir_chip *c);

#endif
