// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Copies that run beside their warp (PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy"): a warp waits for groups of its
// own, and the answer of a barrier in memory waits for the copies that arrive there. Invariant: each unfinished copy is counted in one group of
// its warp, and at one barrier at most.
#ifndef WEIR_GPU_COPIES_H
#define WEIR_GPU_COPIES_H

#include "gpu/sm.h"

// Groups of a warp that are told apart. A warp that closes one more waits for the oldest (inferred: machine code counts them in a scoreboard of 63).
enum { WEIR_COPY_GROUPS = 32 };

// The load is a copy of its warp's open group.
void weir_copies_begin(struct weir_sm *m, struct weir_pending_load *load);

// A copy has all its data in shared memory.
void weir_copies_end(struct weir_sm *m, struct weir_pending_load *load, weir_cycle now);

// A warp has issued `s`: if that closes a group, or waits for some, whether the warp is to be held back; else false.
bool weir_copies_follow(struct weir_sm *m, uint32_t warp, const struct weir_static *s);

// Does the warp, which was held back, still wait?
bool weir_copies_hold(const struct weir_sm *m, uint32_t warp);

// The copies of the warp so far arrive at the barrier at this offset of its block's shared memory.
void weir_copies_arrive(struct weir_sm *m, uint32_t warp, uint32_t barrier);

// A test of such a barrier, by the instruction at `pc`, has been served. True: copies are still to arrive there, and its answer comes when they have.
bool weir_copies_put_off(struct weir_sm *m, uint32_t warp, uint32_t barrier, uint32_t pc);

void weir_copies_free(struct weir_sm *m);

#endif
