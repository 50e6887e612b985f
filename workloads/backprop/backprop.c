// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "backprop/backprop.h"

#include "base/alloc.h"
#include "base/rng.h"

#include <math.h>

enum { HIDDEN = WEIR_BACKPROP_HIDDEN, PITCH = WEIR_BACKPROP_PITCH, TILE = 16 };

static uint64_t weights_of(const struct weir_backprop *s) {
  return (uint64_t)(s->inputs + 1) * PITCH;
}

static uint64_t partials_of(const struct weir_backprop *s) {
  return (uint64_t)s->inputs / TILE * HIDDEN;
}

static float *single(const double *from, uint64_t count) {
  float *to = weir_new_array(float, count);
  for (uint64_t i = 0; i < count; i++) to[i] = (float)from[i];
  return to;
}

static double *twice(const float *from, uint64_t count) {
  double *to = weir_new_array(double, count);
  for (uint64_t i = 0; i < count; i++) to[i] = (double)from[i];
  return to;
}

static void compute_reference(struct weir_host *h, struct weir_backprop *s) {
  struct weir_backprop_output output = s->output;
  double *weight = twice(s->first_weight, weights_of(s)), *previous = twice(s->first_previous, weights_of(s));
  double *partial = weir_new_array(double, partials_of(s));
  weir_backprop_reference(&output, weir_host_bytes(h, s->input, (s->inputs + 1) * sizeof(float)), s->inputs, weight,
                          previous, partial);
  s->want_weight = single(weight, weights_of(s));
  s->want_previous = single(previous, weights_of(s));
  s->want_partial = single(partial, partials_of(s));
  weir_free(weight);
  weir_free(previous);
  weir_free(partial);
}

static float *random_weights(uint64_t count, double most, struct weir_rng *rng) {
  float *w = weir_new_array(float, count);
  for (uint64_t i = 0; i < count; i++) w[i] = (float)((2 * weir_rng_unit(rng) - 1) * most);
  return w;
}

void weir_backprop_set_up(struct weir_host *h, struct weir_backprop *s, uint32_t inputs, uint64_t seed) {
  struct weir_rng rng = weir_rng_seed(seed, 1);
  s->inputs = inputs;
  uint64_t bytes = (s->inputs + 1) * sizeof(float);
  s->input = weir_host_alloc(h, "input", bytes);
  s->weight = weir_host_alloc(h, "weight", weights_of(s) * sizeof(float));
  s->previous = weir_host_alloc(h, "previous", weights_of(s) * sizeof(float));
  s->partial = weir_host_alloc(h, "partial", partials_of(s) * sizeof(float));
  s->delta = weir_host_alloc(h, "delta", PITCH * sizeof(float));
  weir_host_result(h, "weight", s->weight, weights_of(s) * sizeof(float));
  weir_host_result(h, "previous", s->previous, weights_of(s) * sizeof(float));
  weir_host_result(h, "partial", s->partial, partials_of(s) * sizeof(float));

  float *input = weir_host_bytes(h, s->input, bytes);
  input[0] = 1;
  for (uint32_t i = 1; i <= s->inputs; i++) input[i] = (float)weir_rng_unit(&rng);
  weir_host_wrote(h, s->input, bytes);
  s->first_weight = random_weights(weights_of(s), 1 / sqrt(s->inputs), &rng);
  s->first_previous = random_weights(weights_of(s), 0.1 / sqrt(s->inputs), &rng);
  s->output.target = 0.1;
  for (unsigned u = 0; u <= HIDDEN; u++) s->output.weight[u] = weir_rng_unit(&rng) - 0.5;
  compute_reference(h, s);
}

// Adds the work-groups' partial sums to the bias, and from there to the hidden units' error terms.
static void train_output(struct weir_host *h, struct weir_backprop *s) {
  float *partial = weir_new_array(float, partials_of(s)), delta_single[PITCH] = {0};
  double net[PITCH] = {0}, delta[PITCH];
  weir_host_read(h, partial, s->partial, partials_of(s) * sizeof(float));
  for (unsigned u = 1; u <= HIDDEN; u++) {
    net[u] = (double)s->first_weight[u];
    for (uint64_t group = 0; group < s->inputs / TILE; group++) net[u] += (double)partial[group * HIDDEN + u - 1];
  }
  weir_free(partial);
  weir_backprop_output(&s->output, net, delta);
  for (unsigned u = 1; u <= HIDDEN; u++) delta_single[u] = (float)delta[u];
  weir_host_write(h, s->delta, delta_single, sizeof delta_single);
}

bool weir_backprop_run(struct weir_host *h, void *state) {
  struct weir_backprop *s = state;
  const int32_t hidden = HIDDEN;
  const float rate = (float)WEIR_BACKPROP_RATE, momentum = (float)WEIR_BACKPROP_MOMENTUM;
  const struct weir_dim grid = {1, s->inputs / TILE, 1}, group = {HIDDEN, TILE, 1};
  weir_host_write(h, s->weight, s->first_weight, weights_of(s) * sizeof(float));
  if (!weir_launch_args(h, "layer_forward", grid, group, WEIR_ARG(s->input), WEIR_ARG(s->weight), WEIR_ARG(s->partial),
                        WEIR_ARG(hidden)))
    return false;
  train_output(h, s);
  weir_host_write(h, s->weight, s->first_weight, weights_of(s) * sizeof(float));
  weir_host_write(h, s->previous, s->first_previous, weights_of(s) * sizeof(float));
  return weir_launch_args(h, "adjust_weights", grid, group, WEIR_ARG(s->delta), WEIR_ARG(hidden), WEIR_ARG(s->input),
                          WEIR_ARG(s->weight), WEIR_ARG(s->previous), WEIR_ARG(rate), WEIR_ARG(momentum));
}

static bool check_weights(struct weir_host *h, const char *what, uint64_t address, const float *want, uint64_t count,
                          double absolute) {
  return weir_check_f32(h, what, weir_host_bytes(h, address, count * sizeof(float)), want, count, 4 * 0x1p-24,
                        absolute);
}

// u = 2⁻²⁴, m = 1 / sqrt(inputs), the largest weight. A partial sum is a product and four levels of additions of at most
// 16 m together: off by 5 u × 16 m; all of them move a net by inputs / 16 times as much, 5 u / m. With h' <= 1/4, h'' <=
// 0.1 and the output's weights at most 1/2, an error term h' e w moves with its own net by at most 0.1 × 1/4 × 1/2 of
// that, and through e with all 16 nets by at most 1/4 × 1/2 × 1/4 × (16 × 1/2 × 1/4): together below 1/12; a weight is
// adjusted by 0.3 of it. The adjustment itself rounds relative to its terms, each below 1/64.
bool weir_backprop_check(struct weir_host *h, void *state) {
  struct weir_backprop *s = state;
  double m = 1 / sqrt(s->inputs), u = 0x1p-24, step = 0.3 * 5 * u / m / 12 + 4 * u / 64;
  bool partial = check_weights(h, "partial", s->partial, s->want_partial, partials_of(s), 5 * u * 16 * m);
  bool previous = check_weights(h, "previous", s->previous, s->want_previous, weights_of(s), step);
  return check_weights(h, "weight", s->weight, s->want_weight, weights_of(s), step) && partial && previous;
}

void weir_backprop_release(void *state) {
  struct weir_backprop *s = state;
  weir_free(s->first_weight);
  weir_free(s->first_previous);
  weir_free(s->want_weight);
  weir_free(s->want_previous);
  weir_free(s->want_partial);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input_file, uint64_t seed) {
  (void)input_file;
  weir_backprop_set_up(h, state, size == WEIR_SIZE_SMALL ? 4096 : 8192, seed);
  return true;
}

const struct weir_workload weir_workload_backprop = {
  .name = "backprop",
  .summary = "one training step of a neural network with one hidden layer",
  .citation = "Rodinia backprop (Che et al., IISWC 2009); Tian et al., GPGPU-8 2015, Table 2",
  .small_text = "4096 inputs, 16 hidden units",
  .paper_text = "8192 inputs, 16 hidden units",
  .state_bytes = sizeof(struct weir_backprop),
  .prepare = prepare,
  .run = weir_backprop_run,
  .check = weir_backprop_check,
  .release = weir_backprop_release,
};
