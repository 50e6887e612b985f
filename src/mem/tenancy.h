// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Who holds what in a level of shared caches, and for how long: counts per port of the network (weir_mreq.core). One tenancy
// for all instances of a level; each instance has room of its own per line. Invariant: nothing here changes what a cache does;
// a line is its bringer's from its fill to its end.
#ifndef WEIR_MEM_TENANCY_H
#define WEIR_MEM_TENANCY_H

#include "mem/network.h"
#include "stats/tenant.h"

struct weir_tenancy {
  struct weir_tenant_counts ports[WEIR_MAX_PORTS];
};

struct weir_tenancy_line {
  weir_cycle filled, touched; // cycles of the cache
  uint32_t hits;
  uint8_t port;               // that brought it
  bool held;
};

#endif
