// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/rng.h"
#include "trace/phases.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { STARTS = 5, ROUNDS = 100 }; // SimPoint's numbers of random starts and of iterations
static const double ENOUGH = 0.9;  // of the criterion's range, as in SimPoint
static const double SAME =
  1e-4; // variance of intervals that differ in a percent or two of what they execute: as good as none

struct clustering {
  unsigned k;
  double middles[WEIR_PHASE_MOST][WEIR_PHASE_DIMENSIONS];
  unsigned *cluster; // of each interval
  double distortion; // sum of squared distances
};

static double distance(const double *a, const double *b) {
  double sum = 0;
  for (unsigned d = 0; d < WEIR_PHASE_DIMENSIONS; d++) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

static unsigned nearest(const struct clustering *c, unsigned k, const double *at, double *how_far) {
  unsigned best = 0;
  *how_far = INFINITY;
  for (unsigned m = 0; m < k; m++) {
    const double d = distance(c->middles[m], at);
    if (d < *how_far) *how_far = d, best = m;
  }
  return best;
}

// k-means++ (Arthur and Vassilvitskii, SODA 2007): each next middle is drawn by its squared distance from those there
// are.
static void seed_middles(struct clustering *c, const struct weir_phase_interval *all, size_t count,
                         struct weir_rng *rng) {
  memcpy(c->middles[0], all[weir_rng_below(rng, count)].at, sizeof c->middles[0]);
  for (unsigned k = 1; k < c->k; k++) {
    double sum = 0, d;
    for (size_t i = 0; i < count; i++) nearest(c, k, all[i].at, &d), sum += d;
    double wanted = weir_rng_unit(rng) * sum;
    size_t chosen = 0;
    for (size_t i = 0; i < count && wanted >= 0; i++) {
      nearest(c, k, all[i].at, &d);
      if (d > 0) chosen = i;
      wanted -= d;
    }
    memcpy(c->middles[k], all[chosen].at, sizeof c->middles[k]);
  }
}

static bool assign(struct clustering *c, const struct weir_phase_interval *all, size_t count) {
  bool changed = false;
  c->distortion = 0;
  for (size_t i = 0; i < count; i++) {
    double d;
    const unsigned m = nearest(c, c->k, all[i].at, &d);
    changed |= m != c->cluster[i];
    c->cluster[i] = m;
    c->distortion += d;
  }
  return changed;
}

static void move_middles(struct clustering *c, const struct weir_phase_interval *all, size_t count) {
  double sums[WEIR_PHASE_MOST][WEIR_PHASE_DIMENSIONS] = {{0}};
  size_t members[WEIR_PHASE_MOST] = {0};
  for (size_t i = 0; i < count; i++) {
    members[c->cluster[i]]++;
    for (unsigned d = 0; d < WEIR_PHASE_DIMENSIONS; d++) sums[c->cluster[i]][d] += all[i].at[d];
  }
  for (unsigned m = 0; m < c->k; m++)
    for (unsigned d = 0; members[m] && d < WEIR_PHASE_DIMENSIONS; d++)
      c->middles[m][d] = sums[m][d] / (double)members[m];
}

static void k_means(struct clustering *c, const struct weir_phase_interval *all, size_t count, struct weir_rng *rng) {
  seed_middles(c, all, count, rng);
  memset(c->cluster, 0, count * sizeof *c->cluster);
  assign(c, all, count);
  for (unsigned round = 0; round < ROUNDS; round++) {
    move_middles(c, all, count);
    if (!assign(c, all, count)) break;
  }
}

static void copy(struct clustering *to, const struct clustering *from, size_t count) {
  unsigned *cluster = to->cluster;
  *to = *from;
  to->cluster = cluster;
  memcpy(cluster, from->cluster, count * sizeof *cluster);
}

static void best_of_starts(struct clustering *best, struct clustering *scratch, unsigned k,
                           const struct weir_phase_interval *all, size_t count, uint64_t seed) {
  for (unsigned start = 0; start < STARTS; start++) {
    struct weir_rng rng = weir_rng_seed(seed, k * STARTS + start);
    scratch->k = k;
    k_means(scratch, all, count, &rng);
    if (!start || scratch->distortion < best->distortion) copy(best, scratch, count);
  }
}

// Pelleg and Moore, "X-means", ICML 2000, equation 2 and what leads to it: spherical Gaussians of one variance.
static double criterion(const struct clustering *c, size_t count) {
  const double n = (double)count, dimensions = WEIR_PHASE_DIMENSIONS, k = c->k;
  const double spread = n > k ? c->distortion / ((n - k) * dimensions) : 0;
  const double variance = spread > SAME ? spread : SAME;
  size_t members[WEIR_PHASE_MOST] = {0};
  double likelihood = 0;
  for (size_t i = 0; i < count; i++) members[c->cluster[i]]++;
  for (unsigned m = 0; m < c->k; m++)
    if (members[m]) likelihood += (double)members[m] * log((double)members[m] / n);
  likelihood -= n * dimensions / 2 * log(2 * M_PI * variance) + c->distortion / (2 * variance);
  const double parameters = k - 1 + k * dimensions + 1;
  return likelihood - parameters / 2 * log(n);
}

static size_t representatives(const struct clustering *c, const struct weir_phase_interval *all, size_t count,
                              struct weir_phase *phases) {
  size_t found = 0;
  uint64_t total = 0;
  for (size_t i = 0; i < count; i++) total += all[i].instructions;
  for (unsigned m = 0; m < c->k; m++) {
    double best = INFINITY;
    uint64_t members = 0; // their instructions
    size_t interval = count;
    for (size_t i = 0; i < count; i++) {
      if (c->cluster[i] != m) continue;
      const double d = distance(c->middles[m], all[i].at);
      members += all[i].instructions;
      if (d < best) best = d, interval = i;
    }
    if (interval < count) phases[found++] = (struct weir_phase){interval, (double)members / (double)total};
  }
  return found;
}

static void sort(struct weir_phase *phases, size_t count) {
  for (size_t i = 1; i < count; i++)
    for (size_t j = i; j && phases[j].interval < phases[j - 1].interval; j--) {
      const struct weir_phase p = phases[j];
      phases[j] = phases[j - 1];
      phases[j - 1] = p;
    }
}

size_t weir_phases_choose(const struct weir_phase_interval *intervals, size_t count, unsigned most, uint64_t seed,
                          struct weir_phase phases[WEIR_PHASE_MOST]) {
  if (most > WEIR_PHASE_MOST) most = WEIR_PHASE_MOST;
  if (count > 1 && intervals[count - 1].instructions < intervals[0].instructions) count--; // the rest of the run
  if (most > count) most = (unsigned)count;
  double scores[WEIR_PHASE_MOST], least = INFINITY, best = -INFINITY;
  struct clustering *all = weir_new_array(struct clustering, most + 1); // the last is scratch
  for (unsigned i = 0; i <= most; i++) all[i].cluster = weir_new_array(unsigned, count);
  for (unsigned i = 0; i < most; i++) {
    best_of_starts(&all[i], &all[most], i + 1, intervals, count, seed);
    scores[i] = criterion(&all[i], count);
    least = fmin(least, scores[i]);
    best = fmax(best, scores[i]);
  }
  unsigned chosen = 0;
  while (chosen < most && scores[chosen] < least + ENOUGH * (best - least)) chosen++;
  const size_t found = most ? representatives(&all[chosen], intervals, count, phases) : 0;
  sort(phases, found);
  for (unsigned i = 0; i <= most; i++) weir_free(all[i].cluster);
  weir_free(all);
  return found;
}
