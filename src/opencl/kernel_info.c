// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl/kernel.h"

#include "base/bits.h"

void weir_cl_kernel_required(cl_kernel k, size_t required[3]) {
  const uint32_t *r = k->info && k->info->reqd_work_group_size[0] ? k->info->reqd_work_group_size : k->kernel->reqntid;
  for (unsigned i = 0; i < 3; i++) required[i] = r[0] && !r[i] ? 1 : r[i];
}

uint64_t weir_cl_kernel_local_bytes(cl_kernel k) {
  uint64_t bytes = k->kernel->shared_bytes;
  for (uint32_t i = 0; i < k->kernel->param_count; i++)
    if (k->args[i].set && !k->args[i].value) bytes = weir_align_up(bytes, 16) + k->args[i].bytes;
  return bytes;
}

size_t weir_cl_kernel_group_size(cl_kernel k) {
  struct weir_device *d = weir_cl_modelled();
  const struct weir_device_facts f = weir_device_facts(d);
  const uint32_t *m = k->kernel->maxntid;
  const uint64_t limit = m[0] ? (uint64_t)m[0] * (m[1] ? m[1] : 1) * (m[2] ? m[2] : 1) : f.max_block_threads;
  uint64_t size = limit < f.max_block_threads ? limit : f.max_block_threads;
  while (size > f.lanes && !weir_device_occupancy(d, k->kernel, (unsigned)size, 0, 0))
    size = (size - 1) / f.lanes * f.lanes;
  return size;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelInfo(cl_kernel k, cl_kernel_info key, size_t size, void *to,
                                                size_t *size_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(k, KERNEL)) return CL_INVALID_KERNEL;
  switch (key) {
  case CL_KERNEL_FUNCTION_NAME: return weir_cl_answer_text(k->kernel->name, size, to, size_ret);
  case CL_KERNEL_NUM_ARGS: return WEIR_CL_ANSWER(cl_uint, k->kernel->param_count);
  case CL_KERNEL_REFERENCE_COUNT: return WEIR_CL_ANSWER(cl_uint, k->object.references);
  case CL_KERNEL_CONTEXT: return WEIR_CL_ANSWER(cl_context, k->program->context);
  case CL_KERNEL_PROGRAM: return WEIR_CL_ANSWER(cl_program, k->program);
  case CL_KERNEL_ATTRIBUTES: return weir_cl_answer_text(k->info ? k->info->attributes : "", size, to, size_ret);
  default: return CL_INVALID_VALUE;
  }
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id device,
                                                         cl_kernel_work_group_info key, size_t size, void *to,
                                                         size_t *size_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(k, KERNEL)) return CL_INVALID_KERNEL;
  if (device && !weir_cl_is(device, DEVICE)) return CL_INVALID_DEVICE;
  if (!weir_cl_modelled()) return CL_OUT_OF_RESOURCES;
  size_t required[3];
  weir_cl_kernel_required(k, required);
  switch (key) {
  case CL_KERNEL_WORK_GROUP_SIZE: return WEIR_CL_ANSWER(size_t, weir_cl_kernel_group_size(k));
  case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: return weir_cl_answer(required, sizeof required, size, to, size_ret);
  case CL_KERNEL_LOCAL_MEM_SIZE: return WEIR_CL_ANSWER(cl_ulong, weir_cl_kernel_local_bytes(k));
  case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
    return WEIR_CL_ANSWER(size_t, weir_device_lanes(weir_cl_modelled()));
  case CL_KERNEL_PRIVATE_MEM_SIZE: return WEIR_CL_ANSWER(cl_ulong, k->kernel->local_bytes);
  default: return CL_INVALID_VALUE; // CL_KERNEL_GLOBAL_WORK_SIZE is for custom devices and built-in kernels
  }
}

// What sub-groups are is an answer of OpenCL 2.1; the device is of 1.2.
CL_API_ENTRY cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel k, cl_device_id device, cl_kernel_sub_group_info key,
                                                        size_t input_size, const void *input, size_t size, void *to,
                                                        size_t *size_ret) {
  (void)key, (void)input_size, (void)input, (void)size, (void)to, (void)size_ret;
  if (!weir_cl_is(k, KERNEL)) return CL_INVALID_KERNEL;
  return device && !weir_cl_is(device, DEVICE) ? CL_INVALID_DEVICE : CL_INVALID_OPERATION;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelSubGroupInfoKHR(cl_kernel k, cl_device_id device,
                                                           cl_kernel_sub_group_info key, size_t input_size,
                                                           const void *input, size_t size, void *to, size_t *size_ret) {
  return clGetKernelSubGroupInfo(k, device, key, input_size, input, size, to, size_ret);
}

// Hints about shared virtual memory, of which there is none.
CL_API_ENTRY cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel k, cl_kernel_exec_info key, size_t size,
                                                    const void *value) {
  (void)key, (void)size, (void)value;
  return weir_cl_is(k, KERNEL) ? CL_INVALID_OPERATION : CL_INVALID_KERNEL;
}
