// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The heap of device-side malloc. Invariant: it belongs to a device memory, not to a launch, so that one launch frees what
// another has allocated; its blocks lie in allocations of the device memory that are never released, so that nothing
// which execution remembers of an allocation goes stale in the middle of a launch.
#ifndef WEIR_EXEC_HEAP_H
#define WEIR_EXEC_HEAP_H

#include "exec/memory.h"

struct weir_heap;

struct weir_heap *weir_heap_create(struct weir_memory *m);
void weir_heap_destroy(struct weir_heap *h);

// A block of at least `bytes` bytes at a multiple of 16; 0 if more than `limit` bytes would then be in use, or
// device memory has no room.
uint64_t weir_heap_take(struct weir_heap *h, uint64_t bytes, uint64_t limit);

// Takes the block back. Its first bytes become a pattern that is no address, so that a pointer read from it is found out.
enum weir_heap_answer { WEIR_HEAP_FREED, WEIR_HEAP_FREE_ALREADY, WEIR_HEAP_NO_BLOCK };
enum weir_heap_answer weir_heap_give(struct weir_heap *h, uint64_t address);

// The heap of a device memory, made when it is first asked for (memory.c).
struct weir_heap *weir_memory_heap(struct weir_memory *m);

#endif
