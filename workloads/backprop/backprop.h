// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What backprop and bp share: the network, its host side (the kernels are the same) and its training step on the CPU, in
// double precision.
#ifndef WEIR_WORKLOADS_BACKPROP_H
#define WEIR_WORKLOADS_BACKPROP_H

#include "host/workload.h"

enum { WEIR_BACKPROP_HIDDEN = 16, WEIR_BACKPROP_PITCH = WEIR_BACKPROP_HIDDEN + 1 };

#define WEIR_BACKPROP_RATE 0.3 // Rodinia's learning rate
#define WEIR_BACKPROP_MOMENTUM 0.3

// The part of a step that Rodinia leaves to the CPU: one output unit, trained towards `target`.
struct weir_backprop_output {
  double target;
  double weight[WEIR_BACKPROP_PITCH], previous[WEIR_BACKPROP_PITCH]; // [0]: bias
};

// From the hidden units' nets (1..16; index 0 is not used) to their error terms, adjusting the output's weights.
void weir_backprop_output(struct weir_backprop_output *o, const double *net, double *delta);

// One step over `inputs` inputs (input[0] = 1 is the bias unit's) and weights [input × 17 + unit]. Partial sums, one per
// 16 inputs and hidden unit, into `partial`; weights and previous steps are adjusted in place.
void weir_backprop_reference(struct weir_backprop_output *o, const float *input, uint32_t inputs, double *weight,
                             double *previous, double *partial);

struct weir_backprop {
  uint32_t inputs;
  uint64_t input, weight, previous, partial, delta; // device addresses
  float *first_weight, *first_previous;             // what the host copies in
  struct weir_backprop_output output;
  float *want_weight, *want_previous, *want_partial;
};

// `inputs`, a multiple of 16, in [0, 1), and weights small enough that the hidden units do not saturate (Rodinia's do, so
// that its error terms vanish and nothing is learnt).
void weir_backprop_set_up(struct weir_host *h, struct weir_backprop *s, uint32_t inputs, uint64_t seed);
bool weir_backprop_run(struct weir_host *h, void *state);
bool weir_backprop_check(struct weir_host *h, void *state);
void weir_backprop_release(void *state);

#endif
