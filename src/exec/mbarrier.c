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

// Bytes that the phase waits for; less than 0: they have come before anybody expected them.
static int32_t bytes_of(uint64_t b) {
  const uint32_t bits = (uint32_t)(b >> 20 & 0xfff) | (uint32_t)(b >> 52 & 0x1ff) << 12;
  return (int32_t)(bits << 11) >> 11;
}

static uint64_t barrier(uint64_t phase, uint32_t each, uint32_t left, int32_t bytes) {
  const uint64_t b = (uint32_t)bytes;
  return (phase & PHASE) | (b >> 12 & 0x1ff) << 52 | (uint64_t)each << 32 | (b & 0xfff) << 20 | left;
}

static bool initialise(struct weir_warp *w, unsigned lane, uint32_t count, uint64_t *b) {
  if (!count || count > WEIR_MBARRIER_MOST)
    return weir_raise(w, lane, "mbarrier.init of %u arrivals: a phase waits for 1 to %u", count, WEIR_MBARRIER_MOST);
  *b = barrier(0, count, count, 0);
  return true;
}

// A phase that everybody has arrived at, and that waits for no bytes, ends, and the next begins.
static uint64_t settle(uint64_t phase, uint32_t each, uint32_t left, int32_t bytes) {
  return left || bytes ? barrier(phase, each, left, bytes) : barrier(~phase, each, each, 0);
}

static bool arrive(struct weir_warp *w, unsigned lane, unsigned op, uint32_t count, uint64_t *b) {
  const bool drops =
    op == WEIR_MBARRIER_DROP || op == WEIR_MBARRIER_DROP_NO_COMPLETE || op == WEIR_MBARRIER_DROP_EXPECT;
  const bool ends = op != WEIR_MBARRIER_ARRIVE_NO_COMPLETE && op != WEIR_MBARRIER_DROP_NO_COMPLETE;
  const uint32_t left = pending(*b), each = expected(*b);
  if (!count || count > left || (drops && count > each))
    return weir_raise(w, lane, "%u arrivals at an mbarrier that waits for %u%s", count, left,
                      left ? "" : ": was it initialised?");
  if (!ends && count == left)
    return weir_raise(w, lane, "an arrival with .noComplete would end the phase of its mbarrier");
  *b = settle(*b, drops ? each - count : each, left - count, bytes_of(*b));
  return true;
}

// PTX ISA, "Tracking asynchronous operations by the mbarrier object": the count of bytes lies between minus and plus 2^20 - 1.
static bool expect(struct weir_warp *w, unsigned lane, int64_t bytes, uint64_t *b) {
  const int64_t then = bytes_of(*b) + bytes;
  if (!expected(*b)) return weir_raise(w, lane, "bytes at an mbarrier that waits for nobody: was it initialised?");
  if (then > WEIR_MBARRIER_MOST || then < -WEIR_MBARRIER_MOST)
    return weir_raise(w, lane, "an mbarrier would wait for %lld bytes: %u are the most", (long long)then,
                      WEIR_MBARRIER_MOST);
  *b = barrier(*b, expected(*b), pending(*b), (int32_t)then);
  return true;
}

bool weir_mbarrier_transfer(struct weir_warp *w, unsigned lane, uint32_t bytes, uint64_t *b) {
  if (!expect(w, lane, -(int64_t)bytes, b)) return false;
  *b = settle(*b, expected(*b), pending(*b), bytes_of(*b));
  return true;
}

static void answer(struct weir_warp *w, const struct weir_insn *i, unsigned lane, bool ended) {
  uint64_t *p = weir_predicate(w, i->d);
  *p = (*p & ~(UINT64_C(1) << lane)) | (uint64_t)ended << lane;
}

// Lane by lane, in ascending order. b: how many arrive or how many bytes are meant, or the parity; c: the state.
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
    if (weir_is_nowhere((const void *)(uintptr_t)where[l])) continue;
    memcpy(&b, (const void *)(uintptr_t)where[l], sizeof b);
    const uint64_t old = b;
    bool ok = true;
    switch (i->sub) {
    case WEIR_MBARRIER_INIT: ok = initialise(w, l, count[l], &b); break;
    case WEIR_MBARRIER_INVALIDATE: b = 0; break;
    case WEIR_MBARRIER_TEST_STATE: answer(w, i, l, (b ^ state[l]) & PHASE); break;
    case WEIR_MBARRIER_TEST_PARITY: answer(w, i, l, (b >> 63) != (count[l] & 1)); break;
    case WEIR_MBARRIER_COPIES: break;
    case WEIR_MBARRIER_EXPECT: ok = expect(w, l, count[l], &b); break;
    case WEIR_MBARRIER_TRANSFER: ok = weir_mbarrier_transfer(w, l, count[l], &b); break;
    case WEIR_MBARRIER_ARRIVE_EXPECT:
    case WEIR_MBARRIER_DROP_EXPECT: ok = expect(w, l, count[l], &b) && arrive(w, l, i->sub, 1, &b); break;
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
