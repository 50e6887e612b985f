// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What host.c and launch.c share. Invariant: `copies` holds what was copied in before a backend was attached, and is
// empty afterwards.
#ifndef WEIR_HOST_HOST_PRIVATE_H
#define WEIR_HOST_HOST_PRIVATE_H

#include "host/host.h"

struct weir_host_copy {
  uint64_t address, bytes;
};

struct weir_host {
  const struct weir_program *program;
  struct weir_memory *memory;
  struct weir_sink *sink;
  struct weir_backend backend; // .launch is NULL until one is attached
  struct weir_host_copy *copies;
  size_t copy_count, copy_capacity;
  struct weir_result *results;
  unsigned result_count, result_capacity;
  struct weir_shape shape;
  uint64_t step_limit, bytes;
  bool over;                 // a buffer had no room
  uint32_t registers;        // per thread of the launches to come; 0: their kernels'
  uint32_t cluster[3];       // of the launches to come, likewise
  uint8_t shared_preference; // of the launches to come, as weir_launch has it
};

// False: it stopped early, the sink says why. launch.c.
bool weir_host_start(struct weir_host *h, const struct weir_launch *launch);

#endif
