// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Values that decide what conditional nodes run. Invariant: a handle is the address of its value in the device's memory, where
// cudaGraphSetConditional of device code (ptx/builtin.h) writes it; it is there as long as a graph that it was made for, or an executable one.
#ifndef WEIR_CUDART_GRAPH_CONDITION_H
#define WEIR_CUDART_GRAPH_CONDITION_H

#include "cudart/runtime.h"

struct weir_cuda_condition {
  struct weir_device *device;
  uint64_t handle;
  unsigned graphs; // that hold it
  uint32_t first;  // the value that each launch begins with …
  bool assigned;   // … if this is set
};

struct weir_cuda_condition *weir_cuda_condition_new(struct weir_device *d, uint32_t first,
                                                    bool assigned); // NULL: no room
void weir_cuda_condition_hold(struct weir_cuda_condition *c);
void weir_cuda_condition_release(struct weir_cuda_condition *c);

// The handle's; NULL: there is none.
const struct weir_cuda_condition *weir_cuda_condition_of(uint64_t handle);

void weir_cuda_condition_begin(const struct weir_cuda_condition *c); // a launch
uint32_t weir_cuda_condition_value(const struct weir_cuda_condition *c);

#endif
