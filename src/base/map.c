// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/map.h"

#include "base/alloc.h"

enum { FIRST_CAPACITY = 64 };

void weir_map_free(struct weir_map *m) {
  weir_free(m->slots);
  *m = (struct weir_map){0};
}

static size_t first_slot(const struct weir_map *m, uint64_t key) {
  return (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (m->capacity - 1);
}

// The key's slot, or the free one where it belongs.
static struct weir_map_slot *slot_of(const struct weir_map *m, uint64_t key) {
  size_t at = first_slot(m, key);
  while (m->slots[at].taken && m->slots[at].key != key) at = (at + 1) & (m->capacity - 1);
  return &m->slots[at];
}

static void grow(struct weir_map *m) {
  struct weir_map_slot *old = m->slots;
  const size_t count = m->capacity;
  m->capacity = count ? 2 * count : FIRST_CAPACITY;
  m->slots = weir_new_array(struct weir_map_slot, m->capacity);
  for (size_t i = 0; i < count; i++)
    if (old[i].taken) *slot_of(m, old[i].key) = old[i];
  weir_free(old);
}

uint64_t *weir_map_find(const struct weir_map *m, uint64_t key) {
  struct weir_map_slot *slot = m->capacity ? slot_of(m, key) : NULL;
  return slot && slot->taken ? &slot->value : NULL;
}

void weir_map_expect(const struct weir_map *m, uint64_t key) {
  if (m->capacity) __builtin_prefetch(&m->slots[first_slot(m, key)], 1);
}

uint64_t *weir_map_add(struct weir_map *m, uint64_t key, bool *is_new) {
  if (2 * m->count >= m->capacity) grow(m);
  struct weir_map_slot *slot = slot_of(m, key);
  if (is_new) *is_new = !slot->taken;
  if (!slot->taken) *slot = (struct weir_map_slot){.key = key, .taken = true}, m->count++;
  return &slot->value;
}
