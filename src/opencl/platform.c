// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl/device.h"

struct _cl_platform_id weir_cl_platform = {{&weir_cl_dispatch, WEIR_CL_MAGIC_PLATFORM, 1}};

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms,
                                                 cl_uint *num_platforms) {
  if ((platforms && !num_entries) || (!platforms && !num_platforms)) return CL_INVALID_VALUE;
  if (platforms) platforms[0] = &weir_cl_platform;
  if (num_platforms) *num_platforms = 1;
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                                       cl_uint *num_platforms) {
  return clGetPlatformIDs(num_entries, platforms, num_platforms);
}

static const char *platform_text(cl_platform_info key) {
  switch (key) {
  case CL_PLATFORM_PROFILE: return "FULL_PROFILE";
  case CL_PLATFORM_VERSION: return WEIR_CL_VERSION_TEXT;
  case CL_PLATFORM_NAME: return "weir";
  case CL_PLATFORM_VENDOR: return "the weir authors";
  case CL_PLATFORM_EXTENSIONS: return weir_cl_extensions();
  case CL_PLATFORM_ICD_SUFFIX_KHR: return "WEIR";
  default: return NULL;
  }
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name, size_t size,
                                                  void *to, size_t *size_ret) {
  if (platform && platform != &weir_cl_platform) return CL_INVALID_PLATFORM;
  const char *text = platform_text(param_name);
  return text ? weir_cl_answer_text(text, size, to, size_ret) : CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id platform) {
  return platform == &weir_cl_platform ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadCompiler(void) {
  return CL_SUCCESS;
}
