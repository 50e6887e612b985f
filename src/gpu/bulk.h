// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Bulk copies (cp.async.bulk): a unit of the core's own makes their requests, for at most a line of 128 bytes a cycle, which go past the first-level cache. Invariant: copies begin in
// the order in which they were issued; one that has sent all its requests is told apart by its pending load alone.
#ifndef WEIR_GPU_BULK_H
#define WEIR_GPU_BULK_H

#include "gpu/sm.h"

// A warp has issued one, for each of its active lanes.
void weir_bulk_take(struct weir_sm *m, uint32_t warp, const struct weir_winstr *w, weir_cycle now);

// A cycle of the unit: the next requests go onto the network, if they may.
void weir_bulk_move(struct weir_sm *m, weir_cycle now);

// When it has something to do (it has some copy).
weir_cycle weir_bulk_wake(const struct weir_sm *m, weir_cycle now);

#endif
