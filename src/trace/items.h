// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Static instructions, each content once. Invariant: an item stays where it is until all are freed; items are numbered
// in the order in which they were added, and so are their accesses.
#ifndef WEIR_TRACE_ITEMS_H
#define WEIR_TRACE_ITEMS_H

#include "base/map.h"
#include "trace/model.h"

struct weir_trace_items {
  struct weir_trace_item **batches;
  uint32_t batch_count, batch_capacity, count, slot_count;
  struct weir_map ids; // of a content's hash, or of the next number that is another content's
};

const struct weir_trace_item *weir_trace_items_add(struct weir_trace_items *all, const struct weir_trace_static *what);
const struct weir_trace_item *weir_trace_items_at(const struct weir_trace_items *all, uint32_t id);
void weir_trace_items_free(struct weir_trace_items *all);

#endif
