// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Thread-block barriers. A warp arrives as a whole, as PTX has it for .aligned barriers; a warp that has exited is no
// longer expected where no thread count is given.
#include "base/bits.h"
#include "exec/machine.h"

#include <string.h>

enum { GROUP_THREADS = 128 };

static bool complete(const struct weir_block_state *b, const struct weir_barrier *r) {
  if (r->expected) return r->arrived >= r->expected;
  return r->arrived && r->arrived >= (b->warp_count - b->exited) * b->lanes;
}

static uint64_t reduced(const struct weir_barrier *r, unsigned sub) {
  switch (sub) {
  case WEIR_SUB_AND: return r->count_true == r->count_all;
  case WEIR_SUB_OR: return r->count_true != 0;
  default: return r->count_true;
  }
}

// bar.red: the outcome goes to every thread that took part.
static void deliver(struct weir_warp *w, const struct weir_barrier *r) {
  const struct weir_insn *i = w->reduction;
  const uint64_t value = reduced(r, i->sub);
  if (i->sub == WEIR_SUB_POPC) {
    uint32_t *d = weir_at(w, WEIR_BANK_FRAME, i->d);
    for (uint64_t m = w->reduction_mask; m; m &= m - 1) d[weir_lowest(m)] = (uint32_t)value;
  } else {
    uint64_t *p = weir_predicate(w, i->d);
    *p = (*p & ~w->reduction_mask) | (value ? w->reduction_mask : 0);
  }
  w->reduction = NULL;
}

static void release(struct weir_block_state *b, unsigned id) {
  struct weir_barrier *r = &b->barriers[id];
  for (unsigned k = 0; k < b->warp_count; k++) {
    if (!(r->warps[k / 64] >> (k % 64) & 1)) continue;
    struct weir_warp *w = &b->warps[k];
    w->waiting = false;
    if (w->reduction) deliver(w, r);
  }
  memset(r, 0, sizeof *r);
}

static void wait_at(struct weir_warp *w, uint32_t id) {
  w->block->barriers[id].warps[w->index / 64] |= UINT64_C(1) << (w->index % 64);
  w->waiting = true;
  w->barrier = (uint8_t)id;
  w->barrier_pc = w->pc;
}

bool weir_barrier_join(struct weir_warp *w, unsigned lane, uint32_t id, uint32_t count, bool waits) {
  struct weir_block_state *b = w->block;
  if (id >= WEIR_BARRIERS) return weir_raise(w, lane, "barrier %u: there are %d", id, WEIR_BARRIERS);
  if (count % b->lanes && count % 32)
    return weir_raise(w, lane, "barrier for %u threads: not a multiple of the warp size", count);
  struct weir_barrier *r = &b->barriers[id];
  b->has_barriers = true;
  if (r->arrived && r->expected != count)
    return weir_raise(w, lane, "barrier %u for %u threads, but others arrived at it for %u", id, count, r->expected);
  r->expected = count;
  r->arrived += b->lanes;
  if (waits) wait_at(w, id);
  return true;
}

void weir_barrier_settle(struct weir_block_state *b, uint32_t id) {
  if (complete(b, &b->barriers[id])) release(b, id);
}

static void count_predicate(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_barrier *r) {
  const uint64_t p = *(const uint64_t *)weir_at(w, i->a_bank, i->a) ^ -(uint64_t)i->wide;
  w->reduction = i;
  w->reduction_mask = mask;
  r->count_true += weir_popcount(p & mask);
  r->count_all += weir_popcount(mask);
}

// Operand b holds the barrier's number and operand c the thread count, if they are no immediates; imm holds them if
// they are: number, count << 8. `sub` is the reduction, or ARRIVE or SYNC.
bool weir_barrier(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {
  const unsigned lane = weir_lowest(mask);
  const uint32_t id = ((const uint32_t *)weir_at(w, i->b_bank, i->b))[lane];
  const uint32_t count = ((const uint32_t *)weir_at(w, i->c_bank, i->c))[lane];
  const bool arrives = i->sub == WEIR_SUB_ARRIVE;
  if (!weir_barrier_join(w, lane, id, count, !arrives)) return false;
  if (out) {
    out->barrier = (uint8_t)id;
    out->arrives = arrives;
    out->barrier_threads = (uint16_t)count;
  }
  if (!arrives && i->sub != WEIR_SUB_SYNC) count_predicate(w, i, mask, &w->block->barriers[id]);
  weir_barrier_settle(w->block, id);
  return true;
}

// Of a group's warps, those that have not exited.
static void settle_group(struct weir_block_state *b, unsigned group) {
  const unsigned warps = GROUP_THREADS / b->lanes;
  struct weir_barrier *r = &b->barriers[WEIR_WARPGROUP_BARRIER + group];
  r->expected = 0;
  for (unsigned k = group * warps; k < (group + 1) * warps && k < b->warp_count; k++)
    r->expected += b->warps[k].exited ? 0 : b->lanes;
  weir_barrier_settle(b, WEIR_WARPGROUP_BARRIER + group);
}

void weir_warpgroup_meet(struct weir_warp *w) {
  const unsigned group = w->index / (GROUP_THREADS / w->block->lanes);
  w->block->has_barriers = true;
  w->block->barriers[WEIR_WARPGROUP_BARRIER + group].arrived += w->block->lanes;
  wait_at(w, WEIR_WARPGROUP_BARRIER + group);
  settle_group(w->block, group);
}

void weir_barrier_exited(struct weir_block_state *b) {
  if (!b->has_barriers) return;
  for (unsigned id = 0; id < WEIR_BARRIERS; id++)
    if (b->barriers[id].arrived) weir_barrier_settle(b, id);
  for (unsigned group = 0; group < WEIR_WARPGROUPS; group++)
    if (b->barriers[WEIR_WARPGROUP_BARRIER + group].arrived) settle_group(b, group);
}
