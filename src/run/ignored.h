// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Cache hints of a program of which a chip makes nothing.
#ifndef WEIR_RUN_IGNORED_H
#define WEIR_RUN_IGNORED_H

#include "config/config.h"
#include "exec/program.h"

// "cs at l1 of 3 accesses, L2::cache_hint of 1 access": the program's hints that the chip's caches ignore,
// and of how many loads and stores; to be freed. NULL: there are none.
char *weir_ignored_hints(const struct weir_program *p, const struct weir_chip_config *c);

// Notes them to the sink, if there are any.
void weir_tell_ignored_hints(const struct weir_program *p, const struct weir_chip_config *c, struct weir_sink *sink);

#endif
