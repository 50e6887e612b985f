// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Cache hints of a program of which a chip makes nothing.
#ifndef WEIR_RUN_IGNORED_H
#define WEIR_RUN_IGNORED_H

#include "config/config.h"
#include "exec/program.h"

// Notes to the sink which of the program's hints the chip's caches ignore, or weir does not model, and of how many loads and
// stores; nothing if there are none.
void weir_tell_ignored_hints(const struct weir_program *p, const struct weir_chip_config *c, struct weir_sink *sink);

#endif
