// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/ops/fill.h"
#include "exec/ops/lanes.h"

// A rank beyond every cluster's stays one in the window, whose addresses are in no block.
#define CLUSTER_MOST UINT32_C(16)
#define CLUSTER_OFFSET ((UINT32_C(1) << WEIR_CLUSTER_SHIFT) - 1)
_Static_assert(CLUSTER_MOST == WEIR_MAX_CLUSTER, "ranks are below it");

static inline uint32_t funnel_left(uint32_t a, uint32_t b, uint32_t n) {
  return (uint32_t)(((((uint64_t)b << 32) | a) << n) >> 32);
}

static inline uint32_t funnel_right(uint32_t a, uint32_t b, uint32_t n) {
  return (uint32_t)((((uint64_t)b << 32) | a) >> n);
}

// Bit k of the table says the outcome for (a, b, c) = the bits of k.
static inline uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t r = 0;
  for (uint32_t k = 0; k < 8; k++) {
    const uint32_t term = (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    r |= term & (0u - (table >> k & 1));
  }
  return r;
}

static inline uint64_t bfe_u64(uint64_t a, uint32_t position, uint32_t length, uint32_t width) {
  if (position >= width || !length) return 0;
  a >>= position;
  return length >= 64 ? a : a & ((UINT64_C(1) << length) - 1);
}

// The field's top bit fills the rest; a field beyond the register's end repeats the register's sign.
static inline int64_t bfe_s64(int64_t a, uint32_t position, uint32_t length, uint32_t width) {
  if (!length) return 0;
  if (position + length > width) return a >> (position > width - 1 ? width - 1 : position);
  return (int64_t)((uint64_t)a << (64 - position - length)) >> (64 - length);
}

static inline uint64_t bfi_u64(uint64_t a, uint64_t b, uint32_t position, uint32_t length, uint32_t width) {
  if (position >= width || !length) return b;
  const uint64_t field = (length >= 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1) << position;
  return (a << position & field) | (b & ~field);
}

static inline uint32_t bfind_s32(uint32_t a) {
  const uint32_t x = a >> 31 ? ~a : a;
  return x ? 31u - (uint32_t)__builtin_clz(x) : UINT32_MAX;
}

static inline uint32_t bfind_s64(uint64_t a) {
  const uint64_t x = a >> 63 ? ~a : a;
  return x ? 63u - (uint32_t)__builtin_clzll(x) : UINT32_MAX;
}

static inline uint32_t reverse32(uint32_t x) {
  x = (x >> 1 & UINT32_C(0x55555555)) | (x & UINT32_C(0x55555555)) << 1;
  x = (x >> 2 & UINT32_C(0x33333333)) | (x & UINT32_C(0x33333333)) << 2;
  x = (x >> 4 & UINT32_C(0x0f0f0f0f)) | (x & UINT32_C(0x0f0f0f0f)) << 4;
  return __builtin_bswap32(x);
}

static inline uint32_t popc32(uint32_t x) {
  x -= x >> 1 & UINT32_C(0x55555555);
  x = (x & UINT32_C(0x33333333)) + (x >> 2 & UINT32_C(0x33333333));
  x = (x + (x >> 4)) & UINT32_C(0x0f0f0f0f);
  return x * UINT32_C(0x01010101) >> 24;
}

// Each nibble of the selector picks a byte of b:a; its top bit replicates that byte's sign instead.
static inline uint32_t prmt(uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t bytes = (uint64_t)b << 32 | a;
  uint32_t r = 0;
  for (uint32_t k = 0; k < 4; k++) {
    const uint32_t s = selector >> (4 * k) & 15;
    const uint32_t byte = (uint32_t)(bytes >> (8 * (s & 7))) & 255;
    r |= (s & 8 ? (0u - (byte >> 7)) & 255 : byte) << (8 * k);
  }
  return r;
}

static inline uint32_t window(uint32_t a, uint32_t b, uint32_t byte) {
  return (uint32_t)(((uint64_t)b << 32 | a) >> (8 * byte));
}

// Bytes s, s-1, s-2, s-3 of b:a, counted modulo 8, from the least significant.
static inline uint32_t prmt_b4e(uint32_t a, uint32_t b, uint32_t s) {
  return prmt(a, b, s | ((s + 7) & 7) << 4 | ((s + 6) & 7) << 8 | ((s + 5) & 7) << 12);
}

// Edge clamp: byte k is k held at least (left) or at most (right) at s.
static inline uint32_t prmt_edge(uint32_t a, uint32_t s, bool left) {
  uint32_t selector = 0;
  for (uint32_t k = 0; k < 4; k++) selector |= ((k < s) == left ? s : k) << (4 * k);
  return prmt(a, 0, selector);
}

static inline uint32_t bmsk(uint32_t position, uint32_t length) {
  if (position > 31) return 0;
  return (length > 31 ? UINT32_MAX : (UINT32_C(1) << length) - 1) << position;
}

static inline uint32_t szext_s(uint32_t a, uint32_t n) {
  if (!n) return 0;
  return n > 31 ? a : (uint32_t)((int32_t)(a << (32 - n)) >> (32 - n));
}

// The n-th set bit from a position, upwards or downwards by the sign of n; 0 asks for the position itself.
static inline uint32_t find_nth(uint32_t mask, uint32_t base, int32_t n) {
  const int32_t step = n < 0 ? -1 : 1;
  int64_t left = n < 0 ? -(int64_t)n : n;
  if (base > 31) return UINT32_MAX;
  if (!n) return mask >> base & 1 ? base : UINT32_MAX;
  for (int32_t at = (int32_t)base; at >= 0 && at < 32; at += step)
    if ((mask >> at & 1) && --left == 0) return (uint32_t)at;
  return UINT32_MAX;
}

static inline int32_t byte_of(uint32_t x, unsigned k, bool is_signed) {
  return is_signed ? (int8_t)(x >> (8 * k)) : (int32_t)(x >> (8 * k) & 255);
}

static inline uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c, bool a_signed, bool b_signed) {
  for (unsigned k = 0; k < 4; k++) c += (uint32_t)(byte_of(a, k, a_signed) * byte_of(b, k, b_signed));
  return c;
}

static inline uint32_t dp2a(uint32_t a, uint32_t b, uint32_t c, bool a_signed, bool b_signed) {
  for (unsigned k = 0; k < 2; k++) {
    const int32_t half = a_signed ? (int16_t)(a >> (16 * k)) : (int32_t)(a >> (16 * k) & 0xffff);
    c += (uint32_t)(half * byte_of(b, k, b_signed));
  }
  return c;
}

#include "exec/ops/bits.def"

// bfi has four operands: position and length are the first two of the list.
#define BFI(T, W)                                                                                                      \
  static void op_bfi_b##W(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {                             \
    void *const results = results_go(w, i, mask);                                                                      \
    for (unsigned g = 0; g < w->groups; g++) {                                                                         \
      RESULT(T);                                                                                                       \
      OPERAND(T, a);                                                                                                   \
      OPERAND(T, b);                                                                                                   \
      OPERAND(u32, c);                                                                                                 \
      const uint32_t *length = (const uint32_t *)weir_at(w, i->list->bank, i->list->offset) + 32 * g;                  \
      FOR_LANES pd[l] = (T##_slot)bfi_u64(pa[l], pb[l], pc[l] & 255, length[l] & 255, W);                              \
    }                                                                                                                  \
    TAKE_RESULTS(T)                                                                                                    \
  }
BFI(u32, 32)
BFI(u64, 64)

#include "exec/ops/enter.h"
void WEIR_FILL(bits)(struct weir_ops *t) {
#include "exec/ops/bits.def"
  t->alu[WEIR_X_bfi_b32] = op_bfi_b32;
  t->alu[WEIR_X_bfi_b64] = op_bfi_b64;
}
