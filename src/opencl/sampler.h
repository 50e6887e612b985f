// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Samplers. Invariant: `handle` is what device code is given.
#ifndef WEIR_OPENCL_SAMPLER_H
#define WEIR_OPENCL_SAMPLER_H

#include "exec/texture.h"
#include "opencl/context.h"

struct _cl_sampler {
  struct weir_cl_head object;
  cl_context context;
  cl_bool normalized;
  cl_addressing_mode addressing;
  cl_filter_mode filter;
  cl_sampler_properties *list; // of clCreateSamplerWithProperties, or NULL
  unsigned list_count;
  uint64_t handle; // weir_sampler_pack
};

#endif
