// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One direction of a crossbar or a mesh: `inputs` × `outputs` ports, each moving one flit per cycle; a packet keeps its input
// and its output until its last flit has passed; round-robin among inputs at each output; first-in-first-out at each input,
// so a packet whose output is busy holds back those behind it. In a mesh it is links that are busy (mem/mesh.h). Invariant: packets between one pair of ports keep their
// order; an output never holds more packets than its queue takes, those still on the way included.
#ifndef WEIR_MEM_NETWORK_H
#define WEIR_MEM_NETWORK_H

#include "mem/mesh.h"
#include "mem/mreq.h"
#include "stats/tenant.h"

enum { WEIR_MAX_PORTS = 64 };

struct weir_network_params {
  uint32_t inputs, outputs;      // at most WEIR_MAX_PORTS each
  uint32_t flit_bytes, header_bytes;
  uint32_t latency_cycles;       // first flit in to first flit out, unloaded
  uint32_t input_flits;          // capacity of an input queue
  uint32_t output_packets;       // capacity of an output queue
  struct weir_mesh_params mesh;  // of a mesh; its hops come to latency_cycles
};

struct weir_network_input {
  struct weir_mreq_queue queue; // packets
  uint32_t flits;               // in the queue
  uint32_t wants;               // the output that its head goes to
  weir_cycle busy_until;
};

struct weir_network_output {
  struct weir_mreq_queue queue; // each with `ready`: the cycle its last flit is there
  weir_cycle busy_until;
  uint32_t last_input;
  uint64_t wanted_by;           // inputs whose head goes here
};

struct weir_network {
  struct weir_network_params params;
  struct weir_mesh mesh;
  struct weir_network_input in[WEIR_MAX_PORTS];
  struct weir_network_output out[WEIR_MAX_PORTS];
  uint64_t waiting;              // inputs with a packet
  uint64_t wanted;               // outputs that some input's head goes to
  uint64_t busy;                 // inputs that may still be moving a packet
  uint64_t flits_moved, bytes_moved;
  struct weir_traffic_counts *ports; // [WEIR_MAX_PORTS], what each has it move; NULL: not counted
  uint8_t (*route)(const void *context, const struct weir_mreq *r); // the output a packet goes to
  const void *route_context;
};

void weir_network_init(struct weir_network *n, const struct weir_network_params *p,
                       uint8_t (*route)(const void *context, const struct weir_mreq *r), const void *context);

// Bytes of a request or answer on the wire: a header, and data where it carries any.
uint32_t weir_network_bytes(const struct weir_network *n, const struct weir_mreq *r);

// Room for `r` in the input queue?
bool weir_network_accepts(const struct weir_network *n, uint32_t input, const struct weir_mreq *r);
void weir_network_send(struct weir_network *n, uint32_t input, struct weir_mreq *r);

// One cycle: matches inputs to outputs. Calls `arrives` for every packet granted, with the cycle from which
// weir_network_receive gives it. Returns the next cycle at which there may be something to do (WEIR_NEVER: none).
weir_cycle weir_network_tick(struct weir_network *n, weir_cycle now,
                             void (*arrives)(void *context, uint32_t output, weir_cycle when), void *context);

// The packet at the head of an output if it has wholly arrived by `now`, else NULL; stays there until taken.
static inline struct weir_mreq *weir_network_peek(const struct weir_network *n, uint32_t output, weir_cycle now) {
  struct weir_mreq *r = n->out[output].queue.head;
  return r && r->ready <= now ? r : NULL;
}

static inline struct weir_mreq *weir_network_receive(struct weir_network *n, uint32_t output) {
  return weir_queue_pop(&n->out[output].queue);
}

#endif
