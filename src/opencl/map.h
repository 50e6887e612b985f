// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Mapping. Invariant: a mapping stands in its object's list from the call that enqueues the mapping to the one that
// enqueues its end. What is mapped is the device's own bytes, or, with CL_MEM_USE_HOST_PTR, the program's copy of them.
#ifndef WEIR_OPENCL_MAP_H
#define WEIR_OPENCL_MAP_H

#include "opencl/transfer.h"

// Maps a box that lies inside `m`: x in bytes. NULL and a code if not.
void *weir_cl_map(cl_command_queue q, cl_command_type type, cl_mem m, cl_map_flags flags, const size_t origin[3],
                  const size_t region[3], bool blocking, cl_uint wait_count, const cl_event *waits, cl_event *event,
                  cl_int *errcode_ret);

#endif
