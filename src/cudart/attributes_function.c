// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a kernel needs of a core, and what programs ask for in its name. A preference for L1 cache or shared memory counts on chips
// whose core has one array for both; elsewhere the split is the chip file's to say.
#include "cudart/modules.h"
#include "cudart/properties.h"

#include <string.h>

// The largest block, in whole warps, of which at least one fits a core.
static unsigned most_threads(const struct weir_device *d, const struct weir_kernel *k) {
  const struct weir_device_facts f = weir_device_facts(d);
  unsigned most = f.max_block_threads;
  const uint64_t declared = (uint64_t)k->maxntid[0] * k->maxntid[1] * k->maxntid[2];
  if (declared && declared < most) return (unsigned)declared;
  while (most > f.lanes && !weir_device_occupancy(d, k, most, 0, 0)) most -= f.lanes;
  return most;
}

static int required(const struct weir_cuda_function *f, unsigned k) {
  return f->kernel->reqnctapercluster[0] ? (int)f->kernel->reqnctapercluster[k] : f->cluster[k];
}

static cudaError_t get_attributes(struct weir_device *d, struct cudaFuncAttributes *to, const void *function) {
  struct weir_cuda_function *f;
  if (!to) return cudaErrorInvalidValue;
  const cudaError_t e = weir_cuda_function(d, function, &f);
  if (e) return e;
  const struct weir_kernel *k = f->kernel;
  const struct weir_device_facts facts = weir_device_facts(d);
  int values[WEIR_CUDA_ATTRIBUTES];
  weir_cuda_attributes(d, values);
  const int left = values[WEIR_CUDA_ATTRIBUTE_MaxSharedMemoryPerBlock] - (int)k->shared_bytes;
  const struct cudaFuncAttributes got = {
    .sharedSizeBytes = k->shared_bytes,
    .localSizeBytes = k->local_bytes,
    .maxThreadsPerBlock = (int)most_threads(d, k),
    .numRegs = (int)k->registers,
    .ptxVersion = (int)weir_cuda_function_arch(f), // CUB looks for its own code by it
    .binaryVersion = (int)(facts.compute_major * 10 + facts.compute_minor),
    .maxDynamicSharedSizeBytes = f->max_dynamic_shared >= 0 ? f->max_dynamic_shared
      : left < 0                                            ? 0
                                                            : left,
    .preferredShmemCarveout = f->carveout,
    .clusterDimMustBeSet = k->explicitcluster || k->reqnctapercluster[0] || f->must_have_cluster,
    .requiredClusterWidth = required(f, 0),
    .requiredClusterHeight = required(f, 1),
    .requiredClusterDepth = required(f, 2),
    .clusterSchedulingPolicyPreference = f->cluster_policy,
    .nonPortableClusterSizeAllowed = f->large_clusters,
  };
  memcpy(to, &got, weir_cuda_version < 12000 ? offsetof(struct cudaFuncAttributes, clusterDimMustBeSet) : sizeof got);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaFuncGetAttributes, struct cudaFuncAttributes *to, const void *function) {
  return WEIR_CUDA_CALL(get_attributes(d, to, function));
}

static cudaError_t set_cluster(struct weir_cuda_function *f, int attribute, int value) {
  enum { MOST_POLICY = 2 }; // cudaClusterSchedulingPolicyLoadBalancing
  switch (attribute) {
  case cudaFuncAttributeClusterDimMustBeSet: f->must_have_cluster = value != 0; return cudaSuccess;
  case cudaFuncAttributeRequiredClusterWidth:
  case cudaFuncAttributeRequiredClusterHeight:
  case cudaFuncAttributeRequiredClusterDepth:
    if (f->kernel->reqnctapercluster[0]) return cudaErrorNotPermitted; // that was said when it was compiled
    if (value < 0) return cudaErrorInvalidValue;
    f->cluster[attribute - cudaFuncAttributeRequiredClusterWidth] = value;
    return cudaSuccess;
  case cudaFuncAttributeNonPortableClusterSizeAllowed: f->large_clusters = value != 0; return cudaSuccess;
  case cudaFuncAttributeClusterSchedulingPolicyPreference:
    if (value < 0 || value > MOST_POLICY) return cudaErrorInvalidValue;
    f->cluster_policy = value;
    return cudaSuccess;
  default: return cudaErrorInvalidValue;
  }
}

static cudaError_t set_attribute(struct weir_device *d, const void *function, int attribute, int value) {
  struct weir_cuda_function *f;
  const cudaError_t e = weir_cuda_function(d, function, &f);
  if (e) return e;
  const struct weir_device_facts facts = weir_device_facts(d);
  switch (attribute) {
  case cudaFuncAttributeMaxDynamicSharedMemorySize:
    if (value < 0 || (uint64_t)value + f->kernel->shared_bytes > facts.block_shared_bytes) return cudaErrorInvalidValue;
    f->max_dynamic_shared = value;
    return cudaSuccess;
  case cudaFuncAttributePreferredSharedMemoryCarveout:
    if (value < -1 || value > 100) return cudaErrorInvalidValue;
    f->carveout = value;
    return cudaSuccess;
  default: return set_cluster(f, attribute, value);
  }
}

WEIR_CUDA_API(cudaError_t, cudaFuncSetAttribute, const void *function, int attribute, int value) {
  return WEIR_CUDA_CALL(set_attribute(d, function, attribute, value));
}

// The attribute goes before the kernel's configuration, and that before the device's; of the configurations these are the
// percentages (cuda_occupancy.h of the CUDA toolkit, cudaOccSMemPreferenceVoltaPlus).
uint8_t weir_cuda_shared_preference(const struct weir_cuda_function *f) {
  if (f->carveout >= 0) return weir_prefer_shared((unsigned)f->carveout);
  switch (f->cache ? f->cache : weir_cuda_cache_config()) {
  case cudaFuncCachePreferShared: return weir_prefer_shared(100);
  case cudaFuncCachePreferL1: return weir_prefer_shared(0);
  case cudaFuncCachePreferEqual: return weir_prefer_shared(50);
  case cudaFuncCachePreferNone: break;
  }
  return 0;
}

static cudaError_t set_cache_config(struct weir_device *d, const void *function, enum cudaFuncCache config) {
  struct weir_cuda_function *f;
  if ((unsigned)config > cudaFuncCachePreferEqual) return cudaErrorInvalidValue;
  const cudaError_t e = weir_cuda_function(d, function, &f);
  if (!e) f->cache = config;
  return e;
}

WEIR_CUDA_API(cudaError_t, cudaFuncSetCacheConfig, const void *function, enum cudaFuncCache config) {
  return WEIR_CUDA_CALL(set_cache_config(d, function, config));
}

// Has no effect, as on hardware whose banks have one size: the kernel and the value are checked.
static cudaError_t set_shared_config(struct weir_device *d, const void *function, enum cudaSharedMemConfig config) {
  struct weir_cuda_function *f;
  return (unsigned)config > cudaSharedMemBankSizeEightByte ? cudaErrorInvalidValue
                                                           : weir_cuda_function(d, function, &f);
}

WEIR_CUDA_API(cudaError_t, cudaFuncSetSharedMemConfig, const void *function, enum cudaSharedMemConfig config) {
  return WEIR_CUDA_CALL(set_shared_config(d, function, config));
}
