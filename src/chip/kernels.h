// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What each launch counted, by kernel. Private to src/chip. Invariant: names live as long as the log, one of each.
#ifndef WEIR_CHIP_KERNELS_H
#define WEIR_CHIP_KERNELS_H

#include "stats/stats.h"

struct weir_kernel_log {
  struct weir_kernel_stats *kernels;
  uint32_t count, capacity;
  char **names;
  uint32_t name_count, name_capacity;
  uint64_t recorded; // launches that they are made of
};

// Adds a launch of the kernel of that name, which the log copies; the caller fills in the rest.
struct weir_kernel_stats *weir_kernel_log_add(struct weir_kernel_log *l, const char *name);
void weir_kernel_log_free(struct weir_kernel_log *l);

#endif
