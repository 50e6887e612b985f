// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Selectors of the bodies in special.c, exchange.c and numeric.c, between the decoder and them.
#ifndef WEIR_EXEC_SPECIAL_H
#define WEIR_EXEC_SPECIAL_H

#include "exec/ops/ops.h"

enum { WEIR_CARRY_IN = 1, WEIR_CARRY_OUT = 2 };
enum weir_carry { WEIR_CARRY_ADD, WEIR_CARRY_SUB, WEIR_CARRY_MAD_LO, WEIR_CARRY_MAD_HI, WEIR_CARRY_MAD_HI_SIGNED };

// OP(half): which operation, and its modifiers, in the instruction's imm.
enum weir_half_op {
  WEIR_HALF_ADD,
  WEIR_HALF_SUB,
  WEIR_HALF_MUL,
  WEIR_HALF_FMA,
  WEIR_HALF_EX2,
  WEIR_HALF_TANH,
  WEIR_HALF_ABS,
  WEIR_HALF_NEG,
  WEIR_HALF_MIN,
  WEIR_HALF_MAX
};
enum {
  WEIR_HALF_SAT = 1 << 8,
  WEIR_HALF_RELU = 1 << 9,
  WEIR_HALF_FTZ = 1 << 10,
  WEIR_HALF_NAN = 1 << 11,
  WEIR_HALF_XORSIGN = 1 << 12
};

void weir_fill_exchange(struct weir_ops *t); // lane exchange: vote, shfl, match, redux
void weir_fill_numeric(struct weir_ops *t);  // conversions and half-precision arithmetic, lane by lane

uint32_t weir_half_atomic(enum weir_half_op op, uint32_t a, uint32_t b,
                          unsigned type); // ADD, MIN or MAX of f16, bf16 or pairs of them

// Combines an element (i->bytes at `at`, aligned or not) with b and, of cas, c, as an atomic does (i->sub, i->type); answers its old value.
uint64_t weir_atomic_combine(const struct weir_insn *i, void *at, uint64_t b, uint64_t c);

#endif
