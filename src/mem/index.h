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

uint32_t weir_index_hashed(enum weir_index_hash hash, uint64_t line, unsigned set_bits); // not LINEAR

// The set of the line with this line number (address / line bytes) among 2^set_bits sets.
static inline uint32_t weir_index(enum weir_index_hash hash, uint64_t line, unsigned set_bits) {
  if (hash != WEIR_INDEX_LINEAR) return weir_index_hashed(hash, line, set_bits);
  return (uint32_t)line & ((UINT32_C(1) << set_bits) - 1);
}

#endif
