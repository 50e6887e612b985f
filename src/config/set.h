// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Paths of a chip, for those who take other keys as well; weir_chip_set is in config/chip_file.h.
#ifndef WEIR_CONFIG_SET_H
#define WEIR_CONFIG_SET_H

#include "config/config.h"

// Whether weir_chip_set knows the path.
bool weir_chip_has(const struct weir_chip_config *c, const char *path);

// What weir_chip_set does, wherever the assignment stands; and with path and value apart.
bool weir_chip_set_at(struct weir_chip_config *c, const char *assignment, struct weir_place where,
                      struct weir_sink *sink);
bool weir_chip_give(struct weir_chip_config *c, const char *path, const char *value, struct weir_place where,
                    struct weir_sink *sink);

#endif
