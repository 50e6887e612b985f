// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A mix's program's energy in the run object, and what it was computed from. Invariant: the counts, read back, give the
// same energy under the same costs; so a stored run is priced under other costs without running again.
#ifndef WEIR_RUN_MIX_ENERGY_H
#define WEIR_RUN_MIX_ENERGY_H

#include "chip/mix_energy.h"
#include "stats/json.h"

extern const struct weir_member weir_energy_parts_members[], weir_energy_counts_members[];

json_t *weir_energy_parts_json(const struct weir_energy_part *parts, unsigned count);
json_t *weir_energy_counts_json(const struct weir_energy_counts *n, const struct weir_chip_config *chip);

// From an element of a run object's mix.programs, of a run on that chip. False if it has no counts.
bool weir_energy_counts_read(const json_t *program, const struct weir_chip_config *chip, struct weir_energy_counts *n);

// The picojoules of a part ("total") of it under those costs; NaN if it has no counts, or no such part.
double weir_energy_priced(const json_t *program, const struct weir_chip_config *chip,
                          const struct weir_energy_costs *costs, const char *part);

#endif
