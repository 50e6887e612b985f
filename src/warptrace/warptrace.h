// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Files of what warps did, whoever recorded it: weir (docs/STREAMS.md), or Accel-Sim's tracer, whose traces are written anew as weir has
// them when they are opened.
#ifndef WEIR_WARPTRACE_WARPTRACE_H
#define WEIR_WARPTRACE_WARPTRACE_H

#include "warptrace/reader.h"

enum weir_warptrace_kind {
  WEIR_WARPTRACE_NONE,
  WEIR_WARPTRACE_OWN,    // a recording of weir's: of accesses, too, which is refused when it is opened
  WEIR_WARPTRACE_LIST,   // kernelslist.g
  WEIR_WARPTRACE_KERNEL, // one kernel of such a list
};

// By its first bytes or its name.
enum weir_warptrace_kind weir_warptrace_kind(const char *path);

// NULL and diagnostics if it cannot be read.
struct weir_warptrace *weir_warptrace_read(const char *path, struct weir_sink *sink);

// Calls `each` with the path of every file that the recording is in, until it answers false. False also if a list cannot be read.
bool weir_warptrace_files(const char *path, bool (*each)(void *context, const char *path), void *context,
                          struct weir_sink *sink);

#endif
