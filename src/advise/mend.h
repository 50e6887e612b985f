// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What keeps a site, or a program, slow that no hint mends. Invariant: it follows from counts of the run alone.
#ifndef WEIR_ADVISE_MEND_H
#define WEIR_ADVISE_MEND_H

#include "advise/site.h"

// A sentence, to be freed; NULL: nothing is wrong with it that counts tell. `gains`: a hint helps it.
char *weir_mend_site(const struct weir_site *s, const struct weir_chip_config *chip, bool gains);

// Of the whole run.
char *weir_mend_program(const json_t *run, const struct weir_chip_config *chip);

#endif
