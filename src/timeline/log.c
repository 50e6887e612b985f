// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "timeline/log.h"

#include "base/alloc.h"

void weir_log_add(struct weir_log *l, const struct weir_log_item *item) {
  struct weir_log_item *own = weir_push(l->items, l->count, l->capacity);
  *own = *item;
  own->name = item->name ? weir_text_copy(item->name) : NULL;
  weir_item_hold(own->placed);
}

void weir_log_settle(struct weir_log *l) {
  for (unsigned i = 0; i < l->count; i++) {
    struct weir_log_item *item = &l->items[i];
    if (!item->placed) continue;
    item->span = weir_item_span(item->placed);
    weir_item_release(item->placed);
    item->placed = NULL;
  }
}
