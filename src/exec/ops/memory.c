// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Loads and stores. Addresses that are one word after the other in lane order, or all the same, inside the allocation
// this instruction touched last, need two comparisons for the whole warp.
#include "exec/access.h"
#include "exec/ops/fill.h"
#include "exec/ops/lanes.h"
#include "exec/ops/movemask.h"

struct span {
  uint64_t low, high; // of the lanes that run
  uint64_t bits;      // all address bits or-ed, for alignment
  uint64_t
    follows; // if asked for, and all lanes run: those that have their neighbour's address, or lie `bytes` after it
  bool contiguous; // every lane runs, each `bytes` after its neighbour
};

struct place {
  uintptr_t base; // host pointer of lane l: base + where[l]
  const uint64_t *where;
};

// A 32-bit address register and its offset add up in 32 bits: an index below zero may come back by the offset.
static inline void widen(const struct weir_warp *w, const struct weir_insn *i, unsigned g, uint64_t *address) {
  const uint64_t offset = i->imm;
  if (i->wide) {
    OPERAND(u64, a);
    FOR_LANES address[l] = pa[l] + offset;
  } else {
    OPERAND(u32, a);
    FOR_LANES address[l] = (uint32_t)(pa[l] + offset);
  }
}

static const uint64_t lane_number64[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                           16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
static const uint32_t lane_number32[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                           16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

// Do 32 values follow each other by 2^shift? Most that do not, do not at either end.
#define IN_SEQUENCE(W)                                                                                                 \
  static inline bool in_sequence##W(const uint##W##_t *value, unsigned shift) {                                        \
    const uint##W##_t first = value[0];                                                                                \
    uint##W##_t differs = 0;                                                                                           \
    if (value[1] != (uint##W##_t)(first + (UINT64_C(1) << shift)) ||                                                   \
        value[31] != (uint##W##_t)(first + (UINT64_C(31) << shift)))                                                   \
      return false;                                                                                                    \
    FOR_LANES differs |= value[l] ^ (first + (lane_number##W[l] << shift));                                            \
    return !differs;                                                                                                   \
  }
IN_SEQUENCE(32)
IN_SEQUENCE(64)
#undef IN_SEQUENCE

// Compared with their signs, which vector units do fastest: an address past 2^63 makes `low` huge, and no span with it lies
// inside of anything, as it should be.
static inline void extend(struct span *s, const uint64_t *address) {
  int64_t low = (int64_t)s->low, high = (int64_t)s->high;
  uint64_t bits = s->bits;
  FOR_LANES {
    const int64_t a = (int64_t)address[l];
    low = a < low ? a : low;
    high = a > high ? a : high;
    bits |= address[l];
  }
  s->low = (uint64_t)low;
  s->high = (uint64_t)high;
  s->bits = bits;
}

static inline bool is_step(uint64_t from, uint64_t to, uint64_t bytes) {
  return to == from || to == from + bytes;
}

// Of lanes 1 to 31.
static uint32_t following(const uint64_t *address, uint64_t bytes) {
  _Alignas(64) uint64_t steps[32];
  WEIR_IVDEP for (unsigned l = 0; l < 31; l++) {
    const uint64_t step = address[l + 1] - address[l];
    steps[l] = ((step == 0) | (step == bytes)) ? UINT64_MAX : 0;
  }
  steps[31] = 0;
  return movemask64(steps) << 1;
}

// Lanes that do not run take the first running lane's address, so that loops need not ask.
static struct span survey(const struct weir_warp *w, const struct weir_insn *i, uint64_t mask, uint64_t bytes,
                          uint64_t *address, bool with_runs) {
  struct span s = {INT64_MAX, (uint64_t)INT64_MIN, 0, 0, false};
  const unsigned shift = (unsigned)__builtin_ctzll(bytes);
  bool contiguous = true;
  for (unsigned g = 0; g < w->groups; g++, address += 32) {
    const uint32_t m = (uint32_t)(mask >> (32 * g));
    contiguous = contiguous && m == UINT32_MAX;
    if (!m) continue;
    widen(w, i, g, address);
    if (m != UINT32_MAX) {
      const uint64_t first = address[__builtin_ctz(m)];
      FOR_LANES address[l] = (uint64_t)m & lane_bit64[l] ? address[l] : first;
    }
    if (contiguous && in_sequence64(address, shift) && (!g || address[0] == address[-1] + bytes)) {
      s.low = g ? s.low : address[0];
      s.high = address[31];
      s.bits |= address[0];
    } else {
      contiguous = false;
      extend(&s, address);
    }
    if (with_runs && !contiguous && mask == w->all) {
      s.follows |= (uint64_t)following(address, bytes) << (32 * g);
      if (g && is_step(address[-1], address[0], bytes)) s.follows |= UINT64_C(1) << (32 * g);
    }
  }
  s.contiguous = contiguous;
  return s;
}

static inline bool span_inside(const struct span *s, uint64_t base, uint64_t size, uint64_t bytes) {
  return s->low >= base && s->high >= s->low && s->high - base <= size && size - (s->high - base) >= bytes;
}

static bool in_device_memory(struct weir_warp *w, const struct span *s, uint64_t bytes, bool writes, struct place *p) {
  const struct weir_allocation *a = w->block->recent[w->pc % WEIR_RECENT];
  if (!a || !span_inside(s, a->base, a->bytes, bytes)) {
    a = weir_touch(w, s->low, s->high - s->low + bytes);
    if (!a) return false;
  }
  p->base = (uintptr_t)a->host - (uintptr_t)a->base;
  return !(writes && a->read_only);
}

static bool in_window(struct weir_warp *w, const struct weir_insn *i, const struct span *s, uint64_t bytes, bool writes,
                      struct place *p, uint8_t *space) {
  const struct weir_block_state *b = w->block;
  switch (i->reach) {
  case WEIR_REACH_GENERIC:
    if (s->low < WEIR_STATIC_BASE) return false;
    *space = WEIR_MEM_GLOBAL;
    return in_device_memory(w, s, bytes, writes, p);
  case WEIR_REACH_GLOBAL: *space = WEIR_MEM_GLOBAL; return in_device_memory(w, s, bytes, writes, p);
  case WEIR_REACH_CONST: *space = WEIR_MEM_CONST; return in_device_memory(w, s, bytes, writes, p);
  case WEIR_REACH_SHARED:
    *space = WEIR_MEM_SHARED;
    p->base = (uintptr_t)b->shared;
    return span_inside(s, 0, b->shared_bytes, bytes);
  default: return false;
  }
}

// A thread's own memory: the lanes' parts lie one after the other.
static bool in_local_memory(const struct weir_warp *w, const struct weir_insn *i, uint64_t mask, const struct span *s,
                            uint64_t bytes, const uint64_t *address, uint64_t *where, struct place *p, uint8_t *space) {
  const uint64_t each = w->block->local_bytes;
  if ((i->reach != WEIR_REACH_LOCAL && i->reach != WEIR_REACH_FRAME) || !span_inside(s, 0, each, bytes)) return false;
  for (unsigned g = 0; g < w->groups; g++, address += 32, where += 32) {
    if (!(uint32_t)(mask >> (32 * g))) continue;
    FOR_LANES where[l] = address[l] + (l + 32 * g) * each;
  }
  p->base = (uintptr_t)w->local;
  *space = i->reach == WEIR_REACH_LOCAL ? WEIR_MEM_LOCAL : WEIR_MEM_CALL;
  return true;
}

// Tries the fast ways, else asks lane by lane. `where` is scratch for what is not at address + base.
static bool locate(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, const struct span *s, uint64_t bytes,
                   bool writes, uint64_t *address, uint64_t *where, struct place *p, struct weir_winstr *out) {
  uint8_t space = 0;
  const bool aligned = !(s->bits & (bytes - 1));
  p->where = address;
  if (aligned && in_local_memory(w, i, mask, s, bytes, address, where, p, &space)) {
    p->where = where;
  } else if (!aligned || !in_window(w, i, s, bytes, writes, p, &space)) {
    if (!weir_locate_lanes(w, i, mask, (uint32_t)bytes, writes, address, where, &space)) return false;
    *p = (struct place){0, where};
  } else if (out) {
    out->spread = s->contiguous ? WEIR_SPREAD_ROW : mask == w->all ? WEIR_SPREAD_RUNS : WEIR_SPREAD_BOUNDED;
    out->follows = s->follows;
    out->low = s->low;
    out->high = s->high;
  }
  if (out) out->space = space;
  return true;
}

// Whether lanes' words may lie one after the other: those of three lanes do. Most that do not are told here.
static inline bool may_be_row(const struct weir_warp *w, const struct weir_insn *i, uint64_t bytes) {
  const void *operand = weir_at(w, i->a_bank, i->a);
  if (i->wide) {
    const uint64_t *from = operand;
    return from[1] - from[0] == bytes && from[31] - from[0] == 31 * bytes;
  }
  const uint32_t *from = operand;
  return from[1] - from[0] == bytes && from[31] - from[0] == 31 * bytes;
}

// Whether they do, asked of the operand itself: addresses, which are somebody's to see only where there is an `out`, need not be
// written down. Yields the host's pointer to the first lane's word, or NULL: it is to be asked otherwise.
static __attribute__((noinline)) void *find_row(struct weir_warp *w, const struct weir_insn *i, uint64_t bytes,
                                                bool writes) {
  const unsigned shift = (unsigned)__builtin_ctzll(bytes), lanes = 32 * w->groups;
  uint64_t first;
  if (i->wide) {
    const uint64_t *from = weir_at(w, i->a_bank, i->a);
    first = from[0] + i->imm;
    for (unsigned g = 0; g < lanes; g += 32)
      if (from[g] != from[0] + (g << shift) || !in_sequence64(from + g, shift)) return NULL;
  } else {
    const uint32_t *from = weir_at(w, i->a_bank, i->a);
    first = (uint32_t)(from[0] + i->imm);
    if (first + (lanes << shift) > UINT32_MAX) return NULL;
    for (unsigned g = 0; g < lanes; g += 32)
      if (from[g] != from[0] + (g << shift) || !in_sequence32(from + g, shift)) return NULL;
  }
  const struct span s = {.low = first, .high = first + ((uint64_t)(lanes - 1) << shift)};
  struct place p;
  uint8_t space;
  if (first & (bytes - 1) || !in_window(w, i, &s, bytes, writes, &p, &space)) return NULL;
  return (void *)(p.base + first); // NOLINT(performance-no-int-to-ptr)
}

static inline void *row(struct weir_warp *w, const struct weir_insn *i, uint64_t bytes, bool writes) {
  return may_be_row(w, i, bytes) ? find_row(w, i, bytes, writes) : NULL;
}

// Half-warps: in blocks 16 threads wide each has a row of its own, or a word.
enum { HALF = 16, MOST_HALVES = WEIR_MAX_LANES / HALF };

// Left whole, so that it becomes vectors.
#ifdef __clang__
  #define EACH_OF_HALF WEIR_IVDEP for (unsigned l = 0; l < HALF; l++)
#else
  #define EACH_OF_HALF WEIR_IVDEP _Pragma("GCC unroll 1") for (unsigned l = 0; l < HALF; l++)
#endif

struct halves {
  uint64_t at[MOST_HALVES]; // of the first lane's word: its address, then the host's
  bool is_row[MOST_HALVES]; // else all lanes have that word
};

// A row that passes the highest address, and goes on at 0, is none.
#define HALVES(W)                                                                                                      \
  static inline bool halves##W(const void *operand, unsigned count, unsigned shift, uint64_t offset, struct halves *h, \
                               struct span *s) {                                                                       \
    const uint##W##_t *from = operand;                                                                                 \
    uint##W##_t differs = 0;                                                                                           \
    for (unsigned k = 0; k < count; k++, from += HALF) {                                                               \
      const uint##W##_t first = from[0], step = from[1] - first, all = step ? ~(uint##W##_t)0 : 0;                     \
      const uint##W##_t begin = (uint##W##_t)(first + offset), end = (uint##W##_t)(begin + (HALF - 1) * step);         \
      if ((step && step != (uint##W##_t)1 << shift) || end < begin) return false;                                      \
      if ((uint##W##_t)(from[HALF - 1] + offset) != end) return false;                                                 \
      EACH_OF_HALF differs |= from[l] ^ (first + ((lane_number##W[l] << shift) & all));                                \
      h->at[k] = begin;                                                                                                \
      h->is_row[k] = step != 0;                                                                                        \
      s->low = !k || begin < s->low ? begin : s->low;                                                                  \
      s->high = !k || end > s->high ? end : s->high;                                                                   \
      s->bits |= begin;                                                                                                \
    }                                                                                                                  \
    return !differs;                                                                                                   \
  }
HALVES(32)
HALVES(64)
#undef HALVES

static __attribute__((noinline)) bool find_halves(struct weir_warp *w, const struct weir_insn *i, uint64_t bytes,
                                                  struct halves *h) {
  const unsigned shift = (unsigned)__builtin_ctzll(bytes), count = 2u * w->groups;
  const void *operand = weir_at(w, i->a_bank, i->a);
  struct span s = {0};
  struct place p;
  uint8_t space;
  if (!(i->wide ? halves64 : halves32)(operand, count, shift, i->imm, h, &s)) return false;
  if (s.bits & (bytes - 1) || !in_window(w, i, &s, bytes, false, &p, &space)) return false;
  for (unsigned k = 0; k < count; k++) h->at[k] += p.base;
  return true;
}

static inline uint32_t target(const struct weir_insn *i, unsigned k) {
  return i->count ? i->list[k].offset : i->d;
}

#define PIECE(E, l) (*(E *)(p.base + p.where[l + 32 * (size_t)g] + k * sizeof(E)))

#define LOAD(NAME, E, T)                                                                                               \
  static bool memory_##NAME(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {  \
    _Alignas(64) uint64_t scratch[WEIR_MAX_LANES], where[WEIR_MAX_LANES];                                              \
    uint64_t *address = out ? out->address : scratch;                                                                  \
    const unsigned pieces = i->count ? i->count : 1;                                                                   \
    const uint64_t bytes = sizeof(E) * pieces;                                                                         \
    const E *in_row = out || i->count ? NULL : row(w, i, bytes, false);                                                \
    struct halves h;                                                                                                   \
    if (in_row) {                                                                                                      \
      T *pd = (T *)weir_at(w, WEIR_BANK_FRAME, i->d);                                                                  \
      if (mask == w->all) {                                                                                            \
        for (unsigned g = 0; g < w->groups; g++, pd += 32, in_row += 32) FOR_LANES pd[l] = (T)in_row[l];               \
      } else {                                                                                                         \
        for (unsigned g = 0; g < w->groups; g++, pd += 32, in_row += 32, mask >>= 32)                                  \
          FOR_LANES pd[l] = (uint32_t)mask & lane_bit32[l] ? (T)in_row[l] : pd[l];                                     \
      }                                                                                                                \
      return true;                                                                                                     \
    }                                                                                                                  \
    if (!out && !i->count && mask == w->all && find_halves(w, i, bytes, &h)) {                                         \
      T *pd = (T *)weir_at(w, WEIR_BANK_FRAME, i->d);                                                                  \
      for (unsigned k = 0; k < 2u * w->groups; k++, pd += HALF) {                                                      \
        const E *from = (const E *)h.at[k], word = *from; /* NOLINT(performance-no-int-to-ptr) */                      \
        if (h.is_row[k]) {                                                                                             \
          EACH_OF_HALF pd[l] = (T)from[l];                                                                             \
        } else {                                                                                                       \
          EACH_OF_HALF pd[l] = (T)word;                                                                                \
        }                                                                                                              \
      }                                                                                                                \
      return true;                                                                                                     \
    }                                                                                                                  \
    const struct span s = survey(w, i, mask, bytes, address, out != NULL);                                             \
    struct place p;                                                                                                    \
    if (!locate(w, i, mask, &s, bytes, false, address, where, &p, out)) return false;                                  \
    if (weir_puts_off(w, i, mask, out, WEIR_MOVE_LOAD)) return true;                                                   \
    for (unsigned k = 0; k < pieces; k++)                                                                              \
      for (unsigned g = 0; g < w->groups; g++) {                                                                       \
        const uint32_t m = (uint32_t)(mask >> (32 * g));                                                               \
        T *pd = (T *)weir_at(w, WEIR_BANK_FRAME, target(i, k)) + 32 * (size_t)g;                                       \
        if (m != UINT32_MAX) {                                                                                         \
          for (uint32_t rest = m; rest; rest &= rest - 1) {                                                            \
            const unsigned l = (unsigned)__builtin_ctz(rest);                                                          \
            pd[l] = (T)PIECE(E, l);                                                                                    \
          }                                                                                                            \
        } else if (s.contiguous && pieces == 1 && p.where == address) {                                                \
          const E *source = &PIECE(E, 0);                                                                              \
          FOR_LANES pd[l] = (T)source[l];                                                                              \
        } else if (s.low == s.high && p.where == address) {                                                            \
          const T all = (T)PIECE(E, 0);                                                                                \
          FOR_LANES pd[l] = all;                                                                                       \
        } else {                                                                                                       \
          EACH_LANE pd[l] = (T)PIECE(E, l);                                                                            \
        }                                                                                                              \
      }                                                                                                                \
    return true;                                                                                                       \
  }

// Lanes store in ascending order, so of several to one address the highest wins.
#define STORE(NAME, T, E)                                                                                              \
  static bool memory_##NAME(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {  \
    _Alignas(64) uint64_t scratch[WEIR_MAX_LANES], where[WEIR_MAX_LANES];                                              \
    uint64_t *address = out ? out->address : scratch;                                                                  \
    const unsigned pieces = i->count ? i->count : 1;                                                                   \
    const uint64_t bytes = sizeof(E) * pieces;                                                                         \
    E *in_row = out || i->count || mask != w->all ? NULL : row(w, i, bytes, true);                                     \
    if (in_row) {                                                                                                      \
      const T *value = (const T *)weir_at(w, i->b_bank, i->b);                                                         \
      for (unsigned g = 0; g < w->groups; g++, value += 32, in_row += 32) FOR_LANES in_row[l] = (E)value[l];           \
      return true;                                                                                                     \
    }                                                                                                                  \
    const struct span s = survey(w, i, mask, bytes, address, out != NULL);                                             \
    struct place p;                                                                                                    \
    if (!locate(w, i, mask, &s, bytes, true, address, where, &p, out)) return false;                                   \
    if (weir_puts_off(w, i, mask, out, WEIR_MOVE_STORE)) return true;                                                  \
    for (unsigned k = 0; k < pieces; k++) {                                                                            \
      const struct weir_ref from = i->count ? i->list[k] : (struct weir_ref){i->b, i->b_bank};                         \
      for (unsigned g = 0; g < w->groups; g++) {                                                                       \
        const uint32_t m = (uint32_t)(mask >> (32 * g));                                                               \
        const T *value = (const T *)weir_at(w, from.bank, from.offset) + 32 * (size_t)g;                               \
        if (m == UINT32_MAX && s.contiguous && pieces == 1 && p.where == address) {                                    \
          E *to = &PIECE(E, 0);                                                                                        \
          FOR_LANES to[l] = (E)value[l];                                                                               \
        } else if (m == UINT32_MAX) {                                                                                  \
          for (unsigned l = 0; l < 32; l++) PIECE(E, l) = (E)value[l];                                                 \
        } else {                                                                                                       \
          for (uint32_t rest = m; rest; rest &= rest - 1) {                                                            \
            const unsigned l = (unsigned)__builtin_ctz(rest);                                                          \
            PIECE(E, l) = (E)value[l];                                                                                 \
          }                                                                                                            \
        }                                                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
    return true;                                                                                                       \
  }

LOAD(load_u8_32, uint8_t, uint32_t)
LOAD(load_s8_32, int8_t, uint32_t)
LOAD(load_u16_32, uint16_t, uint32_t)
LOAD(load_s16_32, int16_t, uint32_t)
LOAD(load_u32_32, uint32_t, uint32_t)
LOAD(load_u8_64, uint8_t, uint64_t)
LOAD(load_s8_64, int8_t, uint64_t)
LOAD(load_u16_64, uint16_t, uint64_t)
LOAD(load_s16_64, int16_t, uint64_t)
LOAD(load_u32_64, uint32_t, uint64_t)
LOAD(load_s32_64, int32_t, uint64_t)
LOAD(load_u64_64, uint64_t, uint64_t)
STORE(store_32_u8, uint32_t, uint8_t)
STORE(store_32_u16, uint32_t, uint16_t)
STORE(store_32_u32, uint32_t, uint32_t)
STORE(store_64_u8, uint64_t, uint8_t)
STORE(store_64_u16, uint64_t, uint16_t)
STORE(store_64_u32, uint64_t, uint32_t)
STORE(store_64_u64, uint64_t, uint64_t)

static inline uint64_t parameter(const uint8_t *from, unsigned bytes) {
  uint64_t eight = 0;
  uint32_t four;
  if (bytes == 4) {
    memcpy(&four, from, 4);
    return four;
  }
  if (bytes == 8)
    memcpy(&eight, from, 8);
  else
    memcpy(&eight, from, bytes);
  return eight;
}

// A kernel parameter by name: one value for all lanes. Operand a is its place in the launch's buffer (imm); what fits
// the element is extended as the type says.
#define LOAD_PARAM(W, T)                                                                                               \
  static bool memory_load_param_##W(struct weir_warp *w, const struct weir_insn *i, uint64_t mask,                     \
                                    struct weir_winstr *out) {                                                         \
    const uint8_t *from = w->block->state->params + i->imm;                                                            \
    const unsigned pieces = i->count ? i->count : 1;                                                                   \
    for (unsigned k = 0; k < pieces; k++, from += i->bytes) {                                                          \
      uint64_t value = parameter(from, i->bytes);                                                                      \
      if (i->sub) value = (uint64_t)((int64_t)(value << (64 - 8 * i->bytes)) >> (64 - 8 * i->bytes));                  \
      for (unsigned g = 0; g < w->groups; g++) {                                                                       \
        const uint32_t m = (uint32_t)(mask >> (32 * g));                                                               \
        T *pd = (T *)weir_at(w, WEIR_BANK_FRAME, target(i, k)) + 32 * (size_t)g;                                       \
        if (m == UINT32_MAX) {                                                                                         \
          FOR_LANES pd[l] = (T)value;                                                                                  \
        } else {                                                                                                       \
          FOR_LANES pd[l] = m & lane_bit32[l] ? (T)value : pd[l];                                                      \
        }                                                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
    if (out) weir_show_parameter(w, i, out);                                                                           \
    return true;                                                                                                       \
  }
LOAD_PARAM(32, uint32_t)
LOAD_PARAM(64, uint64_t)

void WEIR_FILL(memory)(struct weir_ops *t) {
#define MEMORY(name) t->memory[WEIR_M_##name] = memory_##name;
#include "exec/ops/memory.def"
}
