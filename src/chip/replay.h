// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A chip's caches without cores, network and DRAM: accesses that first-level caches were asked for go through the caches and their
// policies one after the other. What a first-level cache fetches is on its way for a given number of cycles of the recording's
// clock, so that others may wait for it; all else is done at once.
#ifndef WEIR_CHIP_REPLAY_H
#define WEIR_CHIP_REPLAY_H

#include "chip/chip.h"
#include "mem/mreq.h"

struct weir_replay {
  struct weir_chip *chip;
  weir_cycle now;          // of the access, in core cycles
  weir_cycle latency;      // until what it fetches is there
  bool expects;            // what accesses to come will want is more than the host's caches hold anyway
  bool shows_slices;       // some policy of the first-level caches may ask which slice an access is for
  struct weir_mreq *spare; // the request of an access that has hit; or NULL
  struct weir_mreq_queue in_flight;
  uint64_t dram_reads, dram_writes, dram_bytes;
  void (*memory)(void *context, uint64_t address, uint32_t bytes, bool writes); // told what goes to DRAM; or NULL
  void *context;
};

// Of a chip that has run nothing. It is not launched on afterwards.
void weir_replay_begin(struct weir_replay *r, struct weir_chip *chip);

// A launch begins that has so much of core.unified_kib as shared memory, or the least carve-out above that, and whose fetches take
// so long; it ends, as first-level caches see it.
void weir_replay_launch(struct weir_replay *r, uint32_t carveout_kib, weir_cycle latency);
void weir_replay_end_launch(struct weir_replay *r);

// The host writes into the device's memory.
void weir_replay_copy(struct weir_replay *r, uint64_t address, uint64_t bytes);

// For an access: to be written whole, with mshr WEIR_NO_MSHR, `place` as its address, and nothing else that says where it is on its way.
struct weir_mreq *weir_replay_request(struct weir_replay *r);

// The access; `past`: it goes past the first-level cache. Its core is one of the chip's. `now` never falls. Where the cache has no room
// for what is in flight, the oldest of that ends early. Consumes the request.
void weir_replay_access(struct weir_replay *r, struct weir_mreq *q, bool past);

// An access to come will want these of the host's memory.
void weir_replay_expect(const struct weir_replay *r, uint32_t core, uint64_t address);

#endif
