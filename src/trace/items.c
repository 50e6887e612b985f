// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "trace/items.h"

enum { BATCH = 1024 };

static uint64_t hash(const struct weir_trace_static *what) {
  uint64_t words[sizeof *what / 8], h = 0;
  memcpy(words, what, sizeof words);
  for (unsigned i = 0; i < sizeof words / 8; i++) {
    h = (h ^ words[i]) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= h >> 29;
  }
  return h;
}

const struct weir_trace_item *weir_trace_items_at(const struct weir_trace_items *all, uint32_t id) {
  return &all->batches[id / BATCH][id % BATCH];
}

// The content's id; the first free one if it is new.
static uint32_t id_of(struct weir_trace_items *all, const struct weir_trace_static *what) {
  for (uint64_t key = hash(what);; key++) {
    bool is_new;
    uint64_t *id = weir_map_add(&all->ids, key, &is_new);
    if (is_new) *id = all->count;
    if (is_new || !memcmp(&weir_trace_items_at(all, (uint32_t)*id)->what, what, sizeof *what)) return (uint32_t)*id;
  }
}

const struct weir_trace_item *weir_trace_items_add(struct weir_trace_items *all, const struct weir_trace_static *what) {
  const uint32_t id = id_of(all, what);
  if (id < all->count) return weir_trace_items_at(all, id);
  all->count++;
  if (id % BATCH == 0)
    *weir_push(all->batches, all->batch_count, all->batch_capacity) = weir_new_array(struct weir_trace_item, BATCH);
  struct weir_trace_item *item = &all->batches[id / BATCH][id % BATCH];
  *item = (struct weir_trace_item){*what, id, all->slot_count};
  all->slot_count += what->access_count;
  return item;
}

void weir_trace_items_free(struct weir_trace_items *all) {
  for (uint32_t i = 0; i < all->batch_count; i++) weir_free(all->batches[i]);
  weir_free(all->batches);
  weir_map_free(&all->ids);
  *all = (struct weir_trace_items){0};
}
