// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/hash.h"

#include "base/file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

weir_hash weir_hash_start(void) {
  return 0;
}

// A hash under way, of what came before.
static XXH3_state_t *begin(weir_hash h) {
  XXH3_state_t *s = XXH3_createState();
  if (!s || XXH3_128bits_reset(s) != XXH_OK) abort(); // out of memory
  if (!h) return s;
  XXH128_canonical_t before;
  XXH128_canonicalFromHash(&before, (XXH128_hash_t){.low64 = (uint64_t)h, .high64 = (uint64_t)(h >> 64)});
  XXH3_128bits_update(s, before.digest, sizeof before.digest);
  return s;
}

static weir_hash end(XXH3_state_t *s) {
  const XXH128_hash_t h = XXH3_128bits_digest(s);
  XXH3_freeState(s);
  return (weir_hash)h.high64 << 64 | h.low64;
}

weir_hash weir_hash_bytes(weir_hash h, const void *bytes, size_t size) {
  XXH3_state_t *s = begin(h);
  XXH3_128bits_update(s, bytes, size);
  return end(s);
}

weir_hash weir_hash_text(weir_hash h, const char *text) {
  return weir_hash_bytes(h, text ? text : "", text ? strlen(text) + 1 : 1);
}

bool weir_hash_file(weir_hash *h, const char *path) {
  char buffer[1 << 16];
  FILE *f = weir_file_is_endless(path) ? NULL : fopen(path, "rb");
  if (!f) return false;
  XXH3_state_t *s = begin(*h);
  size_t n;
  while ((n = fread(buffer, 1, sizeof buffer, f)) > 0) XXH3_128bits_update(s, buffer, n);
  *h = end(s);
  bool ok = !ferror(f);
  fclose(f);
  return ok;
}

void weir_hash_print(weir_hash h, char text[static WEIR_HASH_TEXT]) {
  snprintf(text, WEIR_HASH_TEXT, "%016llx%016llx", (unsigned long long)(h >> 64), (unsigned long long)h);
}
