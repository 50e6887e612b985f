// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How many blocks of a kernel a core holds at once, and why not more.
#ifndef WEIR_GPU_OCCUPANCY_H
#define WEIR_GPU_OCCUPANCY_H

#include "exec/program.h"
#include "gpu/carveout.h"
#include "gpu/core.h"

// In the order in which the first of several equal limits is named.
#define WEIR_OCCUPANCY_LIMITS(X)                                                                                       \
  X(BLOCKS, "blocks") X(WARPS, "warps") X(SHARED, "shared memory") X(REGISTERS, "registers")

enum weir_occupancy_limit {
#define X(name, text) WEIR_LIMITED_BY_##name,
  WEIR_OCCUPANCY_LIMITS(X)
#undef X
};

// Who says a kernel's registers per thread, the later before the earlier.
#define WEIR_REGISTERS_BY(X)                                                                                           \
  X(ESTIMATE, "estimate")                                                                                              \
  X(MACHINE_CODE, "machine code") X(PTXAS, "ptxas") X(LAUNCH, "launch") X(CHIP, "core.kernel_registers")

enum weir_registers_by {
#define X(name, text) WEIR_REGISTERS_BY_##name,
  WEIR_REGISTERS_BY(X)
#undef X
};

struct weir_occupancy {
  uint32_t blocks; // 0: not even one fits
  enum weir_occupancy_limit limit;
  uint32_t registers; // per thread, before they are rounded up
  enum weir_registers_by by;
  struct weir_carveout carveout; // of core.unified_kib
  uint32_t spilled; // registers that the kernel would have used above that: they lie in memory on a real chip
};

const char *weir_occupancy_limit_name(enum weir_occupancy_limit l);
const char *weir_registers_by_name(enum weir_registers_by by);

// `registers`: per thread, as the launch says, unless core.kernel_registers does; 0: it does not. Where neither does, they
// are what ptxas says, those of the kernel's machine code, or else estimated. `preference`: weir_launch's shared_preference.
struct weir_occupancy weir_occupancy(const struct weir_core_config *k, const struct weir_kernel *kernel,
                                     uint32_t registers, uint64_t block_threads, uint64_t dynamic_shared_bytes,
                                     uint8_t preference);

// What core.kernel_registers says of a kernel; 0: nothing. What names the kernel goes before what is for all.
uint32_t weir_registers_said(const char *kernel_registers, const char *kernel);

// The next kernel that *at, behind what was read of core.kernel_registers, names: freed by weir_free; NULL: no more.
char *weir_registers_kernel(const char **at);

// NULL, or what is wrong with the text of core.kernel_registers.
const char *weir_registers_wrong(const char *kernel_registers);

#endif
