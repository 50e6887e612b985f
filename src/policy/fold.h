// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Hashes of instruction addresses and block numbers into a predictor's index.
#ifndef WEIR_POLICY_FOLD_H
#define WEIR_POLICY_FOLD_H

#include "policy/policy.h"

// Exclusive or of the `bits`-wide groups of x, 1 <= bits <= 32.
static inline uint32_t weir_fold(uint64_t x, unsigned bits) {
  uint64_t folded = 0;
  for (; x; x >>= bits) folded ^= x & weir_mask(bits);
  return (uint32_t)folded;
}

// The number of an instruction from its address: they are 8 bytes each.
static inline uint32_t weir_instruction_number(uint32_t pc) {
  return pc >> 3;
}

// The number of the instruction that made an access. Those of CPU programs have any length.
static inline uint32_t weir_access_instruction(const struct weir_access *a) {
  return a->requester == 0 ? weir_instruction_number(a->pc) : a->pc;
}

#endif
