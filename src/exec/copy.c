// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/copy.h"

#include "base/bits.h"
#include "exec/access.h"
#include "exec/cluster.h"
#include "exec/mbarrier.h"
#include "exec/special.h"
#include "exec/ops/fill.h"

#include <string.h>

static bool locate_targets(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, uint64_t *to) {
  const struct weir_insn into = {.reach = WEIR_REACH_SHARED};
  uint64_t target[WEIR_MAX_LANES];
  uint8_t ignored;
  for (uint64_t m = mask; m; m &= m - 1)
    target[weir_lowest(m)] = weir_shared_at(w, &weir_copy_of(i)->shared, weir_lowest(m));
  return weir_locate_lanes(w, &into, mask, i->bytes, true, target, to, &ignored);
}

// How many bytes a lane takes.
static uint32_t taken(const struct weir_warp *w, const struct weir_insn *i, unsigned lane) {
  const struct weir_copy_op *op = weir_copy_of(i);
  if (!i->count) return i->bytes;
  if (op->ignores) return (*weir_predicate(w, op->size.offset) >> lane & 1) == op->unless_ignores ? i->bytes : 0;
  const uint32_t size = weir_copy_sizes(w, op)[lane];
  return size < i->bytes ? size : i->bytes;
}

// A lane that takes nothing may name any address. One that takes a part is held to that part, whose bytes lie in one buffer.
static bool locate_sources(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, uint64_t *address,
                           uint64_t *from, uint8_t *space) {
  uint64_t whole = mask;
  for (uint64_t m = i->count ? mask : 0; m; m &= m - 1) {
    const unsigned l = weir_lowest(m);
    const uint32_t bytes = taken(w, i, l);
    if (bytes == i->bytes) continue;
    whole &= ~(m & -m);
    if (address[l] & (i->bytes - 1u)) return weir_raise_access(w, i, l, address[l], i->bytes);
    for (uint32_t k = 0; k < bytes; k += bytes - 1 ? bytes - 1 : 1) { // the first and the last
      uint64_t at[WEIR_MAX_LANES] = {0}, where[WEIR_MAX_LANES];
      at[l] = address[l] + k;
      if (!weir_locate_lanes(w, i, m & -m, 1, false, at, where, space)) return false;
      if (!k) from[l] = where[l];
    }
  }
  return weir_locate_lanes(w, i, whole, i->bytes, false, address, from, space);
}

static uint64_t that_take(const struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {
  uint64_t taking = mask;
  for (uint64_t m = i->count ? mask : 0; m; m &= m - 1)
    if (!taken(w, i, weir_lowest(m))) taking &= ~(m & -m);
  return taking;
}

static bool memory_copy(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {
  uint64_t source[WEIR_MAX_LANES], from[WEIR_MAX_LANES], to[WEIR_MAX_LANES];
  uint64_t *address = out ? out->address : source;
  uint8_t space;
  const uint64_t taking = that_take(w, i, mask);
  weir_lane_addresses(w, i, mask, address);
  if (!locate_sources(w, i, taking, address, from, &space) || !locate_targets(w, i, mask, to)) return false;
  if (out) {
    out->space = WEIR_MEM_GLOBAL;
    out->active = taking; // as memory sees it
  }
  if (weir_puts_off(w, i, mask, out, WEIR_MOVE_COPY)) return true;
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    const uint32_t take = taken(w, i, l);
    if (take) memmove((void *)(uintptr_t)to[l], (const void *)(uintptr_t)from[l], take);
    memset((uint8_t *)(uintptr_t)to[l] + take, 0, i->bytes - take);
  }
  return true;
}

// ---- values of each thread, to another block ------------------------------------------------------------------------------

static uint64_t value(const struct weir_warp *w, const struct weir_ref *from, unsigned bytes, unsigned lane) {
  const void *v = weir_at(w, from->bank, from->offset);
  return bytes == 8 ? ((const uint64_t *)v)[lane] : ((const uint32_t *)v)[lane];
}

static uint64_t *locate_barrier(struct weir_warp *w, const struct weir_insn *i, unsigned lane) {
  const struct weir_async_op *op = (const struct weir_async_op *)(const void *)i->list;
  const uint64_t at = weir_shared_at(w, &op->barrier, lane);
  uint64_t *barrier = at % 8 ? NULL : weir_cluster_at(w->block, at, 8);
  if (!barrier) weir_raise(w, lane, "there is no mbarrier at shared address 0x%llx", (unsigned long long)at);
  return barrier;
}

// Lane by lane, in ascending order.
static bool memory_async(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {
  uint64_t scratch[WEIR_MAX_LANES], where[WEIR_MAX_LANES], *address = out ? out->address : scratch,
                                                           *barrier[WEIR_MAX_LANES];
  const uint32_t bytes = (uint32_t)i->bytes * i->count;
  uint8_t space;
  weir_lane_addresses(w, i, mask, address);
  if (!weir_locate_lanes(w, i, mask, bytes, true, address, where, &space)) return false;
  for (uint64_t m = mask; m; m &= m - 1)
    if (!(barrier[weir_lowest(m)] = locate_barrier(w, i, weir_lowest(m)))) return false;
  if (out) out->space = space;
  if (weir_puts_off(w, i, mask, out, WEIR_MOVE_STORE)) return true;
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    for (unsigned k = 0; k < i->count; k++) {
      uint8_t *at = (uint8_t *)(uintptr_t)where[l] + k * i->bytes;
      const uint64_t v = value(w, &i->list[k], i->bytes, l);
      if (i->sub)
        weir_atomic_combine(i, at, v, 0);
      else
        memcpy(at, &v, i->bytes);
    }
    if (!weir_mbarrier_transfer(w, l, bytes, barrier[l])) return false;
  }
  return true;
}

void weir_fill_copy(struct weir_ops *t) {
  t->memory[WEIR_M_async] = memory_async;
  t->memory[WEIR_M_copy] = memory_copy;
}
