// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Keys of the programs that sort them, and the CPU reference of these.
#ifndef WEIR_WORKLOADS_SORT_H
#define WEIR_WORKLOADS_SORT_H

#include "base/rng.h"
#include "host/host.h"

// The address of a buffer with `count` random keys of `bits` bits (1 to 32), which is a result, and in `*want` the keys
// in ascending order, to be freed by weir_free.
uint64_t weir_sort_keys(struct weir_host *h, uint32_t count, unsigned bits, struct weir_rng *rng, uint32_t **want);

#endif
