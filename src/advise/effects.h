// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which hints are worth a trial on a chip. Invariant: of hints that the chip cannot tell apart on such an access there is one,
// and none that it treats as what is there already.
#ifndef WEIR_ADVISE_EFFECTS_H
#define WEIR_ADVISE_EFFECTS_H

#include "advise/site.h"

// Of hints[count], those; the likeliest first. `takes` are spellings in any order. The number that is left, in place.
unsigned weir_effects_select(const struct weir_site *s, const struct weir_chip_config *chip, const char **hints,
                             unsigned count);

#endif
