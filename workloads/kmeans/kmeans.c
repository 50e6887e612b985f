// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/bits.h"
#include "base/rng.h"
#include "host/workload.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Features and clusters as in Rodinia's run on the KDD Cup data.
enum { BLOCK = 256, FEATURES = 34, CLUSTERS = 5, MOST_ROUNDS = 20 };

struct kmeans {
  uint32_t points, clusters, features;
  uint64_t by_point, by_feature, centres, membership; // device addresses
  uint32_t *want;                                     // membership
};

// Gaussian-like clouds, one per cluster, that overlap enough for the assignment to change over several rounds.
static float *random_points(uint32_t n, struct weir_rng *rng) {
  float *p = weir_new_array(float, (size_t)n *FEATURES), middle[CLUSTERS][FEATURES];
  for (int c = 0; c < CLUSTERS; c++)
    for (int f = 0; f < FEATURES; f++) middle[c][f] = (float)weir_rng_unit(rng);
  for (uint32_t i = 0; i < n; i++) {
    uint64_t c = weir_rng_below(rng, CLUSTERS);
    for (int f = 0; f < FEATURES; f++) {
      double spread = weir_rng_unit(rng) + weir_rng_unit(rng) + weir_rng_unit(rng) - 1.5;
      p[(size_t)i * FEATURES + (size_t)f] = (float)((double)middle[c][f] + spread);
    }
  }
  return p;
}

// The means of the clusters' points; an empty cluster keeps its centre.
static void move_centres(const float *points, uint32_t n, const uint32_t *membership, float *centres) {
  double sum[CLUSTERS][FEATURES] = {{0}};
  uint32_t size[CLUSTERS] = {0};
  for (uint32_t i = 0; i < n; i++) {
    size[membership[i]]++;
    for (int f = 0; f < FEATURES; f++) sum[membership[i]][f] += (double)points[(size_t)i * FEATURES + (size_t)f];
  }
  for (int c = 0; c < CLUSTERS; c++)
    for (int f = 0; f < FEATURES && size[c]; f++) centres[c * FEATURES + f] = (float)(sum[c][f] / size[c]);
}

static uint32_t nearest(const float *point, const float *centres) {
  float least = FLT_MAX;
  uint32_t best = 0;
  for (uint32_t c = 0; c < CLUSTERS; c++) {
    float distance = 0;
    for (uint32_t f = 0; f < FEATURES; f++) {
      float d = point[f] - centres[c * FEATURES + f];
      distance = fmaf(d, d, distance);
    }
    if (distance < least) least = distance, best = c;
  }
  return best;
}

struct rounds { // one clustering under way
  const float *points;
  uint32_t n;
  float centres[CLUSTERS * FEATURES];
  uint32_t *membership;
};

// The first points are the first centres, and nothing is assigned.
static struct rounds begin(const float *points, uint32_t n) {
  struct rounds r = {.points = points, .n = n, .membership = weir_new_array(uint32_t, n)};
  memcpy(r.centres, points, sizeof r.centres);
  memset(r.membership, 0xFF, n * sizeof *r.membership);
  return r;
}

// Takes a new membership; true while more than a thousandth of the points changed theirs (Rodinia's threshold).
static bool advance(struct rounds *r, const uint32_t *membership) {
  uint32_t changed = 0;
  for (uint32_t i = 0; i < r->n; i++) changed += membership[i] != r->membership[i];
  memcpy(r->membership, membership, r->n * sizeof *membership);
  move_centres(r->points, r->n, membership, r->centres);
  return changed > r->n / 1000;
}

// Fused multiply-adds in the kernel's order: every distance, and so every membership, is equal to the last bit.
static uint32_t *cluster(const float *points, uint32_t n) {
  uint32_t *membership = weir_new_array(uint32_t, n);
  struct rounds r = begin(points, n);
  bool more = true;
  for (int round = 0; more && round < MOST_ROUNDS; round++) {
    for (uint32_t i = 0; i < n; i++) membership[i] = nearest(points + (size_t)i * FEATURES, r.centres);
    more = advance(&r, membership);
  }
  weir_free(r.membership);
  return membership;
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct kmeans *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 5);
  uint32_t n = size == WEIR_SIZE_SMALL ? 4096 : 16384;
  *s = (struct kmeans){.points = n, .clusters = CLUSTERS, .features = FEATURES};
  uint64_t bytes = (uint64_t)n * FEATURES * sizeof(float);
  float *points = random_points(n, &rng);
  s->by_point = weir_host_upload(h, "by_point", points, bytes);
  s->by_feature = weir_host_alloc(h, "by_feature", bytes);
  s->centres = weir_host_alloc(h, "centres", CLUSTERS * FEATURES * sizeof(float));
  s->membership = weir_host_alloc(h, "membership", n * sizeof(uint32_t));
  weir_host_result(h, "membership", s->membership, n * sizeof(uint32_t));
  s->want = cluster(points, n);
  weir_free(points);
  return true;
}

static bool assign(struct weir_host *h, struct kmeans *s, const struct rounds *r, struct weir_dim grid) {
  weir_host_write(h, s->centres, r->centres, sizeof r->centres);
  return weir_launch_args(h, "kmeans_assign", grid, ((struct weir_dim){BLOCK, 1, 1}), WEIR_ARG(s->by_feature),
                          WEIR_ARG(s->centres), WEIR_ARG(s->membership), WEIR_ARG(s->points), WEIR_ARG(s->clusters),
                          WEIR_ARG(s->features));
}

static bool run(struct weir_host *h, void *state) {
  struct kmeans *s = state;
  struct weir_dim grid = {(uint32_t)weir_div_up(s->points, BLOCK), 1, 1};
  if (!weir_launch_args(h, "kmeans_swap", grid, ((struct weir_dim){BLOCK, 1, 1}), WEIR_ARG(s->by_point),
                        WEIR_ARG(s->by_feature), WEIR_ARG(s->points), WEIR_ARG(s->features)))
    return false;
  uint32_t *membership = weir_new_array(uint32_t, s->points);
  struct rounds r = begin(weir_host_bytes(h, s->by_point, (uint64_t)s->points * FEATURES * sizeof(float)), s->points);
  bool more = true, ok = true;
  for (int round = 0; ok && more && round < MOST_ROUNDS; round++) {
    ok = assign(h, s, &r, grid);
    weir_host_read(h, membership, s->membership, s->points * sizeof(uint32_t));
    more = ok && advance(&r, membership);
  }
  weir_free(r.membership);
  weir_free(membership);
  return ok;
}

static bool check(struct weir_host *h, void *state) {
  struct kmeans *s = state;
  return weir_check_u32(h, "membership", weir_host_bytes(h, s->membership, s->points * sizeof(uint32_t)), s->want,
                        s->points);
}

static void release(void *state) {
  weir_free(((struct kmeans *)state)->want);
}

const struct weir_workload weir_workload_kmeans = {
    .name = "kmeans",
    .summary = "k-means clustering: assignment on the device, new centres on the host, in turn",
    .citation = "Rodinia kmeans (Che et al., IISWC 2009); Tian et al., GPGPU-8 2015, Table 2",
    .small_text = "4096 random points of 34 features, 5 clusters",
    .paper_text = "16384 random points of 34 features, 5 clusters",
    .state_bytes = sizeof(struct kmeans),
    .prepare = prepare,
    .run = run,
    .check = check,
    .release = release,
};
