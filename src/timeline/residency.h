// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which kernels are on the chip at once. Invariant: at no time do the blocks that are on it take more than all of it; a block, once it has
// begun, stays until it ends.
//
// A chip that holds R blocks of a kernel when it runs alone gives each of them 1/R of itself: of the resource that limits it. Blocks come
// in their order as room allows, and leave room for others' when they end: what GPUs do, and what Adriaens et al. ("The Case for GPGPU
// Spatial Multitasking", HPCA 2012, section 2) call the left-over policy. All blocks of a kernel take equally long: its time alone over the
// number of times that it fills the chip. So a kernel alone takes what it took alone, and what it leaves free in its last wave others use.
#ifndef WEIR_TIMELINE_RESIDENCY_H
#define WEIR_TIMELINE_RESIDENCY_H

#include "base/time.h"

#include <stdbool.h>

struct weir_residency_step { // until the next
  weir_time at;
  uint64_t used; // in parts of WEIR_WHOLE_CHIP
};

#define WEIR_WHOLE_CHIP ((uint64_t)1 << 40)

struct weir_residency {
  struct weir_residency_step
    *steps; // in order, each unlike the one before; before the first nothing is used, nor after the last
  unsigned count, capacity;
};

struct weir_grid_use {
  uint64_t blocks, resident; // in all; that the chip holds when the kernel runs alone, at least 1
  bool together;             // all its blocks are on the chip at once: a cooperative launch, which fits
};

struct weir_span {
  weir_time began, ended;
};

// Places a kernel that takes so long alone, from `ready` on.
struct weir_span weir_residency_place(struct weir_residency *r, const struct weir_grid_use *g, weir_time duration,
                                      weir_time ready);

// Is anything on the chip at `now`? *next becomes the time at which that may change, if that is earlier.
bool weir_residency_busy(const struct weir_residency *r, weir_time now, weir_time *next);

// Nothing is placed before `until` any more.
void weir_residency_forget(struct weir_residency *r, weir_time until);

#endif
