// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The keys of a chip's `link` between host and device (timeline/link.h). The section as a whole may be left out.
#include "base/param_rows.h"
#include "config/keys.h"

#define WAY weir_link_way
static const struct weir_param way_keys[] = {
  UINT(WAY, latency_ns, 0, 1000000000, "a copy's call to its first packet and last packet to its end, pinned memory"),
  POW2(WAY, payload_bytes, 16, 65536, "data of a packet"),
  UINT(WAY, header_bytes, 0, 4096, "bytes of a packet besides its data"),
  UINT(WAY, immediate_latency_ns, 0, 1000000000, "the same latency of a copy whose data the host puts into the command",
       .initial = "0"),
  UINT(WAY, immediate_mb_per_s, 0, 100000000,
       "and its rate, 10^6 bytes per second; the faster way is taken; 0: there is no such copy", .initial = "0"),
  UINT(WAY, pageable_latency_ns, 0, 1000000000, "latency of a copy through staging buffers, pageable memory"),
  UINT(WAY, pageable_mb_per_s, 1, 100000000, "and its rate, 10^6 bytes per second"),
};
static const struct weir_param_table to_device_table = TABLE_OF("the link to the device", WAY, way_keys);
static const struct weir_param_table to_host_table = TABLE_OF("the link to the host", WAY, way_keys);

#define KERNELS weir_link_kernels
static const struct weir_param kernels_keys[] = {
  UINT(KERNELS, reads, 0, 65536,
       "of kernels, under way at a time; 0: kernels find the host's memory as near as the device's", .initial = "0"),
  POW2(KERNELS, request_bytes, 32, 4096, "that one of them asks for, at most", .initial = "128"),
  UINT(KERNELS, round_trip_ns, 1, 1000000000, "of such a read, from the chip to the host's memory and back",
       .initial = "1000"),
  POW2(KERNELS, page_kib, 4, 2048, "of managed memory, that a fault brings at least", .initial = "64"),
  UINT(KERNELS, density_percent, 0, 100,
       "of a part of 2 MiB of managed memory: the rest comes with a fault that makes it more; 100: nothing does",
       .initial = "100"),
  UINT(KERNELS, fault_ns, 0, 1000000000, "that the driver takes for a batch of faults, copies apart", .initial = "0"),
  UINT(KERNELS, faults, 1, 65536, "of a batch, at most", .initial = "256"),
};
static const struct weir_param_table kernels_table = TABLE_OF("kernels' way to the host", KERNELS, kernels_keys);

#define LINK weir_link
static const struct weir_param link_keys[] = {
  UINT(LINK, raw_mb_per_s, 0, 100000000,
       "each direction's rate, headers included, 10^6 bytes per second; 0: no link, copies take no time"),
  UINT(LINK, copy_engines, 1, 2, "copies at once: 1: one in either direction, 2: one in each"),
  SECTION(LINK, to_device, to_device_table),
  SECTION(LINK, to_host, to_host_table),
  SECTION(LINK, kernels, kernels_table, .optional = true),
};
const struct weir_param_table weir_link_table = TABLE_OF("the link", LINK, link_keys);
