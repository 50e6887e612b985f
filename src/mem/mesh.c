// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/mesh.h"

#include <stdbool.h>

enum { EAST, WEST, SOUTH, NORTH };

// The packet's first flit is before the link in cycle `at`; the cycle in which it has passed the router and the link.
static weir_cycle pass(weir_cycle *link, weir_cycle at, uint32_t flits, uint32_t cycles) {
  const weir_cycle begins = at > *link ? at : *link;
  *link = begins + flits;
  return begins + cycles;
}

weir_cycle weir_mesh_carry(struct weir_mesh *m, const struct weir_mesh_params *p, uint32_t input, uint32_t output,
                           uint32_t flits, weir_cycle now) {
  uint32_t node = p->input_node[input];
  const uint32_t goal = p->output_node[output], column = goal % p->columns;
  while (node % p->columns != column) {
    const bool east = node % p->columns < column;
    now = pass(&m->links[node][east ? EAST : WEST], now, flits, p->hop_cycles);
    node = east ? node + 1 : node - 1;
  }
  while (node != goal) {
    const bool south = node < goal;
    now = pass(&m->links[node][south ? SOUTH : NORTH], now, flits, p->hop_cycles);
    node = south ? node + p->columns : node - p->columns;
  }
  return pass(&m->outputs[output], now, flits, 0) + flits - 1;
}
