// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The host side that nw, nw-nospm and nw-plain share (their kernels have the same names and arguments), and its CPU reference.
#ifndef WEIR_WORKLOADS_NW_H
#define WEIR_WORKLOADS_NW_H

#include "host/workload.h"

enum { WEIR_AMINO_ACIDS = 20 };

// Substitution scores in the order ARNDCQEGHILKMFPSTWYV.
extern const int8_t weir_blosum62[WEIR_AMINO_ACIDS][WEIR_AMINO_ACIDS];

// Needleman-Wunsch scores of a (rows + 1) × (columns + 1) matrix whose similarity[i][j] is that of the i-th and j-th
// residue, both from 1. Row 0 and column 0 are filled in as well: a gap costs `penalty`.
void weir_nw_reference(int32_t *score, const int32_t *similarity, uint32_t rows, uint32_t columns, int32_t penalty);

struct weir_nw {
  uint32_t n;                 // residues per sequence
  uint64_t similarity, score; // device addresses
  int32_t *want;
};

bool weir_nw_prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed);
bool weir_nw_run(struct weir_host *h, void *state);
bool weir_nw_check(struct weir_host *h, void *state);
void weir_nw_release(void *state);

#endif
