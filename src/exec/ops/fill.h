// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Every file of bodies is compiled once per instruction set, WEIR_ISA being its name, and ends in a function that
// puts its bodies into a table: weir_fill_<file>_<isa>.
#ifndef WEIR_EXEC_OPS_FILL_H
#define WEIR_EXEC_OPS_FILL_H

#include "exec/ops/ops.h"

#define WEIR_FILES(X, isa)                                                                                             \
  X(integer, isa)                                                                                                      \
  X(bits, isa)                                                                                                         \
  X(float, isa)                                                                                                        \
  X(approximate, isa)                                                                                                  \
  X(compare, isa)                                                                                                      \
  X(convert, isa) X(half, isa) X(select, isa) X(memory, isa) X(texture, isa) X(matrix, isa) X(warpgroup, isa)

#define WEIR_FILL_NAME(file, isa) weir_fill_##file##_##isa
#define WEIR_FILL_EXPAND(file, isa) WEIR_FILL_NAME(file, isa)
#define WEIR_FILL(file) WEIR_FILL_EXPAND(file, WEIR_ISA)

#define DECLARE(file, isa) void WEIR_FILL_NAME(file, isa)(struct weir_ops * t);
WEIR_FILES(DECLARE, sse)
WEIR_FILES(DECLARE, avx2)
WEIR_FILES(DECLARE, avx512)
#undef DECLARE

// Bodies that gain nothing from wider vectors: the same in every table.
void weir_fill_special(struct weir_ops *t);
void weir_fill_atomic(struct weir_ops *t);
void weir_fill_copy(struct weir_ops *t);
void weir_fill_bulk(struct weir_ops *t);
void weir_fill_texture(struct weir_ops *t);
void weir_fill_surface(struct weir_ops *t);
void weir_fill_matrix(struct weir_ops *t);
void weir_fill_mbarrier(struct weir_ops *t);

#endif
