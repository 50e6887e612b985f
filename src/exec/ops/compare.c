// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/ops/fill.h"
#include "exec/ops/lanes.h"
#include "exec/ops/movemask.h"

#define SIGN32 UINT32_C(0x80000000)
#define SIGN64 UINT64_C(0x8000000000000000)
#define EXPONENT32 UINT32_C(0x7f800000)
#define EXPONENT64 UINT64_C(0x7ff0000000000000)
#define movemask_u32 movemask32
#define movemask_u64 movemask64

static inline uint64_t combine(uint64_t outcome, uint64_t with, unsigned boolean) {
  switch (boolean) {
  case WEIR_SUB_AND: return outcome & with;
  case WEIR_SUB_OR: return outcome | with;
  case WEIR_SUB_XOR: return outcome ^ with;
  default: return outcome;
  }
}

// p = outcome op c, q = not outcome op c, in the lanes that run.
static inline void deliver(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, uint64_t outcome) {
  const struct weir_setp_tail *t = i->tail;
  outcome ^= -(uint64_t)t->invert;
  uint64_t with = 0;
  if (t->boolean) with = *weir_predicate(w, t->with) ^ -(uint64_t)t->flip_with;
  uint64_t *p = weir_predicate(w, i->d);
  if (t->complement != WEIR_PC_NONE) {
    uint64_t *q = weir_predicate(w, t->complement);
    *q = (*q & ~mask) | (combine(~outcome, with, t->boolean) & mask);
  }
  *p = (*p & ~mask) | (combine(outcome, with, t->boolean) & mask);
}

#define COMPARE(NAME, A, B, W, CONDITION)                                                                              \
  static void op_##NAME(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {                               \
    uint64_t outcome = 0;                                                                                              \
    for (unsigned g = 0; g < w->groups; g++) {                                                                         \
      OPERAND(A, a);                                                                                                   \
      OPERAND(B, b);                                                                                                   \
      _Alignas(64) W##_slot t[32];                                                                                     \
      FOR_LANES {                                                                                                      \
        VALUE(A, a);                                                                                                   \
        VALUE(B, b);                                                                                                   \
        t[l] = (CONDITION) ? (W##_slot) - 1 : 0;                                                                       \
      }                                                                                                                \
      outcome |= (uint64_t)movemask_##W(t) << (32 * g);                                                                \
    }                                                                                                                  \
    deliver(w, i, mask, outcome);                                                                                      \
  }

#include "exec/ops/compare.def"
#include "exec/ops/enter.h"
void WEIR_FILL(compare)(struct weir_ops *t) {
#include "exec/ops/compare.def"
}
