// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "myc/myc.h"

#include "base/rng.h"
#include "host/workload.h"

#include <string.h>

enum { VARIABLES = WEIR_MYC_VARIABLES, PARAMETERS = WEIR_MYC_PARAMETERS, PLACES = WEIR_MYC_PLACES, BLOCK = 32 };

static const double tolerance = 1e-4; // of a step

struct myc {
  double start[VARIABLES], end; // at time 0; ms
  float parameter[PARAMETERS];
  uint64_t state, parameters, rates, bound; // device addresses
  float want[VARIABLES];                    // state at the end
};

// A cell at rest.
static const double resting[WEIR_MYC_CALMODULIN] = {
  -80, 0.005, 0.84, 0.82, 0,   1,   1, 0, 0.003, 0.001, 1,    // voltage and gates
  10,  138,   0.1,  0.1,  0.1, 500, 0, 0, 9,     7,     1230, // concentrations, release channel, buffers
};
static const double resting_pool[WEIR_MYC_POOLS] = {20, 0.1, 0.001, 0.01, 0.05, 0.02, 0.01, 8};
static const double typical[PARAMETERS] = {50, 10, 0.1, 0.03, 0.15, 0.3, 30, 12, 8, 40, 12, 4, 3, 2, 1};

// Cells differ: by up to a tenth in what they are given.
static double varied(double by, struct weir_rng *rng) {
  return by * (0.9 + 0.2 * weir_rng_unit(rng));
}

static void make_cell(struct myc *s, struct weir_rng *rng) {
  for (int i = 0; i < PARAMETERS; i++) s->parameter[i] = (float)varied(typical[i], rng);
  memcpy(s->start, resting, sizeof resting);
  for (int i = 0; i < WEIR_MYC_POOLS * PLACES; i++)
    s->start[WEIR_MYC_CALMODULIN + i] = varied(resting_pool[i / PLACES], rng);
}

struct reference {
  double parameter[PARAMETERS];
};

static struct reference reference_of(const struct myc *s) {
  struct reference r;
  for (int i = 0; i < PARAMETERS; i++) r.parameter[i] = (double)s->parameter[i];
  return r;
}

static bool reference_rates(void *context, double time, const double *y, double *rate) {
  const struct reference *r = context;
  double bound[PLACES];
  weir_myc_reference(time, y, r->parameter, rate, bound);
  weir_myc_couple(rate, bound);
  return true;
}

static bool make_reference(struct myc *s) {
  struct reference r = reference_of(s);
  double y[VARIABLES];
  memcpy(y, s->start, sizeof y);
  bool ok = weir_fehlberg(&(struct weir_ode){VARIABLES, reference_rates, &r}, y, 0, s->end, tolerance);
  for (int i = 0; i < VARIABLES; i++) s->want[i] = (float)y[i];
  return ok;
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct myc *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  s->end = size == WEIR_SIZE_SMALL ? 2 : 5;
  make_cell(s, &rng);
  s->state = weir_host_alloc(h, "state", sizeof s->want);
  s->parameters = weir_host_upload(h, "parameters", s->parameter, sizeof s->parameter);
  s->rates = weir_host_alloc(h, "rates", sizeof s->want);
  s->bound = weir_host_alloc(h, "bound", PLACES * sizeof(float));
  weir_host_result(h, "state", s->state, sizeof s->want);
  weir_host_result(h, "rates", s->rates, sizeof s->want);
  return make_reference(s) || weir_fail_plain(weir_host_sink(h), "the cell of this seed leaves the model's domain");
}

struct device {
  struct weir_host *host;
  struct myc *cell;
  bool faulted; // and has said so
};

// One launch for each evaluation, as in Rodinia: a block for each module.
static bool device_rates(void *context, double time, const double *y, double *rate) {
  struct device *d = context;
  struct myc *s = d->cell;
  float state[VARIABLES], rates[VARIABLES], bound[PLACES], now = (float)time;
  double taken[PLACES];
  for (int i = 0; i < VARIABLES; i++) state[i] = (float)y[i];
  weir_host_write(d->host, s->state, state, sizeof state);
  if (!weir_launch_args(d->host, "myc_rates", ((struct weir_dim){2, 1, 1}), ((struct weir_dim){BLOCK, 1, 1}),
                        WEIR_ARG(s->state), WEIR_ARG(s->parameters), WEIR_ARG(s->rates), WEIR_ARG(s->bound),
                        WEIR_ARG(now)))
    return !(d->faulted = true);
  weir_host_read(d->host, rates, s->rates, sizeof rates);
  weir_host_read(d->host, bound, s->bound, sizeof bound);
  for (int i = 0; i < VARIABLES; i++) rate[i] = (double)rates[i];
  for (int i = 0; i < PLACES; i++) taken[i] = (double)bound[i];
  weir_myc_couple(rate, taken);
  return true;
}

// Ends with the rates at the end, so that what is checked is one state and its rates.
static bool run(struct weir_host *h, void *state) {
  struct myc *s = state;
  struct device d = {h, s, false};
  const struct weir_ode ode = {VARIABLES, device_rates, &d};
  double y[VARIABLES], rate[VARIABLES];
  memcpy(y, s->start, sizeof y);
  if (!weir_fehlberg(&ode, y, 0, s->end, tolerance))
    return !d.faulted &&
      weir_fail_plain(weir_host_sink(h), "the device's rates of change lead nowhere in steps of any size");
  return device_rates(&d, s->end, y, rate);
}

// The rates that the kernel should have found for its last state.
static void expected_rates(const struct myc *s, const float *state, float *want) {
  struct reference r = reference_of(s);
  double y[VARIABLES], rate[VARIABLES], bound[PLACES];
  for (int i = 0; i < VARIABLES; i++) y[i] = (double)state[i];
  weir_myc_reference(s->end, y, r.parameter, rate, bound);
  for (int i = 0; i < VARIABLES; i++) want[i] = (float)rate[i];
}

// Each step of either solution errs by at most the tolerance, and what differs decays within a millisecond, some ten
// steps: hence ten tolerances for the state. A rate is a sum of terms up to 10³ µM/ms (from the store into the small
// dyad), each with a rounding error of about 10 u, u = 2⁻²⁴.
static bool check(struct weir_host *h, void *state) {
  struct myc *s = state;
  const float *got = weir_host_bytes(h, s->state, sizeof s->want);
  if (!weir_check_f32(h, "state", got, s->want, VARIABLES, 10 * tolerance, 10 * tolerance)) return false;
  float rates[VARIABLES];
  expected_rates(s, got, rates);
  return weir_check_f32(h, "rates", weir_host_bytes(h, s->rates, sizeof rates), rates, VARIABLES, 1e-5, 1e-3);
}

const struct weir_workload weir_workload_myc = {
  .name = "myc",
  .summary = "a heart-muscle cell: a Runge-Kutta-Fehlberg solver whose rates come from four busy work-items",
  .citation = "after Rodinia myocyte (Che et al., IISWC 2009), with a model of weir's own; Zhao et al., Table I",
  .small_text = "the first 2 ms after a stimulus",
  .paper_text = "the first 5 ms after a stimulus",
  .state_bytes = sizeof(struct myc),
  .prepare = prepare,
  .run = run,
  .check = check,
};
