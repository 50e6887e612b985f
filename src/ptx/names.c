// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "ptx/names.h"

#include "base/alloc.h"

#include <string.h>

// Multiply and fold, eight bytes at a time.
static uint32_t hash_of(const char *text, size_t length) {
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
  return (uint32_t)(h ^ h >> 32);
}

static void link_entry(struct weir_names *n, uint32_t entry) {
  uint32_t *bucket = &n->buckets[n->entries[entry].hash & (n->bucket_count - 1)];
  n->entries[entry].next = *bucket;
  *bucket = entry + 1;
}

static void grow(struct weir_names *n) {
  weir_free(n->buckets);
  n->bucket_count = n->bucket_count ? n->bucket_count * 4 : 1024;
  n->buckets = weir_new_array(uint32_t, n->bucket_count);
  for (uint32_t i = 0; i < n->count; i++) link_entry(n, i);
}

// From the entry numbered 1 + `from` on, towards older ones.
static struct weir_name *find_from(const struct weir_names *n, uint32_t from, uint32_t hash, const char *text,
                                   size_t length) {
  for (uint32_t i = from; i; i = n->entries[i - 1].next) {
    struct weir_name *e = &n->entries[i - 1];
    if (e->hash == hash && e->length == length && memcmp(e->text, text, length) == 0) return e;
  }
  return NULL;
}

struct weir_name *weir_names_find(const struct weir_names *n, const char *text, size_t length, uint32_t depth) {
  if (!n->bucket_count) return NULL;
  uint32_t hash = hash_of(text, length);
  struct weir_name *e = find_from(n, n->buckets[hash & (n->bucket_count - 1)], hash, text, length);
  return e && e->depth >= depth ? e : NULL;
}

struct weir_name *weir_names_hidden(const struct weir_names *n, const struct weir_name *e) {
  return find_from(n, e->next, e->hash, e->text, e->length);
}

void weir_names_add(struct weir_names *n, const char *text, size_t length, uint32_t depth, void *value) {
  if (n->count >= n->bucket_count) grow(n);
  struct weir_name *e = weir_push(n->entries, n->count, n->capacity);
  *e = (struct weir_name){
    .text = text, .value = value, .length = (uint32_t)length, .hash = hash_of(text, length), .depth = depth};
  link_entry(n, n->count - 1);
}

void weir_names_pop(struct weir_names *n, uint32_t count) {
  while (n->count > count) {
    struct weir_name *e = &n->entries[--n->count];
    n->buckets[e->hash & (n->bucket_count - 1)] = e->next;
  }
}

void weir_names_free(struct weir_names *n) {
  weir_free(n->entries);
  weir_free(n->buckets);
  *n = (struct weir_names){0};
}
