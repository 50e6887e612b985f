// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The one device: chosen, configured, reset. Results are there when a call returns; what is waited for is its time.
#include "cudart/runtime.h"

static cudaError_t give(int *at, int value) {
  if (!at) return cudaErrorInvalidValue;
  *at = value;
  return cudaSuccess;
}

// ---- which ----------------------------------------------------------------------------------------------------------

WEIR_CUDA_API(cudaError_t, cudaGetDeviceCount, int *count) {
  if (count) *count = 0;
  return WEIR_CUDA_CALL(give(count, 1));
}

WEIR_CUDA_API(cudaError_t, cudaGetDevice, int *device) {
  return WEIR_CUDA_CALL(give(device, 0));
}

static cudaError_t check(int device) {
  return device ? cudaErrorInvalidDevice : cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaSetDevice, int device) {
  return WEIR_CUDA_CALL(check(device));
}

static cudaError_t check_all(const int *devices, int count) {
  if (!devices || count < 0) return cudaErrorInvalidValue;
  for (int k = 0; k < count; k++)
    if (devices[k]) return cudaErrorInvalidDevice;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaSetValidDevices, int *devices, int count) {
  return WEIR_CUDA_CALL(check_all(devices, count));
}

WEIR_CUDA_API(cudaError_t, cudaRuntimeGetVersion, int *version) {
  return weir_cuda_error(give(version, weir_cuda_version));
}

WEIR_CUDA_API(cudaError_t, cudaDriverGetVersion, int *version) {
  return weir_cuda_error(give(version, weir_cuda_version));
}

// ---- peers: there are none ------------------------------------------------------------------------------------------

WEIR_CUDA_API(cudaError_t, cudaDeviceCanAccessPeer, int *can, int device, int peer) {
  return WEIR_CUDA_CALL(device || peer ? cudaErrorInvalidDevice : give(can, 0));
}

WEIR_CUDA_API(cudaError_t, cudaDeviceEnablePeerAccess, int peer, unsigned flags) {
  (void)peer;
  return WEIR_CUDA_CALL(flags ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
}

WEIR_CUDA_API(cudaError_t, cudaDeviceDisablePeerAccess, int peer) {
  return WEIR_CUDA_CALL(peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled);
}

// ---- flags ----------------------------------------------------------------------------------------------------------

static unsigned device_flags;

static cudaError_t set_flags(unsigned flags) {
  const unsigned known = cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops;
  const unsigned schedule = flags & cudaDeviceScheduleMask;
  if (flags & ~known || schedule & (schedule - 1)) return cudaErrorInvalidValue; // one way of waiting at most
  device_flags = flags;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaSetDeviceFlags, unsigned flags) {
  return WEIR_CUDA_CALL(set_flags(flags));
}

WEIR_CUDA_API(cudaError_t, cudaGetDeviceFlags, unsigned *flags) {
  return WEIR_CUDA_CALL(give((int *)flags, (int)(device_flags | cudaDeviceMapHost)));
}

WEIR_CUDA_API(cudaError_t, cudaInitDevice, int device, unsigned new_flags, unsigned flags) {
  return WEIR_CUDA_CALL(device ? cudaErrorInvalidDevice : flags ? set_flags(new_flags) : cudaSuccess);
}

// ---- done -----------------------------------------------------------------------------------------------------------

static cudaError_t synchronize(struct weir_device *d) {
  weir_device_host_waits_for_all(d);
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaDeviceSynchronize, void) {
  return WEIR_CUDA_CALL(synchronize(d));
}
WEIR_CUDA_ALIAS(cudaThreadSynchronize, cudaDeviceSynchronize);

static cudaError_t reset(struct weir_device *d) {
  weir_cuda_forget_captures();
  weir_cuda_forget_graph_execs();
  weir_cuda_forget_graphs();
  weir_cuda_forget_graph_memory();
  weir_cuda_forget_modules();
  weir_cuda_forget_streams();
  weir_cuda_forget_events();
  weir_cuda_forget_pools();
  weir_cuda_forget_host_memory();
  weir_cuda_forget_arrays();
  weir_cuda_forget_textures();
  weir_cuda_forget_surfaces();
  weir_cuda_forget_references();
  weir_cuda_forget_limits(d);
  weir_device_reset(d);
  device_flags = 0;
  return cudaSuccess;
}

WEIR_CUDA_API(cudaError_t, cudaDeviceReset, void) {
  return WEIR_CUDA_CALL(reset(d));
}
WEIR_CUDA_ALIAS(cudaThreadExit, cudaDeviceReset);

// Everything is counted; there is no profiler to start.
WEIR_CUDA_API(cudaError_t, cudaProfilerStart, void) {
  return WEIR_CUDA_CALL(cudaSuccess);
}
WEIR_CUDA_ALIAS(cudaProfilerStop, cudaProfilerStart);

// Since CUDA 2 doubles are doubles on every device.
WEIR_CUDA_API(cudaError_t, cudaSetDoubleForDevice, double *number) {
  return WEIR_CUDA_CALL(number ? cudaSuccess : cudaErrorInvalidValue);
}
WEIR_CUDA_ALIAS(cudaSetDoubleForHost, cudaSetDoubleForDevice);
