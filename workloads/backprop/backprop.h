// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The network of backprop and its training step on the CPU, in double precision.
#ifndef WEIR_WORKLOADS_BACKPROP_H
#define WEIR_WORKLOADS_BACKPROP_H

#include <stdint.h>

enum { WEIR_BACKPROP_HIDDEN = 16, WEIR_BACKPROP_PITCH = WEIR_BACKPROP_HIDDEN + 1 };

#define WEIR_BACKPROP_RATE     0.3 // Rodinia's learning rate
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

#endif
