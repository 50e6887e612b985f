// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The matrices of mma, wmma and wgmma, as their mnemonics say (PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions"):
// D = A × B + C, of which A is M × K, B is K × N, C and D are M × N. Of wgmma, which four warps execute together, they are what each of these
// makes: 16 of the 64 rows of A and D, and all of B.
#ifndef WEIR_PTX_MATRIX_H
#define WEIR_PTX_MATRIX_H

#include "ptx/ir.h"

enum weir_matrix_part { WEIR_MATRIX_A, WEIR_MATRIX_B, WEIR_MATRIX_C, WEIR_MATRIX_D };

struct weir_matrix_shape {
  uint16_t m, n, k;
};

struct weir_matrix {
  struct weir_matrix_shape shape;
  uint8_t part;      // enum weir_matrix_part
  uint8_t type;      // enum weir_type of an element
  uint8_t bits;      // of an element in memory and in registers
  uint8_t registers; // of a thread that the instruction names
  uint8_t distinct;  // of these, the first that hold elements of their own; those behind hold the same again
  bool by_columns;   // elements of a column follow each other, not those of a row
};

// Whether it is one of wmma's with this word (load, store, mma).
bool weir_wmma_does(const struct weir_instruction *in, const char *word);

// Matrix `part` of an mma, a wmma.mma or a wgmma.mma_async, or the one that a wmma.load or wmma.store moves.
struct weir_matrix weir_matrix_of(const struct weir_instruction *in, enum weir_matrix_part part);
// That wmma.load or wmma.store moves.
enum weir_matrix_part weir_matrix_moved(const struct weir_instruction *in);
// Registers in braces of operand `number`, from 0, and the type of each.
unsigned weir_matrix_registers(const struct weir_instruction *in, unsigned number, enum weir_type *type);
// 8 × 8 matrices that ldmatrix and stmatrix move: 1, 2 or 4.
unsigned weir_matrix_rows_of(const struct weir_instruction *in);
// mma.m8n8k4 of half precision: four matrices side by side, each of eight threads.
bool weir_matrix_is_quad(const struct weir_matrix *m, const struct weir_instruction *in);

#endif
