// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Functions of the driver API, asked for by name.
#include "cudart/driver_api.h"
#include "cudart/runtime.h"
#include "device/device.h"

enum { WITHOUT_STATUS = 11 }; // CUDA 11's call does not answer one

enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess, cudaDriverEntryPointSymbolNotFound };

static cudaError_t find(const char *symbol, void **function, enum cudaDriverEntryPointQueryResult *status) {
  if (!symbol || !function) return weir_cuda_error(cudaErrorInvalidValue);
  *function = weir_cuda_driver_function(symbol);
  if (status) *status = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  if (*function) return weir_cuda_error(cudaSuccess);
  weir_device_say("weir does not provide %s of the driver API", symbol);
  return weir_cuda_error(status ? cudaSuccess : cudaErrorSymbolNotFound);
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaGetDriverEntryPoint,
                   (const char *symbol, void **function, unsigned long long flags,
                    enum cudaDriverEntryPointQueryResult *status),
                   (symbol, function, flags, status)) {
  (void)flags;
  return find(symbol, function, weir_cuda_version / 1000 == WITHOUT_STATUS ? NULL : status);
}

WEIR_CUDA_API_PTSZ(cudaError_t, cudaGetDriverEntryPointByVersion,
                   (const char *symbol, void **function, unsigned version, unsigned long long flags,
                    enum cudaDriverEntryPointQueryResult *status),
                   (symbol, function, version, flags, status)) {
  (void)version;
  (void)flags;
  return find(symbol, function, status);
}
