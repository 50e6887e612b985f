// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A two-dimensional mesh of routers, as a way between the ports of a network: a packet goes along its row first, then along
// its column (dimension order, which cannot deadlock), and then out of the port at its goal. Each link moves one flit per
// cycle; a packet keeps a link until its last flit has passed, and a packet that finds a link taken waits before it. Invariant:
// links are given away in the order in which packets enter the mesh, so that packets to one port arrive in that order.
// Routers have room enough: only ports hold packets back (mem/network.h).
#ifndef WEIR_MEM_MESH_H
#define WEIR_MEM_MESH_H

#include "base/time.h"

enum { WEIR_MESH_NODES = 1024, WEIR_MESH_PORTS = 1024 };

struct weir_mesh_params {
  uint32_t columns, rows; // at most WEIR_MESH_NODES routers, numbered row by row; 0 columns: no mesh, but a crossbar
  uint32_t hop_cycles;    // through one router and the link behind it
  uint16_t input_node[WEIR_MESH_PORTS], output_node[WEIR_MESH_PORTS]; // of each port
};

struct weir_mesh {
  weir_cycle links[WEIR_MESH_NODES][4]; // east, west, south, north: until when they are taken
  weir_cycle outputs[WEIR_MESH_PORTS];  // the same of the output ports
};

// A packet of `flits` enters at `input` in cycle `now` for `output`: the cycle in which its last flit has arrived.
weir_cycle weir_mesh_carry(struct weir_mesh *m, const struct weir_mesh_params *p, uint32_t input, uint32_t output,
                           uint32_t flits, weir_cycle now);

#endif
