// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Advice for a reader, and as JSON (docs/ADVISE.md).
#ifndef WEIR_ADVISE_PRINT_H
#define WEIR_ADVISE_PRINT_H

#include "advise/advise.h"

// hints_path: where the hints were written; NULL: nowhere.
void weir_advice_print(const struct weir_advice *a, const struct weir_advise_options *o, const char *hints_path,
                       FILE *to);

json_t *weir_advice_json(const struct weir_advice *a);

#endif
