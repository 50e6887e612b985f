// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The images of a device memory. A handle is a tag and a number that is never used again, so that one of an image that
// was removed is found out; the tag keeps handles apart from addresses.
#include "exec/texture.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "exec/image/image.h"

#include <assert.h>

#define TAG (UINT64_C(0x7465) << 48)
#define SAMPLER (UINT64_C(1) << 63)

struct weir_texture_table {
  struct weir_texture **all; // [number]; NULL: removed
  size_t count, capacity;
};

struct weir_texture_table *weir_texture_table_create(void) {
  return weir_new(struct weir_texture_table);
}

void weir_texture_table_free(struct weir_texture_table *t) {
  for (size_t k = 0; k < t->count; k++) weir_free(t->all[k]);
  weir_free(t->all);
  weir_free(t);
}

uint64_t weir_texture_add(struct weir_memory *m, const struct weir_texture *t) {
  struct weir_texture_table *table = weir_memory_textures(m);
  struct weir_texture *own = weir_new(struct weir_texture);
  assert(t->channels >= 1 && t->channels <= 4 && weir_is_pow2(t->channel_bytes) && t->channel_bytes <= 4);
  assert(t->dimensions >= 1 && t->dimensions + t->layered <= 3);
  *own = *t;
  if (!own->height) own->height = 1;
  if (!own->depth) own->depth = 1;
  *weir_push(table->all, table->count, table->capacity) = own;
  return TAG + table->count;
}

static struct weir_texture **slot(const struct weir_memory *m, uint64_t handle) {
  const struct weir_texture_table *table = weir_memory_textures(m);
  return handle > TAG && handle - TAG <= table->count ? &table->all[handle - TAG - 1] : NULL;
}

bool weir_texture_remove(struct weir_memory *m, uint64_t handle) {
  struct weir_texture **t = slot(m, handle);
  if (!t || !*t) return false;
  weir_free(*t);
  *t = NULL;
  return true;
}

const struct weir_texture *weir_texture_find(const struct weir_memory *m, uint64_t handle) {
  struct weir_texture **t = slot(m, handle);
  return t ? *t : NULL;
}

bool weir_texture_removed(const struct weir_memory *m, uint64_t handle) {
  struct weir_texture **t = slot(m, handle);
  return t && !*t;
}

uint64_t weir_sampler_pack(const struct weir_sampler *s) {
  uint64_t bits = SAMPLER | (uint64_t)(s->filter & 1) << 6 | (uint64_t)s->normalized << 7;
  for (unsigned k = 0; k < 3; k++) bits |= (uint64_t)(s->address[k] & 3) << (2 * k);
  return bits;
}

struct weir_sampler weir_sampler_unpack(uint64_t handle) {
  struct weir_sampler s = {.filter = handle >> 6 & 1, .normalized = handle >> 7 & 1};
  for (unsigned k = 0; k < 3; k++) s.address[k] = handle >> (2 * k) & 3;
  return s;
}
