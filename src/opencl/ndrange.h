// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// From work-items and work-groups to threads and blocks: OpenCL 1.2 section 5.8. Invariant: a shape that was taken fits
// the device; one that was not is answered with the specification's code, and said why on standard error, since many
// programs look at no code.
#ifndef WEIR_OPENCL_NDRANGE_H
#define WEIR_OPENCL_NDRANGE_H

#include "host/host.h"
#include "opencl/kernel.h"

struct weir_cl_shape {
  struct weir_dim grid, block;
  struct weir_cl_ndrange facts;
};

// `local` NULL: one is chosen that divides.
cl_int weir_cl_ndrange_shape(cl_kernel k, cl_uint work_dim, const size_t *offset, const size_t *global,
                             const size_t *local, struct weir_cl_shape *shape);

// Whether every argument is set and lives, and local memory suffices.
cl_int weir_cl_ndrange_check_args(cl_kernel k);

#endif
