// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Cache policies of createpolicy, as NVIDIA's devices have them in 64 bits: libcu++ makes the same values on the host, which
// createpolicy.cvt takes (CCCL, access_property_encoding.h). Bits 59-60 say the mode; 57-58 what the primary accesses ask of
// the L2, and bit 56 what the others do. Interleaved, bits 52-55 + 1 sixteenths of all accesses are primary; by range, those to
// bits 37-43 blocks of 4 KiB << bits 52-55, from the one whose number ends in bits 44-50.
//
// Inferred: which accesses a fraction takes (a hash of the line decides, so that a line is always of one kind).
#ifndef WEIR_EXEC_DESCRIPTOR_H
#define WEIR_EXEC_DESCRIPTOR_H

#include "base/cache_hint.h"

#include <stdbool.h>
#include <stdint.h>

enum weir_descriptor_ask {
  WEIR_DESCRIPTOR_UNCHANGED, // the two that others than the primary can ask
  WEIR_DESCRIPTOR_FIRST,
  WEIR_DESCRIPTOR_LAST,
  WEIR_DESCRIPTOR_NORMAL,
};

enum { WEIR_DESCRIPTOR_IMPLICIT, WEIR_DESCRIPTOR_INTERLEAVED = 2, WEIR_DESCRIPTOR_BLOCKS };

// createpolicy.fractional: of so many accesses, more than 0 and at most 1; other fractions count as the nearest of these.
static inline uint64_t weir_descriptor_fraction(unsigned primary, unsigned secondary, float fraction) {
  int sixteenths = fraction > 0 ? (int)((fraction - 0x1p-23f) * 16.0f) : 0;
  if (sixteenths < 0) sixteenths = 0;
  return (uint64_t)(sixteenths < 15 ? sixteenths : 15) << 52 | (uint64_t)secondary << 56 | (uint64_t)primary << 57 |
    (uint64_t)WEIR_DESCRIPTOR_INTERLEAVED << 59;
}

// createpolicy.range: the first `bytes` of `total` from the address on are primary.
static inline uint64_t weir_descriptor_range(unsigned primary, unsigned secondary, uint64_t address, uint32_t bytes,
                                             uint32_t total) {
  unsigned size = 0;
  while (size < 15 && total > UINT64_C(1) << (19 + size)) size++;
  const uint64_t start = address >> (12 + size), end = (address + bytes + (UINT64_C(4096) << size) - 1) >> (12 + size);
  uint64_t count = end - start;
  count = count < 1 ? 1 : count > 127 ? 127 : count;
  return count << 37 | (start & 127) << 44 | (uint64_t)size << 52 | (uint64_t)secondary << 56 |
    (uint64_t)primary << 57 | (uint64_t)WEIR_DESCRIPTOR_BLOCKS << 59;
}

// What an access to the address asks of the L2 under the policy: enum weir_cache_hint; NONE: it says nothing.
static inline uint8_t weir_descriptor_hint(uint64_t policy, uint64_t address) {
  static const uint8_t hints[] = {WEIR_HINT_EVICT_UNCHANGED, WEIR_HINT_EVICT_FIRST, WEIR_HINT_EVICT_LAST,
                                  WEIR_HINT_EVICT_NORMAL};
  const unsigned mode = policy >> 59 & 3, low = policy >> 52 & 15;
  bool primary;
  if (mode == WEIR_DESCRIPTOR_INTERLEAVED)
    primary = ((address >> 7) * UINT64_C(0x9E3779B97F4A7C15) >> 60) <= low;
  else if (mode == WEIR_DESCRIPTOR_BLOCKS)
    primary = (((address >> (12 + low)) - (policy >> 44)) & 127) < (policy >> 37 & 127);
  else
    return WEIR_HINT_NONE;
  return hints[primary ? policy >> 57 & 3 : policy >> 56 & 1];
}

#endif
