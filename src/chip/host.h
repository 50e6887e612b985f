// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Kernels' accesses to the host's memory (mem/host_link.h), between the slices and the link. Private to src/chip. Invariant: between
// launches nothing is under way.
#ifndef WEIR_CHIP_HOST_H
#define WEIR_CHIP_HOST_H

#include "chip/chip.h"

// A launch begins.
void weir_chip_begin_host(struct weir_chip *c);

// What the slices have for the host goes to the link, which does what is due now.
void weir_chip_serve_host(struct weir_chip *c);

bool weir_chip_host_busy(const struct weir_chip *c);

#endif
