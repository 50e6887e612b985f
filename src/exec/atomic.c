// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Atomics, lane by lane in ascending order, and accesses that move no data.
#include "base/bits.h"
#include "exec/access.h"
#include "exec/ops/fill.h"
#include "exec/ops/types.h"
#include "exec/special.h"

static uint64_t extreme(uint64_t a, uint64_t b, unsigned type, bool most) {
  bool less;
  switch (type) {
  case WEIR_T_F16:
  case WEIR_T_BF16:
  case WEIR_T_F16X2:
  case WEIR_T_BF16X2: return weir_half_atomic(most ? WEIR_HALF_MAX : WEIR_HALF_MIN, (uint32_t)a, (uint32_t)b, type);
  case WEIR_T_S32: less = (int32_t)a < (int32_t)b; break;
  case WEIR_T_S64: less = (int64_t)a < (int64_t)b; break;
  default: less = a < b;
  }
  return less != most ? a : b;
}

static uint64_t sum(uint64_t a, uint64_t b, const struct weir_insn *i) {
  switch (i->type) {
  case WEIR_T_F32: {
    const float x = float32((uint32_t)a), y = float32((uint32_t)b);
    // In global memory subnormals are flushed (PTX ISA, atom).
    if (i->reach == WEIR_REACH_GLOBAL) return bits32(flush32(nan32(flush32(x) + flush32(y))));
    return bits32(nan32(x + y));
  }
  case WEIR_T_F64: return bits64(nan64_2(float64(a) + float64(b), float64(a), float64(b)));
  case WEIR_T_F16:
  case WEIR_T_BF16:
  case WEIR_T_F16X2:
  case WEIR_T_BF16X2: return weir_half_atomic(WEIR_HALF_ADD, (uint32_t)a, (uint32_t)b, i->type);
  default: return a + b;
  }
}

static uint64_t apply(const struct weir_insn *i, uint64_t old, uint64_t b, uint64_t c) {
  switch (i->sub) {
  case WEIR_SUB_AND: return old & b;
  case WEIR_SUB_OR: return old | b;
  case WEIR_SUB_XOR: return old ^ b;
  case WEIR_SUB_EXCH: return b;
  case WEIR_SUB_CAS: return old == b ? c : old;
  case WEIR_SUB_INC: return old >= b ? 0 : old + 1;
  case WEIR_SUB_DEC: return old == 0 || old > b ? b : old - 1;
  case WEIR_SUB_MIN: return extreme(old, b, i->type, false);
  case WEIR_SUB_MAX: return extreme(old, b, i->type, true);
  default: return sum(old, b, i);
  }
}

static uint64_t element(const void *vector, bool wide, unsigned bytes, unsigned lane) {
  const uint64_t v = wide ? ((const uint64_t *)vector)[lane] : ((const uint32_t *)vector)[lane];
  return bytes == 2 ? v & 0xffff : v;
}

uint64_t weir_atomic_combine(const struct weir_insn *i, void *at, uint64_t b, uint64_t c) {
  uint64_t old = 0;
  memcpy(&old, at, i->bytes);
  const uint64_t now = apply(i, old, b, c);
  memcpy(at, &now, i->bytes);
  return old;
}

static bool memory_atomic(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {
  uint64_t scratch[WEIR_MAX_LANES], where[WEIR_MAX_LANES];
  uint64_t *address = out ? out->address : scratch;
  uint8_t space;
  weir_lane_addresses(w, i, mask, address);
  if (!weir_locate_lanes(w, i, mask, i->bytes, true, address, where, &space)) return false;
  if (out) out->space = space;
  if (weir_puts_off(w, i, mask, out, WEIR_MOVE_STORE)) return true;
  const bool wide = i->bytes == 8;
  const void *b = weir_at(w, i->b_bank, i->b), *c = weir_at(w, i->c_bank, i->c);
  void *d = i->d == WEIR_PC_NONE ? NULL : weir_at(w, WEIR_BANK_FRAME, i->d);
  for (; mask; mask &= mask - 1) {
    const unsigned l = weir_lowest(mask);
    const uint64_t old =
      weir_atomic_combine(i, (void *)(uintptr_t)where[l], element(b, wide, i->bytes, l), element(c, wide, i->bytes, l));
    if (d && wide)
      ((uint64_t *)d)[l] = old;
    else if (d)
      ((uint32_t *)d)[l] = (uint32_t)old;
  }
  return true;
}

// Element by element of each lane, each of them atomically. The list: sources; behind them, of an instruction with one, a cache policy; then, if d says
// so, destinations.
static bool memory_atomic_vector(struct weir_warp *w, const struct weir_insn *i, uint64_t mask,
                                 struct weir_winstr *out) {
  uint64_t scratch[WEIR_MAX_LANES], where[WEIR_MAX_LANES];
  uint64_t *address = out ? out->address : scratch;
  const struct weir_ref *results = i->list + i->count + 1;
  uint8_t space;
  weir_lane_addresses(w, i, mask, address);
  if (!weir_locate_lanes(w, i, mask, (uint32_t)i->bytes * i->count, true, address, where, &space)) return false;
  if (out) out->space = space;
  if (weir_puts_off(w, i, mask, out, WEIR_MOVE_STORE)) return true;
  for (; mask; mask &= mask - 1)
    for (unsigned l = weir_lowest(mask), k = 0; k < i->count; k++) {
      const uint64_t b = element(weir_at(w, i->list[k].bank, i->list[k].offset), false, i->bytes, l);
      const uint64_t old = weir_atomic_combine(i, (uint8_t *)(uintptr_t)where[l] + k * i->bytes, b, 0);
      if (i->d != WEIR_PC_NONE) ((uint32_t *)weir_at(w, WEIR_BANK_FRAME, results[k].offset))[l] = (uint32_t)old;
    }
  return true;
}

// A prefetch may name any address: one that is nowhere does nothing, so nothing is checked.
static bool memory_prefetch(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {
  if (!out) return true;
  weir_lane_addresses(w, i, mask, out->address);
  for (uint64_t m = mask; m; m &= m - 1)
    if (!weir_memory_at(w->block->launch->memory, out->address[weir_lowest(m)], 1)) out->active &= ~(m & -m);
  out->space = WEIR_MEM_GLOBAL;
  return true;
}

void weir_fill_atomic(struct weir_ops *t) {
  t->memory[WEIR_M_atomic] = memory_atomic;
  t->memory[WEIR_M_atomic_vector] = memory_atomic_vector;
  t->memory[WEIR_M_prefetch] = memory_prefetch;
}
