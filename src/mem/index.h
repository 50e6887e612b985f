// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Set index functions.
#ifndef WEIR_MEM_INDEX_H
#define WEIR_MEM_INDEX_H

#include <stdint.h>

enum weir_index_hash {
  WEIR_INDEX_LINEAR, // low bits of the line number
  WEIR_INDEX_FERMI,  // Nugteren et al., HPCA 2014: measured on Fermi's 16 KiB and 48 KiB L1 (32 and 64 sets)
  WEIR_INDEX_XOR,    // low bits xor every higher group of as many bits
  WEIR_INDEX_MIXED,  // low bits xor a hash of all above them: aligned ranges of as many lines as sets have one in each
};

uint32_t weir_index_folded(uint64_t line, unsigned set_bits); // XOR
uint32_t weir_index_mixed(uint64_t line, unsigned set_bits);  // MIXED

// Lines are 128 bytes: address bit b is line bit b − 7. Index bits 0…4 are address bits 7…11 xor address bits 13, 14, 15,
// 17, 19; with 64 sets, bit 5 is address bit 12.
static inline uint32_t weir_index_fermi(uint64_t line, unsigned set_bits) {
  const uint64_t high = (line >> 6 & 7) | (line >> 7 & 8) | (line >> 8 & 16),
                 index = ((line & 31) ^ high) | (line & 32);
  return (uint32_t)index & ((UINT32_C(1) << set_bits) - 1);
}

// The set of the line with this line number (address / line bytes) among 2^set_bits sets.
static inline uint32_t weir_index(enum weir_index_hash hash, uint64_t line, unsigned set_bits) {
  switch (hash) {
  case WEIR_INDEX_LINEAR: break;
  case WEIR_INDEX_FERMI: return weir_index_fermi(line, set_bits);
  case WEIR_INDEX_XOR: return weir_index_folded(line, set_bits);
  case WEIR_INDEX_MIXED: return weir_index_mixed(line, set_bits);
  }
  return (uint32_t)line & ((UINT32_C(1) << set_bits) - 1);
}

#endif
