// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/matrix/matrix.h"

// PTX ISA, "Matrix Fragments for mma": of A and B a register has 32 bits of one row; of C and D two neighbours, whatever they are
// wide. Blocks of eight rows come in pairs, which alternate.
struct weir_fragment weir_fragment_of(const struct weir_matrix *m, bool moves) {
  const struct weir_matrix_shape s = m->shape;
  const bool sums = m->part == WEIR_MATRIX_C || m->part == WEIR_MATRIX_D;
  const unsigned joined = m->bits == 1 || (moves && m->bits < 8) ? 32u / m->bits : 1;
  struct weir_fragment f = {.type = m->type,
                            .bits = (uint8_t)(m->bits * joined),
                            .rows = m->part == WEIR_MATRIX_B ? s.n : s.m,
                            .columns = (uint16_t)((sums ? s.n : s.k) / joined),
                            .registers = m->registers,
                            .distinct = m->distinct};
  f.units = (uint8_t)(f.bits < 32 ? 32 / f.bits : 1);
  f.width = sums ? 2 : f.units;
  // Of mma.m8n8k4's four matrices, which lie otherwise (ops/matrix.c), a row is half a block.
  const unsigned per_block = f.width / f.units, block_columns = 4u * f.width, down = f.rows / 8u;
  const unsigned across = f.columns > block_columns ? f.columns / block_columns : 1;
  for (unsigned k = 0; k < f.distinct; k++) {
    const unsigned block = k / per_block, pair = block / (2 * across), in_pair = block % (2 * across);
    const unsigned row = down == 1 ? 0 : 2 * pair + (in_pair & 1), column = down == 1 ? block : in_pair / 2;
    f.at[k].row = (uint16_t)(8 * row);
    f.at[k].column = (uint16_t)(column * 4 * f.width + k % per_block * f.units);
  }
  return f;
}
