// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A recency stack per set: position 0 is the most recently used (MRU) way, position ways-1 the least (LRU).
// Invariant: every way of the set stands in it exactly once. Up to 16 ways the stack is one 64-bit word of way numbers,
// four bits each, so that a touch is a dozen instructions; beyond, it is one byte per way. Ways start in order, way 0 at
// MRU.
#ifndef WEIR_POLICY_RECENCY_H
#define WEIR_POLICY_RECENCY_H

#include "policy/policy.h"

#include <string.h>

enum { WEIR_RECENCY_SET_BYTES = 8, WEIR_RECENCY_LINE_BYTES = 1, WEIR_RECENCY_WORD_WAYS = 16 };

static inline void weir_recency_init(struct weir_cache_view *c) {
  for (uint32_t set = 0; set < c->sets; set++) {
    *(uint64_t *)weir_set_state(c, set) = UINT64_C(0xFEDCBA9876543210);
    uint8_t *stack = weir_line_state(c, set, 0);
    for (uint32_t way = 0; way < c->ways; way++) stack[way] = (uint8_t)way;
  }
}

// Position of `way` in a word: the lowest nibble that equals it (the borrow of a zero nibble only disturbs those above).
static inline unsigned weir_recency_find(uint64_t stack, uint32_t way) {
  const uint64_t ones = UINT64_C(0x1111111111111111);
  uint64_t differs = stack ^ (ones * way);
  return weir_lowest((differs - ones) & ~differs & (ones << 3)) & ~3u;
}

// Moves `way` to MRU.
static inline void weir_recency_promote(struct weir_cache_view *c, uint32_t set, uint32_t way) {
  if (c->ways <= WEIR_RECENCY_WORD_WAYS) {
    uint64_t *stack = weir_set_state(c, set);
    unsigned shift = weir_recency_find(*stack, way);
    uint64_t nearer = weir_below(shift), moved = (UINT64_C(16) << shift) - 1; // with 16 ways, all
    *stack = (*stack & ~moved) | (*stack & nearer) << 4 | way;
    return;
  }
  uint8_t *stack = weir_line_state(c, set, 0);
  uint8_t *at = memchr(stack, (int)way, c->ways);
  memmove(stack + 1, stack, (size_t)(at - stack));
  stack[0] = (uint8_t)way;
}

// Moves `way` to LRU.
static inline void weir_recency_demote(struct weir_cache_view *c, uint32_t set, uint32_t way) {
  if (c->ways <= WEIR_RECENCY_WORD_WAYS) {
    uint64_t *stack = weir_set_state(c, set);
    unsigned shift = weir_recency_find(*stack, way), top = 4 * (c->ways - 1);
    uint64_t farther = weir_mask(top + 4) & ~weir_mask(shift + 4);
    uint64_t kept = *stack & (weir_mask(shift) | ~weir_mask(top + 4));
    *stack = kept | (*stack & farther) >> 4 | (uint64_t)way << top;
    return;
  }
  uint8_t *stack = weir_line_state(c, set, 0);
  uint8_t *at = memchr(stack, (int)way, c->ways);
  memmove(at, at + 1, (size_t)(stack + c->ways - 1 - at));
  stack[c->ways - 1] = (uint8_t)way;
}

// The candidate nearest to LRU but `nearer`, of which there are so many.
static inline uint32_t weir_recency_nearest(const struct weir_cache_view *c, uint32_t set, uint64_t candidates,
                                            uint32_t nearer) {
  uint64_t word = *(const uint64_t *)weir_set_state(c, set);
  const uint8_t *stack = weir_line_state(c, set, 0);
  bool in_word = c->ways <= WEIR_RECENCY_WORD_WAYS;
  uint32_t position = c->ways, way;
  do {
    position--;
    way = in_word ? (uint32_t)(word >> (4 * position)) & 15u : stack[position];
  } while (!(candidates >> way & 1) || nearer--);
  return way;
}

static inline uint32_t weir_recency_last(const struct weir_cache_view *c, uint32_t set, uint64_t candidates) {
  return weir_recency_nearest(c, set, candidates, 0);
}

// Bits to hold a position for each of `ways` lines.
static inline uint64_t weir_recency_bits(uint32_t ways) {
  return ways > 1 ? (uint64_t)ways * (weir_log2(ways - 1) + 1) : 0;
}

// Hooks that policies of this order share: a hit makes a line the most recent; the least recent goes. A cache knows the first by its
// address, and then does what it does without a view of the access.
void weir_recency_hit(struct weir_cache_view *c, struct weir_access *a, uint32_t way, bool pending);

static inline uint32_t weir_recency_victim(struct weir_cache_view *c, struct weir_access *a, uint64_t candidates) {
  return weir_recency_last(c, a->set, candidates);
}

#endif
