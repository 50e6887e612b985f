// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Clusters of thread blocks: which a launch has, and how many are resident.
#include "cudart/launch.h"
#include "cudart/modules.h"

static uint64_t blocks_of(const struct weir_dim *c) {
  return (uint64_t)(c->x ? c->x : 1) * (c->y ? c->y : 1) * (c->z ? c->z : 1);
}

static bool is_given(const struct weir_dim *c) {
  return c->x || c->y || c->z;
}

static bool is_same(const struct weir_dim *c, const int of[3]) {
  return c->x == (unsigned)of[0] && c->y == (unsigned)of[1] && c->z == (unsigned)of[2];
}

static unsigned most_blocks(const struct weir_cuda_function *f) {
  return f->large_clusters ? WEIR_MAX_CLUSTER : WEIR_PORTABLE_CLUSTER;
}

cudaError_t weir_cuda_cluster(const struct weir_cuda_function *f, struct weir_dim given, struct weir_dim *cluster) {
  const int *of = f->cluster;
  const uint32_t *required = f->kernel->reqnctapercluster;
  const bool has_own = of[0] > 0 && of[1] > 0 && of[2] > 0;
  *cluster = given;
  if (is_given(&given))
    *cluster = (struct weir_dim){given.x ? given.x : 1, given.y ? given.y : 1, given.z ? given.z : 1};
  if (has_own && !is_given(&given)) *cluster = (struct weir_dim){(unsigned)of[0], (unsigned)of[1], (unsigned)of[2]};
  if (has_own && !is_same(cluster, of)) {
    weir_device_say("kernel '%s' requires clusters of %d x %d x %d blocks (cudaFuncSetAttribute)", f->name, of[0],
                    of[1], of[2]);
    return cudaErrorInvalidClusterSize;
  }
  if (f->must_have_cluster && !is_given(cluster) && !required[0]) {
    weir_device_say("kernel '%s' is to be launched in clusters (cudaFuncAttributeClusterDimMustBeSet)", f->name);
    return cudaErrorInvalidClusterSize;
  }
  const struct weir_dim by_kernel = {required[0], required[1], required[2]};
  if (blocks_of(is_given(cluster) ? cluster : &by_kernel) <= most_blocks(f)) return cudaSuccess;
  weir_device_say("kernel '%s' is launched in clusters of more than %u blocks%s", f->name, most_blocks(f),
                  f->large_clusters ? "" : " (cudaFuncAttributeNonPortableClusterSizeAllowed)");
  return cudaErrorInvalidClusterSize;
}

// ---- occupancy ----------------------------------------------------------------------------------------------------------

static unsigned resident(struct weir_device *d, const struct weir_cuda_function *f, const cudaLaunchConfig_t *c,
                         unsigned blocks) {
  const unsigned threads = c->blockDim.x * c->blockDim.y * c->blockDim.z;
  return weir_device_clusters(d, f->kernel, threads, c->dynamicSmemBytes, weir_cuda_shared_preference(f), blocks);
}

static cudaError_t check(struct weir_device *d, const int *answer, const void *function, const cudaLaunchConfig_t *c,
                         struct weir_cuda_function **f) {
  if (!answer || !c || (c->numAttrs && !c->attrs)) return cudaErrorInvalidValue;
  const cudaError_t e = weir_cuda_function(d, function, f);
  if (e) return e;
  return weir_device_facts(d).clusters ? cudaSuccess : cudaErrorNotSupported;
}

static struct weir_dim asked_for(const cudaLaunchConfig_t *c) {
  struct weir_dim cluster = {0, 0, 0};
  for (unsigned k = 0; k < c->numAttrs; k++)
    if (c->attrs[k].id == cudaLaunchAttributeClusterDimension)
      cluster =
        (struct weir_dim){c->attrs[k].val.clusterDim.x, c->attrs[k].val.clusterDim.y, c->attrs[k].val.clusterDim.z};
  return cluster;
}

// Without a size of its own the kernel has none unless the configuration says one.
static cudaError_t active_clusters(struct weir_device *d, int *clusters, const void *function,
                                   const cudaLaunchConfig_t *c) {
  struct weir_cuda_function *f;
  struct weir_dim cluster;
  cudaError_t e = check(d, clusters, function, c, &f);
  if (!e) e = weir_cuda_cluster(f, asked_for(c), &cluster);
  if (e) return e;
  const uint32_t *required = f->kernel->reqnctapercluster;
  if (!is_given(&cluster)) cluster = (struct weir_dim){required[0], required[1], required[2]};
  if (!is_given(&cluster)) return cudaErrorInvalidClusterSize;
  *clusters = (int)resident(d, f, c, (unsigned)blocks_of(&cluster));
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaOccupancyMaxActiveClusters, int *clusters, const void *function,
              const cudaLaunchConfig_t *config) {
  return WEIR_CUDA_CALL(active_clusters(d, clusters, function, config));
}

// The largest of which one is resident.
static cudaError_t potential_size(struct weir_device *d, int *blocks, const void *function,
                                  const cudaLaunchConfig_t *c) {
  struct weir_cuda_function *f;
  const cudaError_t e = check(d, blocks, function, c, &f);
  if (e) return e;
  unsigned most = most_blocks(f);
  while (most > 1 && !resident(d, f, c, most)) most--;
  *blocks = (int)most;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaOccupancyMaxPotentialClusterSize, int *blocks, const void *function,
              const cudaLaunchConfig_t *config) {
  return WEIR_CUDA_CALL(potential_size(d, blocks, function, config));
}
