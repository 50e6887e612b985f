// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the hosts of kmeans and kmn share: points, the rounds of a clustering whose assignment is somebody else's work,
// and the CPU reference.
#ifndef WEIR_WORKLOADS_KMEANS_CLUSTERING_H
#define WEIR_WORKLOADS_KMEANS_CLUSTERING_H

#include "base/rng.h"
#include "host/workload.h"

#include <stdbool.h>
#include <stdint.h>

// Features and clusters as in Rodinia's run on the KDD Cup data.
enum { WEIR_KMEANS_FEATURES = 34, WEIR_KMEANS_CLUSTERS = 5 };
enum { WEIR_KMEANS_MOST_FEATURES = 136 };

// As many Gaussian-like clouds, which overlap enough for the assignment to change over several rounds. Point by point;
// the caller frees them.
float *weir_kmeans_points(uint32_t n, uint32_t features, struct weir_rng *rng);

struct weir_clustering { // one clustering under way
  const float *points;
  uint32_t n, features, clusters; // at most WEIR_KMEANS_MOST_FEATURES, WEIR_KMEANS_CLUSTERS
  float centres[WEIR_KMEANS_CLUSTERS * WEIR_KMEANS_MOST_FEATURES]; // what the next round assigns to, one after another
  uint32_t *membership;                                            // of the last round
};

// The first points are the first centres, and nothing is assigned. The points are borrowed.
struct weir_clustering weir_clustering_begin(const float *points, uint32_t n, uint32_t features, uint32_t clusters);
// Takes a new membership; true while more than a thousandth of the points changed theirs (Rodinia's threshold).
bool weir_clustering_advance(struct weir_clustering *k, const uint32_t *membership);
void weir_clustering_end(struct weir_clustering *k);

// Where a device clusters.
struct weir_clustering_device {
  uint64_t by_point, centres, membership; // addresses: points, what a round assigns to, what it writes
  uint32_t points, features, clusters;
};

// Rounds until the clustering settles, `most_rounds` at most: the centres are written, `assign` launches, the membership
// is read. False if a launch failed.
bool weir_clustering_run(struct weir_host *h, const struct weir_clustering_device *d, unsigned most_rounds,
                         bool (*assign)(struct weir_host *h, const void *state), const void *state);

// The membership after so many rounds, or after fewer if it settles. Fused multiply-adds in the kernels' order: every
// distance, and so every membership, is equal to the last bit. The caller frees it.
uint32_t *weir_kmeans_reference(const float *points, uint32_t n, uint32_t features, uint32_t clusters,
                                unsigned most_rounds);

#endif
