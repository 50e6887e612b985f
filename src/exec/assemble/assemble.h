// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// PTX in the order of the machine code that NVIDIA's assembler makes of it. Loads go ahead of what waits for them, and loops of one
// block that count stand several times in the code (docs/VALIDATION.md, "Order of instructions"). Every thread computes what it did; accesses that may touch the same bytes keep their order.
#ifndef WEIR_EXEC_ASSEMBLE_H
#define WEIR_EXEC_ASSEMBLE_H

#include "exec/assembler.h"
#include "ptx/ir.h"

// A module whose functions are ordered so; it shares the rest with `m`, which must outlive it. Each of its functions says of
// which it was made (`written`), and so does each instruction that is a copy.
// Each instruction says how many machine instructions the code has of it (`code_slots`); code.machine: and that cores take it for
// so many (`machine`).
struct weir_module *weir_assemble(const struct weir_module *m, struct weir_code code);

#endif
