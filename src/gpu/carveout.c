// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "gpu/carveout.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char not_sizes[] = "must be whole KiB with spaces between, as \"0 8 16 32 64 96\"";

const char *weir_carveouts_read(struct weir_carveouts *c, const char *text) {
  c->count = 0;
  for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
    char *end;
    if (c->count == WEIR_MAX_CARVEOUTS) return "has more than 16 sizes";
    if (!isdigit((unsigned char)*text)) return not_sizes;
    const unsigned long kib = strtoul(text, &end, 10);
    if (kib > UINT32_MAX >> 10 || (*end && *end != ' ')) return not_sizes;
    if (c->count && kib <= c->kib[c->count - 1]) return "must have each size larger than the one before";
    c->kib[c->count++] = (uint32_t)kib;
    text = end;
  }
  return c->count ? NULL : not_sizes;
}

uint32_t weir_carveout_for(const struct weir_core_config *k, uint64_t shared_bytes) {
  const struct weir_carveouts *c = &k->carveouts;
  if (!k->unified_kib) return 0;
  uint32_t i = 0;
  while (i + 1 < c->count && (uint64_t)c->kib[i] << 10 < shared_bytes) i++;
  return c->kib[i];
}
