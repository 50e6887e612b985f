// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which lines a level was ever asked for, and which of them only once (Tian et al., Figures 1 and 3). One census serves
// all instances of a level.
#ifndef WEIR_MEM_CENSUS_H
#define WEIR_MEM_CENSUS_H

#include <stdint.h>

struct weir_census;

struct weir_census *weir_census_create(void);
void weir_census_free(struct weir_census *c);
void weir_census_count(struct weir_census *c, uint64_t line);
uint64_t weir_census_distinct(const struct weir_census *c);
uint64_t weir_census_once(const struct weir_census *c);

#endif
