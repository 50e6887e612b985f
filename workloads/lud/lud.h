// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The host side that lud and lud-plain share (their kernels have the same names and arguments), and its CPU reference.
#ifndef WEIR_WORKLOADS_LUD_H
#define WEIR_WORKLOADS_LUD_H

#include "host/workload.h"

// Replaces the n × n matrix by its factors: L below the diagonal (its own diagonal is 1), U on and above it. In double precision.
void weir_lud_reference(double *matrix, uint32_t n);

struct weir_lud {
  uint32_t n;
  uint64_t matrix; // device address
  float *want;
};

bool weir_lud_prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed);
bool weir_lud_run(struct weir_host *h, void *state);
bool weir_lud_check(struct weir_host *h, void *state);
void weir_lud_release(void *state);

#endif
