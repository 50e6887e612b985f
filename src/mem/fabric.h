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
};

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
