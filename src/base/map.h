// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A map from 64-bit keys to 64-bit values: open addressing with linear probing, at most half full. Invariant: `capacity` is 0 or a
// power of two; what a look-up gives points into the table, and is good until the next key is added. Zero-initialised it is
// empty. Nothing goes through it in an order that depends on it.
#ifndef WEIR_BASE_MAP_H
#define WEIR_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_map_slot {
  uint64_t key, value;
  bool taken;
};

struct weir_map {
  struct weir_map_slot *slots;
  size_t capacity, count; // slots; keys
};

void weir_map_free(struct weir_map *m); // it is empty afterwards

// The key's value; NULL: there is none.
uint64_t *weir_map_find(const struct weir_map *m, uint64_t key);

// It will be looked up: its slot is fetched into the host's cache.
void weir_map_expect(const struct weir_map *m, uint64_t key);

// The key's value, which is 0 if the key is new; `*is_new`, if not NULL, says whether it is.
uint64_t *weir_map_add(struct weir_map *m, uint64_t key, bool *is_new);

#endif
