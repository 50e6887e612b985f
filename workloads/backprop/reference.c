// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "backprop/backprop.h"

#include <math.h>
#include <stddef.h>

enum { HIDDEN = WEIR_BACKPROP_HIDDEN, PITCH = WEIR_BACKPROP_PITCH, TILE = 16 };

static double squash(double x) {
  return 1 / (1 + exp(-x));
}

void weir_backprop_output(struct weir_backprop_output *o, const double *net, double *delta) {
  double hidden[PITCH] = {1}, sum = o->weight[0];
  for (unsigned u = 1; u <= HIDDEN; u++) {
    hidden[u] = squash(net[u]);
    sum += o->weight[u] * hidden[u];
  }
  double output = squash(sum), error = output * (1 - output) * (o->target - output);
  for (unsigned u = 1; u <= HIDDEN; u++) delta[u] = hidden[u] * (1 - hidden[u]) * error * o->weight[u];
  for (unsigned u = 0; u <= HIDDEN; u++) {
    o->previous[u] = WEIR_BACKPROP_RATE * error * hidden[u] + WEIR_BACKPROP_MOMENTUM * o->previous[u];
    o->weight[u] += o->previous[u];
  }
}

void weir_backprop_reference(struct weir_backprop_output *o, const float *input, uint32_t inputs, double *weight,
                             double *previous, double *partial) {
  double net[PITCH] = {0}, delta[PITCH] = {0};
  for (unsigned u = 1; u <= HIDDEN; u++) net[u] = weight[u];
  for (size_t i = 1; i <= inputs; i++)
    for (unsigned u = 1; u <= HIDDEN; u++) {
      double product = (double)input[i] * weight[i * PITCH + u];
      partial[(i - 1) / TILE * HIDDEN + u - 1] += product;
      net[u] += product;
    }
  weir_backprop_output(o, net, delta);
  for (size_t i = 0; i <= inputs; i++)
    for (unsigned u = 1; u <= HIDDEN; u++) {
      size_t w = i * PITCH + u;
      previous[w] = WEIR_BACKPROP_RATE * delta[u] * (double)input[i] + WEIR_BACKPROP_MOMENTUM * previous[w];
      weight[w] += previous[w];
    }
}
