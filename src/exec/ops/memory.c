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

// [s][l]: l << s
#define LANE(n, s) (n) << (s)
#define FOUR(n, s) LANE(n, s), LANE(n + 1, s), LANE(n + 2, s), LANE(n + 3, s)
#define LANES(s)                                                                                                       \
  { FOUR(0, s), FOUR(4, s), FOUR(8, s), FOUR(12, s), FOUR(16, s), FOUR(20, s), FOUR(24, s), FOUR(28, s) }
enum { SHIFTS = 6 }; // of words of 32 bytes at most
static const _Alignas(64) uint64_t lane_step64[SHIFTS][32] = {LANES(0), LANES(1), LANES(2),
                                                              LANES(3), LANES(4), LANES(5)};
static const _Alignas(64) uint32_t lane_step32[SHIFTS][32] = {LANES(0), LANES(1), LANES(2),
                                                              LANES(3), LANES(4), LANES(5)};
static const _Alignas(64) uint64_t no_step64[32] = {0};
static const _Alignas(64) uint32_t no_step32[32] = {0};
#undef LANES
#undef FOUR
#undef LANE

// Vectors of every compiler: several lanes at once.
typedef uint32_t lanes32 __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint64_t lanes64 __attribute__((vector_size(32), aligned(8), may_alias));
#define ANY_OF32(v) ((v)[0] | (v)[1] | (v)[2] | (v)[3] | (v)[4] | (v)[5] | (v)[6] | (v)[7])
#define ANY_OF64(v) ((v)[0] | (v)[1] | (v)[2] | (v)[3])

// Or-ed, in how many bits values differ from `first` and the steps from it; all of them, VECTORS vectors.
#define DIFFERENCES(W, to, values, first, steps, VECTORS)                                                              \
  for (unsigned v = 0; v < VECTORS; v++)                                                                               \
  to |= ((const lanes##W *)(values))[v] ^ (((const lanes##W *)(steps))[v] + first)
#define VECTORS_OF(W, count) ((count) * (W) / 8 / sizeof(lanes##W))

// Do 32 values follow each other by 2^shift? Most that do not, do not at either end.
#define IN_SEQUENCE(W)                                                                                                 \
  static inline bool in_sequence##W(const uint##W##_t *value, unsigned shift) {                                        \
    const uint##W##_t first = value[0];                                                                                \
    lanes##W differs = {0};                                                                                            \
    if (value[1] != (uint##W##_t)(first + (UINT64_C(1) << shift)) ||                                                   \
        value[31] != (uint##W##_t)(first + (UINT64_C(31) << shift)))                                                   \
      return false;                                                                                                    \
    DIFFERENCES(W, differs, value, first, lane_step##W[shift], VECTORS_OF(W, 32));                                     \
    return !(ANY_OF##W(differs));                                                                                      \
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

// ---- where nobody is to see the addresses -------------------------------------------------------------------------------

// What the instruction touches, or touched last: inside, lanes need not be asked one by one.
struct region {
  uint64_t base, bytes;
  uintptr_t host;
};

static inline bool region_of(const struct weir_warp *w, const struct weir_insn *i, bool writes, struct region *r) {
  const struct weir_block_state *b = w->block;
  if (i->reach == WEIR_REACH_SHARED) {
    *r = (struct region){0, b->shared_bytes, (uintptr_t)b->shared};
    return true;
  }
  const struct weir_allocation *a = b->recent[w->pc % WEIR_RECENT];
  if ((i->reach != WEIR_REACH_GLOBAL && i->reach != WEIR_REACH_GENERIC && i->reach != WEIR_REACH_CONST) || !a ||
      (writes && a->read_only))
    return false;
  *r = (struct region){a->base, a->bytes, (uintptr_t)a->host};
  return true;
}

static inline bool in_region(const struct region *r, uint64_t address, uint64_t bytes) {
  return bytes <= r->bytes && address - r->base <= r->bytes - bytes;
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

// Whether they do, asked of the operand itself: addresses need not be written down. Yields the host's pointer to the first lane's word,
// or NULL: it is to be asked otherwise.
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
  const uint64_t all = (uint64_t)lanes << shift;
  struct region r;
  if (first & (bytes - 1)) return NULL;
  if (region_of(w, i, writes, &r) && in_region(&r, first, all))
    return (void *)(r.host + (first - r.base)); // NOLINT(performance-no-int-to-ptr)
  const struct span s = {.low = first, .high = first + all - bytes};
  struct place p;
  uint8_t space;
  return in_window(w, i, &s, bytes, writes, &p, &space) ? (void *)(p.base + first)
                                                        : NULL; // NOLINT(performance-no-int-to-ptr)
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
  uintptr_t at[MOST_HALVES]; // the host's pointer to the first lane's word
  bool is_row[MOST_HALVES];  // else all lanes have that word
};

// A row that passes the highest address, and goes on at 0, is none.
#define HALVES(W)                                                                                                      \
  static inline bool may_be_half##W(const void *operand, uint64_t bytes) {                                             \
    const uint##W##_t *from = operand, step = from[1] - from[0];                                                       \
    return (!step || step == bytes) && from[HALF - 1] - from[0] == (uint##W##_t)((HALF - 1) * step);                   \
  }                                                                                                                    \
  static inline bool halves##W(const void *operand, unsigned count, uint64_t offset, const struct region *r,           \
                               uint64_t bytes, struct halves *h) {                                                     \
    const unsigned shift = (unsigned)__builtin_ctzll(bytes);                                                           \
    const uint##W##_t *from = operand;                                                                                 \
    lanes##W differs = {0};                                                                                            \
    uint64_t bits = 0;                                                                                                 \
    for (unsigned k = 0; k < count; k++, from += HALF) {                                                               \
      const uint##W##_t first = from[0];                                                                               \
      const bool is_row = from[1] != first;                                                                            \
      const uint64_t begin = (uint##W##_t)(first + offset), all = is_row ? HALF * bytes : bytes;                       \
      if (!in_region(r, begin, all) || (uint##W##_t)(begin + all - 1) < begin) return false;                           \
      DIFFERENCES(W, differs, from, first, is_row ? lane_step##W[shift] : no_step##W, VECTORS_OF(W, HALF));            \
      bits |= begin;                                                                                                   \
      h->at[k] = r->host + (begin - r->base);                                                                          \
      h->is_row[k] = is_row;                                                                                           \
    }                                                                                                                  \
    return !(ANY_OF##W(differs)) && !(bits & (bytes - 1));                                                             \
  }
HALVES(32)
HALVES(64)
#undef HALVES

static inline bool may_be_halves(const struct weir_warp *w, const struct weir_insn *i, uint64_t bytes) {
  const void *operand = weir_at(w, i->a_bank, i->a);
  return i->wide ? may_be_half64(operand, bytes) : may_be_half32(operand, bytes);
}

static inline bool find_halves(const struct weir_warp *w, const struct weir_insn *i, uint64_t bytes, struct halves *h) {
  struct region r;
  const void *operand = weir_at(w, i->a_bank, i->a);
  if (!region_of(w, i, false, &r)) return false;
  return i->wide ? halves64(operand, 2u * w->groups, i->imm, &r, bytes, h)
                 : halves32(operand, 2u * w->groups, i->imm, &r, bytes, h);
}

static __attribute__((noinline)) bool ask_halves(const struct weir_warp *w, const struct weir_insn *i, uint64_t bytes,
                                                 struct halves *h) {
  return find_halves(w, i, bytes, h);
}

// Lanes' places in the region, if those that run lie in it. Compared with their signs, which vector units do fastest: a place is
// negative before the region, `limit` less the place behind it.
#define PLACE(W, SELECTED)                                                                                             \
  FOR_LANES {                                                                                                          \
    const uint64_t at = (uint##W##_t)(from[l] + offset) - r->base, place = SELECTED;                                   \
    where[l] = place;                                                                                                  \
    bits |= place;                                                                                                     \
    outside |= (int64_t)(place | (limit - place));                                                                     \
  }
#define PLACES(W)                                                                                                      \
  static inline bool places##W(const void *operand, uint64_t offset, const struct region *r, uint64_t bytes,           \
                               uint32_t mask, uint64_t *where) {                                                       \
    const uint##W##_t *from = operand;                                                                                 \
    const uint64_t limit = r->bytes - bytes;                                                                           \
    int64_t outside = 0;                                                                                               \
    uint64_t bits = 0;                                                                                                 \
    if (mask == UINT32_MAX) {                                                                                          \
      PLACE(W, at)                                                                                                     \
    } else {                                                                                                           \
      PLACE(W, (uint64_t)mask &lane_bit64[l] ? at : 0)                                                                 \
    }                                                                                                                  \
    return outside >= 0 && !(bits & (bytes - 1));                                                                      \
  }
PLACES(32)
PLACES(64)
#undef PLACES
#undef PLACE

// Yields the host's pointer that they are places from; 0: it is to be asked otherwise.
static __attribute__((noinline)) uintptr_t find_places(const struct weir_warp *w, const struct weir_insn *i,
                                                       uint64_t mask, uint64_t bytes, bool writes, uint64_t *where) {
  struct region r;
  if (!region_of(w, i, writes, &r) || r.bytes < bytes || r.base & (bytes - 1)) return 0;
  const uint8_t *operand = weir_at(w, i->a_bank, i->a);
  for (unsigned g = 0; g < w->groups; g++, where += 32, mask >>= 32, operand += i->wide ? 32 * 8 : 32 * 4) {
    if (!(uint32_t)mask) continue;
    if (i->wide && !places64(operand, i->imm, &r, bytes, (uint32_t)mask, where)) return 0;
    if (!i->wide && !places32(operand, i->imm, &r, bytes, (uint32_t)mask, where)) return 0;
  }
  return r.host;
}

// The host's pointer that few lanes' addresses are places from, less the region's base, if they lie in what the instruction touched last;
// 0: they are to be asked otherwise.
#define FEW(W)                                                                                                         \
  static inline uintptr_t few##W(const void *operand, uint64_t offset, const struct region *r, uint64_t bytes,         \
                                 uint32_t mask) {                                                                      \
    const uint##W##_t *from = operand;                                                                                 \
    const uint64_t limit = r->bytes - bytes;                                                                           \
    int64_t outside = 0;                                                                                               \
    uint64_t bits = 0;                                                                                                 \
    for (; mask; mask &= mask - 1) {                                                                                   \
      const uint64_t place = (uint##W##_t)(from[__builtin_ctz(mask)] + offset) - r->base;                              \
      bits |= place;                                                                                                   \
      outside |= (int64_t)(place | (limit - place));                                                                   \
    }                                                                                                                  \
    return outside >= 0 && !(bits & (bytes - 1)) ? r->host - r->base : 0;                                              \
  }
FEW(32)
FEW(64)
#undef FEW

// Few lanes of one group of 32, each with one word.
static inline bool are_few(const struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {
  return w->groups == 1 && !i->count && __builtin_popcount((uint32_t)mask) <= WEIR_FEW_LANES;
}

static inline uintptr_t find_few(const struct weir_warp *w, const struct weir_insn *i, uint32_t mask, uint64_t bytes,
                                 bool writes) {
  struct region r;
  if (!region_of(w, i, writes, &r) || r.bytes < bytes || r.base & (bytes - 1)) return 0;
  const void *operand = weir_at(w, i->a_bank, i->a);
  return i->wide ? few64(operand, i->imm, &r, bytes, mask) : few32(operand, i->imm, &r, bytes, mask);
}

static inline uint64_t address_of(const struct weir_warp *w, const struct weir_insn *i, unsigned lane) {
  const void *operand = weir_at(w, i->a_bank, i->a);
  return i->wide ? ((const uint64_t *)operand)[lane] + i->imm : (uint32_t)(((const uint32_t *)operand)[lane] + i->imm);
}

static inline uint32_t target(const struct weir_insn *i, unsigned k) {
  return i->count ? i->list[k].offset : i->d;
}

// Moves the words of the lanes that run of each group of 32: `p` says from or to where, `in_row` and `same` whether all lanes' words lie one
// after the other, or are one. Lanes store in ascending order, so of several to one address the highest wins.
typedef void (*move_fn)(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, unsigned pieces,
                        const struct place *p, bool in_row, bool same);

// The way of all that is not told at once, or that somebody is to see the addresses of.
static __attribute__((noinline)) bool ask_lanes(struct weir_warp *w, const struct weir_insn *i, uint64_t mask,
                                                unsigned pieces, uint64_t bytes, move_fn move, bool writes,
                                                struct weir_winstr *out) {
  _Alignas(64) uint64_t scratch[WEIR_MAX_LANES], where[WEIR_MAX_LANES];
  uint64_t *address = out ? out->address : scratch;
  const struct span s = survey(w, i, mask, bytes, address, out != NULL);
  struct place p;
  if (!locate(w, i, mask, &s, bytes, writes, address, where, &p, out)) return false;
  if (weir_puts_off(w, i, mask, out, writes ? WEIR_MOVE_STORE : WEIR_MOVE_LOAD)) return true;
  move(w, i, mask, pieces, &p, s.contiguous && pieces == 1 && p.where == address,
       s.low == s.high && p.where == address);
  return true;
}

#define PIECE(E, l) (*(E *)(p->base + p->where[l + 32 * (size_t)g] + k * sizeof(E)))
// Where none of the quick ways is theirs.
#define EACH(NAME, E, WRITES, IN_LINE)                                                                                 \
  static __attribute__((noinline))                                                                                     \
  IN_LINE bool each_##NAME(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, unsigned pieces) {           \
    _Alignas(64) uint64_t where[WEIR_MAX_LANES];                                                                       \
    const struct place p = {find_places(w, i, mask, sizeof(E) * pieces, WRITES, where), where};                        \
    if (!p.base) return ask_lanes(w, i, mask, pieces, sizeof(E) * pieces, move_##NAME, WRITES, NULL);                  \
    move_##NAME(w, i, mask, pieces, &p, false, false);                                                                 \
    return true;                                                                                                       \
  }

#define LOAD_BY(NAME, E, T, IN_LINE, FIND_HALVES)                                                                      \
  static void move_##NAME(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, unsigned pieces,              \
                          const struct place *p, bool in_row, bool same) {                                             \
    for (unsigned k = 0; k < pieces; k++)                                                                              \
      for (unsigned g = 0; g < w->groups; g++) {                                                                       \
        const uint32_t m = (uint32_t)(mask >> (32 * g));                                                               \
        T *pd = (T *)weir_at(w, WEIR_BANK_FRAME, target(i, k)) + 32 * (size_t)g;                                       \
        if (m == UINT32_MAX && in_row) {                                                                               \
          const E *source = &PIECE(E, 0);                                                                              \
          FOR_LANES pd[l] = (T)source[l];                                                                              \
        } else if (m == UINT32_MAX && same) {                                                                          \
          const T all = (T)PIECE(E, 0);                                                                                \
          FOR_LANES pd[l] = all;                                                                                       \
        } else if (m == UINT32_MAX) {                                                                                  \
          EACH_LANE pd[l] = (T)PIECE(E, l);                                                                            \
        } else {                                                                                                       \
          for (uint32_t rest = m; rest; rest &= rest - 1) {                                                            \
            const unsigned l = (unsigned)__builtin_ctz(rest);                                                          \
            pd[l] = (T)PIECE(E, l);                                                                                    \
          }                                                                                                            \
        }                                                                                                              \
      }                                                                                                                \
  }                                                                                                                    \
  EACH(NAME, E, false, IN_LINE)                                                                                        \
  static __attribute__((noinline)) bool few_##NAME(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {    \
    const uintptr_t host = find_few(w, i, (uint32_t)mask, sizeof(E), false);                                           \
    T *pd = (T *)weir_at(w, WEIR_BANK_FRAME, i->d);                                                                    \
    if (!host) return each_##NAME(w, i, mask, 1);                                                                      \
    for (uint32_t rest = (uint32_t)mask; rest; rest &= rest - 1) {                                                     \
      const unsigned l = (unsigned)__builtin_ctz(rest);                                                                \
      pd[l] = (T) * (const E *)(host + address_of(w, i, l)); /* NOLINT(performance-no-int-to-ptr) */                   \
    }                                                                                                                  \
    return true;                                                                                                       \
  }                                                                                                                    \
  static __attribute__((noinline)) bool halves_##NAME(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) { \
    T *pd = (T *)weir_at(w, WEIR_BANK_FRAME, i->d);                                                                    \
    struct halves h;                                                                                                   \
    if (!FIND_HALVES(w, i, sizeof(E), &h)) return each_##NAME(w, i, mask, 1);                                          \
    for (unsigned k = 0; k < 2u * w->groups; k++, pd += HALF) {                                                        \
      const E *from = (const E *)h.at[k], word = *from; /* NOLINT(performance-no-int-to-ptr) */                        \
      if (h.is_row[k]) {                                                                                               \
        EACH_OF_HALF pd[l] = (T)from[l];                                                                               \
      } else {                                                                                                         \
        EACH_OF_HALF pd[l] = (T)word;                                                                                  \
      }                                                                                                                \
    }                                                                                                                  \
    return true;                                                                                                       \
  }                                                                                                                    \
  static __attribute__((noinline)) bool vectors_##NAME(struct weir_warp *w, const struct weir_insn *i, uint64_t mask,  \
                                                       unsigned pieces) {                                              \
    struct halves h;                                                                                                   \
    if (!ask_halves(w, i, sizeof(E) * pieces, &h)) return each_##NAME(w, i, mask, pieces);                             \
    for (unsigned piece = 0; piece < pieces; piece++) {                                                                \
      T *pd = (T *)weir_at(w, WEIR_BANK_FRAME, target(i, piece));                                                      \
      for (unsigned k = 0; k < 2u * w->groups; k++, pd += HALF) {                                                      \
        const E *from = (const E *)h.at[k] + piece, word = *from; /* NOLINT(performance-no-int-to-ptr) */              \
        if (h.is_row[k]) {                                                                                             \
          for (unsigned l = 0; l < HALF; l++) pd[l] = (T)from[l * pieces];                                             \
        } else {                                                                                                       \
          EACH_OF_HALF pd[l] = (T)word;                                                                                \
        }                                                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
    return true;                                                                                                       \
  }                                                                                                                    \
  static __attribute__((noinline)) bool row_##NAME(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {    \
    T *pd = (T *)weir_at(w, WEIR_BANK_FRAME, i->d);                                                                    \
    const E *in_row = find_row(w, i, sizeof(E), false);                                                                \
    if (!in_row) return each_##NAME(w, i, mask, 1);                                                                    \
    for (unsigned g = 0; g < w->groups; g++, pd += 32, in_row += 32, mask >>= 32) {                                    \
      const uint32_t m = (uint32_t)mask;                                                                               \
      if (m == UINT32_MAX) {                                                                                           \
        FOR_LANES pd[l] = (T)in_row[l];                                                                                \
      } else {                                                                                                         \
        FOR_LANES pd[l] = m & lane_bit32[l] ? (T)in_row[l] : pd[l];                                                    \
      }                                                                                                                \
    }                                                                                                                  \
    return true;                                                                                                       \
  }                                                                                                                    \
  static bool memory_##NAME(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {  \
    const unsigned pieces = i->count ? i->count : 1;                                                                   \
    if (out) return ask_lanes(w, i, mask, pieces, sizeof(E) * pieces, move_##NAME, false, out);                        \
    if (!i->count && may_be_row(w, i, sizeof(E))) return row_##NAME(w, i, mask);                                       \
    if (mask == w->all && may_be_halves(w, i, sizeof(E) * pieces))                                                     \
      return i->count ? vectors_##NAME(w, i, mask, pieces) : halves_##NAME(w, i, mask);                                \
    if (are_few(w, i, mask)) return few_##NAME(w, i, mask);                                                            \
    return each_##NAME(w, i, mask, pieces);                                                                            \
  }

#define STORE_BY(NAME, T, E, IN_LINE)                                                                                  \
  static void move_##NAME(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, unsigned pieces,              \
                          const struct place *p, bool in_row, bool same) {                                             \
    (void)same;                                                                                                        \
    for (unsigned k = 0; k < pieces; k++) {                                                                            \
      const struct weir_ref from = i->count ? i->list[k] : (struct weir_ref){i->b, i->b_bank};                         \
      for (unsigned g = 0; g < w->groups; g++) {                                                                       \
        const uint32_t m = (uint32_t)(mask >> (32 * g));                                                               \
        const T *value = (const T *)weir_at(w, from.bank, from.offset) + 32 * (size_t)g;                               \
        if (m == UINT32_MAX && in_row) {                                                                               \
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
  }                                                                                                                    \
  EACH(NAME, E, true, IN_LINE)                                                                                         \
  static __attribute__((noinline)) bool few_##NAME(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {    \
    const uintptr_t host = find_few(w, i, (uint32_t)mask, sizeof(E), true);                                            \
    const T *value = (const T *)weir_at(w, i->b_bank, i->b);                                                           \
    if (!host) return each_##NAME(w, i, mask, 1);                                                                      \
    for (uint32_t rest = (uint32_t)mask; rest; rest &= rest - 1) {                                                     \
      const unsigned l = (unsigned)__builtin_ctz(rest);                                                                \
      *(E *)(host + address_of(w, i, l)) = (E)value[l]; /* NOLINT(performance-no-int-to-ptr) */                        \
    }                                                                                                                  \
    return true;                                                                                                       \
  }                                                                                                                    \
  static __attribute__((noinline)) bool row_##NAME(struct weir_warp *w, const struct weir_insn *i, uint64_t mask) {    \
    E *in_row = find_row(w, i, sizeof(E), true);                                                                       \
    const T *value = (const T *)weir_at(w, i->b_bank, i->b);                                                           \
    if (!in_row) return each_##NAME(w, i, mask, 1);                                                                    \
    for (unsigned g = 0; g < w->groups; g++, value += 32, in_row += 32) FOR_LANES in_row[l] = (E)value[l];             \
    return true;                                                                                                       \
  }                                                                                                                    \
  static bool memory_##NAME(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {  \
    const unsigned pieces = i->count ? i->count : 1;                                                                   \
    if (out) return ask_lanes(w, i, mask, pieces, sizeof(E) * pieces, move_##NAME, true, out);                         \
    if (!i->count && mask == w->all && may_be_row(w, i, sizeof(E))) return row_##NAME(w, i, mask);                     \
    if (are_few(w, i, mask)) return few_##NAME(w, i, mask);                                                            \
    return each_##NAME(w, i, mask, pieces);                                                                            \
  }

// What most programs load and store is compiled in line; the others have their calls, which costs the compiler half as long.
#define LOAD_MUCH(NAME, E, T) LOAD_BY(NAME, E, T, __attribute__((flatten)), find_halves)
#define LOAD(NAME, E, T) LOAD_BY(NAME, E, T, , ask_halves)
#define STORE_MUCH(NAME, T, E) STORE_BY(NAME, T, E, __attribute__((flatten)))
#define STORE(NAME, T, E) STORE_BY(NAME, T, E, )
LOAD_MUCH(load_u8_32, uint8_t, uint32_t)
LOAD(load_s8_32, int8_t, uint32_t)
LOAD(load_u16_32, uint16_t, uint32_t)
LOAD(load_s16_32, int16_t, uint32_t)
LOAD_MUCH(load_u32_32, uint32_t, uint32_t)
LOAD(load_u8_64, uint8_t, uint64_t)
LOAD(load_s8_64, int8_t, uint64_t)
LOAD(load_u16_64, uint16_t, uint64_t)
LOAD(load_s16_64, int16_t, uint64_t)
LOAD(load_u32_64, uint32_t, uint64_t)
LOAD(load_s32_64, int32_t, uint64_t)
LOAD_MUCH(load_u64_64, uint64_t, uint64_t)
STORE(store_32_u8, uint32_t, uint8_t)
STORE(store_32_u16, uint32_t, uint16_t)
STORE_MUCH(store_32_u32, uint32_t, uint32_t)
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
