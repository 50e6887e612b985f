// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/index.h"

#include "base/bits.h"

static uint32_t bit(uint64_t x, unsigned i) {
  return (uint32_t)(x >> i) & 1;
}

// Lines are 128 bytes: address bit b is line bit b − 7. Index bits 0…4 are address bits 7…11 xor address bits 13, 14, 15,
// 17, 19; with 64 sets, bit 5 is address bit 12.
static uint32_t fermi(uint64_t line, unsigned set_bits) {
  uint32_t low = (uint32_t)(line & 31);
  uint32_t high = bit(line, 6) | bit(line, 7) << 1 | bit(line, 8) << 2 | bit(line, 10) << 3 | bit(line, 12) << 4;
  uint32_t index = low ^ high;
  if (set_bits > 5) index |= bit(line, 5) << 5;
  return index & (uint32_t)weir_mask(set_bits);
}

static uint32_t fold(uint64_t line, unsigned set_bits) {
  if (!set_bits) return 0;
  uint32_t index = 0;
  for (; line; line >>= set_bits) index ^= (uint32_t)(line & weir_mask(set_bits));
  return index;
}

uint32_t weir_index(enum weir_index_hash hash, uint64_t line, unsigned set_bits) {
  switch (hash) {
  case WEIR_INDEX_FERMI: return fermi(line, set_bits);
  case WEIR_INDEX_XOR: return fold(line, set_bits);
  case WEIR_INDEX_LINEAR: break;
  }
  return (uint32_t)(line & weir_mask(set_bits));
}
