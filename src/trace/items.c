// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "trace/items.h"

enum { BATCH = 1024, FIRST_TABLE = 1 << 12 };

static uint32_t hash(const struct weir_trace_static *what) {
  uint64_t words[sizeof *what / 8], h = 0;
  memcpy(words, what, sizeof words);
  for (unsigned i = 0; i < sizeof words / 8; i++) {
    h = (h ^ words[i]) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= h >> 29;
  }
  return (uint32_t)(h >> 32);
}

const struct weir_trace_item *weir_trace_items_at(const struct weir_trace_items *all, uint32_t id) {
  return &all->batches[id / BATCH][id % BATCH];
}

static uint32_t *place_of(const struct weir_trace_items *all, const struct weir_trace_static *what) {
  const uint32_t mask = all->table_size - 1;
  uint32_t at = hash(what) & mask;
  while (all->table[at] && memcmp(&weir_trace_items_at(all, all->table[at] - 1)->what, what, sizeof *what))
    at = (at + 1) & mask;
  return &all->table[at];
}

static void grow_table(struct weir_trace_items *all) {
  weir_free(all->table);
  all->table_size = all->table_size ? all->table_size * 2 : FIRST_TABLE;
  all->table = weir_new_array(uint32_t, all->table_size);
  for (uint32_t id = 0; id < all->count; id++) *place_of(all, &weir_trace_items_at(all, id)->what) = id + 1;
}

const struct weir_trace_item *weir_trace_items_add(struct weir_trace_items *all, const struct weir_trace_static *what) {
  if (all->count * 2 >= all->table_size) grow_table(all);
  uint32_t *place = place_of(all, what);
  if (*place) return weir_trace_items_at(all, *place - 1);
  const uint32_t id = all->count++;
  if (id % BATCH == 0)
    *weir_push(all->batches, all->batch_count, all->batch_capacity) = weir_new_array(struct weir_trace_item, BATCH);
  struct weir_trace_item *item = &all->batches[id / BATCH][id % BATCH];
  *item = (struct weir_trace_item){*what, id, all->slot_count};
  all->slot_count += what->access_count;
  *place = id + 1;
  return item;
}

void weir_trace_items_free(struct weir_trace_items *all) {
  for (uint32_t i = 0; i < all->batch_count; i++) weir_free(all->batches[i]);
  weir_free(all->batches);
  weir_free(all->table);
  *all = (struct weir_trace_items){0};
}
