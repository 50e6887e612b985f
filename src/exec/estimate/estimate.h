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

#endif
