// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the cores and the memory slices share: the pool of requests, the map of addresses to slices, and the two
// directions of the network. Core i is input i of the request network and output i of the reply network; slice j is
// output j of the one and input j of the other.
#ifndef WEIR_MEM_FABRIC_H
#define WEIR_MEM_FABRIC_H

#include "mem/address_map.h"
#include "mem/network.h"

struct weir_fabric {
  struct weir_mreq_pool pool;
  struct weir_address_map map;
  struct weir_network requests, replies;
  // Of a shared cache in two partitions: slices of one, and cores before the first that belongs to the second; 0 slices: it is in one.
  uint32_t partition_slices, partition_cores;
};

// The slice that a core sends to what lies at `home`: that one, or its like in the core's own partition.
static inline uint32_t weir_near_slice(const struct weir_fabric *f, uint32_t core, uint32_t home) {
  if (!f->partition_slices) return home;
  return home % f->partition_slices + (core >= f->partition_cores ? f->partition_slices : 0);
}

// Where the request of a core goes.
static inline void weir_address_request(const struct weir_fabric *f, uint32_t core, struct weir_mreq *r) {
  const uint32_t home = weir_slice_of(&f->map, r->address, &r->place), near = weir_near_slice(f, core, home);
  r->slice = (uint16_t)near;
  r->far = near != home;
}

// The way of a packet: a request by its slice, an answer by its core.
static inline uint32_t weir_route_to_slice(const void *context, const struct weir_mreq *r) {
  (void)context;
  return r->slice;
}

static inline uint32_t weir_route_to_core(const void *context, const struct weir_mreq *r) {
  (void)context;
  return r->core;
}

#endif
