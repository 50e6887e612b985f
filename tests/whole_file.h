// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A file's bytes as a whole, for tests that damage them. After cmocka.h.
#ifndef WEIR_TESTS_WHOLE_FILE_H
#define WEIR_TESTS_WHOLE_FILE_H

#include <stdio.h>
#include <stdlib.h>

static inline char *whole_file(const char *path, size_t *size) { // freed by free()
  FILE *f = fopen(path, "rb");
  fseek(f, 0, SEEK_END);
  *size = (size_t)ftell(f);
  char *bytes = malloc(*size);
  rewind(f);
  assert_int_equal(fread(bytes, 1, *size, f), *size);
  fclose(f);
  return bytes;
}

static inline void put_file(const char *path, const char *bytes, size_t size) {
  FILE *f = fopen(path, "wb");
  assert_int_equal(fwrite(bytes, 1, size, f), size);
  fclose(f);
}

#endif
