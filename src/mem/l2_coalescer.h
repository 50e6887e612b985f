// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Before a slice of the L2: loads of one sector by cores of one group become one, if they come soon after the first of them (NVIDIA, Nsight
// Compute's L2 request coalescer, of GH100 and later). How many are one, which cores share, and for how long a load may be joined are inferred
// (docs/differences/h200-workloads.md). Invariant: a load that has joined another is in that one's list and nowhere else.
#ifndef WEIR_MEM_L2_COALESCER_H
#define WEIR_MEM_L2_COALESCER_H

#include "mem/mreq.h"

enum { WEIR_MAX_COALESCED_READS = 32 };

struct weir_l2_coalescer_params {
  uint32_t most;   // reads that may be one, 2 to WEIR_MAX_COALESCED_READS
  uint32_t cycles; // after the first one in which others may join it
  uint32_t sector_shift;
  uint32_t cores;        // those behind them are no group's
  const uint8_t *groups; // [cores] of each core
};

struct weir_l2_coalescer; // one for each slice

struct weir_l2_coalescer *weir_l2_coalescer_create(const struct weir_l2_coalescer_params *p);
void weir_l2_coalescer_free(struct weir_l2_coalescer *c);

// A request for bytes of one sector comes, `ready` as long after that as all others'. True: it is a load that has joined another, whose
// answer is its own, too.
bool weir_l2_coalescer_joins(struct weir_l2_coalescer *c, struct weir_mreq *r);

// The answer to `r` leaves: those that have joined it, linked through `next`; NULL: none have. No other will.
struct weir_mreq *weir_l2_coalescer_leave(struct weir_l2_coalescer *c, const struct weir_mreq *r);

#endif
