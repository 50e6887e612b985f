// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/copy.h"

#include "base/bits.h"
#include "exec/access.h"
#include "exec/mbarrier.h"
#include "exec/ops/fill.h"
#include "exec/special.h"

#include <string.h>

static const struct weir_copy_op *op_of(const struct weir_insn *i) {
  return (const struct weir_copy_op *)(const void *)i->list; // which it begins with
}

static uint64_t shared_address(const struct weir_warp *w, const struct weir_shared_address *a, unsigned lane) {
  const void *from = weir_at(w, a->from.bank, a->from.offset);
  if (a->wide) return ((const uint64_t *)from)[lane] + a->offset;
  return (uint32_t)(((const uint32_t *)from)[lane] + a->offset);
}

static const uint32_t *sizes(const struct weir_warp *w, const struct weir_copy_op *op) {
  return weir_at(w, op->size.bank, op->size.offset);
}

// ---- 4 to 16 bytes of each thread ---------------------------------------------------------------------------------------

static bool locate_targets(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, uint64_t *to) {
  const struct weir_insn into = {.reach = WEIR_REACH_SHARED};
  uint64_t target[WEIR_MAX_LANES];
  uint8_t ignored;
  for (uint64_t m = mask; m; m &= m - 1) target[weir_lowest(m)] = shared_address(w, &op_of(i)->shared, weir_lowest(m));
  return weir_locate_lanes(w, &into, mask, i->bytes, true, target, to, &ignored);
}

// How many bytes a lane takes.
static uint32_t taken(const struct weir_warp *w, const struct weir_insn *i, unsigned lane) {
  const struct weir_copy_op *op = op_of(i);
  if (!i->count) return i->bytes;
  if (op->ignores) return (*weir_predicate(w, op->size.offset) >> lane & 1) == op->unless_ignores ? i->bytes : 0;
  const uint32_t size = sizes(w, op)[lane];
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

// ---- in bulk --------------------------------------------------------------------------------------------------------------

// Of one lane: where it is in the host, and how many bytes.
struct bulk {
  uint8_t *global, *shared;
  uint64_t *barrier;
  uint32_t bytes;
};

enum { BULK_UNIT = 16 };

static uint8_t *locate_shared(struct weir_warp *w, unsigned lane, uint64_t at, uint32_t bytes, uint32_t align,
                              const char *what) {
  const struct weir_block_state *b = w->block;
  if (at <= b->shared_bytes && bytes <= b->shared_bytes - at && !(at & (align - 1))) return b->shared + at;
  weir_raise(
    w, lane,
    "a bulk copy's %s of %u bytes at shared address 0x%llx: the block has %u bytes, and it must be a multiple of %u",
    what, bytes, (unsigned long long)at, b->shared_bytes, align);
  return NULL;
}

static uint8_t *locate_global(struct weir_warp *w, const struct weir_insn *i, unsigned lane, uint64_t at,
                              uint32_t bytes, bool writes) {
  const struct weir_allocation *a = weir_touch(w, at, bytes);
  if (a && !(at & (BULK_UNIT - 1)) && !(writes && a->read_only)) return a->host + (at - a->base);
  uint64_t wrong = at; // the first unit that cannot be, as of a copy that runs past a buffer's end
  while (wrong < at + bytes && weir_memory_at(w->block->launch->memory, wrong, BULK_UNIT)) wrong += BULK_UNIT;
  weir_raise_access(w, i, lane, wrong < at + bytes ? wrong : at, BULK_UNIT);
  return NULL;
}

// A prefetch may name any address, and reads nothing.
static bool locate(struct weir_warp *w, const struct weir_insn *i, unsigned lane, uint64_t address, struct bulk *b) {
  const struct weir_copy_op *op = op_of(i);
  *b = (struct bulk){.bytes = sizes(w, op)[lane]};
  if (b->bytes % BULK_UNIT)
    return weir_raise(w, lane, "a bulk copy of %u bytes: they must be a multiple of %d", b->bytes, BULK_UNIT);
  if (op->prefetches) return true;
  b->global = b->bytes ? locate_global(w, i, lane, address, b->bytes, op->stores) : NULL;
  b->shared = locate_shared(w, lane, shared_address(w, &op->shared, lane), b->bytes, BULK_UNIT, "data");
  if (op->arrives)
    b->barrier = (uint64_t *)(void *)locate_shared(w, lane, shared_address(w, &op->barrier, lane), 8, 8, "barrier");
  return (b->global || !b->bytes) && b->shared && (b->barrier || !op->arrives);
}

// Element by element, each of them atomically.
static void reduce(const struct weir_insn *i, const struct bulk *b) {
  for (uint32_t at = 0; at < b->bytes; at += i->bytes) {
    uint64_t old = 0, operand = 0;
    memcpy(&old, b->global + at, i->bytes);
    memcpy(&operand, b->shared + at, i->bytes);
    const uint64_t now = weir_atomic_result(i, old, operand, 0);
    memcpy(b->global + at, &now, i->bytes);
  }
}

static bool move(struct weir_warp *w, const struct weir_insn *i, unsigned lane, const struct bulk *b) {
  const struct weir_copy_op *op = op_of(i);
  if (op->prefetches) return true;
  if (op->reduces)
    reduce(i, b);
  else if (b->bytes)
    memmove(op->stores ? b->global : b->shared, op->stores ? b->shared : b->global, b->bytes);
  return !b->barrier || weir_mbarrier_transfer(w, lane, b->bytes, b->barrier);
}

static void describe(const struct weir_warp *w, const struct weir_insn *i, uint64_t mask, const struct bulk *bulks,
                     struct weir_winstr *out) {
  const struct weir_copy_op *op = op_of(i);
  out->space = WEIR_MEM_GLOBAL;
  out->arrives_at = op->arrives ? (uint32_t)shared_address(w, &op->barrier, weir_lowest(mask)) : WEIR_NO_BARRIER;
  for (uint64_t m = mask; m; m &= m - 1) out->bytes[weir_lowest(m)] = bulks[weir_lowest(m)].bytes;
}

// Lane by lane, in ascending order.
static bool memory_bulk(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {
  uint64_t scratch[WEIR_MAX_LANES];
  struct bulk bulks[WEIR_MAX_LANES];
  uint64_t *address = out ? out->address : scratch;
  weir_lane_addresses(w, i, mask, address);
  for (uint64_t m = mask; m; m &= m - 1)
    if (!locate(w, i, weir_lowest(m), address[weir_lowest(m)], &bulks[weir_lowest(m)])) return false;
  if (out) describe(w, i, mask, bulks, out);
  if (weir_puts_off(w, i, mask, out, op_of(i)->stores ? WEIR_MOVE_STORE : WEIR_MOVE_COPY)) return true;
  for (; mask; mask &= mask - 1)
    if (!move(w, i, weir_lowest(mask), &bulks[weir_lowest(mask)])) return false;
  return true;
}

void weir_fill_copy(struct weir_ops *t) {
  t->memory[WEIR_M_copy] = memory_copy;
  t->memory[WEIR_M_bulk] = memory_bulk;
}

// ---- as rows --------------------------------------------------------------------------------------------------------------

// What is left of `bytes` at *at, as a row of words that ends with a line of 128 bytes.
static uint32_t next_row(struct weir_winstr *row, uint64_t at, uint64_t end) {
  enum { LINE = 128, WORD = 4 };
  const uint64_t line_end = (at | (LINE - 1)) + 1;
  const uint32_t bytes = (uint32_t)((line_end < end ? line_end : end) - at), words = bytes / WORD;
  row->active = weir_mask(words);
  for (uint32_t l = 0; l < words; l++) row->address[l] = at + l * WORD;
  return bytes;
}

void weir_observe_bulk(const struct weir_observer *o, const struct weir_winstr *access) {
  struct weir_winstr row = {.what = access->what, .pc = access->pc, .space = access->space, .policy = access->policy};
  for (uint64_t m = access->active; m; m &= m - 1) {
    const unsigned l = weir_lowest(m);
    const uint64_t end = access->address[l] + access->bytes[l];
    for (uint64_t at = access->address[l]; at < end;) {
      at += next_row(&row, at, end);
      o->saw(o->context, &row);
    }
  }
}
