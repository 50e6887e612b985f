// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How an operation's body becomes a loop over lanes. A body is one expression over the operands' values a, b, c of one
// lane; OP1, OP2 and OP3 wrap it in a loop over each group of 32 lanes that the compiler vectorises for the instruction
// set this file is compiled for. Invariant: operands that overlap are the same slot, so lane l of the result depends
// on lane l alone and the loop may be vectorised without an alias check.
#ifndef WEIR_EXEC_OPS_LANES_H
#define WEIR_EXEC_OPS_LANES_H

#include "exec/machine.h"
#include "exec/ops/ops.h"
#include "exec/ops/types.h"

#include <string.h>

#ifdef __clang__
  // Without unroll(disable) clang unrolls 32 turns into scalar code before it looks for vectors.
  #define WEIR_IVDEP _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
  #define WEIR_IVDEP _Pragma("GCC ivdep")
#endif
// Lane by lane, where addresses are not in a row.
#ifdef __clang__
  #define WEIR_UNROLL _Pragma("clang loop unroll_count(8)")
#else
  #define WEIR_UNROLL _Pragma("GCC unroll 8")
#endif
#define EACH_LANE WEIR_UNROLL for (unsigned l = 0; l < 32; l++)
#define FOR_LANES WEIR_IVDEP for (unsigned l = 0; l < 32; l++)

enum { WEIR_FEW_LANES = 8 }; // are dealt with one by one where so few run

static const uint32_t lane_bit32[32] = {
#define B(n) UINT32_C(1) << (n), UINT32_C(1) << (n + 1), UINT32_C(1) << (n + 2), UINT32_C(1) << (n + 3)
  B(0), B(4), B(8), B(12), B(16), B(20), B(24), B(28)};
#undef B
static const uint64_t lane_bit64[32] = {
#define B(n) UINT64_C(1) << (n), UINT64_C(1) << (n + 1), UINT64_C(1) << (n + 2), UINT64_C(1) << (n + 3)
  B(0), B(4), B(8), B(12), B(16), B(20), B(24), B(28)};
#undef B

#define OPERAND(T, x) const T##_slot *p##x = (const T##_slot *)weir_at(w, i->x##_bank, i->x) + 32 * (size_t)g
#define RESULT(T) T##_slot *pd = (T##_slot *)results + 32 * (size_t)g
#define VALUE(T, x) const T##_value x = T##_get(p##x[l])

// All lanes are computed even where few run: nothing here has side effects. Then those that run are taken from a place aside, so
// that a body has one loop, for all lanes. What lanes that do not exist come to have is nobody's to read.
static inline void *results_go(const struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {
  if (__builtin_expect(mask == w->present, 1)) return weir_at(w, WEIR_BANK_FRAME, i->d);
  return weir_at(w, WEIR_BANK_BLOCK, weir_slot_offset(w->block->program, WEIR_SLOT_ASIDE));
}

#define TAKE(W, T)                                                                                                     \
  static                                                                                                               \
    __attribute__((noinline, unused)) void take_##W(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {   \
    const T *from = (const T *)results_go(w, i, mask);                                                                 \
    T *to = (T *)weir_at(w, WEIR_BANK_FRAME, i->d);                                                                    \
    for (unsigned g = 0; g < w->groups; g++, mask >>= 32, from += 32, to += 32) {                                      \
      const T m = (T)(uint32_t)mask;                                                                                   \
      if (__builtin_popcount((uint32_t)mask) <= WEIR_FEW_LANES) {                                                      \
        for (uint32_t rest = (uint32_t)mask; rest; rest &= rest - 1)                                                   \
          to[__builtin_ctz(rest)] = from[__builtin_ctz(rest)];                                                         \
        continue;                                                                                                      \
      }                                                                                                                \
      FOR_LANES to[l] = (m & lane_bit##W[l]) ? from[l] : to[l];                                                        \
    }                                                                                                                  \
  }
TAKE(32, uint32_t)
TAKE(64, uint64_t)
#undef TAKE

#define TAKE_RESULTS(D)                                                                                                \
  if (__builtin_expect(mask != w->present, 0)) (sizeof(D##_slot) == 4 ? take_32 : take_64)(w, i, mask);

#define BODY(NAME, D, OPERANDS, VALUES, EXPR)                                                                          \
  static void op_##NAME(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {                               \
    void *const results = results_go(w, i, mask);                                                                      \
    for (unsigned g = 0; g < w->groups; g++) {                                                                         \
      RESULT(D);                                                                                                       \
      OPERANDS;                                                                                                        \
      FOR_LANES {                                                                                                      \
        VALUES;                                                                                                        \
        pd[l] = D##_put(EXPR);                                                                                         \
      }                                                                                                                \
    }                                                                                                                  \
    TAKE_RESULTS(D)                                                                                                    \
  }

#define OP1(NAME, D, A, EXPR) BODY(NAME, D, OPERAND(A, a), VALUE(A, a), EXPR)
#define OP2(NAME, D, A, B, EXPR) BODY(NAME, D, OPERAND(A, a); OPERAND(B, b), VALUE(A, a); VALUE(B, b), EXPR)
#define OP3(NAME, D, A, B, C, EXPR)                                                                                    \
  BODY(NAME, D, OPERAND(A, a); OPERAND(B, b); OPERAND(C, c), VALUE(A, a); VALUE(B, b); VALUE(C, c), EXPR)

#endif
