// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What `weir list chips NAME` says of a chip's link to its host beside its values.
#ifndef WEIR_CLI_COPIES_H
#define WEIR_CLI_COPIES_H

#include "config/chip_file.h"

#include <jansson.h>

// How long copies of several sizes take alone, in the form of the list's other parts; NULL: the chip has no link.
json_t *weir_copies_json(const struct weir_chip_config *c);

#endif
