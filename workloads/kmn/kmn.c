// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/bits.h"
#include "host/workload.h"
#include "kmeans/clustering.h"

struct kmn {
  uint32_t points, block, clusters, features;
  unsigned rounds;                        // at most
  uint64_t by_point, centres, membership; // device addresses
  uint32_t *want;                         // membership
};

static uint64_t point_bytes(const struct kmn *s) {
  return (uint64_t)s->points * s->features * sizeof(float);
}

static bool set_up(struct weir_host *h, void *state, enum weir_size size, uint32_t features, uint64_t seed) {
  struct kmn *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 5);
  bool small = size == WEIR_SIZE_SMALL;
  uint32_t n = small ? 5760 : 49152; // small: three blocks for each of 15 cores
  *s = (struct kmn){.points = n, .features = features};
  s->block = small ? 128 : 256;
  s->clusters = small ? 2 : WEIR_KMEANS_CLUSTERS;
  s->rounds = small ? 1 : 3;
  float *points = weir_kmeans_points(n, features, &rng);
  s->by_point = weir_host_upload(h, "by_point", points, point_bytes(s));
  s->centres = weir_host_alloc(h, "centres", sizeof(float) * s->clusters * s->features);
  s->membership = weir_host_alloc(h, "membership", n * sizeof(uint32_t));
  weir_host_result(h, "membership", s->membership, n * sizeof(uint32_t));
  s->want = weir_kmeans_reference(points, n, features, s->clusters, s->rounds);
  weir_free(points);
  return true;
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  return set_up(h, state, size, WEIR_KMEANS_FEATURES, seed);
}

static bool prepare_136(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  return set_up(h, state, size, WEIR_KMEANS_MOST_FEATURES, seed);
}

static bool assign(struct weir_host *h, const void *state) {
  const struct kmn *s = state;
  return weir_launch_args(h, "kmn_assign", ((struct weir_dim){(uint32_t)weir_div_up(s->points, s->block), 1, 1}),
                          ((struct weir_dim){s->block, 1, 1}), WEIR_ARG(s->by_point), WEIR_ARG(s->centres),
                          WEIR_ARG(s->membership), WEIR_ARG(s->points), WEIR_ARG(s->clusters), WEIR_ARG(s->features));
}

static bool run(struct weir_host *h, void *state) {
  const struct kmn *s = state;
  struct weir_clustering_device d = {s->by_point, s->centres, s->membership, s->points, s->features, s->clusters};
  return weir_clustering_run(h, &d, s->rounds, assign, s);
}

static bool check(struct weir_host *h, void *state) {
  struct kmn *s = state;
  return weir_check_u32(h, "membership", weir_host_bytes(h, s->membership, s->points * sizeof(uint32_t)), s->want,
                        s->points);
}

static void release(void *state) {
  weir_free(((struct kmn *)state)->want);
}

const struct weir_workload weir_workload_kmn = {
  .name = "kmn",
  .summary = "k-means clustering over features point by point: un-coalesced, with neither transposition nor textures",
  .citation = "CCWS's KMN, on Rodinia kmeans (Rogers et al., MICRO 2012); Zhao et al., Table I",
  .small_text = "5760 random points of 34 features, 2 clusters, 1 round",
  .paper_text = "49152 random points of 34 features, 5 clusters, 3 rounds",
  .state_bytes = sizeof(struct kmn),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};

const struct weir_workload weir_workload_kmn_136 = {
  .name = "kmn-136",
  .summary = "kmn over points of 136 features",
  .citation = "CCWS's KMN, on Rodinia kmeans (Rogers et al., MICRO 2012); Zhao et al., Table I",
  .small_text = "5760 random points of 136 features, 2 clusters, 1 round",
  .paper_text = "49152 random points of 136 features, 5 clusters, 3 rounds",
  .state_bytes = sizeof(struct kmn),
  .prepare = prepare_136,
  .run = run,
  .check = check,
  .release = release,
};
