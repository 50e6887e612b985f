// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A time line as trace events ("Trace Event Format"), which Perfetto and Chrome's about:tracing show. Invariant: an item is one event of
// its stream and one of the engine that did it; events of one row never overlap; an event's `args` have its times in picoseconds.
#ifndef WEIR_RUN_TRACE_EVENTS_H
#define WEIR_RUN_TRACE_EVENTS_H

#include "timeline/log.h"

#include <jansson.h>

// The whole file, of one process: its events are those of the processes 1 (streams, and the host) and 2 (engines) of the format.
json_t *weir_trace_events(const struct weir_log *l, unsigned copy_engines, const char *program);

// Adds the events of another such file, of the n-th process (from 0).
void weir_trace_events_join(json_t *to, const json_t *file, unsigned n);

#endif
