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

// How the assembler writes a loop of one block: `copies` of its body in the loop, after `before` without it; copies == runs: all of
// them without a loop; 1 and 0: as it is.
enum { WEIR_UNROLLED = 4 };
struct weir_copies {
  uint32_t copies, before;
};

// Of block b, a loop that runs `runs` times, or 0: that is not known, and as many as WEIR_UNROLLED copies are written, or 1. Function and graph
// must outlive the loops.
struct weir_loops *weir_loops_open(const struct weir_function *f, const struct weir_cfg *cfg,
                                   enum weir_assembler assembler);
struct weir_copies weir_loops_copies(const struct weir_loops *l, uint32_t b, uint64_t runs);
void weir_loops_close(struct weir_loops *l);

// Does an instruction become a call of a subroutine, so that nothing moves over it?
bool weir_estimate_splits(const struct weir_instruction *in, enum weir_assembler assembler);

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
