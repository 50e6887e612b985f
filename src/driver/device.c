// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "driver/driver_private.h"

#include <string.h>

static int attribute(const struct weir_driver *d, CUdevice_attribute which) {
  int value = 0;
  return d->cuda.cuDeviceGetAttribute(&value, which, d->handle) ? 0 : value; // older drivers do not know the newer ones
}

static uint32_t larger(int a, int b) {
  return (uint32_t)(a > b ? a : b);
}

static void describe(struct weir_driver *d) {
  struct weir_driver_device *out = &d->device;
  d->cuda.cuDeviceGetName(out->name, (int)sizeof out->name, d->handle);
  d->cuda.cuDriverGetVersion(&out->version);
  out->major = attribute(d, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  out->minor = attribute(d, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  out->cores = (uint32_t)attribute(d, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  out->core_shared_bytes = (uint32_t)attribute(d, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  out->block_shared_bytes = larger(attribute(d, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
                                   attribute(d, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  out->reserved_shared_bytes = (uint32_t)attribute(d, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  out->global_l1 = attribute(d, CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED);
  d->has_virtual_memory = attribute(d, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) &&
    d->cuda.cuMemAddressReserve && d->cuda.cuMemAddressFree && d->cuda.cuMemCreate && d->cuda.cuMemRelease &&
    d->cuda.cuMemMap && d->cuda.cuMemUnmap && d->cuda.cuMemSetAccess && d->cuda.cuMemGetAllocationGranularity;
}

static bool refuse(const struct weir_driver *d, CUresult e, struct weir_sink *sink) {
  return weir_fail_plain(sink, "no CUDA device here: %s", weir_cuda_error(&d->cuda, e));
}

static bool start(struct weir_driver *d, struct weir_sink *sink) {
  CUcontext context;
  int count = 0;
  CUresult e = d->cuda.cuInit(0);
  if (!e) e = d->cuda.cuDeviceGetCount(&count);
  if (!e && !count) e = CUDA_ERROR_NO_DEVICE;
  if (!e) e = d->cuda.cuDeviceGet(&d->handle, 0);
  if (!e) e = d->cuda.cuDevicePrimaryCtxRetain(&context, d->handle);
  if (!e) e = d->cuda.cuCtxSetCurrent(context);
  if (!e) e = d->cuda.cuEventCreate(&d->start, 0);
  if (!e) e = d->cuda.cuEventCreate(&d->stop, 0);
  if (e) return refuse(d, e, sink);
  describe(d);
  return true;
}

struct weir_driver *weir_driver_open(struct weir_sink *sink) {
  struct weir_driver *d = weir_new(struct weir_driver);
  d->totals.same_addresses = true;
  if (weir_cuda_open(&d->cuda, sink) && start(d, sink)) return d;
  weir_driver_close(d);
  return NULL;
}

// The context stays: it is the process's.
void weir_driver_close(struct weir_driver *d) {
  if (!d) return;
  weir_driver_release(d);
  if (d->module) d->cuda.cuModuleUnload(d->module);
  if (d->start) d->cuda.cuEventDestroy_v2(d->start);
  if (d->stop) d->cuda.cuEventDestroy_v2(d->stop);
  weir_free(d->variables);
  weir_free(d);
}

const struct weir_driver_device *weir_driver_device(const struct weir_driver *d) {
  return &d->device;
}

const struct weir_driver_totals *weir_driver_totals(const struct weir_driver *d) {
  return &d->totals;
}

struct weir_backend weir_driver_backend(struct weir_driver *d) {
  return (struct weir_backend){.context = d, .launch = weir_driver_launch};
}
