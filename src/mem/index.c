// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/index.h"

#include "base/bits.h"

// Lines are 128 bytes: address bit b is line bit b − 7. Index bits 0…4 are address bits 7…11 xor address bits 13, 14, 15,
// 17, 19; with 64 sets, bit 5 is address bit 12.
static uint32_t fermi(uint64_t line, unsigned set_bits) {
  uint64_t high = (line >> 6 & 7) | (line >> 7 & 8) | (line >> 8 & 16);
  uint64_t index = ((line & 31) ^ high) | (line & 32);
  return (uint32_t)(index & weir_mask(set_bits));
}

static uint32_t fold(uint64_t line, unsigned set_bits) {
  if (!set_bits) return 0;
  uint32_t index = 0;
  for (; line; line >>= set_bits) index ^= (uint32_t)(line & weir_mask(set_bits));
  return index;
}

// The highest bits of a multiplication by the golden ratio (Knuth, The Art of Computer Programming, volume 3, section 6.4).
static uint32_t mixed(uint64_t line, unsigned set_bits) {
  if (!set_bits) return 0;
  const uint64_t high = (line >> set_bits) * UINT64_C(0x9E3779B97F4A7C15);
  return (uint32_t)((line ^ high >> (64 - set_bits)) & weir_mask(set_bits));
}

uint32_t weir_index_hashed(enum weir_index_hash hash, uint64_t line, unsigned set_bits) {
  switch (hash) {
  case WEIR_INDEX_FERMI: return fermi(line, set_bits);
  case WEIR_INDEX_MIXED: return mixed(line, set_bits);
  default: return fold(line, set_bits);
  }
}
