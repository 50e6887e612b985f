// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How many registers per thread a PTX function needs once an optimising assembler has made machine code of it. The model
// assemblers are NVIDIA's ptxas, for Kepler and for Volta to Hopper (docs/VALIDATION.md). Nothing here knows of execution.
#ifndef WEIR_EXEC_ESTIMATE_H
#define WEIR_EXEC_ESTIMATE_H

#include "exec/assembler.h"
#include "ptx/cfg.h"

// Functions that it calls are not in this.
uint32_t weir_estimate_registers(const struct weir_function *f, const struct weir_cfg *cfg,
                                 enum weir_assembler assembler);

// Whether the assembler unrolls the loop that block b is: it has WEIR_UNROLLED copies of its body one after the other.
enum { WEIR_UNROLLED = 4 };
bool weir_estimate_unrolls(const struct weir_function *f, const struct weir_cfg *cfg, enum weir_assembler assembler,
                           uint32_t b);

// The order in which the assembler issues the instructions of each block, where loops are unrolled already: rank[instruction],
// rising within a block; WEIR_UNRANKED of those that others swallow.
#define WEIR_UNRANKED UINT32_MAX
void weir_estimate_order(const struct weir_function *f, const struct weir_cfg *cfg, enum weir_assembler assembler,
                         uint32_t *rank);

// How many machine instructions each instruction becomes, where loops are unrolled already: machine[instruction]; 0 of those that others
// swallow; and, where moves is not NULL, how many of these bring its operands into registers. For Volta and later.
void weir_estimate_machine(const struct weir_function *f, const struct weir_cfg *cfg, enum weir_assembler assembler,
                           uint8_t *machine, uint8_t *moves);

#endif
