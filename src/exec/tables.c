// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The two look-up tables of the decoder: symbols' locations and broadcast constants.
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/decode/decode.h"

#include <string.h>

static uint32_t hash(uint64_t x) {
  return (uint32_t)((x * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

void weir_locations_put(struct weir_locations *l, const struct weir_symbol *s, enum weir_where where, uint64_t value) {
  bool is_new;
  uint64_t *number = weir_map_add(&l->by_symbol, (uintptr_t)s, &is_new);
  if (is_new) *number = l->count, weir_push(l->all, l->count, l->capacity);
  l->all[*number] = (struct weir_location){s, where, value};
}

struct weir_location weir_locations_get(const struct weir_locations *l, const struct weir_symbol *s) {
  const uint64_t *number = weir_map_find(&l->by_symbol, (uintptr_t)s);
  return number ? l->all[*number] : (struct weir_location){0};
}

void weir_locations_free(struct weir_locations *l) {
  weir_map_free(&l->by_symbol);
  weir_free(l->all);
}

static struct weir_constant_key *find_key(const struct weir_constants *c, uint64_t bits, unsigned width) {
  uint32_t k = hash(bits * 31 + width) & (c->key_capacity - 1);
  while (c->keys[k].width && (c->keys[k].bits != bits || c->keys[k].width != width))
    k = (k + 1) & (c->key_capacity - 1);
  return &c->keys[k];
}

static void grow_keys(struct weir_constants *c) {
  const struct weir_constants old = *c;
  c->key_capacity = old.key_capacity ? old.key_capacity * 2 : 64;
  c->keys = weir_new_array(struct weir_constant_key, c->key_capacity);
  for (uint32_t k = 0; k < old.key_capacity; k++)
    if (old.keys[k].width) *find_key(c, old.keys[k].bits, old.keys[k].width) = old.keys[k];
  weir_free(old.keys);
}

// Room for one vector, at a multiple of 64 bytes.
static uint32_t reserve(struct weir_constants *c, size_t bytes) {
  const size_t at = c->size, size = at + weir_align_up(bytes, 64);
  if (size > c->capacity) {
    c->capacity = size * 2;
    c->bytes = weir_realloc(c->bytes, c->capacity);
  }
  c->size = size;
  memset(c->bytes + at, 0, size - at);
  return (uint32_t)at;
}

static uint64_t lane_value(unsigned which, uint64_t bits, unsigned lane) {
  const unsigned l = lane % 32; // each half of a 64-lane warp counts as a CUDA warp
  const uint32_t equal = UINT32_C(1) << l, below = equal - 1;
  switch (which) {
  case WEIR_LANES_ID: return l;
  case WEIR_LANES_EQ: return equal;
  case WEIR_LANES_LE: return below | equal;
  case WEIR_LANES_LT: return below;
  case WEIR_LANES_GE: return ~below;
  case WEIR_LANES_GT: return ~(below | equal);
  default: return bits;
  }
}

static uint32_t constant(struct weir_constants *c, uint64_t bits, unsigned which) {
  if (2 * c->key_count >= c->key_capacity) grow_keys(c);
  struct weir_constant_key *key = find_key(c, bits, which);
  if (key->width) return key->offset;
  const unsigned bytes = which == 1 ? 8 : which == 8 ? 8 : 4, n = which == 1 ? 1 : c->lanes;
  const uint32_t offset = reserve(c, (size_t)bytes * n);
  for (unsigned l = 0; l < n; l++) {
    const uint64_t value = lane_value(which, bits, l);
    memcpy(c->bytes + offset + l * bytes, &value, bytes);
  }
  *key = (struct weir_constant_key){bits, offset, (uint8_t)which};
  c->key_count++;
  return offset;
}

uint32_t weir_constant(struct weir_constants *c, uint64_t bits, unsigned width) {
  return constant(c, width == 4 ? (uint32_t)bits : bits, width);
}

uint32_t weir_constant_lanes(struct weir_constants *c, unsigned which) {
  return constant(c, 0, which);
}
