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
  float *points = weir_kmeans_points(n, &rng);
  s->by_point = weir_host_upload(h, "by_point", points, point_bytes(s));
  s->by_feature = weir_host_alloc(h, "by_feature", point_bytes(s));
  s->centres = weir_host_alloc(h, "centres", sizeof(float) * s->clusters * s->features);
  s->membership = weir_host_alloc(h, "membership", n * sizeof(uint32_t));
  weir_host_result(h, "membership", s->membership, n * sizeof(uint32_t));
  s->want = weir_kmeans_reference(points, n, s->clusters, MOST_ROUNDS);
  weir_free(points);
  return true;
}

static bool assign(struct weir_host *h, struct kmeans *s, const struct weir_clustering *k, struct weir_dim grid) {
  weir_host_write(h, s->centres, k->centres, sizeof(float) * s->clusters * s->features);
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
  struct weir_clustering k =
      weir_clustering_begin(weir_host_bytes(h, s->by_point, point_bytes(s)), s->points, s->clusters);
  bool more = true, ok = true;
  for (int round = 0; ok && more && round < MOST_ROUNDS; round++) {
    ok = assign(h, s, &k, grid);
    weir_host_read(h, membership, s->membership, s->points * sizeof(uint32_t));
    more = ok && weir_clustering_advance(&k, membership);
  }
  weir_clustering_end(&k);
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
