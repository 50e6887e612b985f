// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Selectors of the bodies in special.c, exchange.c and numeric.c, between the decoder and them.
#ifndef WEIR_EXEC_SPECIAL_H
#define WEIR_EXEC_SPECIAL_H

#include "exec/ops/ops.h"

enum { WEIR_CARRY_IN = 1, WEIR_CARRY_OUT = 2 };
enum weir_carry { WEIR_CARRY_ADD, WEIR_CARRY_SUB, WEIR_CARRY_MAD_LO, WEIR_CARRY_MAD_HI, WEIR_CARRY_MAD_HI_SIGNED };

void weir_fill_exchange(struct weir_ops *t); // lane exchange: vote, shfl, match, redux
void weir_fill_numeric(struct weir_ops *t);  // conversions and half-precision arithmetic, lane by lane

uint32_t weir_half_add(uint32_t a, uint32_t b, unsigned type); // f16, bf16 or pairs of them

#endif
