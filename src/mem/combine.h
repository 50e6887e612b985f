// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Stores of parts of sectors wait a while in front of the miss queue: another store to the same sector, meanwhile, joins the one that waits,
// and they go down as one. It leaves when its time is over, when the sector is written whole, when the sector is read, and when others
// want its place. Invariant: no two that wait are of one sector; they leave in the order in which they came, but for those of sectors
// written whole or read.
#ifndef WEIR_MEM_COMBINE_H
#define WEIR_MEM_COMBINE_H

#include "mem/cache.h"

// A store is on its way down, and there is room for one more in the miss queue. WRITTEN: it has joined another, and the caller has it back;
// else PASSED.
enum weir_outcome weir_combine_pass(struct weir_cache *c, struct weir_mreq *r, weir_cycle now);

// What is to be read of a sector must be below first.
void weir_combine_read(struct weir_cache *c, uint64_t sector);

// Those whose time is over go on, as far as there is room; `all`: whatever their time.
void weir_combine_release(struct weir_cache *c, weir_cycle now, bool all);

#endif
