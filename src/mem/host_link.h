// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Kernels' way to the host's memory: reads and writes over the link, and faults of managed memory. Invariant: every request that comes in
// leaves once, as an answer or, when its page has come, as an access to the device's own memory; each direction of the link moves one packet
// at a time.
//
// Requests of one line that follow one another within GATHER_PS go as one packet, as a GPU's do (Min et al., EMOGI, VLDB 2020, section 3.3:
// 32, 64, 96 or 128 bytes). A read's answer is there a round trip later, when the link has moved all answers before it. Faults are served
// as NVIDIA's driver serves them: a batch at a time, what it evicts first, then what it brings; nothing goes on before the batch's last byte.
#ifndef WEIR_MEM_HOST_LINK_H
#define WEIR_MEM_HOST_LINK_H

#include "mem/host_memory.h"
#include "mem/mreq.h"
#include "stats/stats.h"
#include "timeline/link.h"

struct weir_host_link {
  const struct weir_link *link;
  struct weir_host_memory *memory;
  struct weir_run_stats *stats;
  struct weir_mreq_queue reads, writes;   // `ready`, in ps here and below: when they may be sent
  struct weir_mreq_queue coming, written; // `ready`: when they are answered
  struct weir_mreq_queue faults, batch;   // `ready`: from when on; what waits for the batch that is served
  weir_time to_device_free, to_host_free; // from when on
  weir_time batch_ends;                   // WEIR_NEVER: none is served
  uint32_t under_way;                     // packets of reads
};

struct weir_host_ends { // where requests go, by the slice that they came from
  void (*answer)(void *context, struct weir_mreq *r);
  void (*let_in)(void *context, struct weir_mreq *r); // its page has come
  void *context;
};

void weir_host_link_init(struct weir_host_link *l, const struct weir_link *link, struct weir_host_memory *memory,
                         struct weir_run_stats *stats);

// Room for another request?
bool weir_host_link_accepts(const struct weir_host_link *l);
void weir_host_link_send(struct weir_host_link *l, struct weir_mreq *r, weir_time now);

// What is due by `now` is done. Returns when there is something to do next (WEIR_NEVER: none).
weir_time weir_host_link_serve(struct weir_host_link *l, weir_time now, const struct weir_host_ends *to);

// Is anything under way? A launch ends when the host has what it wrote.
bool weir_host_link_busy(const struct weir_host_link *l);

#endif
