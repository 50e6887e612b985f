// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// When the work that a program gives to a device's streams happens: a simulation of streams, engines and the chip from event to event.
// Invariant: it stands at the host's time. All that happened until then is final; what happens later is not known yet, since the host
// may still give what changes it. An item only ever follows items that were given before it, so that no order of calls can lock up.
//
// The rules are those of the CUDA C++ Programming Guide ("Streams", "Default Stream", "Events", "Stream Priorities"): items of a stream
// follow one another; one of the legacy default stream follows all that was given to blocking streams before it, and what is given to
// these later follows it; a wait for an event holds back what comes later in its stream. The host goes on at once unless it waits,
// and its own work takes no time. How engines take what is ready: engines.h.
#ifndef WEIR_TIMELINE_SCHEDULE_H
#define WEIR_TIMELINE_SCHEDULE_H

#include "base/time.h"

#include <stdbool.h>

enum weir_engine {
  WEIR_ENGINE_TO_DEVICE, // copies
  WEIR_ENGINE_TO_HOST,   // with one copy engine the same as the one before
  WEIR_ENGINE_COUNT,
  WEIR_ENGINE_DEVICE = WEIR_ENGINE_COUNT, // the chip: kernels, or all of it: memsets and copies within the device
  WEIR_ENGINE_NONE,                       // takes none: events, functions of the host
};

struct weir_span {
  weir_time began, ended;
};

struct weir_grid_use {
  uint64_t blocks, resident; // in all; that the chip holds when the kernel runs alone, at least 1
  bool together;             // all its blocks are on the chip at once: a cooperative launch, which fits
};

struct weir_item; // something that a stream was given (item.h)

struct weir_line_up { // what is ready and waits for an engine, the next one first
  struct weir_item **items;
  unsigned first, count, capacity; // items[first … count - 1]
};

struct weir_group { // blocks that began together, or a copy
  weir_time ends;
  uint64_t blocks;
  struct weir_item *item;
  uint32_t speed; // of WEIR_FULL_SPEED (share.h)
};

struct weir_timeline_usage { // how long it did what; device + copies - overlap + idle is all the time
  weir_time device, copies;  // of one direction or both
  weir_time overlap, idle;   // both of these; neither
};

struct weir_timeline { // zeroed but for these two
  unsigned copy_engines;
  uint32_t dram_mb_per_s; // of 10^6 bytes; 0: copies slow nothing down
  weir_time host;         // until when the host has waited, and everything is known
  struct weir_timeline_usage usage;
  uint64_t given, finished;                                  // items in all; that took time and have ended
  struct weir_item *legacy;                                  // the last of the legacy stream; NULL: none
  struct weir_item **blocking;                               // of the blocking streams, since then
  unsigned blocking_count, blocking_capacity, blocking_most; // most: it is time to leave out those that have ended
  // What the engines do (engines.h).
  struct weir_line_up waiting[WEIR_ENGINE_COUNT + 1]; // the last for the chip
  bool copying[WEIR_ENGINE_COUNT];
  uint64_t used;             // of the chip, in parts of WEIR_WHOLE_CHIP
  unsigned grids;            // on the chip
  struct weir_group *groups; // under way, the next one to end last
  unsigned group_count, group_capacity;
  bool slowed;             // one of them, by copies
  struct weir_item **over; // have ended, and their followers have not heard of it
  unsigned over_count, over_capacity;
};

enum weir_stream_kind { WEIR_STREAM_BLOCKING, WEIR_STREAM_NON_BLOCKING, WEIR_STREAM_LEGACY };

struct weir_stream { // zeroed but for its kind, number and priority
  enum weir_stream_kind kind;
  unsigned number;        // that it is shown by; 0: the default stream
  int priority;           // of its kernels: 0, or less, which goes first
  struct weir_item *last; // that it was given, waits included; NULL: none, or it has long ended
};

// An item that takes so long alone. Whoever wants to ask for it later holds it, before the next call.
struct weir_item *weir_timeline_place(struct weir_timeline *t, struct weir_stream *s, enum weir_engine engine,
                                      weir_time duration);

// One that moves so many bytes of the device's DRAM.
struct weir_item *weir_timeline_move(struct weir_timeline *t, struct weir_stream *s, enum weir_engine engine,
                                     weir_time duration, uint64_t dram_bytes);

// A kernel; one whose blocks move so many.
struct weir_item *weir_timeline_run(struct weir_timeline *t, struct weir_stream *s, const struct weir_grid_use *g,
                                    weir_time duration);
struct weir_item *weir_timeline_run_moving(struct weir_timeline *t, struct weir_stream *s,
                                           const struct weir_grid_use *g, weir_time duration, uint64_t dram_bytes);

// What the stream is given later follows that item, too. NULL: one that has long ended.
void weir_timeline_wait(struct weir_timeline *t, struct weir_stream *s, struct weir_item *item);

struct weir_item *weir_item_hold(struct weir_item *item); // NULL stays NULL; to be released
void weir_item_release(struct weir_item *item);
bool weir_item_has_begun(const struct weir_item *item);        // NULL: yes
bool weir_item_ended(const struct weir_item *item);            // NULL: yes
struct weir_span weir_item_span(const struct weir_item *item); // of one that has ended
uint64_t weir_item_number(const struct weir_item *item);       // from 1 on, in the order in which they were given

// Something that the stream was given and that has not ended; of the legacy stream also of what the blocking streams were given before.
// NULL: there is nothing.
struct weir_item *weir_timeline_open(struct weir_timeline *t, const struct weir_stream *s);

// The stream is given nothing more.
void weir_stream_close(struct weir_stream *s);

// The host waits until then; for the item (NULL: has ended); until the next item ends, false if there is none; for everything.
void weir_timeline_host_waits(struct weir_timeline *t, weir_time until);
void weir_timeline_host_waits_for(struct weir_timeline *t, const struct weir_item *item);
bool weir_timeline_host_waits_a_little(struct weir_timeline *t);
void weir_timeline_host_waits_for_all(struct weir_timeline *t);

// The same, and all that the time line keeps of it is freed.
void weir_timeline_drain(struct weir_timeline *t);

#endif
