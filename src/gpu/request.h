// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// From a memory instruction to requests: what they are, and onto the network with them. Each access makes one, so all of this is compiled into who does.
#ifndef WEIR_GPU_REQUEST_H
#define WEIR_GPU_REQUEST_H

#include "base/bits.h"
#include "exec/descriptor.h"
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

static inline uint8_t weir_request_kind(const struct weir_memory_op *op) {
  if (op->space == WEIR_MEM_CONST || op->space == WEIR_MEM_PARAM) return WEIR_MREQ_CONSTANT;
  if (op->texture) return WEIR_MREQ_TEXTURE;
  if (op->what->op_class == WEIR_CLASS_ATOMIC) return WEIR_MREQ_ATOMIC;
  return op->what->op_class == WEIR_CLASS_STORE ? WEIR_MREQ_STORE : WEIR_MREQ_LOAD;
}

static inline bool weir_names_priority(uint8_t hint) {
  return hint == WEIR_HINT_EVICT_FIRST || hint == WEIR_HINT_EVICT_LAST || hint == WEIR_HINT_EVICT_NORMAL ||
    hint == WEIR_HINT_EVICT_UNCHANGED;
}

// By its own policy, by what it names, or by the window that it falls in.
static inline uint8_t weir_l2_hint_of(const struct weir_sm *m, const struct weir_memory_op *op, uint64_t address) {
  const struct weir_access_window *w = &m->shared->launch->window;
  if (op->policy) return weir_descriptor_hint(op->policy, address);
  if (address - w->address >= w->bytes || op->space != WEIR_MEM_GLOBAL || weir_names_priority(op->what->l2_hint))
    return op->what->l2_hint;
  return weir_descriptor_hint(w->policy, address);
}

static inline struct weir_mreq *weir_make_request(struct weir_sm *m, const struct weir_memory_op *op) {
  const struct weir_transaction *t = &op->transactions[op->next];
  const struct weir_fabric *f = weir_sm_fabric(m);
  uint64_t place;
  const uint32_t slice = weir_near_slice(f, m->number, weir_slice_of(&f->map, t->address, &place));
  struct weir_mreq *r = weir_mreq_take(m->shared->pool);
  *r = (struct weir_mreq){.kind = weir_request_kind(op) & 7u,
                          .address = t->address,
                          .place = t->address,
                          .bytes = t->bytes,
                          .full = t->full,
                          .used = t->used,
                          .lanes = t->lanes,
                          .core = (uint16_t)m->number,
                          .warp = op->warp,
                          .pc = op->pc * 8,
                          .l1_hint = op->what->l1_hint & 63u,
                          .l2_hint = weir_l2_hint_of(m, op, t->address) & 31u,
                          .texture = op->what->is_texture,
                          .l2_prefetch = op->what->l2_prefetch,
                          .transactions = weir_transactions_counted(op),
                          .ready_warps = op->ready_warps,
                          .token = op->load,
                          .slice = (uint16_t)slice,
                          .mshr = WEIR_NO_MSHR,
                          .local = op->space == WEIR_MEM_LOCAL};
  return r;
}

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
