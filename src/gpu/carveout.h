// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What kernels take of an array that is shared memory and first-level cache in one.
#ifndef WEIR_GPU_CARVEOUT_H
#define WEIR_GPU_CARVEOUT_H

#include "gpu/core.h"

#include <stdint.h>

// NULL, or what is wrong with the text: of core.carveouts_kib.
const char *weir_carveouts_read(struct weir_carveouts *c, const char *text);

// The least of k->carveouts that holds so many bytes of shared memory, or the largest; 0 where core.unified_kib is 0.
uint32_t weir_carveout_for(const struct weir_core_config *k, uint64_t shared_bytes);

#endif
