// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Sizes, offsets and values of the driver's interface, to be stated twice: by src/driver/cuda.h and by NVIDIA's cuda.h,
// which one file cannot both include.
#ifndef WEIR_TEST_DECLARATIONS_H
#define WEIR_TEST_DECLARATIONS_H

struct fact {
  const char *text;
  long long value;
};

// Both end with a NULL text; NVIDIA's is empty where there was no cuda.h.
extern const struct fact facts_of_weir[], facts_of_cuda[];

#define SIZE(type)                                                                                                     \
  { "sizeof " #type, (long long)sizeof(type) }
#define PLACE(type, field)                                                                                             \
  { #type "." #field, (long long)offsetof(type, field) }
#define VALUE(name)                                                                                                    \
  { #name, (long long)name }

#define FACTS                                                                                                          \
  SIZE(CUdevice), SIZE(CUdeviceptr), SIZE(CUmemGenericAllocationHandle), SIZE(CUcontext), SIZE(CUmodule),              \
    SIZE(CUfunction), SIZE(CUevent), SIZE(CUstream), SIZE(CUresult), SIZE(CUdevice_attribute),                         \
    SIZE(CUfunction_attribute), SIZE(CUfunc_cache), SIZE(CUjit_option), SIZE(CUmemAllocationType),                     \
    SIZE(CUmemAllocationHandleType), SIZE(CUmemLocationType), SIZE(CUmemAccess_flags),                                 \
    SIZE(CUmemAllocationGranularity_flags), SIZE(CUmemLocation), SIZE(CUmemAllocationProp), SIZE(CUmemAccessDesc),     \
    PLACE(CUmemLocation, type), PLACE(CUmemLocation, id), PLACE(CUmemAllocationProp, type),                            \
    PLACE(CUmemAllocationProp, requestedHandleTypes), PLACE(CUmemAllocationProp, location),                            \
    PLACE(CUmemAllocationProp, win32HandleMetaData), PLACE(CUmemAllocationProp, allocFlags.compressionType),           \
    PLACE(CUmemAllocationProp, allocFlags.gpuDirectRDMACapable), PLACE(CUmemAllocationProp, allocFlags.usage),         \
    PLACE(CUmemAllocationProp, allocFlags.reserved), PLACE(CUmemAccessDesc, location), PLACE(CUmemAccessDesc, flags),  \
    VALUE(CUDA_SUCCESS), VALUE(CUDA_ERROR_INVALID_VALUE), VALUE(CUDA_ERROR_OUT_OF_MEMORY),                             \
    VALUE(CUDA_ERROR_NO_DEVICE), VALUE(CUDA_ERROR_INVALID_IMAGE), VALUE(CUDA_ERROR_INVALID_PTX),                       \
    VALUE(CUDA_ERROR_ILLEGAL_ADDRESS), VALUE(CUDA_ERROR_MISALIGNED_ADDRESS), VALUE(CUDA_ERROR_LAUNCH_FAILED),          \
    VALUE(CUDA_ERROR_NOT_SUPPORTED), VALUE(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),                           \
    VALUE(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),              \
    VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), VALUE(CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED),         \
    VALUE(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),                                                   \
    VALUE(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),                                                      \
    VALUE(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED),                                                    \
    VALUE(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK), VALUE(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),           \
    VALUE(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), VALUE(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT), \
    VALUE(CU_FUNC_CACHE_PREFER_NONE), VALUE(CU_FUNC_CACHE_PREFER_SHARED), VALUE(CU_FUNC_CACHE_PREFER_L1),              \
    VALUE(CU_JIT_ERROR_LOG_BUFFER), VALUE(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES), VALUE(CU_MEM_ALLOCATION_TYPE_PINNED),   \
    VALUE(CU_MEM_HANDLE_TYPE_NONE), VALUE(CU_MEM_LOCATION_TYPE_DEVICE), VALUE(CU_MEM_ACCESS_FLAGS_PROT_READWRITE),     \
    VALUE(CU_MEM_ALLOC_GRANULARITY_RECOMMENDED), {                                                                     \
    0                                                                                                                  \
  }

#endif
