// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One who watches a cache: told of each access that is counted, each line that comes and each that goes. Invariant: watching changes
// nothing; a way holds a line from its FILL to its END.
#ifndef WEIR_MEM_WATCH_H
#define WEIR_MEM_WATCH_H

#include "base/time.h"
#include "policy/counts.h"

#include <stdbool.h>
#include <stdint.h>

enum weir_watch_kind {
  WEIR_WATCH_ACCESS,
  WEIR_WATCH_FILL,   // the line takes its way; sectors may still be on their way
  WEIR_WATCH_END,    // the line leaves its way
  WEIR_WATCH_KILL,   // the sectors are good for nothing any more, wherever they are: before the END, if they are here
  WEIR_WATCH_FLUSH,  // before the lines END
  WEIR_WATCH_COPY,   // the host has put the sector here
  WEIR_WATCH_ARRIVE, // what the request has missed is here
  WEIR_WATCH_PAST,   // an atomic goes by, which no first-level cache serves or counts
};

enum weir_line_end {
  WEIR_END_REPLACED,    // another line takes the way
  WEIR_END_WRITTEN,     // a store that evicts where it hits
  WEIR_END_INVALIDATED, // written in the other partition of a shared cache
  WEIR_END_DISCARDED,   // a hint
  WEIR_END_FLUSHED,     // a kernel has ended
  WEIR_END_WAY_LOST,    // shared memory takes the way or the data, or another set does
  WEIR_ENDS
};

struct weir_mreq;

struct weir_watched {
  uint64_t line;     // line number (address / line bytes)
  weir_cycle now;    // in the cache's clock
  uint32_t pc;       // address of the instruction (8 bytes each); of an ACCESS
  uint32_t set, way; // way UINT32_MAX: in none
  uint8_t sectors;   // mask
  uint8_t kind;      // enum weir_watch_kind
  uint8_t result;    // enum weir_access_result, of an ACCESS
  uint8_t end;       // enum weir_line_end, of an END or a KILL
  uint8_t request;   // enum weir_mreq_kind, of an ACCESS
  bool has_pc;       // a write-back and a copy have none
  bool places;       // of an ACCESS: a miss of it takes a line, a hit uses one
  uint16_t warp;
  const struct weir_mreq *asked; // the request of an ACCESS, ARRIVE or PAST; NULL otherwise
};

struct weir_cache_watch {
  void (*saw)(void *context, const struct weir_watched *what);
  void *context;
};

#endif
