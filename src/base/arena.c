// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/arena.h"

#include "base/alloc.h"

#include <string.h>

enum { CHUNK_BYTES = 64 << 10, ALIGNMENT = 16 };

struct weir_arena_chunk {
  struct weir_arena_chunk *older;
  _Alignas(ALIGNMENT) char bytes[];
};

static void grow(struct weir_arena *a, size_t bytes) {
  size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
  struct weir_arena_chunk *c = weir_alloc(sizeof *c + size);
  c->older = a->chunks;
  a->chunks = c;
  a->next = c->bytes;
  a->end = c->bytes + size;
}

void *weir_arena_alloc(struct weir_arena *a, size_t bytes) {
  bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
  if (!a->next || (size_t)(a->end - a->next) < bytes) grow(a, bytes);
  void *p = a->next;
  a->next += bytes;
  return p;
}

char *weir_arena_text(struct weir_arena *a, const char *text, size_t length) {
  char *copy = weir_arena_alloc(a, length + 1);
  if (length) memcpy(copy, text, length);
  return copy;
}

void weir_arena_free(struct weir_arena *a) {
  while (a->chunks) {
    struct weir_arena_chunk *older = a->chunks->older;
    weir_free(a->chunks);
    a->chunks = older;
  }
  *a = (struct weir_arena){0};
}
