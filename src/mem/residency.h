// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Who holds what in a level of shared caches, and for how long: counts per port of the network (weir_mreq.core). One residency
// for all instances of a level; each instance has room of its own per line. Invariant: nothing here changes what a cache does;
// a line is its bringer's from when it is given its way to when it leaves it.
#ifndef WEIR_MEM_RESIDENCY_H
#define WEIR_MEM_RESIDENCY_H

#include "mem/cache.h"
#include "mem/network.h"
#include "stats/requester.h"

struct weir_residency {
  struct weir_requester_counts *ports; // [ports of the network's cores' side]: of lines, those whose end has come
};

struct weir_residency_line {  // of a line that is there: its port is the cache's to know
  weir_cycle filled, touched; // cycles of the cache: given its way, last hit (never hit: the same)
  uint32_t hits;
};

// Counts into `t` from now on (NULL: no longer). Lines that are there already count from `now` on, as never hit. The cache
// keeps the pointer.
void weir_cache_watch(struct weir_cache *c, struct weir_residency *t, weir_cycle now);

// Adds to `ports`, which has one entry for each that the residency has, what the lines of a watched cache that are still there
// have held up to `now`. Changes nothing in the cache, so that it can be asked at any time and again; `ended`: counts them among
// those ended, as at the end of a run.
void weir_residency_read(const struct weir_cache *c, weir_cycle now, bool ended, struct weir_requester_counts *ports);

// ---- what the cache tells, if it is watched -------------------------------------------------------------------------------

// The way has been given to a line.
void weir_residency_begin(struct weir_cache *c, uint32_t set, uint32_t way, weir_cycle now);

// Its line was hit so often at once.
void weir_residency_hit(struct weir_cache *c, uint32_t set, uint32_t way, uint32_t hits, weir_cycle now);

// Its line leaves.
void weir_residency_end(struct weir_cache *c, uint32_t set, uint32_t way, weir_cycle now);

#endif
