// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Why accesses miss: the three C's of Hill (Hill and Smith, IEEE Transactions on Computers 38(12), 1989) and what is dropped.
//
//   compulsory  the sector was never used before
//   dropped     it was, and a store, a hint or a kernel's end has dropped it since (coherence misses, elsewhere)
//   capacity    a fully associative LRU cache of the same size would have missed, too
//   conflict    it would not
//
// A cache of whole lines has one sector per line. An access that takes no line (one that bypasses; a store that allocates nothing)
// is no use of its line, and has no class. Invariant: an access's distance is the largest stack distance of its line at
// any access since the sector's last use: a fully associative LRU cache of n lines holds the sector if and only if that is below n.
#ifndef WEIR_LOOK_CLASSES_H
#define WEIR_LOOK_CLASSES_H

#include "look/stack.h"

enum weir_miss_class { WEIR_COMPULSORY, WEIR_CAPACITY, WEIR_CONFLICT, WEIR_DROPPED, WEIR_MISS_CLASSES };
extern const char *const weir_miss_class_names[]; // by enum weir_miss_class

enum { WEIR_LOOK_SECTORS = 8 };

struct weir_sector_history {
  uint64_t deepest[WEIR_LOOK_SECTORS]; // of its line since its last use
  uint8_t used, dropped;               // masks of sectors
  uint32_t epoch;                      // of the last flush that it has heard of
};

struct weir_classes {
  struct weir_stack stack;
  struct weir_map numbers; // line → its history
  struct weir_sector_history *histories;
  uint64_t history_count, history_capacity;
  uint64_t lines; // that the cache holds
  unsigned sectors;
  uint32_t epoch; // flushes so far
};

struct weir_use {
  uint64_t distance;            // in lines; WEIR_STACK_NEVER: no size holds it
  enum weir_miss_class if_miss; // its class, if the cache missed
};

// Of a cache that holds so many lines.
void weir_classes_start(struct weir_classes *c, uint64_t lines, unsigned sectors);
void weir_classes_free(struct weir_classes *c);

struct weir_use weir_classes_use(struct weir_classes *c, uint64_t line, unsigned sector);
void weir_classes_drop(struct weir_classes *c, uint64_t line, uint8_t sectors);
void weir_classes_flush(struct weir_classes *c);

#endif
