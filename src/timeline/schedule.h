// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// When the work that a program gives to a device's streams happens. Invariant: an item is placed when it is given, as early as its
// stream, the events that this waits for, the host and its engine allow; its times never change afterwards; no engine does two things
// at once. So nothing that is placed waits for what is not, and no order of calls can lock up.
//
// The rules are those of the CUDA C++ Programming Guide ("Streams", "Default Stream", "Events"): items of a stream follow one another;
// one of the legacy default stream follows all that was given to blocking streams before it, and what is given to these later follows
// it; a wait for an event holds back what comes later in its stream. The host goes on at once unless it waits, and its own work
// takes no time.
//
// An item may use an engine between two items that were given earlier, where it fits. Kernels share the chip (residency.h); fills and
// copies within the device have it alone. Left out: priorities, and items that slow each other down.
#ifndef WEIR_TIMELINE_SCHEDULE_H
#define WEIR_TIMELINE_SCHEDULE_H

#include "timeline/residency.h"

enum weir_engine {
  WEIR_ENGINE_TO_DEVICE, // copies
  WEIR_ENGINE_TO_HOST,   // with one copy engine the same as the one before
  WEIR_ENGINE_COUNT,
  WEIR_ENGINE_DEVICE = WEIR_ENGINE_COUNT, // all of the chip: memsets and copies within the device
  WEIR_ENGINE_NONE,                       // takes none: events, functions of the host
};

struct weir_engine_use {
  struct weir_span *busy; // in order, none touching another
  unsigned count, capacity;
};

struct weir_timeline_usage { // how long it did what; device + copies - overlap + idle is all the time
  weir_time device, copies;  // of one direction or both
  weir_time overlap, idle;   // both of these; neither
};

struct weir_timeline { // zeroed but for copy_engines
  unsigned copy_engines;
  weir_time host;    // until when the host has waited
  weir_time end;     // of everything
  weir_time shared;  // of what the blocking streams and the legacy stream were given
  weir_time legacy;  // of what the legacy stream was given
  weir_time settled; // until when `usage` counts
  struct weir_timeline_usage usage;
  struct weir_engine_use engines[WEIR_ENGINE_COUNT];
  struct weir_residency chip;
};

enum weir_stream_kind { WEIR_STREAM_BLOCKING, WEIR_STREAM_NON_BLOCKING, WEIR_STREAM_LEGACY };

struct weir_stream { // zeroed but for its kind and number
  enum weir_stream_kind kind;
  unsigned number; // that it is shown by; 0: the default stream
  weir_time end;   // of what it was given, waits included
};

// An item that takes so long.
struct weir_span weir_timeline_place(struct weir_timeline *t, struct weir_stream *s, enum weir_engine engine,
                                     weir_time duration);

// A kernel, which takes so long alone.
struct weir_span weir_timeline_run(struct weir_timeline *t, struct weir_stream *s, const struct weir_grid_use *g,
                                   weir_time duration);

// What the stream is given later waits until then: the end of an event's record.
void weir_timeline_wait(struct weir_timeline *t, struct weir_stream *s, weir_time until);

// The host waits until then: what it gives later begins no earlier.
void weir_timeline_host_waits(struct weir_timeline *t, weir_time until);

// How long it did what, from 0 to the end of everything that was placed so far.
struct weir_timeline_usage weir_timeline_used(const struct weir_timeline *t);

// The host waits for everything, and what the time line keeps of it is freed.
void weir_timeline_drain(struct weir_timeline *t);

#endif
