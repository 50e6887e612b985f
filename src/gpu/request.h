// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// From a memory instruction to requests: what they are, and onto the network with them.
#ifndef WEIR_GPU_REQUEST_H
#define WEIR_GPU_REQUEST_H

#include "base/bits.h"
#include "gpu/sm.h"

static inline struct weir_fabric *weir_sm_fabric(const struct weir_sm *m) {
  return m->shared->fabric;
}

static inline uint8_t weir_transactions_counted(const struct weir_memory_op *op) {
  return (uint8_t)(op->count < WEIR_TRANSACTIONS_COUNTED ? op->count : WEIR_TRANSACTIONS_COUNTED);
}

// Where it is counted.
static inline struct weir_pc_counts *weir_counts_of(const struct weir_sm *m, const struct weir_memory_op *op) {
  if (!weir_is_data_access(op->space)) return &m->shared->uncounted;
  return weir_pc_group(&m->shared->pcs[op->pc], weir_transactions_counted(op));
}

// The request for the transaction that is next.
struct weir_mreq *weir_make_request(struct weir_sm *m, const struct weir_memory_op *op);

// Answers that a request will come back in.
static inline uint32_t weir_pieces_of_request(const struct weir_sm *m, const struct weir_mreq *r) {
  unsigned shift = weir_log2(m->shared->piece_bytes);
  return (uint32_t)(((r->address + r->bytes - 1) >> shift) - (r->address >> shift)) + 1;
}

static inline bool weir_inject(struct weir_sm *m, struct weir_mreq *r) {
  struct weir_fabric *f = weir_sm_fabric(m);
  if (!weir_network_accepts(&f->requests, m->number, r)) return false;
  weir_address_request(f, m->number, r);
  weir_network_send(&f->requests, m->number, r);
  return true;
}

#endif
