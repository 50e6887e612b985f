// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "holey2014/spread.h"

#include "base/alloc.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

static const uint64_t SEED = 2014, STREAM = 100;

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double mean_of(double logs, unsigned count) {
  return count ? exp(logs / count) : NAN;
}

static double median_of(const struct holey_sample *samples, unsigned count) {
  if (!count) return NAN;
  double *means = weir_new_array(double, count);
  for (unsigned i = 0; i < count; i++) means[i] = samples[i].logs / samples[i].count;
  qsort(means, count, sizeof *means, ascending);
  const double median = exp((means[(count - 1) / 2] + means[count / 2]) / 2);
  weir_free(means);
  return median;
}

static void leave_one_out(struct holey_spread *s, const struct holey_sample *samples, unsigned count,
                          struct holey_sample all) {
  s->without_low = s->without_high = NAN;
  for (unsigned i = 0; count > 1 && i < count; i++) {
    const double mean = mean_of(all.logs - samples[i].logs, all.count - samples[i].count);
    s->without_low = fmin(s->without_low, mean);
    s->without_high = fmax(s->without_high, mean);
  }
}

static double resample(const struct holey_sample *samples, unsigned count, struct weir_rng *rng) {
  struct holey_sample sum = {0};
  for (unsigned i = 0; i < count; i++) {
    const struct holey_sample *drawn = &samples[weir_rng_below(rng, count)];
    sum.logs += drawn->logs;
    sum.count += drawn->count;
  }
  return mean_of(sum.logs, sum.count);
}

// The percentiles leave the same number of means out at either end.
static void bootstrap(struct holey_spread *s, const struct holey_sample *samples, unsigned count) {
  enum { OUT = HOLEY_RESAMPLES / 40 };
  s->bootstrap_low = s->bootstrap_high = NAN;
  if (!count) return;
  double *means = weir_new_array(double, HOLEY_RESAMPLES);
  struct weir_rng rng = weir_rng_seed(SEED, STREAM);
  for (unsigned i = 0; i < HOLEY_RESAMPLES; i++) means[i] = resample(samples, count, &rng);
  qsort(means, HOLEY_RESAMPLES, sizeof *means, ascending);
  s->bootstrap_low = means[OUT];
  s->bootstrap_high = means[HOLEY_RESAMPLES - 1 - OUT];
  weir_free(means);
}

struct holey_spread holey_spread_of(const struct holey_sample *samples, unsigned count) {
  struct holey_sample *there = weir_new_array(struct holey_sample, count ? count : 1), all = {0};
  struct holey_spread s = {0};
  for (unsigned i = 0; i < count; i++) {
    if (!samples[i].count) continue;
    there[s.mixes++] = samples[i];
    all.logs += samples[i].logs;
    all.count += samples[i].count;
  }
  s.mean = mean_of(all.logs, all.count);
  s.median = median_of(there, s.mixes);
  leave_one_out(&s, there, s.mixes, all);
  bootstrap(&s, there, s.mixes);
  weir_free(there);
  return s;
}
