// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// From lanes to memory accesses. Rules of POLICIES section 9, compute capability 2.x, as GPGPU-Sim applies them
// (abstract_hardware_model.cc, memory_coalescing_arch): active lanes are grouped by aligned segment, one transaction per
// segment, shrunk to the half or quarter that is used; atomics get a further transaction for every lane whose bytes an
// earlier one already takes.
#ifndef WEIR_GPU_COALESCE_H
#define WEIR_GPU_COALESCE_H

#include "exec/winstr.h"
#include "gpu/core.h"

enum { WEIR_MAX_TRANSACTIONS = 8 * WEIR_MAX_LANES };

struct weir_transaction {
  uint64_t address; // of its first byte: segment, half or quarter
  uint16_t bytes;   // 32, 64 or 128; of loads 16 and 256 too, as sectors behind the network may be
  uint8_t full;     // of its 32-byte parts: those written whole
  uint8_t lanes;
  uint32_t
    used; // of one with 32 bytes, those that are written, and of loads that weir_coalesce_mark has seen, read; 0: not known
};

// The transactions of one warp access, in descending order of address (the order in which GPGPU-Sim serves them); their
// number. `segment`: largest transaction for 4-byte and wider elements; by_element: narrower elements have narrower
// segments (32 bytes for 1, 64 for 2).
unsigned weir_coalesce(const struct weir_winstr *w, uint32_t segment, bool by_element,
                       struct weir_transaction out[WEIR_MAX_TRANSACTIONS]);

// Marks the bytes that a load's transactions read, all of them of 32 bytes.
void weir_coalesce_mark(const struct weir_winstr *w, struct weir_transaction *t, unsigned count);

// One for each different address of the lanes, in their order.
unsigned weir_coalesce_addresses(const struct weir_winstr *w, struct weir_transaction out[WEIR_MAX_TRANSACTIONS]);

// The same for an atomic: 32-byte segments, lanes that collide in a byte go one after the other.
unsigned weir_coalesce_atomic(const struct weir_winstr *w, struct weir_transaction out[WEIR_MAX_TRANSACTIONS]);

// Cycles that a shared-memory access occupies its banks: the most different words that one bank is asked for (lanes that
// ask for the same word are served together). Where a lane's access is wider than a bank, as many neighbouring lanes at a time
// as fill all banks: of 16 bytes in 32 banks of 8, half a warp, so that 32 lanes take two cycles, as the profiler counts
// "transactions per request" of float4 on a Tesla K80 (github.com/ekondis/gpumembench, issue 1); in banks of 4, a quarter.
unsigned weir_bank_cycles(const struct weir_winstr *w, uint32_t banks, uint32_t bank_bytes);
// Of these, those that it would take without a conflict: one, or where a lane's access is wider than a bank, one per such group
// of lanes that has an active one.
unsigned weir_bank_least_cycles(const struct weir_winstr *w, uint32_t banks, uint32_t bank_bytes);

#endif
