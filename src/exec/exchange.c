// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Lane exchange: vote, shfl, match, redux. Each 32 lanes are a CUDA warp of their own, so that a kernel written for
// 32 lanes means the same when two halves run together. Of vote, match and redux, c is the mask of the lanes that take part with a
// lane (membermask; all without .sync). Lanes that run together may have several, as tiles of cooperative groups do. A lane that is not
// in its own mask, which PTX leaves undefined, learns of those that are. Of vote and redux, imm: the mask is one for all lanes.
#include "base/bits.h"
#include "exec/ops/movemask.h"
#include "exec/special.h"

#include <string.h>

enum { INFINITY_BITS = 0x7f800000, NAN_BITS = 0x7fffffff };
#define SIGN_BIT 0x80000000u

static const uint32_t *vector32(const struct weir_warp *w, unsigned bank, uint32_t offset) {
  return weir_at(w, bank, offset);
}

static uint64_t predicate_a(const struct weir_warp *w, const struct weir_insn *i) {
  return *(const uint64_t *)weir_at(w, i->a_bank, i->a) ^ -(uint64_t)i->wide;
}

static void set_predicate(struct weir_warp *w, uint32_t offset, uint64_t mask, uint64_t value) {
  uint64_t *p = weir_predicate(w, offset);
  *p = (*p & ~mask) | (value & mask);
}

// Lanes of `mask` that take part with lane l.
static uint64_t members(const struct weir_warp *w, const struct weir_insn *i, uint64_t mask, unsigned l) {
  return mask & (uint64_t)vector32(w, i->c_bank, i->c)[l] << (l & 32);
}

// Lanes of `rest` with the same members as lane l, and of its 32, which are asked at once.
static uint64_t alike(const struct weir_warp *w, const struct weir_insn *i, uint64_t rest, unsigned l) {
  const uint32_t *c = vector32(w, i->c_bank, i->c);
  const uint64_t asked = rest & (UINT64_C(0xffffffff) << (l & 32));
  if (i->imm) return asked;
  uint64_t found = 0;
  for (uint64_t m = asked; m; m &= m - 1)
    if (c[weir_lowest(m)] == c[l]) found |= m & -m;
  return found;
}

static bool voted(uint64_t yes, uint64_t all, unsigned sub) {
  switch (sub) {
  case WEIR_SUB_ALL: return yes == all;
  case WEIR_SUB_ANY: return yes != 0;
  default: return yes == 0 || yes == all; // uni
  }
}

static void op_vote(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {
  const uint64_t p = predicate_a(w, i) & mask;
  uint64_t outcome = 0;
  for (uint64_t rest = mask, same; rest; rest &= ~same) {
    const unsigned l = weir_lowest(rest);
    const uint64_t all = members(w, i, mask, l);
    same = alike(w, i, rest, l);
    if (voted(p & all, all, i->sub)) outcome |= same;
  }
  set_predicate(w, i->d, mask, outcome);
}

static void put(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, const uint32_t outcome[WEIR_MAX_LANES]) {
  uint32_t *d = weir_at(w, WEIR_BANK_FRAME, i->d);
  for (; mask; mask &= mask - 1) d[weir_lowest(mask)] = outcome[weir_lowest(mask)];
}

static void op_ballot(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {
  const uint64_t yes = predicate_a(w, i) & mask;
  const uint32_t *c = vector32(w, i->c_bank, i->c);
  uint32_t *d = weir_at(w, WEIR_BANK_FRAME, i->d);
  for (uint64_t m = mask; m; m &= m - 1) {
    const unsigned l = weir_lowest(m);
    d[l] = (uint32_t)(yes >> (l & 32)) & c[l];
  }
}

static void op_activemask(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {
  uint32_t *d = weir_at(w, WEIR_BANK_FRAME, i->d);
  for (uint64_t m = mask; m; m &= m - 1) {
    const unsigned l = weir_lowest(m);
    d[l] = (uint32_t)(w->active >> (l & 32));
  }
}

// Of each lane the lane that it reads, and whether that is inside its segment (PTX ISA, shfl): if not, it reads itself. Without branches,
// so that the loops become vectors.
struct partners {
  uint32_t lane[WEIR_MAX_LANES];
  uint32_t inside[WEIR_MAX_LANES];
};

#define PARTNERS(NAME, J, INSIDE)                                                                                      \
  static void NAME(struct partners *p, const uint32_t *b, const uint32_t *c, unsigned lanes) {                         \
    for (unsigned l = 0; l < lanes; l++) {                                                                             \
      const uint32_t lane = l & 31, by = b[l] & 31, clamp = c[l] & 31, segment = c[l] >> 8 & 31;                       \
      const uint32_t first = lane & segment, last = first | (clamp & ~segment), j = (J);                               \
      const uint32_t inside = (INSIDE) ? UINT32_MAX : 0;                                                               \
      p->lane[l] = ((j & inside) | (lane & ~inside)) + (l & 32);                                                       \
      p->inside[l] = inside;                                                                                           \
    }                                                                                                                  \
  }
PARTNERS(partners_up, lane - by, (int32_t)j >= (int32_t)last) // the clamp is a lower bound
PARTNERS(partners_down, lane + by, (int32_t)j <= (int32_t)last)
PARTNERS(partners_bfly, lane ^ by, (int32_t)j <= (int32_t)last)
PARTNERS(partners_idx, first | (by & ~segment), (int32_t)j <= (int32_t)last)

static void op_shfl(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {
  const uint32_t *b = vector32(w, i->b_bank, i->b), *c = vector32(w, i->c_bank, i->c);
  const unsigned lanes = w->groups * 32;
  uint32_t a[WEIR_MAX_LANES]; // the destination may be the source's slot
  struct partners p;
  memcpy(a, vector32(w, i->a_bank, i->a), lanes * sizeof *a);
  for (uint64_t m = w->all & ~w->present; m; m &= m - 1) a[weir_lowest(m)] = 0; // undefined, and the same each time
  switch (i->sub) {
  case WEIR_SUB_UP: partners_up(&p, b, c, lanes); break;
  case WEIR_SUB_DOWN: partners_down(&p, b, c, lanes); break;
  case WEIR_SUB_BFLY: partners_bfly(&p, b, c, lanes); break;
  default: partners_idx(&p, b, c, lanes); break;
  }
  uint32_t *d = weir_at(w, WEIR_BANK_FRAME, i->d);
  if (mask == w->all)
    for (unsigned l = 0; l < lanes; l++) d[l] = a[p.lane[l]];
  else
    for (uint64_t m = mask; m; m &= m - 1) d[weir_lowest(m)] = a[p.lane[weir_lowest(m)]];
  if (!i->imm) return;
  uint64_t valid = movemask32(p.inside);
  if (lanes > 32) valid |= (uint64_t)movemask32(p.inside + 32) << 32;
  set_predicate(w, (uint32_t)i->imm, mask, valid & mask);
}

// imm: predicate offset of match.all, or 0 for match.any; wide: 64-bit values.
static void op_match(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {
  const void *a = weir_at(w, i->a_bank, i->a);
  uint32_t outcome[WEIR_MAX_LANES];
  uint64_t all_equal = 0;
  for (uint64_t m = mask; m; m &= m - 1) {
    const unsigned l = weir_lowest(m);
    const uint64_t group = members(w, i, mask, l);
    uint64_t same = 0;
    for (uint64_t n = group; n; n &= n - 1) {
      const unsigned o = weir_lowest(n);
      const bool equal = i->wide ? ((const uint64_t *)a)[o] == ((const uint64_t *)a)[l]
                                 : ((const uint32_t *)a)[o] == ((const uint32_t *)a)[l];
      if (equal) same |= n & -n;
    }
    if (same == group) all_equal |= m & -m;
    outcome[l] = (uint32_t)((i->imm && same != group ? 0 : same) >> (l & 32));
  }
  put(w, i, mask, outcome);
  if (i->imm) set_predicate(w, (uint32_t)i->imm, mask, all_equal);
}

// Of two numbers in single precision, PTX ISA, "redux.sync": zeros are ordered by their signs; a NaN is what comes of it with .NaN, or where
// there is nothing else.
static uint32_t reduce_float(const struct weir_insn *i, uint32_t x, uint32_t y) {
  const bool x_is_nan = (x & ~SIGN_BIT) > INFINITY_BITS, y_is_nan = (y & ~SIGN_BIT) > INFINITY_BITS;
  if (x_is_nan || y_is_nan) return (x_is_nan && y_is_nan) || i->wide ? NAN_BITS : x_is_nan ? y : x;
  const int32_t a = (int32_t)(x & SIGN_BIT ? ~x ^ SIGN_BIT : x), b = (int32_t)(y & SIGN_BIT ? ~y ^ SIGN_BIT : y);
  return (i->sub == WEIR_SUB_MIN ? a < b : a > b) ? x : y;
}

static uint32_t reduce(const struct weir_insn *i, uint32_t x, uint32_t y) {
  if (i->type == WEIR_T_F32) return reduce_float(i, x, y);
  const bool is_signed = i->type == WEIR_T_S32;
  switch (i->sub) {
  case WEIR_SUB_AND: return x & y;
  case WEIR_SUB_OR: return x | y;
  case WEIR_SUB_XOR: return x ^ y;
  case WEIR_SUB_MIN: return (is_signed ? (int32_t)x < (int32_t)y : x < y) ? x : y;
  case WEIR_SUB_MAX: return (is_signed ? (int32_t)x > (int32_t)y : x > y) ? x : y;
  default: return x + y;
  }
}

static void op_redux(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {
  const uint32_t *a = vector32(w, i->a_bank, i->a);
  uint32_t outcome[WEIR_MAX_LANES] = {0};
  for (uint64_t rest = mask, same; rest; rest &= ~same) {
    const unsigned l = weir_lowest(rest);
    uint64_t m = members(w, i, mask, l);
    same = alike(w, i, rest, l);
    uint32_t x = m ? a[weir_lowest(m)] : 0;
    if (i->type == WEIR_T_F32) x = reduce_float(i, x, x); // a NaN of one's own
    for (m &= m - 1; m; m &= m - 1) x = reduce(i, x, a[weir_lowest(m)]);
    for (m = same; m; m &= m - 1) outcome[weir_lowest(m)] = x;
  }
  put(w, i, mask, outcome);
}

// elect.sync: the lowest of the lanes that take part leads. imm: the predicate's offset, or 0.
static void op_elect(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {
  uint32_t outcome[WEIR_MAX_LANES];
  uint64_t leads = 0;
  for (uint64_t m = mask; m; m &= m - 1) {
    const unsigned l = weir_lowest(m);
    const uint64_t all = members(w, i, mask, l) & UINT64_C(0xffffffff) << (l & 32);
    const unsigned leader = all ? weir_lowest(all) : l;
    outcome[l] = leader & 31;
    if (leader == l) leads |= m & -m;
  }
  put(w, i, mask, outcome);
  if (i->imm) set_predicate(w, (uint32_t)i->imm, mask, leads);
}

void weir_fill_exchange(struct weir_ops *t) {
  t->alu[WEIR_X_vote] = op_vote;
  t->alu[WEIR_X_ballot] = op_ballot;
  t->alu[WEIR_X_activemask] = op_activemask;
  t->alu[WEIR_X_shfl] = op_shfl;
  t->alu[WEIR_X_match] = op_match;
  t->alu[WEIR_X_redux] = op_redux;
  t->alu[WEIR_X_elect] = op_elect;
}
