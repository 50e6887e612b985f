// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One direction of a crossbar or a mesh: `inputs` × `outputs` ports. A packet moves one flit per cycle, a port as many as it is given,
// of different packets, and until all of a packet's flits have their place in it the port takes no other; round-robin among inputs at
// each output. An input is one queue, in which a packet whose output is busy holds back those behind it, or it has a queue for each
// output. In a mesh it is links that are busy (mem/mesh.h). Outputs that are neighbours may be a group, which takes so many flits per cycle
// for all of them, a packet of each in turn. A packet may have copies for other outputs, which go when it goes. Invariant: packets
// between one pair of ports keep their order, and an output never holds more packets than its queue takes, those still on the way
// included; but for copies, which pass what waits for their output and are held beyond that.
#ifndef WEIR_MEM_NETWORK_H
#define WEIR_MEM_NETWORK_H

#include "mem/mesh.h"
#include "mem/mreq.h"
#include "stats/requester.h"

enum { WEIR_LINE_PACKET_BYTES = 256 }; // of data, at most, in what caches send

enum { WEIR_MAX_PORT_FLITS = 16, WEIR_MAX_GROUP_FLITS = 1024 }; // that a port, a group of ports, moves per cycle

struct weir_network_params {
  uint32_t inputs, outputs; // any number of ports
  uint32_t flit_bytes, header_bytes;
  uint32_t latency_cycles; // first flit in to first flit out, unloaded
  uint32_t input_flits;    // capacity of an input, all its queues together
  bool queue_per_output;
  uint32_t output_packets;  // capacity of an output queue
  uint32_t groups;          // of outputs; 0: none
  uint32_t flits_per_group; // that a group's outputs take per cycle
  // [groups + 1] outputs; those from the last on are in no group. Not looked at once the network is made.
  const uint32_t *group_first;
  uint32_t flits_per_input, flits_per_output; // that a port moves per cycle; 1 in a mesh
  bool copies;                                // packets may have copies; false in a mesh
  struct weir_mesh_params mesh;               // of a mesh; its hops come to latency_cycles
};

struct weir_network_input {
  struct weir_mreq_queue *queues; // of packets: one, or [outputs]
  uint32_t flits;                 // in them
  uint64_t taken_until;           // cycle × flits_per_input, and those of that cycle that are taken
};

// Queues that were empty and now have a packet, sent by one of several threads: their outputs are told when all have sent.
struct weir_network_asks {
  struct weir_network_ask {
    uint32_t input, output;
  } * asks;
  uint32_t count, capacity;
};

struct weir_network_output {
  struct weir_mreq_queue queue; // each with `ready`: the cycle its last flit is there
  uint64_t taken_until;         // likewise
  uint32_t last_input;
  uint32_t asking; // queues whose head goes here
};

struct weir_network_group {
  uint32_t first, count; // outputs
  uint32_t next;         // whose turn it is
  uint64_t taken_until;  // as of a port
};

struct weir_network {
  struct weir_network_params params;
  struct weir_mesh mesh;
  struct weir_network_input *in;      // [inputs]
  struct weir_network_output *out;    // [outputs]
  struct weir_mreq_queue *queues;     // of all inputs
  uint32_t input_words, output_words; // 64 ports each
  uint32_t waiting;                   // queues with a packet
  struct weir_network_group *groups;  // [group_count]; where there are any, an output of no group is one alone
  uint32_t group_count, first_group;  // which is served first in this cycle
  uint32_t first_output;              // which is served first in this cycle, if an input may have packets for several
  uint64_t *wanted;                   // [output_words] outputs that some head goes to
  uint64_t *wanted_by;                // [outputs × input_words] inputs with a head that goes to the output
  uint64_t *busy;                     // [input_words] inputs that may have no room for a flit more
  uint64_t *free_now;                 // [input_words] inputs that have room in the cycle being served
  uint64_t flits_moved, bytes_moved;
  uint32_t flits_of[1 + WEIR_LINE_PACKET_BYTES]; // of a packet with so many bytes of data
  struct weir_traffic_counts *ports;             // by weir_mreq.core, what each has it move; NULL: not counted
  struct weir_network_asks **asks;               // [inputs] of the thread that sends there; NULL: there is one
  uint32_t (*route)(const void *context, const struct weir_mreq *r); // the output a packet goes to
  const void *route_context;
};

void weir_network_init(struct weir_network *n, const struct weir_network_params *p,
                       uint32_t (*route)(const void *context, const struct weir_mreq *r), const void *context);
void weir_network_free(struct weir_network *n); // packets in it are the pool's

// Bytes of a request or answer on the wire: a header, and data where it carries any.
uint32_t weir_network_bytes(const struct weir_network *n, const struct weir_mreq *r);

// Room for `r` in the input queue?
bool weir_network_accepts(const struct weir_network *n, uint32_t input, const struct weir_mreq *r);
void weir_network_send(struct weir_network *n, uint32_t input, struct weir_mreq *r);
// (Params: copies.) With it go copies of it for other outputs, linked through `next`: each takes its output's flits behind what that has
// taken, even beyond what its queue takes, and none of the input's or of a group's.
void weir_network_send_copied(struct weir_network *n, uint32_t input, struct weir_mreq *r, struct weir_mreq *copies);
// What several threads have sent becomes seen: one thread's asks at a time, in any order.
void weir_network_see(struct weir_network *n, struct weir_network_asks *sent);

// One cycle: matches inputs to outputs. Calls `arrives` for every packet granted, with the cycle from which
// weir_network_receive gives it. Returns the next cycle at which there may be something to do (WEIR_NEVER: none).
weir_cycle weir_network_tick(struct weir_network *n, weir_cycle now,
                             void (*arrives)(void *context, uint32_t output, weir_cycle when), void *context);

// The packet at the head of an output if it has wholly arrived by `now`, else NULL; stays there until taken.
static inline struct weir_mreq *weir_network_peek(const struct weir_network *n, uint32_t output, weir_cycle now) {
  struct weir_mreq *r = n->out[output].queue.head;
  return r && r->ready <= now ? r : NULL;
}

// The same, whether it has arrived or not.
static inline struct weir_mreq *weir_network_first(const struct weir_network *n, uint32_t output) {
  return n->out[output].queue.head;
}

// Is a write-back from one of the first `inputs` in it?
bool weir_network_writes_back(const struct weir_network *n, uint32_t inputs);

static inline struct weir_mreq *weir_network_receive(struct weir_network *n, uint32_t output) {
  return weir_queue_pop(&n->out[output].queue);
}

#endif
