// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cudart/properties.h"

#include "cudart/runtime.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// Offsets as in the headers of CUDA 11.8, 12.0 (which HIP's hipDeviceProp_tR0600 repeats) and 13.0.
#define AT(version, name, offset) static_assert(offsetof(struct weir_cuda_properties_##version, name) == offset, #name)
#define UNTIL_12(version)                                                                                              \
  AT(version, luidDeviceNodeMask, 280);                                                                                \
  AT(version, totalGlobalMem, 288);                                                                                    \
  AT(version, clockRate, 348);                                                                                         \
  AT(version, textureAlignment, 368);                                                                                  \
  AT(version, deviceOverlap, 384);                                                                                     \
  AT(version, maxTexture3D, 456);                                                                                      \
  AT(version, surfaceAlignment, 568);                                                                                  \
  AT(version, memoryClockRate, 608);                                                                                   \
  AT(version, sharedMemPerMultiprocessor, 640);                                                                        \
  AT(version, cooperativeLaunch, 688);                                                                                 \
  AT(version, sharedMemPerBlockOptin, 696);                                                                            \
  AT(version, reservedSharedMemPerBlock, 720)
UNTIL_12(11);
UNTIL_12(12);
AT(12, hostRegisterSupported, 728);
AT(12, unifiedFunctionPointers, 776);
AT(12, reserved, 780);
static_assert(sizeof(struct weir_cuda_properties_11) == 728, "cudaDeviceProp of CUDA 11");
static_assert(sizeof(struct weir_cuda_properties_12) == 1032, "cudaDeviceProp of CUDA 12");
AT(13, totalConstMem, 352);
AT(13, maxTexture3D, 440);
AT(13, surfaceAlignment, 552);
AT(13, l2CacheSize, 596);
AT(13, sharedMemPerMultiprocessor, 624);
AT(13, sharedMemPerBlockOptin, 672);
AT(13, reservedSharedMemPerBlock, 696);
AT(13, deviceNumaConfig, 756);
AT(13, reserved, 784);
static_assert(sizeof(struct weir_cuda_properties_13) == 1008, "cudaDeviceProp of CUDA 13");

// Writes `count` elements of `bytes` bytes: the low ones of each value (hosts are little-endian, as CUDA's are).
static void store(void *to, size_t bytes, const int64_t *values, size_t count) {
  for (size_t i = 0; i < count; i++) memcpy((char *)to + i * bytes, &values[i], bytes);
}

#define ATTR(attribute) a[WEIR_CUDA_ATTRIBUTE_##attribute]
#define STORE(type, member, ...)                                                                                       \
  do {                                                                                                                 \
    const int64_t values[] = {__VA_ARGS__};                                                                            \
    static_assert(sizeof values / 8 * sizeof(type) <= sizeof p->member, "too many values");                            \
    store(&p->member, sizeof(type), values, sizeof values / 8);                                                        \
  } while (0)

static void fill_11(struct weir_cuda_properties_11 *p, const struct weir_device_facts *f, const int *a) {
#define PROPERTY(type, name, count, versions, ...) WEIR_CUDA_11_##versions(STORE(type, name, __VA_ARGS__))
#include "cudart/properties.def"
#undef PROPERTY
  snprintf(p->name, sizeof p->name, "%s", f->name);
}

static void fill_12(struct weir_cuda_properties_12 *p, const struct weir_device_facts *f, const int *a) {
#define PROPERTY(type, name, count, versions, ...) WEIR_CUDA_12_##versions(STORE(type, name, __VA_ARGS__))
#include "cudart/properties.def"
#undef PROPERTY
  snprintf(p->name, sizeof p->name, "%s", f->name);
}

static void fill_13(struct weir_cuda_properties_13 *p, const struct weir_device_facts *f, const int *a) {
#define PROPERTY(type, name, count, versions, ...) WEIR_CUDA_13_##versions(STORE(type, name, __VA_ARGS__))
#include "cudart/properties.def"
#undef PROPERTY
  snprintf(p->name, sizeof p->name, "%s", f->name);
}

static cudaError_t properties(const struct weir_device *d, void *p, int device, int version) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (!p) return cudaErrorInvalidValue;
  int a[WEIR_CUDA_ATTRIBUTES];
  const struct weir_device_facts f = weir_device_facts(d);
  weir_cuda_attributes(d, a);
  const size_t bytes = version == 11 ? sizeof(struct weir_cuda_properties_11)
    : version == 12                  ? sizeof(struct weir_cuda_properties_12)
                                     : sizeof(struct weir_cuda_properties_13);
  memset(p, 0, bytes);
  if (version == 11)
    fill_11(p, &f, a);
  else if (version == 12)
    fill_12(p, &f, a);
  else
    fill_13(p, &f, a);
  return cudaSuccess;
}

// CUDA 12 kept the old layout under the old name for programs built with 11's headers; 13 gave the name its own.
WEIR_CUDA_API(cudaError_t, cudaGetDeviceProperties, void *p, int device) {
  return WEIR_CUDA_CALL(properties(d, p, device, weir_cuda_version >= 13000 ? 13 : 11));
}

WEIR_CUDA_API(cudaError_t, cudaGetDeviceProperties_v2, void *p, int device) {
  return WEIR_CUDA_CALL(properties(d, p, device, 12));
}

// There is one device: it is the one that matches best.
WEIR_CUDA_API(cudaError_t, cudaChooseDevice, int *device, const void *wanted) {
  if (!device || !wanted) return weir_cuda_error(cudaErrorInvalidValue);
  const cudaError_t e = WEIR_CUDA_CALL(cudaSuccess);
  if (!e) *device = 0;
  return e;
}
