// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Fat binaries made by hand: each header field by its offset, as found in what nvcc 13 writes; payloads are compressed by
// the libraries themselves. Header of tests only.
#ifndef WEIR_TESTS_150_CONTAINER_H
#define WEIR_TESTS_150_CONTAINER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"
#include "binary/fatbin.h"

enum packing { PLAIN, ZSTD, LZ4 };

struct container {
  uint8_t bytes[8192];
  size_t size;
};

static inline void put(uint8_t *at, uint64_t value, size_t bytes) {
  for (size_t k = 0; k < bytes; k++) at[k] = (uint8_t)(value >> (8 * k));
}

static inline void container_open(struct container *c) {
  memset(c, 0, sizeof *c);
  put(c->bytes, 0xba55ed50, 4);
  put(c->bytes + 4, 1, 2);
  put(c->bytes + 6, 16, 2);
  c->size = 16;
}

// An entry with a header of `header` bytes (64 and more: the names in it are not read); its offset.
static inline size_t container_add(struct container *c, unsigned kind, unsigned arch, unsigned header,
                                   enum packing packing, const void *payload, size_t bytes) {
  static char packed[4096];
  static const unsigned flags[] = {0x11, 0x8011, 0x2011};
  size_t stored = bytes;
  memcpy(packed, payload, bytes);
  if (packing == ZSTD) stored = ZSTD_compress(packed, sizeof packed, payload, bytes, 3);
  if (packing == LZ4) stored = (size_t)LZ4_compress_default(payload, packed, (int)bytes, sizeof packed);
  const size_t padded = (stored + 7) & ~(size_t)7, at = c->size;
  uint8_t *e = c->bytes + at;
  assert_true(at + header + padded <= sizeof c->bytes);
  put(e, kind, 2);
  put(e + 2, 0x101, 2);
  put(e + 4, header, 4);
  put(e + 8, padded, 8);
  put(e + 0x10, packing == PLAIN ? 0 : stored, 4);
  put(e + 0x18, 5, 2); // PTX 8.5
  put(e + 0x1a, 8, 2);
  put(e + 0x1c, arch, 4);
  put(e + 0x28, flags[packing], 8);
  put(e + 0x38, packing == PLAIN ? 0 : bytes, 8);
  memset(e + 0x40, 0xee, header - 0x40);
  memcpy(e + header, packed, stored);
  c->size = at + header + padded;
  put(c->bytes + 8, c->size - 16, 8);
  return at;
}

static inline size_t container_add_text(struct container *c, unsigned arch, enum packing packing, const char *text) {
  return container_add(c, WEIR_FATBIN_PTX, arch, 0x50, packing, text, strlen(text) + 1);
}

#endif
