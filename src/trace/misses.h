// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How many of a trace's data accesses miss last-level caches of several sizes, behind a core's private ones. Invariant: each
// cache is exact: every set keeps the lines that were used last, most recent first (true LRU). A private cache sees what misses
// the one before it, and every last-level cache what misses the last private one, as if it were the only one.
#ifndef WEIR_TRACE_MISSES_H
#define WEIR_TRACE_MISSES_H

#include "trace/trace.h"

enum { WEIR_MISS_PRIVATE = 2, WEIR_MISS_SIZES = 5, WEIR_MISS_LINE = 64 };

struct weir_miss_cache {
  uint64_t bytes;
  unsigned ways;
  uint64_t misses;     // counted ones
  double per_thousand; // per 1000 instructions, segments weighted
};

enum weir_trace_class { WEIR_TRACE_COMPUTE, WEIR_TRACE_STREAMING, WEIR_TRACE_SENSITIVE };
extern const char *const weir_trace_class_names[];

struct weir_misses {
  // `bytes` and `ways` are given.
  struct weir_miss_cache private[WEIR_MISS_PRIVATE]; // nearest first; 0 bytes: there is none
  struct weir_miss_cache caches[WEIR_MISS_SIZES];    // last-level ones, smallest first
  uint64_t instructions, accesses;                   // counted ones; an access to two lines counts twice
  uint64_t lines;              // different ones that missed any last-level cache, with those of the warm-up
  enum weir_trace_class class; // of the default's sizes
};

// Of Holey et al., Table II: 32 KiB of 4 ways, 256 KiB of 8 ways; then 512 KiB, 1, 2, 4 and 8 MiB of 32 ways.
extern const struct weir_misses weir_misses_default;

// Runs what the reader has selected through the caches; the first `warm` instructions fill them and are not counted.
// False if the trace could not be read to its end, which was said, or has no more than `warm` instructions.
bool weir_misses_count(struct weir_misses *m, struct weir_trace_reader *r, uint64_t warm, struct weir_sink *sink);

#endif
