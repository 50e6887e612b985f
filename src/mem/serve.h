// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A memory slice without time: a request, and all that it leads to, is served before the next one comes. Invariant: nothing is on
// its way between two of them, so none waits for another, and none is refused.
#ifndef WEIR_MEM_SERVE_H
#define WEIR_MEM_SERVE_H

#include "mem/slice.h"

struct weir_serve_ends {
  void (*answered)(void *context, struct weir_mreq *r); // the request is the callee's
  // A part of the request is there, and not the last one. Taken note of? Else it is answered by itself.
  bool (*part)(void *context, const struct weir_mreq *r);
  void (*memory)(void *context, uint64_t address, uint32_t bytes, bool writes); // goes to DRAM
  void *context;
};

// As it comes from a core: its slice and place are known (weir_address_request).
void weir_slice_serve(struct weir_slice *s, struct weir_mreq *r, weir_cycle now, const struct weir_serve_ends *ends);

#endif
