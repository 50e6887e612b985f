// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Bodies that are the same on every host: sequences, predicate logic, carries, clocks.
#include "base/bits.h"
#include "exec/descriptor.h"
#include "exec/ops/fill.h"
#include "exec/special.h"

static void op_sequence(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {
  for (unsigned k = 0; k < i->count; k++) i->sequence[k].alu(w, &i->sequence[k], mask);
}

static uint64_t pred_a(const struct weir_warp *w, const struct weir_insn *i) {
  return *(const uint64_t *)weir_at(w, i->a_bank, i->a) ^ -(uint64_t)(i->sub & 1);
}

static uint64_t pred_b(const struct weir_warp *w, const struct weir_insn *i) {
  return *(const uint64_t *)weir_at(w, i->b_bank, i->b) ^ -(uint64_t)(i->sub >> 1 & 1);
}

// sub: bit 0 and 1 say that operand a and b is negated.
#define LOGIC(NAME, EXPR)                                                                                              \
  static void op_##NAME(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {                               \
    uint64_t *d = weir_predicate(w, i->d);                                                                             \
    *d = (*d & ~mask) | ((EXPR)&mask);                                                                                 \
  }
LOGIC(and_pred, pred_a(w, i) & pred_b(w, i))
LOGIC(or_pred, pred_a(w, i) | pred_b(w, i))
LOGIC(xor_pred, pred_a(w, i) ^ pred_b(w, i))
LOGIC(not_pred, ~pred_a(w, i))
LOGIC(mov_pred, pred_a(w, i))

// sub: CARRY_IN and CARRY_OUT; imm: which sum (enum weir_carry). A subtraction is the addition of the complement, so its
// carry is 1 where it borrows nothing: PTX does not say so, but code that mixes both (128-bit division by CUDA's compiler,
// sub.cc and then addc) needs it.
#define CARRY(W, U, S, WIDE, SWIDE)                                                                                    \
  static void op_carry##W(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {                             \
    uint64_t *flag = weir_predicate(w, WEIR_PRED_CARRY);                                                               \
    const uint64_t in = i->sub & WEIR_CARRY_IN ? *flag : 0;                                                            \
    uint64_t out = 0;                                                                                                  \
    const U *a = weir_at(w, i->a_bank, i->a), *b = weir_at(w, i->b_bank, i->b), *c = weir_at(w, i->c_bank, i->c);      \
    U *d = weir_at(w, WEIR_BANK_FRAME, i->d);                                                                          \
    for (uint64_t m = mask; m; m &= m - 1) {                                                                           \
      const unsigned l = weir_lowest(m);                                                                               \
      const U cin = (U)(in >> l & 1);                                                                                  \
      WIDE sum = 0;                                                                                                    \
      switch ((enum weir_carry)i->imm) {                                                                               \
      case WEIR_CARRY_ADD: sum = (WIDE)a[l] + b[l] + cin; break;                                                       \
      case WEIR_CARRY_SUB: sum = (WIDE)a[l] + (U)~b[l] + (i->sub & WEIR_CARRY_IN ? cin : 1u); break;                   \
      case WEIR_CARRY_MAD_LO: sum = (WIDE)(U)(a[l] * b[l]) + c[l] + cin; break;                                        \
      case WEIR_CARRY_MAD_HI: sum = (WIDE)(U)((WIDE)a[l] * b[l] >> W) + c[l] + cin; break;                             \
      case WEIR_CARRY_MAD_HI_SIGNED: sum = (WIDE)(U)(((SWIDE)(S)a[l] * (S)b[l]) >> W) + c[l] + cin; break;             \
      }                                                                                                                \
      d[l] = (U)sum;                                                                                                   \
      out |= (uint64_t)(sum >> W & 1) << l;                                                                            \
    }                                                                                                                  \
    if (i->sub & WEIR_CARRY_OUT) *flag = (*flag & ~mask) | out;                                                        \
  }
CARRY(32, uint32_t, int32_t, uint64_t, int64_t)
CARRY(64, uint64_t, int64_t, unsigned __int128, __int128)

// vabsdiff2 and vabsdiff4: imm has the bits of an element, wide says signed, sub that c and all differences are added up.
static uint32_t absdiff_packed(uint32_t a, uint32_t b, uint32_t c, const struct weir_insn *i) {
  const unsigned bits = (unsigned)i->imm;
  uint32_t packed = 0, sum = c;
  for (unsigned at = 0; at < 32; at += bits) {
    uint32_t x = a >> at & (uint32_t)weir_mask(bits), y = b >> at & (uint32_t)weir_mask(bits);
    const uint32_t sign = i->wide ? UINT32_C(1) << (bits - 1) : 0; // flipped, the order of signed numbers is unsigned
    x ^= sign;
    y ^= sign;
    const uint32_t difference = x > y ? x - y : y - x;
    packed |= difference << at;
    sum += difference;
  }
  return i->sub ? sum : packed;
}

static void op_absdiff_packed(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {
  const uint32_t *a = weir_at(w, i->a_bank, i->a), *b = weir_at(w, i->b_bank, i->b), *c = weir_at(w, i->c_bank, i->c);
  uint32_t *d = weir_at(w, WEIR_BANK_FRAME, i->d);
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    d[l] = absdiff_packed(a[l], b[l], c[l], i);
  }
}

// sub has what the primary and, below, the other accesses ask; of a range the address is a's plus imm, its sizes are b and c.
static void op_policy_fraction(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {
  const float *a = weir_at(w, i->a_bank, i->a);
  uint64_t *d = weir_at(w, WEIR_BANK_FRAME, i->d);
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    d[l] = weir_descriptor_fraction(i->sub >> 1, i->sub & 1, a[l]);
  }
}

static void op_policy_range(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {
  const void *a = weir_at(w, i->a_bank, i->a);
  const uint32_t *bytes = weir_at(w, i->b_bank, i->b), *total = weir_at(w, i->c_bank, i->c);
  uint64_t *d = weir_at(w, WEIR_BANK_FRAME, i->d);
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    const uint64_t address = (i->wide ? ((const uint64_t *)a)[l] : ((const uint32_t *)a)[l]) + i->imm;
    d[l] = weir_descriptor_range(i->sub >> 1, i->sub & 1, address, bytes[l], total[l]);
  }
}

static uint64_t now(const struct weir_warp *w) {
  const struct weir_launch *launch = w->block->launch;
  return launch->clock ? *launch->clock : *launch->steps;
}

static uint64_t nanoseconds(const struct weir_warp *w) {
  const struct weir_launch *launch = w->block->launch;
  return launch->time_ps ? *launch->time_ps / 1000 : *launch->steps;
}

#define UNIFORM(NAME, T, EXPR)                                                                                         \
  static void op_##NAME(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {                               \
    T *d = weir_at(w, WEIR_BANK_FRAME, i->d);                                                                          \
    const T value = (T)(EXPR);                                                                                         \
    for (; mask; mask &= mask - 1) d[weir_lowest(mask)] = value;                                                       \
  }
UNIFORM(clock32, uint32_t, now(w))
UNIFORM(clock64, uint64_t, now(w))
UNIFORM(clock_hi, uint32_t, now(w) >> 32)
UNIFORM(timer32, uint32_t, nanoseconds(w))
UNIFORM(timer64, uint64_t, nanoseconds(w))
UNIFORM(timer_hi, uint32_t, nanoseconds(w) >> 32)

void weir_fill_special(struct weir_ops *t) {
#define ENTER(name) t->alu[WEIR_X_##name] = op_##name;
  // clang-format off
  ENTER(sequence)
  ENTER(and_pred) ENTER(or_pred) ENTER(xor_pred) ENTER(not_pred) ENTER(mov_pred)
  ENTER(carry32) ENTER(carry64) ENTER(absdiff_packed)
  ENTER(policy_fraction) ENTER(policy_range)
  ENTER(clock32) ENTER(clock64) ENTER(clock_hi) ENTER(timer32) ENTER(timer64) ENTER(timer_hi)
// clang-format on
#undef ENTER
  weir_fill_exchange(t);
  weir_fill_numeric(t);
}
