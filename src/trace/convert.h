// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A trace written again: parts of it, in weir's format or ChampSim's. Invariant: as with recording, a file has its name
// when it is whole.
#ifndef WEIR_TRACE_CONVERT_H
#define WEIR_TRACE_CONVERT_H

#include "trace/record.h"

// By its name's end: .champsim or .champsimtrace, packed (.gz, .xz, .zst) or not.
bool weir_trace_names_champsim(const char *path);

// Writes those windows of what the reader has selected, which is counted through, one segment after the other; a weight
// below 0 leaves the segment's own. The copy has one thread, the first. What ChampSim's records have no room for is counted in a warning.
bool weir_trace_convert(struct weir_trace_reader *r, const struct weir_trace_window *windows, unsigned count,
                        const char *path, struct weir_sink *sink);

// The profile of what the reader has selected.
bool weir_trace_profile_read(struct weir_trace_reader *r, uint64_t interval, struct weir_phase_profile *profile,
                             struct weir_sink *sink);

#endif
