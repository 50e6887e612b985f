// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What was seen of a cache: as text, as JSON, and its events as CSV.
#ifndef WEIR_LOOK_PRINT_H
#define WEIR_LOOK_PRINT_H

#include "look/look.h"

#include <stdio.h>

void weir_look_print(const struct weir_look *l, FILE *to);
json_t *weir_look_json(const struct weir_look *l);
char *weir_look_csv(const struct weir_look *l); // freed by weir_free

#endif
