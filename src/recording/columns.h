// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A block of records as columns of bytes, which compress well: a member's lowest bytes side by side, then the next ones. Addresses
// are told from the last of the same core, cycles and instructions from the last record.
#ifndef WEIR_RECORDING_COLUMNS_H
#define WEIR_RECORDING_COLUMNS_H

#include "recording/file.h"

#include <stddef.h>

// Bytes of a record in columns.
enum { WEIR_RECORDING_ROW = 8 + 8 + 4 + 4 + 2 + 2 + 9 };

void weir_recording_to_columns(const struct weir_recorded *records, uint32_t count, uint8_t *columns);
// addresses_alone: core, address, kind and flags are read, and no other member is touched.
void weir_recording_from_columns(const uint8_t *columns, uint32_t count, bool addresses_alone,
                                 struct weir_recorded *records);

#endif
