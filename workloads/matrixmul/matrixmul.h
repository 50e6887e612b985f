// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What programs that multiply matrices share: c = a × b, row by row.
#ifndef WEIR_MATRIXMUL_MATRIXMUL_H
#define WEIR_MATRIXMUL_MATRIXMUL_H

#include "base/rng.h"
#include "host/workload.h"

struct weir_matrixmul {
  uint32_t rows, inner, columns; // a is of rows × inner elements, b of inner × columns
  uint64_t a, b, c;              // device addresses; c is a result
  float *want;
};

// Random a and b in [0, 1) of the shape that `m` says, and their product by the host.
void weir_matrixmul_prepare(struct weir_host *h, struct weir_matrixmul *m, struct weir_rng *rng);
bool weir_matrixmul_check(struct weir_host *h, void *m);
void weir_matrixmul_release(void *m);

#endif
