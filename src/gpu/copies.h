// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Copies and products of matrices that run beside their warp (PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy" and
// "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions"): a warp waits for groups of its
// own, and the answer of a barrier in memory waits for the copies that arrive there. Invariant: each unfinished copy is counted in one group of
// its warp, or at one barrier, or both; each unfinished product in one group.
#ifndef WEIR_GPU_COPIES_H
#define WEIR_GPU_COPIES_H

#include "gpu/sm.h"

// Those of cp.async and of cp.async.bulk have groups apart.
enum weir_copies_kind { WEIR_COPIES_NONE, WEIR_COPIES_OF_THREADS, WEIR_COPIES_IN_BULK };

// Groups of a warp that are told apart. A warp that closes one more waits for the oldest (inferred: machine code counts them in a scoreboard of 63).
enum { WEIR_COPY_GROUPS = 32 }; // as many as `group` of a load in flight tells apart

// The load is a copy of its warp. barrier: where in its block's shared memory it arrives, or WEIR_ARRIVES_IN_GROUP, the open one, or WEIR_ARRIVES_NOWHERE.
void weir_copies_begin(struct weir_sm *m, struct weir_pending_load *load, enum weir_copies_kind kind, uint32_t barrier);

// A bulk copy of a group has read what it copies.
void weir_copies_read(struct weir_sm *m, const struct weir_pending_load *load);

// A copy is done.
void weir_copies_end(struct weir_sm *m, struct weir_pending_load *load, weir_cycle now);

// A unit takes a product of matrices of the warp's open group, and its sums are there at `done`. Products have groups of their own.
void weir_copies_multiply(struct weir_sm *m, uint32_t warp, weir_cycle now, weir_cycle done);

// They are, of that group.
void weir_copies_multiplied(struct weir_sm *m, uint32_t warp, uint32_t group);

// A warp has issued `s`: if that closes a group, or waits for some, whether the warp is to be held back, in `fences`, until it is let go; else false.
bool weir_copies_follow(struct weir_sm *m, uint32_t warp, const struct weir_static *s);

// The copies of the warp's threads so far arrive at the barrier at this offset of its block's shared memory.
void weir_copies_arrive(struct weir_sm *m, uint32_t warp, uint32_t barrier);

// A test of such a barrier, by the instruction at `pc`, has been served. True: copies are still to arrive there, and its answer comes when they have.
bool weir_copies_put_off(struct weir_sm *m, uint32_t warp, uint32_t barrier, uint32_t pc);

void weir_copies_free(struct weir_sm *m);

#endif
