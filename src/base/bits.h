// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Small integer arithmetic used by every room.
#ifndef WEIR_BASE_BITS_H
#define WEIR_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool weir_is_pow2(uint64_t x) {
  return x && !(x & (x - 1));
}

// floor(log2 x); x must not be 0.
static inline unsigned weir_log2(uint64_t x) {
  return 63u - (unsigned)__builtin_clzll(x);
}

// In registers where no instruction can be counted on: the compiler's own way is a call.
static inline unsigned weir_popcount(uint64_t x) {
#if defined __x86_64__ && !defined __POPCNT__
  x -= x >> 1 & UINT64_C(0x5555555555555555);
  x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
  return (unsigned)(((x + (x >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F)) * UINT64_C(0x0101010101010101) >> 56);
#else
  return (unsigned)__builtin_popcountll(x);
#endif
}

// Index of the lowest set bit; x must not be 0.
static inline unsigned weir_lowest(uint64_t x) {
  return (unsigned)__builtin_ctzll(x);
}

// The lowest n bits set, 0 <= n <= 64.
static inline uint64_t weir_mask(unsigned n) {
  return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

// The lowest n bits set, 0 <= n < 64: without a branch.
static inline uint64_t weir_below(unsigned n) {
  return (UINT64_C(1) << n) - 1;
}

// Bits 0 to n set, 0 <= n < 64.
static inline uint64_t weir_upto(unsigned n) {
  return (UINT64_C(2) << n) - 1;
}

// x rounded up to a multiple of a power of two.
static inline uint64_t weir_align_up(uint64_t x, uint64_t to) {
  return (x + to - 1) & ~(to - 1);
}

// Their sum in 64 bits, which may pass the greatest number and go on at the least.
static inline int64_t weir_wrapped_sum(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

// Do a's bytes and b's, from these offsets on, have none in common? An offset may be the greatest or the least that there is.
static inline bool weir_apart(int64_t a, uint64_t a_bytes, int64_t b, uint64_t b_bytes) {
  return a <= b ? (uint64_t)b - (uint64_t)a >= a_bytes : (uint64_t)a - (uint64_t)b >= b_bytes;
}

static inline uint64_t weir_div_up(uint64_t x, uint64_t by) {
  return (x + by - 1) / by;
}

#endif
