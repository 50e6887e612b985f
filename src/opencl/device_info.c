// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// clGetDeviceInfo: what every weir device says is in a table, what the chip says in functions.
#include "opencl/compile/compile.h"
#include "opencl/device.h"

#include <string.h>

const char *weir_cl_extensions(void) {
  return "cl_khr_icd cl_khr_byte_addressable_store cl_khr_fp64 cl_khr_3d_image_writes "
         "cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "
         "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics "
         "cl_khr_int64_base_atomics cl_khr_int64_extended_atomics";
}

struct fixed {
  cl_device_info key;
  uint8_t bytes;
  uint64_t value;
};

enum {
  FLOAT_CONFIG =
    CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA,
};

#define UINT sizeof(cl_uint)
#define ULONG sizeof(cl_ulong)
#define SIZE sizeof(size_t)

static const struct fixed fixed[] = {
  {CL_DEVICE_TYPE, ULONG, CL_DEVICE_TYPE_GPU},
  {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, UINT, 3},
  {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, UINT, 1},
  {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, UINT, 1},
  {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, UINT, 1},
  {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, UINT, 1},
  {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, UINT, 1},
  {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, UINT, 1},
  {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, UINT, 0},
  {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, UINT, 1},
  {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, UINT, 1},
  {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, UINT, 1},
  {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, UINT, 1},
  {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, UINT, 1},
  {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, UINT, 1},
  {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, UINT, 0},
  {CL_DEVICE_ADDRESS_BITS, UINT, 64},
  {CL_DEVICE_IMAGE_SUPPORT, UINT, CL_TRUE},
  {CL_DEVICE_MAX_READ_IMAGE_ARGS, UINT, WEIR_CL_MAX_READ_IMAGES},
  {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, UINT, WEIR_CL_MAX_WRITE_IMAGES},
  {CL_DEVICE_MAX_SAMPLERS, UINT, WEIR_CL_MAX_SAMPLERS},
  {CL_DEVICE_IMAGE2D_MAX_WIDTH, SIZE, WEIR_CL_IMAGE_2D},
  {CL_DEVICE_IMAGE2D_MAX_HEIGHT, SIZE, WEIR_CL_IMAGE_2D},
  {CL_DEVICE_IMAGE3D_MAX_WIDTH, SIZE, WEIR_CL_IMAGE_3D},
  {CL_DEVICE_IMAGE3D_MAX_HEIGHT, SIZE, WEIR_CL_IMAGE_3D},
  {CL_DEVICE_IMAGE3D_MAX_DEPTH, SIZE, WEIR_CL_IMAGE_3D},
  {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, SIZE, WEIR_CL_IMAGE_BUFFER},
  {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, SIZE, WEIR_CL_IMAGE_LAYERS},
  {CL_DEVICE_MAX_PARAMETER_SIZE, SIZE, WEIR_CL_MAX_PARAMETER_BYTES},
  {CL_DEVICE_MEM_BASE_ADDR_ALIGN, UINT, WEIR_CL_BASE_ALIGN_BITS},
  {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, UINT, WEIR_CL_BASE_ALIGN_BITS / 8},
  {CL_DEVICE_SINGLE_FP_CONFIG, ULONG, FLOAT_CONFIG},
  {CL_DEVICE_DOUBLE_FP_CONFIG, ULONG, FLOAT_CONFIG},
  {CL_DEVICE_MAX_CONSTANT_ARGS, UINT, 9},
  {CL_DEVICE_LOCAL_MEM_TYPE, UINT, CL_LOCAL},
  {CL_DEVICE_ERROR_CORRECTION_SUPPORT, UINT, CL_FALSE},
  {CL_DEVICE_HOST_UNIFIED_MEMORY, UINT, CL_FALSE},
  {CL_DEVICE_PROFILING_TIMER_RESOLUTION, SIZE, 1}, // nanoseconds, simulated
  {CL_DEVICE_ENDIAN_LITTLE, UINT, CL_TRUE},
  {CL_DEVICE_AVAILABLE, UINT, CL_TRUE},
  {CL_DEVICE_EXECUTION_CAPABILITIES, ULONG, CL_EXEC_KERNEL},
  {CL_DEVICE_QUEUE_PROPERTIES, ULONG, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE},
  {CL_DEVICE_PARENT_DEVICE, sizeof(cl_device_id), 0},
  {CL_DEVICE_PARTITION_MAX_SUB_DEVICES, UINT, 0},
  {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, ULONG, 0},
  {CL_DEVICE_REFERENCE_COUNT, UINT, 1},
  {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, UINT, CL_TRUE},
  {CL_DEVICE_PRINTF_BUFFER_SIZE, SIZE, 1 << 20},
};

static const char *text_of(cl_device_info key, const struct weir_device_facts *f) {
  switch (key) {
  case CL_DEVICE_NAME: return f->name;
  case CL_DEVICE_VENDOR: return f->vendor;
  case CL_DRIVER_VERSION: return WEIR_VERSION;
  case CL_DEVICE_PROFILE: return "FULL_PROFILE";
  case CL_DEVICE_VERSION: return WEIR_CL_VERSION_TEXT;
  case CL_DEVICE_OPENCL_C_VERSION: return "OpenCL C 1.2 weir " WEIR_VERSION;
  case CL_DEVICE_EXTENSIONS: return weir_cl_extensions();
  case CL_DEVICE_BUILT_IN_KERNELS: return "";
  default: return NULL;
  }
}

// PCI's numbers (pcisig.com), which programs look at to choose among variants of their kernels.
static cl_uint vendor_id(const char *vendor) {
  if (vendor && strstr(vendor, "NVIDIA")) return 0x10de;
  if (vendor && strstr(vendor, "Advanced Micro Devices")) return 0x1002;
  return 0;
}

static cl_int chip_answer(cl_device_info key, const struct weir_device_facts *f, size_t size, void *to,
                          size_t *size_ret) {
  switch (key) {
  case CL_DEVICE_VENDOR_ID: return WEIR_CL_ANSWER(cl_uint, vendor_id(f->vendor));
  case CL_DEVICE_MAX_COMPUTE_UNITS: return WEIR_CL_ANSWER(cl_uint, f->cores);
  case CL_DEVICE_MAX_WORK_GROUP_SIZE: return WEIR_CL_ANSWER(size_t, f->max_block_threads);
  case CL_DEVICE_MAX_CLOCK_FREQUENCY: return WEIR_CL_ANSWER(cl_uint, f->core_khz / 1000);
  case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return WEIR_CL_ANSWER(cl_ulong, weir_cl_max_alloc_bytes(f));
  case CL_DEVICE_GLOBAL_MEM_SIZE: return WEIR_CL_ANSWER(cl_ulong, f->memory_bytes);
  case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
    return WEIR_CL_ANSWER(cl_device_mem_cache_type, f->l2_bytes ? CL_READ_WRITE_CACHE : CL_NONE);
  case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: return WEIR_CL_ANSWER(cl_ulong, f->l2_bytes);
  case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE: return WEIR_CL_ANSWER(cl_uint, f->l2_line_bytes);
  case CL_DEVICE_LOCAL_MEM_SIZE: return WEIR_CL_ANSWER(cl_ulong, f->block_shared_bytes);
  case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: return WEIR_CL_ANSWER(cl_ulong, f->constant_bytes);
  case CL_DEVICE_PLATFORM: return WEIR_CL_ANSWER(cl_platform_id, &weir_cl_platform);
  case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: return WEIR_CL_ANSWER(size_t, f->lanes);
  default: return CL_INVALID_VALUE;
  }
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info key, size_t size, void *to,
                                                size_t *size_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(device, DEVICE)) return CL_INVALID_DEVICE;
  for (unsigned i = 0; i < sizeof fixed / sizeof *fixed; i++)
    if (fixed[i].key == key) return weir_cl_answer(&fixed[i].value, fixed[i].bytes, size, to, size_ret);
  struct weir_device *d = weir_cl_modelled();
  if (!d) return CL_INVALID_DEVICE;
  const struct weir_device_facts f = weir_device_facts(d);
  const char *text = text_of(key, &f);
  if (text) return weir_cl_answer_text(text, size, to, size_ret);
  switch (key) {
  case CL_DEVICE_MAX_WORK_ITEM_SIZES: // PTX's own limits: the third dimension has at most 64
    return weir_cl_answer((size_t[]){f.max_block_threads, f.max_block_threads, 64}, 3 * sizeof(size_t), size, to,
                          size_ret);
  case CL_DEVICE_COMPILER_AVAILABLE:
  case CL_DEVICE_LINKER_AVAILABLE: return WEIR_CL_ANSWER(cl_bool, weir_cl_compiler_available(NULL));
  case CL_DEVICE_PARTITION_PROPERTIES: return WEIR_CL_ANSWER(cl_device_partition_property, 0);
  case CL_DEVICE_PARTITION_TYPE: return weir_cl_answer(NULL, 0, size, to, size_ret);
  default: return chip_answer(key, &f, size, to, size_ret);
  }
}
