// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Growing byte strings and cursors over them. Invariant: a cursor never reads past its end; what it gives after that is
// 0 and `failed` says so.
#ifndef WEIR_TRACE_BYTES_H
#define WEIR_TRACE_BYTES_H

#include "base/alloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct weir_bytes {
  uint8_t *data;
  size_t count, capacity;
};

struct weir_cursor {
  const uint8_t *at, *end;
  bool failed;
};

static inline uint8_t *weir_bytes_room(struct weir_bytes *b, size_t n) {
  if (b->capacity - b->count < n) {
    b->capacity = b->capacity * 2 + n + 64;
    b->data = weir_realloc(b->data, b->capacity);
  }
  b->count += n;
  return b->data + b->count - n;
}

static inline void weir_bytes_put(struct weir_bytes *b, const void *p, size_t n) {
  if (n) memcpy(weir_bytes_room(b, n), p, n);
}

static inline void weir_bytes_byte(struct weir_bytes *b, uint8_t value) {
  *weir_bytes_room(b, 1) = value;
}

// The lowest n bytes, lowest first.
static inline void weir_bytes_low(struct weir_bytes *b, uint64_t value, unsigned n) {
  uint8_t *to = weir_bytes_room(b, n);
  for (unsigned i = 0; i < n; i++) to[i] = (uint8_t)(value >> (8 * i));
}

// Seven bits a byte, lowest first, the top bit set but in the last.
static inline void weir_bytes_varint(struct weir_bytes *b, uint64_t value) {
  for (; value > 127; value >>= 7) weir_bytes_byte(b, (uint8_t)(value | 128));
  weir_bytes_byte(b, (uint8_t)value);
}

static inline void weir_bytes_text(struct weir_bytes *b, const char *text) {
  const size_t length = strlen(text);
  weir_bytes_varint(b, length);
  weir_bytes_put(b, text, length);
}

static inline void weir_bytes_free(struct weir_bytes *b) {
  weir_free(b->data);
  *b = (struct weir_bytes){0};
}

static inline const uint8_t *weir_cursor_take(struct weir_cursor *c, size_t n) {
  if ((size_t)(c->end - c->at) < n) {
    c->failed = true;
    c->at = c->end;
    return NULL;
  }
  c->at += n;
  return c->at - n;
}

static inline uint8_t weir_cursor_byte(struct weir_cursor *c) {
  if (c->at == c->end) {
    c->failed = true;
    return 0;
  }
  return *c->at++;
}

static inline uint64_t weir_cursor_low(struct weir_cursor *c, unsigned n) {
  const uint8_t *from = weir_cursor_take(c, n);
  uint64_t value = 0;
  for (unsigned i = 0; from && i < n; i++) value |= (uint64_t)from[i] << (8 * i);
  return value;
}

static inline uint64_t weir_cursor_varint(struct weir_cursor *c) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const uint8_t byte = weir_cursor_byte(c);
    value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) return value;
  }
  c->failed = true;
  return 0;
}

// NUL-terminated, freed by weir_free; NULL if there is not as much, or a NUL within.
static inline char *weir_cursor_text(struct weir_cursor *c) {
  const uint64_t length = weir_cursor_varint(c);
  const uint8_t *from = length > SIZE_MAX / 2 ? NULL : weir_cursor_take(c, (size_t)length);
  if (!from || memchr(from, 0, (size_t)length)) {
    c->failed = true;
    return NULL;
  }
  char *text = weir_alloc((size_t)length + 1);
  memcpy(text, from, (size_t)length);
  return text;
}

static inline uint64_t weir_zigzag(uint64_t difference) {
  return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t weir_unzigzag(uint64_t value) {
  return value >> 1 ^ (0 - (value & 1));
}

#endif
