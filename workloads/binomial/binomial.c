// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "binomial/binomial.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "host/workload.h"

#include <math.h>

// As many steps as the SDK's: even, since a round takes two columns, and with a node more than steps in a work-group.
enum { STEPS = 254, PER_GROUP = 4 };

struct binomial {
  uint32_t count;           // of options
  uint64_t numbers, prices; // device addresses
  float *want;
};

struct weir_option weir_option_of(double number) {
  return (struct weir_option){.stock = 5 + 25 * number,
                              .strike = 1 + 99 * number,
                              .years = 0.25 + 9.75 * number,
                              .riskfree = 0.02,
                              .volatility = 0.30};
}

double weir_binomial_reference(const struct weir_option *o, uint32_t steps) {
  const double step = o->years / steps, spread = o->volatility * sqrt(step), growth = exp(o->riskfree * step);
  const double probability = (growth - exp(-spread)) / (exp(spread) - exp(-spread));
  double *value = weir_new_array(double, steps + 1);
  for (uint32_t i = 0; i <= steps; i++) value[i] = fmax(o->stock * exp(spread * (2.0 * i - steps)) - o->strike, 0);
  for (uint32_t last = steps; last; last--)
    for (uint32_t i = 0; i < last; i++) value[i] = ((1 - probability) * value[i] + probability * value[i + 1]) / growth;
  double price = value[0];
  weir_free(value);
  return price;
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct binomial *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  s->count = size == WEIR_SIZE_SMALL ? 64 : 1024;
  uint64_t bytes = s->count * sizeof(float);
  s->numbers = weir_host_alloc(h, "numbers", bytes);
  s->prices = weir_host_alloc(h, "prices", bytes);
  float *numbers = weir_host_bytes(h, s->numbers, bytes);
  s->want = weir_new_array(float, s->count);
  for (uint32_t i = 0; i < s->count; i++) {
    numbers[i] = (float)weir_rng_unit(&rng);
    struct weir_option o = weir_option_of((double)numbers[i]);
    s->want[i] = (float)weir_binomial_reference(&o, STEPS);
  }
  weir_host_wrote(h, s->numbers, bytes);
  weir_host_result(h, "prices", s->prices, bytes);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct binomial *s = state;
  const int32_t steps = STEPS;
  const uint32_t column = (STEPS + 1) * PER_GROUP * sizeof(float);
  return weir_launch_args(h, "binomial", ((struct weir_dim){s->count / PER_GROUP, 1, 1}),
                          ((struct weir_dim){STEPS + 1, 1, 1}), WEIR_ARG(steps), WEIR_ARG(s->numbers),
                          WEIR_ARG(s->prices), WEIR_ARG_LOCAL(column), WEIR_ARG_LOCAL(column));
}

// In each step rounding moves growth, up and down, all near 1, by at most 2⁻²³, so the probability by at most
// 4 × 2⁻²³ / (up - down); its weight is stock × (up - down) at most. Four more roundings of at most the stock's price
// each, which is at most 30 and grows no more than it is discounted by: 12 × 2⁻²⁴ × 30 per step.
static bool check(struct weir_host *h, void *state) {
  struct binomial *s = state;
  return weir_check_f32(h, "prices", weir_host_bytes(h, s->prices, s->count * sizeof(float)), s->want, s->count, 0,
                        12 * 0x1p-24 * 30 * STEPS);
}

static void release(void *state) {
  weir_free(((struct binomial *)state)->want);
}

const struct weir_workload weir_workload_binomial = {
  .name = "binomial",
  .summary = "European calls by binomial trees of 254 steps, in local memory",
  .citation = "AMD APP SDK BinomialOption; Holey et al., Table III",
  .small_text = "64 options",
  .paper_text = "1024 options",
  .state_bytes = sizeof(struct binomial),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
