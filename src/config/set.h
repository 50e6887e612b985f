// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Paths of a chip, for those who take other keys as well; weir_chip_set is in config/chip_file.h.
#ifndef WEIR_CONFIG_SET_H
#define WEIR_CONFIG_SET_H

#include "config/config.h"

// Whether weir_chip_set knows the path.
bool weir_chip_has(const struct weir_chip_config *c, const char *path);

// A class of which some value is given, at `at`, has a row of its own from now on.
void weir_chip_own_latency(struct weir_chip_config *c, const void *at);

// Classes without a row of their own are given the default's.
void weir_chip_fill_latencies(struct weir_chip_config *c);

#endif
