// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The fewest misses that any policy could have had on a recorded order of accesses: Belady's MIN (IBM Systems Journal 1966;
// Mattson et al. 1970 call it OPT), in which what is used latest gives way, and what is used later than all others is not let
// in at all.
//
// A sectored cache is taken for one whose sets hold as many sectors as they have, of any lines: no real one does better.
#ifndef WEIR_MEM_OPTIMUM_H
#define WEIR_MEM_OPTIMUM_H

#include "mem/access_log.h"
#include "stats/bound.h"

// Adds those of one cache's record to *total, and to pcs[] by instruction where it is below pc_count.
void weir_optimum(const struct weir_access_log *l, struct weir_bound_counts *total, struct weir_bound_counts *pcs,
                  uint32_t pc_count);

#endif
