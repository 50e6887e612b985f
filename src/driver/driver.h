// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A real CUDA device as a backend (struct weir_backend). Invariant: weir's own memory image stays the truth of the host
// side. Before each launch all buffers and module variables go to the device, after it they come back, so that a
// program's host code, checks and dumps work on a device as they do on a modelled chip.
//
// A device address is weir's own wherever the driver grants it (virtual memory management). Where it does not, kernel
// arguments that are pointers are translated; addresses that a program keeps in its buffers cannot be.
//
// One driver per process, and in the process that launches: CUDA does not survive a fork.
#ifndef WEIR_DRIVER_DRIVER_H
#define WEIR_DRIVER_DRIVER_H

#include "host/host.h"
#include "ptx/ir.h"

struct weir_driver;

struct weir_driver_device {
  char name[128];
  int version;                // of CUDA that the driver supports: 12040 for 12.4
  int major, minor;           // compute capability
  uint32_t cores;             // multiprocessors
  uint32_t core_shared_bytes; // shared memory of one, and the most that a block may have
  uint32_t block_shared_bytes;
  uint32_t reserved_shared_bytes; // of each block's, for the driver itself
  bool global_l1;                 // loads from global memory can be cached in the L1
};

// How kernels are to be run.
struct weir_driver_options {
  enum weir_cache_op loads; // the operator of loads that have none (ptx/cache_operator.h)
  unsigned repeat;          // launches of which the median is taken, each from the same contents; at least 1
};

// What was measured. Milliseconds are the driver's, between two events around each launch, copies not included.
struct weir_driver_totals {
  uint64_t launches;               // that the program made
  double milliseconds;             // the sum over them of the median of their repetitions
  uint32_t sl1_lines;              // lines of a thread: the most of any launch; 0: no kernel had any
  uint64_t sl1_accesses, sl1_hits; // of its lines, if the kernels count (sl1/options.h)
  bool same_addresses;             // the device's addresses are weir's
};

// Opens the library and the first device. NULL and a diagnostic that says whether library or device is missing.
struct weir_driver *weir_driver_open(struct weir_sink *sink);
void weir_driver_close(struct weir_driver *d);
const struct weir_driver_device *weir_driver_device(const struct weir_driver *d);

// Has the driver compile the program's PTX; once per driver. False and a diagnostic with the compiler's log.
bool weir_driver_load(struct weir_driver *d, const struct weir_program *p, const struct weir_driver_options *options,
                      struct weir_sink *sink);

// Runs launches of the program that was loaded.
struct weir_backend weir_driver_backend(struct weir_driver *d);
const struct weir_driver_totals *weir_driver_totals(const struct weir_driver *d);

#endif
