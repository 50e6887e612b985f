// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Selection by predicate: operand c is a predicate, a lane mask.
#include "exec/ops/fill.h"
#include "exec/ops/lanes.h"

#define SELECT(W, T)                                                                                                   \
  static void op_selp_b##W(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {                            \
    void *const results = results_go(w, i, mask);                                                                      \
    const uint64_t choice = *(const uint64_t *)weir_at(w, i->c_bank, i->c) ^ -(uint64_t)(i->sub & 1);                  \
    for (unsigned g = 0; g < w->groups; g++) {                                                                         \
      const uint32_t s = (uint32_t)(choice >> (32 * g));                                                               \
      RESULT(T);                                                                                                       \
      OPERAND(T, a);                                                                                                   \
      OPERAND(T, b);                                                                                                   \
      FOR_LANES {                                                                                                      \
        const T##_slot a = pa[l], b = pb[l]; /* both, or the compiler reads under a mask, which waits for stores */    \
        pd[l] = (s & T##_bit[l]) ? a : b;                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
    TAKE_RESULTS(T)                                                                                                    \
  }
SELECT(32, u32)
SELECT(64, u64)

void WEIR_FILL(select)(struct weir_ops *t) {
  t->alu[WEIR_X_selp_b32] = op_selp_b32;
  t->alu[WEIR_X_selp_b64] = op_selp_b64;
}
