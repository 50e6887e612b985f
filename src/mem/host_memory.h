// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The host's memory that kernels may touch, and where each page of managed memory is. Invariant: ranges do not overlap; a page of managed
// memory is on the device, with the host, or with both (read-mostly), or moving to the device; `resident` is what the device holds.
//
// The policy is that of NVIDIA's open driver (nvidia-uvm). A fault brings its page, and the largest part of its block of 2 MiB, halved again
// and again, of which more than `density_percent` is on the device or coming (uvm_perf_prefetch.c). Where the device has no room left, the
// block goes that anything came to the longest time ago: the driver sees no accesses (uvm_pmm_gpu.c). Blocks begin with the range.
#ifndef WEIR_MEM_HOST_MEMORY_H
#define WEIR_MEM_HOST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

enum { WEIR_HOST_BLOCK_BYTES = 2 << 20 };

enum weir_host_advice { // CUDA's cudaMemoryAdvise
  WEIR_ADVICE_READ_MOSTLY = 1 << 0,
  WEIR_ADVICE_AT_HOST = 1 << 1, // its preferred location
  WEIR_ADVICE_MAPPED = 1 << 2,  // accessed by the device
};

enum weir_host_access {
  WEIR_ACCESS_DEVICE, // the device's own memory, or on it
  WEIR_ACCESS_REMOTE, // goes over the link
  WEIR_ACCESS_FAULT,  // its page has to come first
  WEIR_ACCESS_MOVING, // … and is on its way
};

struct weir_host_block {
  uint64_t moved; // when something came to it last: a count of such times
  uint32_t here;  // its pages that are on the device, or moving there
  uint32_t moving;
};

struct weir_host_range {
  uint64_t base, bytes;
  uint8_t *pages; // of managed memory: states; NULL: pinned, always the host's
  struct weir_host_block *blocks;
};

struct weir_host_memory {
  uint32_t page_bytes, density_percent; // a power of two, at most a block; 100: no page comes unasked
  uint64_t room;                        // bytes of the device for managed memory
  uint64_t resident, moves;             // moves: of something to the device, or of the host's copies to their ends
  struct weir_host_range *ranges;       // by base
  unsigned count, capacity;
  uint64_t *moving; // addresses of pages on their way
  unsigned moving_count, moving_capacity;
  // That has left the device.
  void (*evicted)(void *context, uint64_t address, uint64_t bytes);
  void *context;
};

struct weir_host_moved { // bytes over the link
  uint64_t in, out;
};

void weir_host_memory_free(struct weir_host_memory *m);

void weir_host_memory_add(struct weir_host_memory *m, uint64_t base, uint64_t bytes, bool managed);
void weir_host_memory_remove(struct weir_host_memory *m, uint64_t base); // nothing, if no range begins there

enum weir_host_access weir_host_memory_access(const struct weir_host_memory *m, uint64_t address, bool write);

// The page at the address faults: it and what comes with it begin to move. A store to a page that the host has, too, ends the host's copy
// and moves nothing.
struct weir_host_moved weir_host_memory_fault(struct weir_host_memory *m, uint64_t address, bool write);
// All that moves has come.
void weir_host_memory_arrive(struct weir_host_memory *m);

// The host touches the page at the address: it comes back, and with it the largest part of its block that is denser with the host, as above
// with the device; pages that are mostly read come as copies. Bytes that come: 0, if the host has it.
uint64_t weir_host_memory_recall(struct weir_host_memory *m, uint64_t address);
// The first stretch of managed memory at or after *address that the host does not have. False: there is none.
bool weir_host_memory_away(const struct weir_host_memory *m, uint64_t *address, uint64_t *bytes);

// Managed memory from `address` on is asked for ahead of its use, to the device or to the host. No more of it comes than there is room for.
struct weir_host_moved weir_host_memory_prefetch(struct weir_host_memory *m, uint64_t address, uint64_t bytes,
                                                 bool to_device);
// … and gets the advice, or loses it. The host's copies end with WEIR_ADVICE_READ_MOSTLY.
void weir_host_memory_advise(struct weir_host_memory *m, uint64_t address, uint64_t bytes, enum weir_host_advice advice,
                             bool given);

#endif
