// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cudart/driver_api.h"

#include "cudart/cuda.h"
#include "exec/tensor.h"

#include <stdio.h>
#include <string.h>

// The version that the library is (cudart/runtime.h).
extern const int weir_cuda_version;

// CUresult: where both have one, the runtime's errors have the driver's numbers.
typedef int CUresult;
enum { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_NOT_SUPPORTED = 801 };

#define DRIVER_API(name, ...)                                                                                          \
  CUresult name(__VA_ARGS__);                                                                                          \
  CUresult name(__VA_ARGS__)

DRIVER_API(cuInit, unsigned flags) {
  return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

DRIVER_API(cuDriverGetVersion, int *version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = weir_cuda_version;
  return CUDA_SUCCESS;
}

// ---- errors -----------------------------------------------------------------------------------------------------------------

static const struct {
  int value;
  const char *name, *text;
} errors[] = {
#define X(name, value, text) {value, #name, text},
#include "cudart/errors.def"
#undef X
};

static const char *text_of(CUresult error, bool name) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].value == error) return name ? errors[i].name : errors[i].text;
  return NULL;
}

DRIVER_API(cuGetErrorString, CUresult error, const char **text) {
  if (!text) return CUDA_ERROR_INVALID_VALUE;
  *text = text_of(error, false);
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// The runtime's name of it.
DRIVER_API(cuGetErrorName, CUresult error, const char **name) {
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  *name = text_of(error, true);
  return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// ---- tensor maps ------------------------------------------------------------------------------------------------------------

static CUresult refuse(const char *call, const char *why, bool supported) {
  fprintf(stderr, "weir: %s: %s\n", call, why);
  return supported ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_SUPPORTED;
}

DRIVER_API(cuTensorMapEncodeTiled, void *tensor_map, int type, uint32_t rank, void *address, const uint64_t *extents,
           const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle,
           int l2_promotion, int outside) {
  enum { ALIGN = 64 };
  const struct weir_tensor_request request = {.type = (uint32_t)type,
                                              .rank = rank,
                                              .interleave = (uint32_t)interleave,
                                              .swizzle = (uint32_t)swizzle,
                                              .l2_promotion = (uint32_t)l2_promotion,
                                              .outside = (uint32_t)outside,
                                              .address = (uint64_t)(uintptr_t)address,
                                              .extent = extents,
                                              .strides = strides,
                                              .box = box,
                                              .steps = steps};
  struct weir_tensor_map map;
  bool supported = true;
  if (!tensor_map || (uintptr_t)tensor_map % ALIGN)
    return refuse("cuTensorMapEncodeTiled", "a tensor map lies at a multiple of 64", true);
  const char *why = weir_tensor_encode(&request, &map, &supported);
  if (why) return refuse("cuTensorMapEncodeTiled", why, supported);
  memset(tensor_map, 0, WEIR_TENSOR_MAP_BYTES);
  memcpy(tensor_map, &map, sizeof map);
  return CUDA_SUCCESS;
}

DRIVER_API(cuTensorMapReplaceAddress, void *tensor_map, void *address) {
  struct weir_tensor_map map;
  if (!tensor_map || !address || (uintptr_t)address % 16) return CUDA_ERROR_INVALID_VALUE;
  memcpy(&map, tensor_map, sizeof map);
  if (!weir_tensor_is_map(&map)) return CUDA_ERROR_INVALID_VALUE;
  map.address = (uint64_t)(uintptr_t)address;
  memcpy(tensor_map, &map, sizeof map);
  return CUDA_SUCCESS;
}

// ---- by name ----------------------------------------------------------------------------------------------------------------

void *weir_cuda_driver_function(const char *name) {
#define X(function)                                                                                                    \
  if (!strcmp(name, #function)) return (void *)(uintptr_t)function;
#include "binary/driver_calls.def"
#undef X
  return NULL;
}
