// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/index.h"

#include "base/bits.h"

uint32_t weir_index_folded(uint64_t line, unsigned set_bits) {
  if (!set_bits) return 0;
  uint32_t index = 0;
  for (; line; line >>= set_bits) index ^= (uint32_t)(line & weir_mask(set_bits));
  return index;
}

// The highest bits of a multiplication by the golden ratio (Knuth, The Art of Computer Programming, volume 3, section 6.4).
uint32_t weir_index_mixed(uint64_t line, unsigned set_bits) {
  if (!set_bits) return 0;
  const uint64_t high = (line >> set_bits) * UINT64_C(0x9E3779B97F4A7C15);
  return (uint32_t)((line ^ high >> (64 - set_bits)) & weir_mask(set_bits));
}
