// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/mbarrier.h"

#include "base/bits.h"
#include "exec/access.h"
#include "exec/ops/fill.h"

#include <string.h>

#define PHASE (UINT64_C(1) << 63)

static uint32_t pending(uint64_t b) {
  return (uint32_t)b & WEIR_MBARRIER_MOST;
}

static uint32_t expected(uint64_t b) {
  return (uint32_t)(b >> 32) & WEIR_MBARRIER_MOST;
}

static uint64_t barrier(uint64_t phase, uint32_t each, uint32_t left) {
  return (phase & PHASE) | (uint64_t)each << 32 | left;
}

static bool initialise(struct weir_warp *w, unsigned lane, uint32_t count, uint64_t *b) {
  if (!count || count > WEIR_MBARRIER_MOST)
    return weir_raise(w, lane, "mbarrier.init of %u arrivals: a phase waits for 1 to %u", count, WEIR_MBARRIER_MOST);
  *b = barrier(0, count, count);
  return true;
}

// A phase that everybody has arrived at ends, and the next begins.
static bool arrive(struct weir_warp *w, unsigned lane, unsigned op, uint32_t count, uint64_t *b) {
  const bool drops = op == WEIR_MBARRIER_DROP || op == WEIR_MBARRIER_DROP_NO_COMPLETE;
  const bool ends = op == WEIR_MBARRIER_ARRIVE || op == WEIR_MBARRIER_DROP;
  const uint32_t left = pending(*b), each = expected(*b);
  if (!count || count > left || (drops && count > each))
    return weir_raise(w, lane, "%u arrivals at an mbarrier that waits for %u%s", count, left,
                      left ? "" : ": was it initialised?");
  if (!ends && count == left)
    return weir_raise(w, lane, "an arrival with .noComplete would end the phase of its mbarrier");
  const uint32_t then = drops ? each - count : each;
  *b = count == left ? barrier(~*b, then, then) : barrier(*b, then, left - count);
  return true;
}

static void answer(struct weir_warp *w, const struct weir_insn *i, unsigned lane, bool ended) {
  uint64_t *p = weir_predicate(w, i->d);
  *p = (*p & ~(UINT64_C(1) << lane)) | (uint64_t)ended << lane;
}

// Lane by lane, in ascending order. b: how many arrive, or the parity; c: the state.
static bool memory_mbarrier(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {
  uint64_t scratch[WEIR_MAX_LANES], where[WEIR_MAX_LANES];
  uint64_t *address = out ? out->address : scratch;
  uint8_t space;
  const bool tests = weir_mbarrier_tests(i->sub);
  weir_lane_addresses(w, i, mask, address);
  if (!weir_locate_lanes(w, i, mask, 8, !tests, address, where, &space)) return false;
  if (out) out->space = space;
  if (weir_puts_off(w, i, mask, out, tests ? WEIR_MOVE_LOAD : WEIR_MOVE_STORE)) return true;
  const uint32_t *count = weir_at(w, i->b_bank, i->b);
  const uint64_t *state = weir_at(w, i->c_bank, i->c);
  uint64_t *d = i->d == WEIR_PC_NONE || tests ? NULL : weir_at(w, WEIR_BANK_FRAME, i->d);
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    uint64_t b;
    memcpy(&b, (const void *)(uintptr_t)where[l], sizeof b);
    const uint64_t old = b;
    bool ok = true;
    switch (i->sub) {
    case WEIR_MBARRIER_INIT: ok = initialise(w, l, count[l], &b); break;
    case WEIR_MBARRIER_INVALIDATE: b = 0; break;
    case WEIR_MBARRIER_TEST_STATE: answer(w, i, l, (b ^ state[l]) & PHASE); break;
    case WEIR_MBARRIER_TEST_PARITY: answer(w, i, l, (b >> 63) != (count[l] & 1)); break;
    case WEIR_MBARRIER_COPIES: break;
    default: ok = arrive(w, l, i->sub, count[l], &b);
    }
    if (!ok) return false;
    if (!tests) memcpy((void *)(uintptr_t)where[l], &b, sizeof b);
    if (d) d[l] = old;
  }
  return true;
}

void weir_fill_mbarrier(struct weir_ops *t) {
  t->memory[WEIR_M_mbarrier] = memory_mbarrier;
}
