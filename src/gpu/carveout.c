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

const char *weir_carveout_by_name(enum weir_carveout_by by) {
  static const char *const names[] = {
#define X(name, text) [WEIR_CARVEOUT_BY_##name] = text,
    WEIR_CARVEOUT_BY(X)
#undef X
  };
  return names[by];
}

// Percentages are rounded up to the next carve-out (CUDA C++ Programming Guide, "Compute Capability 7.x", "Shared Memory"). A preference
// that holds not even one block gives way to the least that does, and one that holds fewer blocks than could run stands: so
// NVIDIA's occupancy calculator (cuda_occupancy.h of the CUDA toolkit, cudaOccMaxBlocksPerSMSmemLimit). What the system takes in each of
// the blocks that could run is not the program's to do without: measured on an H200, where a kernel of 32 such blocks has the
// first-level cache of a carve-out of 32 KiB whether it prefers 0 % or nothing (docs/differences/h200.md).
struct weir_carveout weir_carveout_choose(const struct weir_core_config *k, uint64_t block_bytes, uint32_t blocks,
                                          uint8_t preference) {
  if (!k->unified_kib) return (struct weir_carveout){0, WEIR_CARVEOUT_BY_NOBODY};
  if (!preference) return (struct weir_carveout){weir_carveout_for(k, blocks * block_bytes), WEIR_CARVEOUT_BY_USE};
  const uint64_t wanted = (uint64_t)(preference - 1) * k->shared_bytes / 100;
  const uint32_t kib = weir_carveout_for(k, wanted), least = weir_carveout_for(k, block_bytes);
  const uint32_t system = weir_carveout_for(k, (uint64_t)blocks * k->block_reserved_bytes);
  if (kib < system && least <= system) return (struct weir_carveout){system, WEIR_CARVEOUT_BY_USE};
  if (kib < least) return (struct weir_carveout){least, WEIR_CARVEOUT_BY_BLOCK};
  return (struct weir_carveout){kib, WEIR_CARVEOUT_BY_PREFERENCE};
}
