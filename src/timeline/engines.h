// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How the engines of a device take what is ready. Invariants: a copy engine makes one copy at a time; the blocks on the chip never
// take more than all of it; a block, once it has begun, stays until it ends; and an engine foresees nothing: it takes what is ready.
//
// The rules are those that Amert, Otterness, Yang, Anderson and Smith found ("GPU Scheduling on the NVIDIA TX2: Hidden Details
// Revealed", RTSS 2017, sections III and IV): a copy or a kernel lines up for its engine when it comes to the head of its stream; a copy
// engine takes the first; of the kernels in line only the first one's blocks may begin, as room allows, and it leaves the line when its
// last block has begun, so that the next one has what is left over; each priority has a line of its own, and a kernel's blocks begin only
// when no line of a higher priority has one. Copies have no priority (CUDA Runtime API, cudaStreamCreateWithPriority).
//
// A chip that holds R blocks of a kernel when it runs alone gives each of them 1/R of itself: of the resource that limits it. All
// blocks of a kernel take equally long: its time alone over the number of times that it fills the chip. So a kernel alone takes what
// it took alone, and what it leaves free in its last wave others use.
#ifndef WEIR_TIMELINE_ENGINES_H
#define WEIR_TIMELINE_ENGINES_H

#include "timeline/item.h"

#define WEIR_WHOLE_CHIP ((uint64_t)1 << 40)

// The item follows nothing that has not ended: at the host's time it is ready.
void weir_engines_take(struct weir_timeline *t, struct weir_item *item);

// On to the next end, if it is not after `limit`. False: there is none until then, and the time is what it was.
bool weir_engines_step(struct weir_timeline *t, weir_time limit);

// On to that time, until when nothing ends.
void weir_engines_pass(struct weir_timeline *t, weir_time until);

#endif
