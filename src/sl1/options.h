// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What can be chosen of S-L1. Invariant: the defaults are the paper's but for static_proof and original_slice, or, where it
// says nothing, the readings of the comments here.
#ifndef WEIR_SL1_OPTIONS_H
#define WEIR_SL1_OPTIONS_H

#include "base/param.h"

#include <stdbool.h>
#include <stdint.h>

enum weir_sl1_alias { WEIR_SL1_ALIAS_AUTO, WEIR_SL1_ALIAS_SEARCH, WEIR_SL1_ALIAS_NONE };
enum weir_sl1_scope { WEIR_SL1_PER_THREAD, WEIR_SL1_PER_BLOCK };
enum weir_sl1_count { WEIR_SL1_COUNT_CALLS, WEIR_SL1_COUNT_ITERATIONS };
enum weir_sl1_leave { WEIR_SL1_LEAVE_WARP, WEIR_SL1_LEAVE_THREAD };
enum weir_sl1_layout { WEIR_SL1_CONTIGUOUS, WEIR_SL1_INTERLEAVED };
enum weir_sl1_write_miss { WEIR_SL1_FETCH, WEIR_SL1_AROUND };
enum weir_sl1_cacheable { WEIR_SL1_CACHEABLE_BEST, WEIR_SL1_CACHEABLE_NONE };

struct weir_sl1_options {
  uint32_t line_bytes;         // 8, 16, 24 or 32
  uint32_t threshold;          // monitoring ends after so many simulated accesses per thread (section 3.2.1: 300)
  uint32_t rw_factor;          // a read-write structure's hits count one in so many (section 3.2.2: 2)
  uint32_t floor_percent;      // hits among a structure's accesses must be more (section 3.2.2: 50)
  uint32_t most_lines;         // per thread, whatever the room; 0: no limit
  enum weir_sl1_count count;   // what the threshold counts: calls, or the loop's iterations (POLICIES 8.1)
  enum weir_sl1_leave leave;   // inferred: lanes that see less would hold up their warp, and then be held up
  enum weir_sl1_scope scope;   // whose counters decide: the thread's own, or its block's sums (8.3)
  enum weir_sl1_alias alias;   // search: every access looks at all of the thread's lines; none: at its
                               // structure's; auto: as the program's source says (restrict), else search
  enum weir_sl1_layout layout; // of lines in shared memory (8.11)
  enum weir_sl1_write_miss write_miss; // fetch the line, then modify it, or write around it (8.6)
  enum weir_sl1_cacheable cacheable;   // none: enabled, but nothing is found worth it (figure 12)
  bool barrier_fence;                  // barriers flush as fences do (8.9)
  bool remonitor;                      // each main loop is monitored anew (8.10: no)
  bool static_proof;                   // structures that are proven to gain nothing are left alone
  bool original_slice;                 // where nothing is cached, go on in the untouched loop
  bool counters; // count accesses and hits of the computation slice, for weir_sl1_counts (launch.h)
};

// A row per option, by which base/param.h sets them; `weir sl1 --help` shows it.
extern const struct weir_param_table weir_sl1_table;

struct weir_sl1_options weir_sl1_defaults(void);

#endif
