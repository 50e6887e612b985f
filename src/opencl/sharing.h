// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Refusals of interfaces that have no type here. Invariant: they look at none of their arguments.
#ifndef WEIR_OPENCL_SHARING_H
#define WEIR_OPENCL_SHARING_H

#include "opencl/object.h"

cl_int weir_cl_refuse_call(void);
void *weir_cl_refuse_handle(void);

#endif
