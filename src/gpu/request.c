// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "gpu/request.h"

#include "exec/descriptor.h"

static uint8_t request_kind(const struct weir_memory_op *op) {
  if (op->space == WEIR_MEM_CONST || op->space == WEIR_MEM_PARAM) return WEIR_MREQ_CONSTANT;
  if (op->texture) return WEIR_MREQ_TEXTURE;
  if (op->what->op_class == WEIR_CLASS_ATOMIC) return WEIR_MREQ_ATOMIC;
  return op->what->op_class == WEIR_CLASS_STORE ? WEIR_MREQ_STORE : WEIR_MREQ_LOAD;
}

static bool names_priority(uint8_t hint) {
  return hint == WEIR_HINT_EVICT_FIRST || hint == WEIR_HINT_EVICT_LAST || hint == WEIR_HINT_EVICT_NORMAL ||
    hint == WEIR_HINT_EVICT_UNCHANGED;
}

// By its own policy, by what it names, or by the window that it falls in.
static uint8_t l2_hint_of(const struct weir_sm *m, const struct weir_memory_op *op, uint64_t address) {
  const struct weir_access_window *w = &m->shared->launch->window;
  if (op->policy) return weir_descriptor_hint(op->policy, address);
  if (address - w->address >= w->bytes || op->space != WEIR_MEM_GLOBAL || names_priority(op->what->l2_hint))
    return op->what->l2_hint;
  return weir_descriptor_hint(w->policy, address);
}

struct weir_mreq *weir_make_request(struct weir_sm *m, const struct weir_memory_op *op) {
  const struct weir_transaction *t = &op->transactions[op->next];
  const struct weir_fabric *f = weir_sm_fabric(m);
  uint64_t place;
  const uint32_t slice = weir_near_slice(f, m->number, weir_slice_of(&f->map, t->address, &place));
  struct weir_mreq *r = weir_mreq_take(m->shared->pool);
  *r = (struct weir_mreq){.kind = request_kind(op) & 7u,
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
                          .l2_hint = l2_hint_of(m, op, t->address) & 31u,
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
