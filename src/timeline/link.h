// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The link between host and device, and how long a copy over it takes. Invariant: times are a closed form of the link's
// values and the copy's size; nothing is kept from copy to copy. A copy that waits for others is the business of who places it.
#ifndef WEIR_TIMELINE_LINK_H
#define WEIR_TIMELINE_LINK_H

#include "base/time.h"

#include <stdbool.h>

// Rates are in 10^6 bytes per second.
struct weir_link_way {                  // one direction
  uint32_t latency_ns;                  // of a copy that the device makes itself from or to pinned memory
  uint32_t payload_bytes, header_bytes; // of a packet
  uint32_t immediate_latency_ns,
    immediate_mb_per_s; // of one whose bytes the host puts into the command; 0: there is none
  uint32_t pageable_latency_ns, pageable_mb_per_s; // through the driver's staging buffers
};

// Kernels that reach the host's memory (mem/host_link.h, mem/host_memory.h).
struct weir_link_kernels {
  uint32_t reads;         // that may be under way at a time; 0: to kernels the host's memory is as near as the device's
  uint32_t request_bytes; // that one of them asks for, at most
  uint32_t round_trip_ns; // from the chip to the host's memory and back
  uint32_t page_kib, density_percent; // of managed memory: what a fault brings
  uint32_t fault_ns, faults;          // how long the driver takes for so many faults at a time, copies apart
};

struct weir_link {
  uint32_t raw_mb_per_s; // of each direction, headers included; 0: no link, and copies take no time
  uint32_t copy_engines; // 1: one for both directions
  struct weir_link_way to_device, to_host;
  struct weir_link_kernels kernels;
};

enum weir_link_memory { WEIR_LINK_PINNED, WEIR_LINK_PAGEABLE }; // the host's

// Bytes of payload that the link moves per second at most, in 10^6.
double weir_link_payload_rate(const struct weir_link *l, const struct weir_link_way *way);

// How long a copy of so many bytes takes alone, rounded up to whole picoseconds; 0 bytes, or no link: 0.
weir_time weir_link_copy_ps(const struct weir_link *l, const struct weir_link_way *way, enum weir_link_memory memory,
                            uint64_t bytes);

// How long packets of so many bytes in all keep the link busy, one direction, rounded up to whole picoseconds.
weir_time weir_link_wire_ps(const struct weir_link *l, const struct weir_link_way *way, uint64_t bytes);

// Time that so many bytes take at a rate, rounded up to whole picoseconds.
weir_time weir_rate_ps(uint64_t bytes, uint32_t mb_per_s);

#endif
