// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "blackscholes/blackscholes.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "host/workload.h"

#include <math.h>

enum { GROUP = 256, OPTIONS_PER_ITEM = 4 };

struct blackscholes {
  uint32_t count;             // of options
  uint64_t random, call, put; // device addresses
  float *want_call, *want_put;
};

static double normal_distribution(double x) {
  return 0.5 * erfc(-x / sqrt(2));
}

void weir_blackscholes_reference(const struct weir_option *o, double *call, double *put) {
  const double deviation = o->volatility * sqrt(o->years);
  const double d1 = (log(o->price / o->strike) + (o->rate + o->volatility * o->volatility / 2) * o->years) / deviation;
  const double d2 = d1 - deviation, now = o->strike * exp(-o->rate * o->years);
  *call = o->price * normal_distribution(d1) - now * normal_distribution(d2);
  *put = now * normal_distribution(-d2) - o->price * normal_distribution(-d1);
}

static double between(double low, double high, double random) {
  return low * random + high * (1 - random);
}

static struct weir_option option_of(double r) {
  return (struct weir_option){.price = between(10, 100, r),
                              .strike = between(40, 60, r),
                              .years = between(1, 10, r),
                              .rate = between(0.01, 0.05, r),
                              .volatility = between(0.01, 0.1, r)};
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct blackscholes *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  s->count = size == WEIR_SIZE_SMALL ? 1u << 19 : 1u << 21;
  uint64_t bytes = s->count * sizeof(float);
  s->random = weir_host_alloc(h, "random", bytes);
  s->call = weir_host_alloc(h, "call", bytes);
  s->put = weir_host_alloc(h, "put", bytes);
  weir_host_result(h, "call", s->call, bytes);
  weir_host_result(h, "put", s->put, bytes);
  float *random = weir_host_bytes(h, s->random, bytes);
  for (uint32_t i = 0; i < s->count; i++) random[i] = (float)weir_rng_unit(&rng);
  weir_host_wrote(h, s->random, bytes);

  s->want_call = weir_new_array(float, s->count);
  s->want_put = weir_new_array(float, s->count);
  for (uint32_t i = 0; i < s->count; i++) {
    const struct weir_option o = option_of((double)random[i]);
    double call, put;
    weir_blackscholes_reference(&o, &call, &put);
    s->want_call[i] = (float)call;
    s->want_put[i] = (float)put;
  }
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct blackscholes *s = state;
  return weir_launch_args(h, "blackscholes", ((struct weir_dim){s->count / OPTIONS_PER_ITEM / GROUP, 1, 1}),
                          ((struct weir_dim){GROUP, 1, 1}), WEIR_ARG(s->random), WEIR_ARG(s->call), WEIR_ARG(s->put));
}

// u = 2⁻²⁴. The parameters are off by at most 3 u of their sizes, which moves a price by at most 3 u of the sum of
// price, strike, vega × volatility (100 × 0.4 × √10 × 0.1) and strike × years × rate (60 × 10 × 0.05): 3 × 203 u. An
// error of d1 moves nothing to first order, since it moves d2 as well; that of their difference, at most 10 u where the
// density is not negligible, moves 40 times itself. The two values of the distribution are off by at most 8 u and by
// the polynomial's 7.5 × 10⁻⁸, times price and strike: 160 × (8 u + 1.3 u). In all 2500 u.
static bool check(struct weir_host *h, void *state) {
  struct blackscholes *s = state;
  uint64_t bytes = s->count * sizeof(float);
  return weir_check_f32(h, "call", weir_host_bytes(h, s->call, bytes), s->want_call, s->count, 0, 2500 * 0x1p-24) &&
    weir_check_f32(h, "put", weir_host_bytes(h, s->put, bytes), s->want_put, s->count, 0, 2500 * 0x1p-24);
}

static void release(void *state) {
  struct blackscholes *s = state;
  weir_free(s->want_call);
  weir_free(s->want_put);
}

const struct weir_workload weir_workload_blackscholes = {
  .name = "blackscholes",
  .summary = "option prices by the formula of Black and Scholes, from numbers read once",
  .citation = "AMD APP SDK BlackScholes; Holey et al., TACO 2014, Table III",
  .small_text = "2^19 options",
  .paper_text = "2^21 options",
  .state_bytes = sizeof(struct blackscholes),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
