// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The table of operation bodies, compiled once per instruction set of the host. Which one runs is chosen when a program
// is built: the best the processor has, or the one WEIR_ISA names (exec/isa.h). All give the same bits.
#ifndef WEIR_EXEC_OPS_OPS_H
#define WEIR_EXEC_OPS_OPS_H

#include "exec/machine.h"

enum weir_alu_op {
  WEIR_X_NONE,
#define OP1(name, ...) WEIR_X_##name,
#define OP2(name, ...) WEIR_X_##name,
#define OP3(name, ...) WEIR_X_##name,
#define OP(name) WEIR_X_##name,
#define COMPARE(name, ...) WEIR_X_##name,
#include "exec/ops/all.def"
#undef OP1
#undef OP2
#undef OP3
#undef OP
#undef COMPARE
  WEIR_ALU_OP_COUNT
};

enum weir_memory_op {
#define MEMORY(name) WEIR_M_##name,
#include "exec/ops/memory.def"
#undef MEMORY
  WEIR_M_atomic,
  WEIR_M_prefetch,
  WEIR_M_atomic_vector,
  WEIR_M_copy,
  WEIR_M_bulk,
  WEIR_M_async,
  WEIR_M_texture,
  WEIR_M_gather,
  WEIR_M_query,
  WEIR_M_surface_load,
  WEIR_M_surface_store,
  WEIR_M_surface_format,
  WEIR_M_matrix_load,
  WEIR_M_matrix_store,
  WEIR_M_load_rows,
  WEIR_M_store_rows,
  WEIR_M_mbarrier,
  WEIR_M_warpgroup,
  WEIR_MEMORY_OP_COUNT
};

struct weir_ops {
  const char *isa;
  weir_alu_fn alu[WEIR_ALU_OP_COUNT];
  weir_memory_fn memory[WEIR_MEMORY_OP_COUNT];
};

// The table for this process; the choice is made once, at the first call.
const struct weir_ops *weir_ops(void);

#endif
