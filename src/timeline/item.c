// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "timeline/item.h"

#include "base/alloc.h"

#include <assert.h>

struct weir_item *weir_item_hold(struct weir_item *item) {
  if (item) item->references++;
  return item;
}

void weir_item_release(struct weir_item *item) {
  if (!item || --item->references) return;
  weir_free(item);
}

bool weir_item_ended(const struct weir_item *item) {
  return !item || item->ended;
}

bool weir_item_has_begun(const struct weir_item *item) {
  return !item || item->has_begun || item->ended;
}

uint64_t weir_item_number(const struct weir_item *item) {
  return item->number;
}

struct weir_span weir_item_span(const struct weir_item *item) {
  assert(item->ended);
  return item->span;
}
