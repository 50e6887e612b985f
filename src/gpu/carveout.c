// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "gpu/carveout.h"

#include "exec/warp.h"

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

// Blocks that a carve-out holds whatever is preferred. Of the largest there may be no more.
static uint64_t blocks_at_least(const struct weir_core_config *k, uint64_t block_bytes) {
  const uint64_t own = block_bytes - k->block_reserved_bytes, most = block_bytes ? k->shared_bytes / block_bytes : 1;
  uint64_t n = 1;
  if (k->carveout_floor_bytes) n = own ? k->carveout_floor_bytes / own : k->max_blocks;
  if (k->carveout_floor_bytes && n < 2) n = 2;
  if (n > k->max_blocks) n = k->max_blocks;
  return n > most && most ? most : n;
}

// Percentages are rounded up to the next carve-out (CUDA C++ Programming Guide, "Compute Capability 7.x", "Shared Memory"). A preference
// that holds not even one block gives way to the least that does, and one that holds fewer blocks than could run stands: so
// NVIDIA's occupancy calculator (cuda_occupancy.h of the CUDA toolkit, cudaOccMaxBlocksPerSMSmemLimit). The driver leaves more,
// core.carveout_floor_bytes: found on an H200, on which kernels that preferred a larger first-level cache had 32 KiB without shared memory,
// 16 for blocks of 1024 to 2180 bytes of their own or of 4096, 8 for 3072, and 100 for 32768 (docs/differences/h200-workloads.md).
struct weir_carveout weir_carveout_choose(const struct weir_core_config *k, uint64_t block_bytes, uint32_t blocks,
                                          uint8_t preference) {
  if (!k->unified_kib) return (struct weir_carveout){0, WEIR_CARVEOUT_BY_NOBODY};
  if (!preference && k->prefer_l1) preference = weir_prefer_shared(0);
  if (!preference) return (struct weir_carveout){weir_carveout_for(k, blocks * block_bytes), WEIR_CARVEOUT_BY_USE};
  const uint64_t wanted = (uint64_t)(preference - 1) * k->shared_bytes / 100;
  const uint32_t kib = weir_carveout_for(k, wanted);
  const uint32_t least = weir_carveout_for(k, blocks_at_least(k, block_bytes) * block_bytes);
  if (kib < least) return (struct weir_carveout){least, WEIR_CARVEOUT_BY_BLOCK};
  return (struct weir_carveout){kib, WEIR_CARVEOUT_BY_PREFERENCE};
}
