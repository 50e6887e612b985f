// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One thing that a stream was given. Invariant: it is ready once everything that it follows has ended, begins no earlier, and
// `span` is final as soon as it has ended. It lives until it has ended and nobody holds it.
#ifndef WEIR_TIMELINE_ITEM_H
#define WEIR_TIMELINE_ITEM_H

#include "timeline/schedule.h"

struct weir_item {
  unsigned references;
  unsigned open;   // of what it follows, so many have not ended
  uint64_t number; // from 1 on, in the order in which they were given
  weir_time ready; // since when it waits for its engine
  int priority;    // the smaller goes first
  enum weir_engine engine;
  weir_time duration; // alone
  struct weir_grid_use grid;
  uint64_t dram_bytes; // that it moves
  uint64_t begun, ended_blocks;
  bool has_begun, ended;
  struct weir_span span;
  struct weir_item **followers; // none once it has ended
  unsigned follower_count, follower_capacity;
};

#endif
