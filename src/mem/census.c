// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/census.h"

#include "base/alloc.h"

#include <stddef.h>

// Open addressing, linear probing, at most half full. A slot is (line + 1) × 2, plus 1 if asked for again; 0 = empty.
struct weir_census {
  uint64_t *slots;
  size_t size, distinct, again;
};

struct weir_census *weir_census_create(void) {
  struct weir_census *c = weir_new(struct weir_census);
  c->size = 1 << 12;
  c->slots = weir_new_array(uint64_t, c->size);
  return c;
}

void weir_census_free(struct weir_census *c) {
  if (!c) return;
  weir_free(c->slots);
  weir_free(c);
}

static uint64_t *slot_of(const struct weir_census *c, uint64_t key) {
  size_t i = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (c->size - 1);
  while (c->slots[i] && c->slots[i] >> 1 != key) i = (i + 1) & (c->size - 1);
  return &c->slots[i];
}

static void grow(struct weir_census *c) {
  uint64_t *old = c->slots;
  size_t n = c->size;
  c->size *= 2;
  c->slots = weir_new_array(uint64_t, c->size);
  for (size_t i = 0; i < n; i++)
    if (old[i]) *slot_of(c, old[i] >> 1) = old[i];
  weir_free(old);
}

void weir_census_count(struct weir_census *c, uint64_t line) {
  uint64_t *slot = slot_of(c, line + 1);
  if (!*slot) {
    *slot = (line + 1) << 1;
    if (++c->distinct * 2 > c->size) grow(c);
  } else if (!(*slot & 1)) {
    *slot |= 1;
    c->again++;
  }
}

uint64_t weir_census_distinct(const struct weir_census *c) {
  return c->distinct;
}

uint64_t weir_census_once(const struct weir_census *c) {
  return c->distinct - c->again;
}
