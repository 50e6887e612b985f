// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The rules of one kernel launch: which kernel, how many arguments of which sizes, which block and grid. Invariant: a
// launch that passes weir_launch_check can be packed and started; a launch file is checked by the same rules before
// anything runs, with the places of its text.
#ifndef WEIR_HOST_LAUNCH_H
#define WEIR_HOST_LAUNCH_H

#include "host/host.h"

// Where the parts of a launch were written; all zero for a launch made by C code.
struct weir_launch_places {
  struct weir_place kernel, grid, block, cluster, shared, carveout, args;
  const struct weir_place *arg; // one per argument, or NULL
};

// The kernel of that name, or NULL and a diagnostic that lists what the module has.
const struct weir_kernel *weir_launch_kernel(const struct weir_program *p, const char *name, struct weir_place place,
                                             struct weir_sink *sink);

// Reports everything that is wrong with the launch.
bool weir_launch_check(const struct weir_kernel *k, const struct weir_dim *grid, const struct weir_dim *block,
                       uint32_t dynamic_shared_bytes, const struct weir_arg *args, unsigned count,
                       const struct weir_launch_places *places, struct weir_sink *sink);

// The same of the launch's shape alone: of a program that gives its arguments as the kernel will see them.
bool weir_launch_check_shape(const struct weir_kernel *k, const struct weir_dim *grid, const struct weir_dim *block,
                             const struct weir_launch_places *places, struct weir_sink *sink);

// Its clusters (weir_cluster_flaw); `place` is where the launch gives them, or its grid.
bool weir_launch_check_cluster(const struct weir_launch *launch, struct weir_place place, struct weir_sink *sink);

// Fills the parameter buffer, k->param_bytes at `params`. __local arguments get their places behind static and dynamic
// shared memory. Returns the dynamic bytes with theirs. The kernel's argument count and sizes were checked.
uint32_t weir_launch_pack(const struct weir_kernel *k, uint32_t dynamic_shared_bytes, const struct weir_arg *args,
                          unsigned count, void *params);

#endif
