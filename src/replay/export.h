// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Streams for other tools (docs/STREAMS.md).
#ifndef WEIR_REPLAY_EXPORT_H
#define WEIR_REPLAY_EXPORT_H

#include "recording/file.h"

#include <stdbool.h>
#include <stdio.h>

#define WEIR_REPLAY_FORMATS(X)                                                                                         \
  X(CSV, "csv") X(ORACLE, "oracle-general") X(RAMULATOR, "ramulator2") X(DRAMSIM, "dramsim3")

enum weir_replay_format {
#define X(name, text) WEIR_REPLAY_##name,
  WEIR_REPLAY_FORMATS(X)
#undef X
    WEIR_REPLAY_FORMAT_COUNT
};

extern const char *const weir_replay_format_names[WEIR_REPLAY_FORMAT_COUNT];

enum { WEIR_REPLAY_ALL_CORES = UINT32_MAX };

// CSV or ORACLE: the accesses of a core, or of all in order. An object of ORACLE is a line of line_bytes. False and a diagnostic if the
// file is damaged.
bool weir_replay_export(struct weir_recording *s, enum weir_replay_format format, uint32_t core, uint32_t line_bytes,
                        FILE *to, struct weir_sink *sink);

// RAMULATOR or DRAMSIM: one request to DRAM.
void weir_replay_export_memory(enum weir_replay_format format, uint64_t cycle, uint64_t address, bool writes, FILE *to);

// The share of loads that miss in a fully associative LRU cache of so many lines for each core, by power of two: misses[i] of a cache
// of 2^i lines. Stores are left out, as are loads that go past the cache.
enum { WEIR_REPLAY_SIZES = 24 };
struct weir_replay_curve {
  uint64_t loads, misses[WEIR_REPLAY_SIZES];
};
bool weir_replay_curve(struct weir_recording *s, uint32_t line_bytes, struct weir_replay_curve *out,
                       struct weir_sink *sink);

#endif
