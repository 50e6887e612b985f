// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl/program.h"

#include "base/alloc.h"

#include <string.h>

// "a;b;c"
static char *kernel_names(cl_program p) {
  const cl_uint count = weir_cl_program_kernel_count(p);
  size_t total = 1;
  for (cl_uint i = 0; i < count; i++) total += strlen(weir_cl_program_kernel_name(p, i)) + 1;
  char *names = weir_alloc(total), *at = names;
  for (cl_uint i = 0; i < count; i++) {
    if (i) *at++ = ';';
    at = stpcpy(at, weir_cl_program_kernel_name(p, i));
  }
  return names;
}

static cl_int answer_kernels(cl_program p, cl_program_info key, size_t size, void *to, size_t *size_ret) {
  if (!p->loaded) return CL_INVALID_PROGRAM_EXECUTABLE;
  if (key == CL_PROGRAM_NUM_KERNELS) return WEIR_CL_ANSWER(size_t, weir_cl_program_kernel_count(p));
  char *names = kernel_names(p);
  const cl_int code = weir_cl_answer_text(names, size, to, size_ret);
  weir_free(names);
  return code;
}

// The caller's array holds where each device's binary goes; NULL: it does not want that one.
static cl_int answer_binaries(cl_program p, size_t size, void *to, size_t *size_ret) {
  if (to && size < sizeof(unsigned char *)) return CL_INVALID_VALUE;
  if (size_ret) *size_ret = sizeof(unsigned char *);
  unsigned char **binaries = to;
  if (binaries && binaries[0] && p->binary_bytes) memcpy(binaries[0], p->binary, p->binary_bytes);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramInfo(cl_program p, cl_program_info key, size_t size, void *to,
                                                 size_t *size_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(p, PROGRAM)) return CL_INVALID_PROGRAM;
  switch (key) {
  case CL_PROGRAM_REFERENCE_COUNT: return WEIR_CL_ANSWER(cl_uint, p->object.references);
  case CL_PROGRAM_CONTEXT: return WEIR_CL_ANSWER(cl_context, p->context);
  case CL_PROGRAM_NUM_DEVICES: return WEIR_CL_ANSWER(cl_uint, 1);
  case CL_PROGRAM_DEVICES: return WEIR_CL_ANSWER(cl_device_id, &weir_cl_device);
  case CL_PROGRAM_SOURCE: return weir_cl_answer_text(p->source, size, to, size_ret);
  case CL_PROGRAM_BINARY_SIZES: return WEIR_CL_ANSWER(size_t, p->binary_bytes);
  case CL_PROGRAM_BINARIES: return answer_binaries(p, size, to, size_ret);
  case CL_PROGRAM_NUM_KERNELS:
  case CL_PROGRAM_KERNEL_NAMES: return answer_kernels(p, key, size, to, size_ret);
  default: return CL_INVALID_VALUE;
  }
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramBuildInfo(cl_program p, cl_device_id device, cl_program_build_info key,
                                                      size_t size, void *to, size_t *size_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(p, PROGRAM)) return CL_INVALID_PROGRAM;
  if (!weir_cl_is(device, DEVICE)) return CL_INVALID_DEVICE;
  switch (key) {
  case CL_PROGRAM_BUILD_STATUS: return WEIR_CL_ANSWER(cl_build_status, p->status);
  case CL_PROGRAM_BUILD_OPTIONS: return weir_cl_answer_text(p->options, size, to, size_ret);
  case CL_PROGRAM_BUILD_LOG: return weir_cl_answer_text(p->log, size, to, size_ret);
  case CL_PROGRAM_BINARY_TYPE: return WEIR_CL_ANSWER(cl_program_binary_type, p->type);
  default: return CL_INVALID_VALUE;
  }
}
