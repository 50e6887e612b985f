// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Matrices in registers: mma, wmma, wgmma, ldmatrix, stmatrix, movmatrix (PTX ISA, "Warp Level Matrix Multiply-Accumulate
// Instructions"). A fragment is what a warp's threads hold of one matrix. Its rows are M of A, C and D, and N of B: B is held as
// its transpose, since registers lie alike then. Each register of a thread holds `units` neighbours of one row; thread 4g + t has those of row g
// of each block of eight rows, and of columns t × width on of each block of 4 × width.
//
// The fragments of wmma, which PTX leaves open, lie as those of mma.
#ifndef WEIR_EXEC_MATRIX_MATRIX_H
#define WEIR_EXEC_MATRIX_MATRIX_H

#include "exec/machine.h"
#include "ptx/matrix.h"

enum { WEIR_FRAGMENT_REGISTERS = 8, WEIR_MATRIX_ELEMENTS = 1024 };

struct weir_fragment {
  uint16_t rows, columns;
  uint8_t type; // enum weir_type of an element
  uint8_t bits; // of a unit: an element, or of bits, and of moves of what is narrower than a byte, a word of them
  uint8_t units, width;        // in a register; in a row of a thread's block
  uint8_t registers, distinct; // as of struct weir_matrix
  struct {
    uint16_t row, column; // of its first unit in thread 0
  } at[WEIR_FRAGMENT_REGISTERS];
  struct weir_ref data[WEIR_FRAGMENT_REGISTERS];
};

// What an instruction does with them.
struct weir_matrix_op {
  struct weir_fragment part[4]; // by enum weir_matrix_part; of moves the last alone
  uint16_t m, n, k;
  bool quad;            // four matrices of eight threads each: mma.m8n8k4 of half precision
  bool by_columns[2];   // … of A and B
  bool saturates, ands; // sums are held to 32 bits; .and.popc, else .xor.popc
  // Moves: lines of `line_bytes` bytes are in memory, `stride` elements apart, each of lanes 0 to 31 having `chunk_bytes`.
  struct weir_ref stride;
  uint16_t line_bytes;
  uint8_t chunk_bytes, element_bits;
  bool along_rows; // a line is a row of the fragment
  // ldmatrix, stmatrix
  uint8_t matrices;
  bool transposes;
};

// wgmma.mma_async, of one warp of the four: D += A × B, of which D is so many fragments of eight columns, side by side.
enum { WEIR_WARPGROUP_TILE = 32 }; // columns that are made at once

struct weir_warpgroup_op {
  uint16_t n, k;                 // k in elements, or of bits in words of them
  uint8_t type[4];               // enum weir_type of an element, by enum weir_matrix_part
  uint8_t element_bits;          // of A and B
  bool a_in_registers;           // and not in shared memory
  bool transposed[2];            // … of A and B: rows of A, columns of B lie together, and not k
  bool negates, saturates;       // the product; sums are held to 32 bits
  bool adds_unless;              // `adds` is meant the other way
  struct weir_ref adds;          // a predicate: what D holds already counts
  struct weir_ref descriptor[2]; // of A and B
  struct weir_fragment a;
  struct weir_fragment *d; // [n / 8], of which `columns` and places are those of the tile
};

// Each 32 lanes are a warp of CUDA's. False, and a fault: of one of those that the mask names, lanes are missing.
bool weir_whole_warps(struct weir_warp *w, uint64_t mask, const char *what);

// Of `m`; moves: elements narrower than a byte are joined to words, as bits always are.
struct weir_fragment weir_fragment_of(const struct weir_matrix *m, bool moves);

#endif
