// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the files of the room share. Invariant: `placed` has one entry per heap allocation that was ever launched with,
// in the order met; those inside [WEIR_HEAP_BASE, + range_bytes) lie at weir's own addresses, of which the first
// `mapped` bytes have memory.
#ifndef WEIR_DRIVER_PRIVATE_H
#define WEIR_DRIVER_PRIVATE_H

#include "driver/driver.h"
#include "driver/library.h"

struct weir_placed {
  uint64_t base; // weir's
  CUdeviceptr device;
  bool own; // allocated by itself, outside the range
};

// A variable of the module, as the host sees it.
struct weir_driver_variable {
  const char *name;
  uint64_t base, bytes; // weir's
  CUdeviceptr device;
  bool copied_in, copied_back; // those that hold addresses are the device's alone, constants never come back
};

struct weir_driver {
  struct weir_cuda cuda;
  struct weir_driver_device device;
  struct weir_driver_options options;
  struct weir_driver_totals totals;
  CUdevice handle;
  CUmodule module;
  CUevent start, stop;
  bool has_virtual_memory;
  const struct weir_module *ptx; // of the program that is loaded
  struct weir_driver_variable *variables;
  uint32_t variable_count;
  uint32_t shared_start; // shared-space address at which a block's shared memory begins
  bool range_tried;
  uint64_t range_bytes, mapped, granularity;
  struct weir_placed *placed;
  uint32_t placed_count, placed_capacity;
};

// text.c: the module's text as the driver is to compile it, in no version above `newest` (85 for 8.5), if asked for with
// the kernel WEIR_PROBE (module.c); freed by weir_free.
#define WEIR_PROBE "weir__shared_start"
char *weir_driver_text(const struct weir_module *m, enum weir_cache_op loads, bool with_probe, unsigned newest);

// memory.c. Errors are the driver's. `place` gives every buffer its address, which the copies do too.
CUresult weir_driver_place(struct weir_driver *d, const struct weir_memory *m);
CUresult weir_driver_copy_in(struct weir_driver *d, const struct weir_memory *m);
CUresult weir_driver_copy_back(struct weir_driver *d, const struct weir_memory *m);
// The device's address for one of weir's in a buffer; any other number as it is.
uint64_t weir_driver_translate(const struct weir_driver *d, const struct weir_memory *m, uint64_t address);
void weir_driver_release(struct weir_driver *d);

// arguments.c: the kernel's parameters as the device is to see them, in `params`, which holds the launch's own. False
// and the fault if one of them cannot be given. `shift` is how much further shared memory lies for __local arguments.
bool weir_driver_arguments(const struct weir_driver *d, const struct weir_launch *launch, uint64_t shift, void *params,
                           struct weir_fault *fault);
bool weir_driver_has_locals(const struct weir_kernel *k);

// fault.c; false
bool weir_driver_fault(struct weir_fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));

// launch.c
bool weir_driver_launch(void *context, const struct weir_launch *launch, struct weir_fault *fault);

#endif
