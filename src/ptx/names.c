// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptx/names.h"

#include "base/alloc.h"

#include <string.h>

// Multiply and fold, eight bytes at a time.
static uint64_t hash_of(const char *text, size_t length) {
  uint64_t h = length * UINT64_C(0x9E3779B97F4A7C15);
  for (; length >= 8; text += 8, length -= 8) {
    uint64_t word;
    memcpy(&word, text, 8);
    h = (h ^ word) * UINT64_C(0xD6E8FEB86659FD93);
    h ^= h >> 32;
  }
  uint64_t word = 0;
  for (size_t i = 0; i < length; i++) word = word << 8 | (unsigned char)text[i];
  h = (h ^ word) * UINT64_C(0xD6E8FEB86659FD93);
  return h ^ h >> 32;
}

// From the entry numbered 1 + `from` on, towards older ones.
static struct weir_name *find_from(const struct weir_names *n, uint32_t from, uint64_t hash, const char *text,
                                   size_t length) {
  for (uint32_t i = from; i; i = n->entries[i - 1].next) {
    struct weir_name *e = &n->entries[i - 1];
    if (e->hash == hash && e->length == length && memcmp(e->text, text, length) == 0) return e;
  }
  return NULL;
}

struct weir_name *weir_names_find(const struct weir_names *n, const char *text, size_t length, uint32_t depth) {
  const uint64_t hash = hash_of(text, length), *newest = weir_map_find(&n->newest, hash);
  struct weir_name *e = newest ? find_from(n, (uint32_t)*newest, hash, text, length) : NULL;
  return e && e->depth >= depth ? e : NULL;
}

struct weir_name *weir_names_hidden(const struct weir_names *n, const struct weir_name *e) {
  return find_from(n, e->next, e->hash, e->text, e->length);
}

void weir_names_add(struct weir_names *n, const char *text, size_t length, uint32_t depth, void *value) {
  const uint64_t hash = hash_of(text, length);
  uint64_t *newest = weir_map_add(&n->newest, hash, NULL);
  struct weir_name *e = weir_push(n->entries, n->count, n->capacity);
  *e = (struct weir_name){
    .text = text, .value = value, .hash = hash, .length = (uint32_t)length, .depth = depth, .next = (uint32_t)*newest};
  *newest = n->count;
}

void weir_names_pop(struct weir_names *n, uint32_t count) {
  while (n->count > count) {
    struct weir_name *e = &n->entries[--n->count];
    *weir_map_find(&n->newest, e->hash) = e->next;
  }
}

void weir_names_free(struct weir_names *n) {
  weir_free(n->entries);
  weir_map_free(&n->newest);
  *n = (struct weir_names){0};
}
