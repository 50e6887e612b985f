// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl/sampler.h"

#include "base/alloc.h"

#include <string.h>

// CL_ADDRESS_NONE leaves open what is read outside: the edge, here.
static bool address_of(cl_addressing_mode mode, enum weir_texture_address *address) {
  switch (mode) {
  case CL_ADDRESS_NONE:
  case CL_ADDRESS_CLAMP_TO_EDGE: *address = WEIR_ADDRESS_CLAMP; return true;
  case CL_ADDRESS_CLAMP: *address = WEIR_ADDRESS_BORDER; return true;
  case CL_ADDRESS_REPEAT: *address = WEIR_ADDRESS_WRAP; return true;
  case CL_ADDRESS_MIRRORED_REPEAT: *address = WEIR_ADDRESS_MIRROR; return true;
  default: return false;
  }
}

static cl_sampler create(cl_context c, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter,
                         cl_int *errcode_ret) {
  if (!weir_cl_is(c, CONTEXT)) return weir_cl_refuse(errcode_ret, CL_INVALID_CONTEXT);
  enum weir_texture_address address;
  if (!address_of(addressing, &address) || (filter != CL_FILTER_NEAREST && filter != CL_FILTER_LINEAR) ||
      normalized > 1)
    return weir_cl_refuse(errcode_ret, CL_INVALID_VALUE);
  // Wrapping is defined for normalized coordinates alone (OpenCL 1.2 section 6.12.14.1).
  if (!normalized && (addressing == CL_ADDRESS_REPEAT || addressing == CL_ADDRESS_MIRRORED_REPEAT))
    return weir_cl_refuse(errcode_ret, CL_INVALID_VALUE);
  cl_sampler s = weir_new(struct _cl_sampler);
  weir_cl_head_init(&s->object, WEIR_CL_MAGIC_SAMPLER);
  weir_cl_context_retain(c);
  s->context = c;
  s->normalized = normalized;
  s->addressing = addressing;
  s->filter = filter;
  const struct weir_sampler sampler = {
    .address = {(uint8_t)address, (uint8_t)address, (uint8_t)address},
    .filter = filter == CL_FILTER_LINEAR ? WEIR_FILTER_LINEAR : WEIR_FILTER_POINT,
    .normalized = normalized,
  };
  s->handle = weir_sampler_pack(&sampler);
  weir_cl_code(errcode_ret, CL_SUCCESS);
  return s;
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSampler(cl_context c, cl_bool normalized, cl_addressing_mode addressing,
                                                    cl_filter_mode filter, cl_int *errcode_ret) {
  WEIR_CL_ENTER;
  return create(c, normalized, addressing, filter, errcode_ret);
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context c, const cl_sampler_properties *list,
                                                                  cl_int *errcode_ret) {
  WEIR_CL_ENTER;
  cl_bool normalized = CL_TRUE;
  cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
  cl_filter_mode filter = CL_FILTER_NEAREST;
  unsigned count = 0;
  for (; list && list[count]; count += 2) {
    const cl_sampler_properties value = list[count + 1];
    switch (list[count]) {
    case CL_SAMPLER_NORMALIZED_COORDS: normalized = (cl_bool)value; break;
    case CL_SAMPLER_ADDRESSING_MODE: addressing = (cl_addressing_mode)value; break;
    case CL_SAMPLER_FILTER_MODE: filter = (cl_filter_mode)value; break;
    default: return weir_cl_refuse(errcode_ret, CL_INVALID_VALUE);
    }
  }
  cl_sampler s = create(c, normalized, addressing, filter, errcode_ret);
  if (s && list) {
    s->list_count = count + 1;
    s->list = weir_new_array(cl_sampler_properties, s->list_count);
    memcpy(s->list, list, s->list_count * sizeof *list);
  }
  return s;
}

static void release_sampler(cl_sampler s) {
  if (!weir_cl_head_release(&s->object)) return;
  weir_cl_context_release(s->context);
  weir_free(s->list);
  weir_free(s);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainSampler(cl_sampler s) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(s, SAMPLER)) return CL_INVALID_SAMPLER;
  s->object.references++;
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseSampler(cl_sampler s) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(s, SAMPLER)) return CL_INVALID_SAMPLER;
  release_sampler(s);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetSamplerInfo(cl_sampler s, cl_sampler_info key, size_t size, void *to,
                                                 size_t *size_ret) {
  WEIR_CL_ENTER;
  if (!weir_cl_is(s, SAMPLER)) return CL_INVALID_SAMPLER;
  switch (key) {
  case CL_SAMPLER_REFERENCE_COUNT: return WEIR_CL_ANSWER(cl_uint, s->object.references);
  case CL_SAMPLER_CONTEXT: return WEIR_CL_ANSWER(cl_context, s->context);
  case CL_SAMPLER_NORMALIZED_COORDS: return WEIR_CL_ANSWER(cl_bool, s->normalized);
  case CL_SAMPLER_ADDRESSING_MODE: return WEIR_CL_ANSWER(cl_addressing_mode, s->addressing);
  case CL_SAMPLER_FILTER_MODE: return WEIR_CL_ANSWER(cl_filter_mode, s->filter);
  case CL_SAMPLER_PROPERTIES: return weir_cl_answer(s->list, s->list_count * sizeof *s->list, size, to, size_ret);
  default: return CL_INVALID_VALUE;
  }
}
