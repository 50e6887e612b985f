// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The two look-up tables of the decoder: symbols' locations and broadcast constants.
#include "base/alloc.h"
#include "base/bits.h"
#include "exec/decode/decode.h"

#include <string.h>

void weir_locations_put(struct weir_locations *l, const struct weir_symbol *s, enum weir_where where, uint64_t value) {
  bool is_new;
  uint64_t *number = weir_map_add(&l->by_symbol, (uintptr_t)s, &is_new);
  if (is_new) *number = l->count;
  struct weir_location *at = is_new ? weir_push(l->all, l->count, l->capacity) : &l->all[*number];
  *at = (struct weir_location){s, where, value};
}

struct weir_location weir_locations_get(const struct weir_locations *l, const struct weir_symbol *s) {
  const uint64_t *number = weir_map_find(&l->by_symbol, (uintptr_t)s);
  return number ? l->all[*number] : (struct weir_location){0};
}

void weir_locations_free(struct weir_locations *l) {
  weir_map_free(&l->by_symbol);
  weir_free(l->all);
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
  bool is_new;
  uint64_t *known = weir_map_add(&c->offsets[which], bits, &is_new);
  if (!is_new) return (uint32_t)*known;
  const unsigned bytes = which == 1 ? 8 : which == 8 ? 8 : 4, n = which == 1 ? 1 : c->lanes;
  const uint32_t offset = reserve(c, (size_t)bytes * n);
  for (unsigned l = 0; l < n; l++) {
    const uint64_t value = lane_value(which, bits, l);
    memcpy(c->bytes + offset + l * bytes, &value, bytes);
  }
  *known = offset;
  return offset;
}

uint32_t weir_constant(struct weir_constants *c, uint64_t bits, unsigned width) {
  return constant(c, width == 4 ? (uint32_t)bits : bits, width);
}

uint32_t weir_constant_lanes(struct weir_constants *c, unsigned which) {
  return constant(c, 0, which);
}

void weir_constants_free(struct weir_constants *c) {
  for (unsigned i = 0; i < sizeof c->offsets / sizeof *c->offsets; i++) weir_map_free(&c->offsets[i]);
  weir_free(c->bytes);
}
