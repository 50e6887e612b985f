// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What one cache did in one launch: its events in order, and what they come to. Invariant: the analysis hears of all that the cache
// does from the program's first launch on; only what happens in the launch looked at, in the sets looked at, is counted and logged.
#ifndef WEIR_LOOK_RECORD_H
#define WEIR_LOOK_RECORD_H

#include "look/classes.h"
#include "mem/watch.h"

#define WEIR_LOOK_ANY UINT32_MAX

struct weir_look_event {
  struct weir_watched what;
  struct weir_use use; // of an access that uses its line
  uint64_t last_use;   // of an END: cycle of the line's last use, or of its fill
  uint64_t filled;     // likewise, of its fill
  uint32_t uses;       // of an END: hits since the fill
  uint32_t load;       // of a FILL or an END: 1 + PC that brought the line; 0: none
};

// Of a load or store, or of a set.
struct weir_look_counts {
  uint64_t accesses, hits, hits_on_miss, bypasses, passed; // passed: stores that allocate nothing
  uint64_t misses[WEIR_MISS_CLASSES], fills, ends, unused; // unused: of the ends, without a hit
};

struct weir_look_load {
  uint32_t pc;        // index of the instruction; UINT32_MAX: write-backs and copies
  uint8_t request;    // enum weir_mreq_kind
  uint64_t low, high; // lines, of those that it asks for
  struct weir_look_counts n;
};

struct weir_look_way { // what is in a way now
  uint64_t line, filled, last_use;
  uint32_t uses, load;
  bool held;
};

enum { WEIR_LOOK_BUCKETS = 40 }; // of distances: 0, 1, 2-3, 4-7, …

struct weir_look_record {
  bool copies; // the launch has begun, and nothing has been seen since but what the host had copied before
  uint32_t sets, ways, sectors, only_set; // only_set: ANY, or the one looked at
  bool on;                                // in the launch looked at
  struct weir_classes classes;
  struct weir_look_way *now, *before; // [set × ways + way]: at present, and as the launch began
  struct weir_look_event *events;
  uint64_t event_count, event_capacity, most_events, left_out;
  struct weir_look_load *loads;
  uint32_t load_count, load_capacity;
  struct weir_look_counts total, *by_set;
  uint64_t ends[WEIR_ENDS];
  uint64_t distances[WEIR_LOOK_BUCKETS], never; // never: no finite distance
  uint64_t *depths;                             // by distance, exact up to depth_count: of the curve
  uint64_t depth_count, uses;
  weir_cycle last; // seen
};

// Of an access: it uses a line, here or on its way.
static inline bool weir_look_uses(const struct weir_watched *w) {
  return w->places && w->result != WEIR_ACCESS_BYPASS;
}

void weir_look_record_start(struct weir_look_record *r, uint32_t sets, uint32_t ways, uint32_t sectors);
void weir_look_record_free(struct weir_look_record *r);

// The launch looked at begins, or ends.
void weir_look_record_begin(struct weir_look_record *r);
void weir_look_record_end(struct weir_look_record *r);

void weir_look_record_saw(void *record, const struct weir_watched *what); // of struct weir_cache_watch

uint64_t weir_look_misses(const struct weir_look_counts *n); // of all classes

// Of the accesses that use lines, how many a fully associative LRU cache of so many lines misses.
uint64_t weir_look_misses_of(const struct weir_look_record *r, uint64_t lines);

// The sizes that the curve is shown at: from an eighth of the cache's lines, each twice the one before, to eight times them.
static inline uint64_t weir_look_curve_from(const struct weir_look_record *r) {
  return r->classes.lines / 8 ? r->classes.lines / 8 : 1;
}
static inline uint64_t weir_look_curve_to(const struct weir_look_record *r) {
  return r->classes.lines * 8;
}

#endif
