// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a time line placed, item by item, for whoever wants to see it. Invariant: items are in the order in which they were given.
#ifndef WEIR_TIMELINE_LOG_H
#define WEIR_TIMELINE_LOG_H

#include "timeline/schedule.h"

enum weir_logged {
  WEIR_LOGGED_KERNEL,
  WEIR_LOGGED_FILL,
  WEIR_LOGGED_WITHIN, // a copy within the device
  WEIR_LOGGED_TO_DEVICE,
  WEIR_LOGGED_TO_HOST,
  WEIR_LOGGED_HOST, // the host waits
};

enum {
  WEIR_LOG_PAGES = (1 << 30) + 1
}; // a stream's number, beyond all others: managed memory that the host has touched comes back

struct weir_log_item {
  enum weir_logged what;
  unsigned stream; // its number; of the host: 0
  uint64_t bytes;  // of all but kernels and the host
  const char *name;
  uint32_t grid[3], block[3]; // of a kernel
  bool pageable;              // of a copy over the link
  struct weir_span span;      // of an item that was placed: once weir_log_settle has filled it in
  struct weir_item *placed;   // NULL: `span` was known
};

struct weir_log {
  struct weir_log_item *items;
  unsigned count, capacity;
};

// `item`'s name is copied; NULL: none. A log lives as long as its process.
void weir_log_add(struct weir_log *l, const struct weir_log_item *item);

// Everything that was placed has ended: the items have their times.
void weir_log_settle(struct weir_log *l);

#endif
