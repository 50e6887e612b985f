// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "kmeans/clustering.h"

#include "base/alloc.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_FEATURES = WEIR_KMEANS_MOST_FEATURES, CLUSTERS = WEIR_KMEANS_CLUSTERS };

float *weir_kmeans_points(uint32_t n, uint32_t features, struct weir_rng *rng) {
  float *p = weir_new_array(float, (size_t)n *features), middle[CLUSTERS][MOST_FEATURES];
  for (int c = 0; c < CLUSTERS; c++)
    for (uint32_t f = 0; f < features; f++) middle[c][f] = (float)weir_rng_unit(rng);
  for (uint32_t i = 0; i < n; i++) {
    uint64_t c = weir_rng_below(rng, CLUSTERS);
    for (uint32_t f = 0; f < features; f++) {
      double spread = weir_rng_unit(rng) + weir_rng_unit(rng) + weir_rng_unit(rng) - 1.5;
      p[(size_t)i * features + f] = (float)((double)middle[c][f] + spread);
    }
  }
  return p;
}

// The means of the clusters' points; an empty cluster keeps its centre.
static void move_centres(struct weir_clustering *k, const uint32_t *membership) {
  double sum[CLUSTERS][MOST_FEATURES] = {{0}};
  uint32_t size[CLUSTERS] = {0};
  for (uint32_t i = 0; i < k->n; i++) {
    size[membership[i]]++;
    for (uint32_t f = 0; f < k->features; f++) sum[membership[i]][f] += (double)k->points[(size_t)i * k->features + f];
  }
  for (uint32_t c = 0; c < k->clusters; c++)
    for (uint32_t f = 0; f < k->features && size[c]; f++)
      k->centres[c * k->features + f] = (float)(sum[c][f] / size[c]);
}

static uint32_t nearest(const float *point, const float *centres, uint32_t features, uint32_t clusters) {
  float least = FLT_MAX;
  uint32_t best = 0;
  for (uint32_t c = 0; c < clusters; c++) {
    float distance = 0;
    for (uint32_t f = 0; f < features; f++) {
      float d = point[f] - centres[c * features + f];
      distance = fmaf(d, d, distance);
    }
    if (distance < least) least = distance, best = c;
  }
  return best;
}

struct weir_clustering weir_clustering_begin(const float *points, uint32_t n, uint32_t features, uint32_t clusters) {
  struct weir_clustering k = {
    .points = points, .n = n, .features = features, .clusters = clusters, .membership = weir_new_array(uint32_t, n)};
  memcpy(k.centres, points, (size_t)clusters * features * sizeof *points);
  memset(k.membership, 0xFF, n * sizeof *k.membership);
  return k;
}

bool weir_clustering_advance(struct weir_clustering *k, const uint32_t *membership) {
  uint32_t changed = 0;
  for (uint32_t i = 0; i < k->n; i++) changed += membership[i] != k->membership[i];
  memcpy(k->membership, membership, k->n * sizeof *membership);
  move_centres(k, membership);
  return changed > k->n / 1000;
}

void weir_clustering_end(struct weir_clustering *k) {
  weir_free(k->membership);
}

bool weir_clustering_run(struct weir_host *h, const struct weir_clustering_device *d, unsigned most_rounds,
                         bool (*assign)(struct weir_host *h, const void *state), const void *state) {
  uint32_t *membership = weir_new_array(uint32_t, d->points);
  const float *points = weir_host_bytes(h, d->by_point, (uint64_t)d->points * d->features * sizeof(float));
  struct weir_clustering k = weir_clustering_begin(points, d->points, d->features, d->clusters);
  bool more = true, ok = true;
  for (unsigned round = 0; ok && more && round < most_rounds; round++) {
    weir_host_write(h, d->centres, k.centres, sizeof(float) * d->clusters * d->features);
    ok = assign(h, state);
    weir_host_read(h, membership, d->membership, d->points * sizeof(uint32_t));
    more = ok && weir_clustering_advance(&k, membership);
  }
  weir_clustering_end(&k);
  weir_free(membership);
  return ok;
}

uint32_t *weir_kmeans_reference(const float *points, uint32_t n, uint32_t features, uint32_t clusters,
                                unsigned most_rounds) {
  uint32_t *membership = weir_new_array(uint32_t, n);
  struct weir_clustering k = weir_clustering_begin(points, n, features, clusters);
  bool more = true;
  for (unsigned round = 0; more && round < most_rounds; round++) {
    for (uint32_t i = 0; i < n; i++)
      membership[i] = nearest(points + (size_t)i * features, k.centres, features, clusters);
    more = weir_clustering_advance(&k, membership);
  }
  weir_clustering_end(&k);
  return membership;
}
