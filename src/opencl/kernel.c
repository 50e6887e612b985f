// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl/kernel.h"

#include "base/alloc.h"

#include <string.h>

static cl_kernel create(cl_program p, const char *name) {
  const struct weir_kernel *found = weir_program_kernel(p->loaded, name);
  if (!found) return NULL;
  cl_kernel k = weir_new(struct _cl_kernel);
  weir_cl_head_init(&k->object, WEIR_CL_MAGIC_KERNEL);
  k->program = p;
  k->kernel = found;
  k->info = p->described ? weir_cl_kernels_find(&p->kernels, name) : NULL;
  if (k->info && k->info->arg_count != found->param_count) k->info = NULL; // a text that was edited by hand
  k->args = weir_new_array(struct weir_cl_set_arg, found->param_count);
  weir_cl_program_retain(p);
  p->attached++;
  return k;
}

void weir_cl_kernel_retain(cl_kernel k) {
  k->object.references++;
}

void weir_cl_kernel_release(cl_kernel k) {
  if (!weir_cl_head_release(&k->object)) return;
  for (uint32_t i = 0; i < k->kernel->param_count; i++) weir_free(k->args[i].value);
  weir_free(k->args);
  k->program->attached--;
  weir_cl_program_release(k->program);
  weir_free(k);
}

static cl_int check_program(cl_program p) {
  if (!weir_cl_is(p, PROGRAM)) return CL_INVALID_PROGRAM;
  return p->loaded ? CL_SUCCESS : CL_INVALID_PROGRAM_EXECUTABLE;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCreateKernel(cl_program p, const char *name, cl_int *errcode_ret) {
  WEIR_CL_ENTER;
  cl_int code = check_program(p);
  if (code == CL_SUCCESS && !name) code = CL_INVALID_VALUE;
  if (code != CL_SUCCESS) return weir_cl_refuse(errcode_ret, code);
  cl_kernel k = create(p, name);
  weir_cl_code(errcode_ret, k ? CL_SUCCESS : CL_INVALID_KERNEL_NAME);
  return k;
}

CL_API_ENTRY cl_int CL_API_CALL clCreateKernelsInProgram(cl_program p, cl_uint num_kernels, cl_kernel *kernels,
                                                         cl_uint *num_kernels_ret) {
  WEIR_CL_ENTER;
  const cl_int code = check_program(p);
  if (code != CL_SUCCESS) return code;
  const cl_uint count = weir_cl_program_kernel_count(p);
  if (kernels && num_kernels < count) return CL_INVALID_VALUE;
  for (cl_uint i = 0; kernels && i < count; i++) kernels[i] = create(p, weir_cl_program_kernel_name(p, i));
  if (num_kernels_ret) *num_kernels_ret = count;
  return CL_SUCCESS;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCloneKernel(cl_kernel source, cl_int *errcode_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(source, KERNEL)) return weir_cl_refuse(errcode_ret, CL_INVALID_KERNEL);
  cl_kernel k = create(source->program, source->kernel->name);
  for (uint32_t i = 0; i < k->kernel->param_count; i++) {
    k->args[i] = source->args[i];
    if (!k->args[i].value) continue;
    k->args[i].value = weir_alloc(k->args[i].bytes);
    memcpy(k->args[i].value, source->args[i].value, k->args[i].bytes);
  }
  weir_cl_code(errcode_ret, CL_SUCCESS);
  return k;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainKernel(cl_kernel k) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(k, KERNEL)) return CL_INVALID_KERNEL;
  weir_cl_kernel_retain(k);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseKernel(cl_kernel k) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(k, KERNEL)) return CL_INVALID_KERNEL;
  weir_cl_kernel_release(k);
  return CL_SUCCESS;
}
