// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/bits.h"
#include "host/workload.h"
#include "kmeans/clustering.h"

enum { BLOCK = 256, MOST_ROUNDS = 20 };

struct kmeans {
  uint32_t points, clusters, features;
  uint64_t by_point, by_feature, centres, membership; // device addresses
  uint32_t *want;                                     // membership
};

static uint64_t point_bytes(const struct kmeans *s) {
  return (uint64_t)s->points * s->features * sizeof(float);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct kmeans *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 5);
  uint32_t n = size == WEIR_SIZE_SMALL ? 4096 : 16384;
  *s = (struct kmeans){.points = n, .clusters = WEIR_KMEANS_CLUSTERS, .features = WEIR_KMEANS_FEATURES};
  float *points = weir_kmeans_points(n, s->features, &rng);
  s->by_point = weir_host_upload(h, "by_point", points, point_bytes(s));
  s->by_feature = weir_host_alloc(h, "by_feature", point_bytes(s));
  s->centres = weir_host_alloc(h, "centres", sizeof(float) * s->clusters * s->features);
  s->membership = weir_host_alloc(h, "membership", n * sizeof(uint32_t));
  weir_host_result(h, "membership", s->membership, n * sizeof(uint32_t));
  s->want = weir_kmeans_reference(points, n, s->features, s->clusters, MOST_ROUNDS);
  weir_free(points);
  return true;
}

static struct weir_dim grid_of(const struct kmeans *s) {
  return (struct weir_dim){(uint32_t)weir_div_up(s->points, BLOCK), 1, 1};
}

static bool assign(struct weir_host *h, const void *state) {
  const struct kmeans *s = state;
  return weir_launch_args(h, "kmeans_assign", grid_of(s), ((struct weir_dim){BLOCK, 1, 1}), WEIR_ARG(s->by_feature),
                          WEIR_ARG(s->centres), WEIR_ARG(s->membership), WEIR_ARG(s->points), WEIR_ARG(s->clusters),
                          WEIR_ARG(s->features));
}

static bool run(struct weir_host *h, void *state) {
  const struct kmeans *s = state;
  struct weir_clustering_device d = {s->by_point, s->centres, s->membership, s->points, s->features, s->clusters};
  return weir_launch_args(h, "kmeans_swap", grid_of(s), ((struct weir_dim){BLOCK, 1, 1}), WEIR_ARG(s->by_point),
                          WEIR_ARG(s->by_feature), WEIR_ARG(s->points), WEIR_ARG(s->features)) &&
    weir_clustering_run(h, &d, MOST_ROUNDS, assign, s);
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
