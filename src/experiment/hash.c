// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "experiment/hash.h"

#include "base/file.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

weir_hash weir_hash_start(void) {
  return (weir_hash)UINT64_C(0x6c62272e07bb0142) << 64 | UINT64_C(0x62b821756295c58d);
}

weir_hash weir_hash_bytes(weir_hash h, const void *bytes, size_t size) {
  const weir_hash prime = ((weir_hash)1 << 88) | 0x13b;
  const unsigned char *b = bytes;
  for (size_t i = 0; i < size; i++) h = (h ^ b[i]) * prime;
  return h;
}

weir_hash weir_hash_text(weir_hash h, const char *text) {
  return weir_hash_bytes(h, text ? text : "", text ? strlen(text) + 1 : 1);
}

bool weir_hash_file(weir_hash *h, const char *path) {
  char buffer[1 << 16];
  FILE *f = weir_file_is_endless(path) ? NULL : fopen(path, "rb");
  if (!f) return false;
  size_t n;
  while ((n = fread(buffer, 1, sizeof buffer, f)) > 0) *h = weir_hash_bytes(*h, buffer, n);
  bool ok = !ferror(f);
  fclose(f);
  return ok;
}

void weir_hash_print(weir_hash h, char text[static WEIR_HASH_TEXT]) {
  snprintf(text, WEIR_HASH_TEXT, "%016llx%016llx", (unsigned long long)(h >> 64), (unsigned long long)h);
}
