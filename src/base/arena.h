// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A bump allocator: everything allocated from an arena lives until the arena is freed, and nothing is freed before.
// Allocation never fails: a process out of memory ends with a message (weir_alloc in base/alloc.h).
#ifndef WEIR_BASE_ARENA_H
#define WEIR_BASE_ARENA_H

#include <stddef.h>

struct weir_arena_chunk;

struct weir_arena {
  struct weir_arena_chunk *chunks; // newest first
  char *next, *end;                // free part of the newest chunk
};

// Zeroed memory, aligned to 16 bytes.
void *weir_arena_alloc(struct weir_arena *a, size_t bytes);

// A NUL-terminated copy of text[0..length).
char *weir_arena_text(struct weir_arena *a, const char *text, size_t length);

void weir_arena_free(struct weir_arena *a);

#define weir_arena_new(arena, type) ((type *)weir_arena_alloc((arena), sizeof(type)))
#define weir_arena_array(arena, type, n) ((type *)weir_arena_alloc((arena), sizeof(type) * (size_t)(n)))

#endif
