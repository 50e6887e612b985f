// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl/kernel.h"

#include "base/alloc.h"

#include <string.h>

// PTX of another compiler tells pointers from numbers only where it says .ptr: what is 8 bytes wide and looked upon as
// a pointer takes a memory object, or a number (set_unknown).
static enum weir_cl_kind arg_kind(cl_kernel k, uint32_t i) {
  if (k->info) return k->info->args[i].kind;
  const struct weir_kernel_param *p = &k->kernel->params[i];
  return p->is_shared_pointer ? WEIR_CL_LOCAL : p->is_pointer ? WEIR_CL_GLOBAL : WEIR_CL_VALUE;
}

static void replace(struct weir_cl_set_arg *a, const void *value, size_t bytes) {
  weir_free(a->value);
  *a = (struct weir_cl_set_arg){.set = true, .bytes = (uint32_t)bytes};
  if (!value) return;
  a->value = weir_alloc(bytes);
  memcpy(a->value, value, bytes);
}

static cl_int set_value(cl_kernel k, uint32_t i, size_t size, const void *value) {
  if (!value) return CL_INVALID_ARG_VALUE;
  if (size != k->kernel->params[i].bytes) return CL_INVALID_ARG_SIZE;
  replace(&k->args[i], value, size);
  return CL_SUCCESS;
}

static cl_int set_mem(cl_kernel k, uint32_t i, cl_mem m) {
  uint64_t nothing = 0; // its place in the parameters; the address is filled in at the launch
  replace(&k->args[i], &nothing, sizeof nothing);
  k->args[i].mem = m;
  return CL_SUCCESS;
}

static cl_int set_buffer(cl_kernel k, uint32_t i, size_t size, const void *value) {
  if (size != sizeof(cl_mem)) return CL_INVALID_ARG_SIZE;
  cl_mem m = NULL;
  if (value) memcpy(&m, value, sizeof m);
  if (!m) return set_mem(k, i, NULL);
  const bool buffer = weir_cl_mem_lives(m) && weir_cl_is_buffer(m);
  if (buffer && m->context == k->program->context) return set_mem(k, i, m);
  return k->info || weir_cl_mem_lives(m) ? CL_INVALID_MEM_OBJECT : set_value(k, i, size, value);
}

static cl_int set_image(cl_kernel k, uint32_t i, size_t size, const void *value) {
  if (size != sizeof(cl_mem)) return CL_INVALID_ARG_SIZE;
  cl_mem m = NULL;
  if (value) memcpy(&m, value, sizeof m);
  if (!m) return CL_INVALID_ARG_VALUE;
  if (!weir_cl_mem_lives(m) || !weir_cl_is_image(m)) return CL_INVALID_MEM_OBJECT;
  const enum weir_cl_access access = k->info->args[i].access;
  if ((access == WEIR_CL_READ_ONLY && (m->flags & CL_MEM_WRITE_ONLY)) ||
      (access == WEIR_CL_WRITE_ONLY && (m->flags & CL_MEM_READ_ONLY)))
    return CL_INVALID_ARG_VALUE;
  return set_mem(k, i, m);
}

static cl_int set_sampler(cl_kernel k, uint32_t i, size_t size, const void *value) {
  if (size != sizeof(cl_sampler)) return CL_INVALID_ARG_SIZE;
  cl_sampler s = NULL;
  if (value) memcpy(&s, value, sizeof s);
  if (!weir_cl_is(s, SAMPLER)) return CL_INVALID_SAMPLER;
  return set_value(k, i, sizeof s->handle, &s->handle);
}

static cl_int set_local(cl_kernel k, uint32_t i, size_t size, const void *value) {
  if (value) return CL_INVALID_ARG_VALUE;
  if (!size || size > UINT32_MAX) return CL_INVALID_ARG_SIZE;
  replace(&k->args[i], NULL, size);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArg(cl_kernel k, cl_uint index, size_t size, const void *value) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(k, KERNEL)) return CL_INVALID_KERNEL;
  if (index >= k->kernel->param_count) return CL_INVALID_ARG_INDEX;
  switch (arg_kind(k, index)) {
  case WEIR_CL_GLOBAL:
  case WEIR_CL_CONSTANT: return set_buffer(k, index, size, value);
  case WEIR_CL_LOCAL: return set_local(k, index, size, value);
  case WEIR_CL_IMAGE: return set_image(k, index, size, value);
  case WEIR_CL_SAMPLER: return set_sampler(k, index, size, value);
  case WEIR_CL_VALUE: break;
  }
  return set_value(k, index, size, value);
}

static cl_kernel_arg_address_qualifier address_of(enum weir_cl_kind kind) {
  switch (kind) {
  case WEIR_CL_GLOBAL:
  case WEIR_CL_IMAGE: return CL_KERNEL_ARG_ADDRESS_GLOBAL;
  case WEIR_CL_CONSTANT: return CL_KERNEL_ARG_ADDRESS_CONSTANT;
  case WEIR_CL_LOCAL: return CL_KERNEL_ARG_ADDRESS_LOCAL;
  default: return CL_KERNEL_ARG_ADDRESS_PRIVATE;
  }
}

static cl_kernel_arg_access_qualifier access_of(enum weir_cl_access access) {
  switch (access) {
  case WEIR_CL_READ_ONLY: return CL_KERNEL_ARG_ACCESS_READ_ONLY;
  case WEIR_CL_WRITE_ONLY: return CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
  case WEIR_CL_READ_WRITE: return CL_KERNEL_ARG_ACCESS_READ_WRITE;
  default: return CL_KERNEL_ARG_ACCESS_NONE;
  }
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel k, cl_uint index, cl_kernel_arg_info key, size_t size,
                                                   void *to, size_t *size_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(k, KERNEL)) return CL_INVALID_KERNEL;
  if (index >= k->kernel->param_count) return CL_INVALID_ARG_INDEX;
  if (!k->info) return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
  const struct weir_cl_arg *a = &k->info->args[index];
  const cl_kernel_arg_type_qualifier type = (a->is_const ? CL_KERNEL_ARG_TYPE_CONST : 0u) |
    (a->is_restrict ? CL_KERNEL_ARG_TYPE_RESTRICT : 0u) | (a->is_volatile ? CL_KERNEL_ARG_TYPE_VOLATILE : 0u);
  switch (key) {
  case CL_KERNEL_ARG_ADDRESS_QUALIFIER: return WEIR_CL_ANSWER(cl_kernel_arg_address_qualifier, address_of(a->kind));
  case CL_KERNEL_ARG_ACCESS_QUALIFIER: return WEIR_CL_ANSWER(cl_kernel_arg_access_qualifier, access_of(a->access));
  case CL_KERNEL_ARG_TYPE_QUALIFIER: return WEIR_CL_ANSWER(cl_kernel_arg_type_qualifier, type);
  case CL_KERNEL_ARG_TYPE_NAME: return weir_cl_answer_text(a->type, size, to, size_ret);
  case CL_KERNEL_ARG_NAME: return weir_cl_answer_text(a->name, size, to, size_ret);
  default: return CL_INVALID_VALUE;
  }
}
