// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The energy of each program of a mix (energy/program.h says how it is shared out). Invariant: a function of what
// the programs were counted with and of the chip file's `energy`.
#ifndef WEIR_CHIP_MIX_ENERGY_H
#define WEIR_CHIP_MIX_ENERGY_H

#include "chip/mix.h"
#include "energy/program.h"

// What is priced of `a`, one of the chip's programs, once the run has ended.
void weir_chip_program_counts(const struct weir_chip *c, const struct weir_chip_program *a,
                              struct weir_energy_counts *counts);

// Its parts, at most `capacity` (WEIR_MAX_PROGRAM_PARTS are enough). Returns how many.
unsigned weir_chip_program_energy(const struct weir_chip *c, const struct weir_chip_program *a,
                                  struct weir_energy_part *parts, unsigned capacity);

#endif
