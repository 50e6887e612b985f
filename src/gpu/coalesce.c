// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "gpu/coalesce.h"

#include "base/bits.h"

#include <string.h>

// A segment's bytes that are used, until its transaction is finished.
struct use {
  uint64_t written[2]; // stores and atomics: bit per byte
  uint8_t first, last; // 32-byte parts
};

enum { SLOTS = 64, PART = 32 };

struct collector {
  struct weir_transaction *t;
  unsigned count;
  uint32_t segment;
  unsigned shift; // of an address to its segment's number
  bool store;
  uint16_t slots[SLOTS]; // by the low bits of a segment's number: 1 + the transaction that such a segment has, or 0
  struct use uses[WEIR_MAX_TRANSACTIONS];
};

static void begin(struct collector *c, struct weir_transaction *t, uint32_t segment, bool store) {
  c->t = t;
  c->count = 0;
  c->segment = segment;
  c->shift = weir_log2(segment);
  c->store = store;
}

static unsigned add(struct collector *c, uint64_t base) {
  c->t[c->count] = (struct weir_transaction){.address = base};
  c->uses[c->count] = (struct use){.first = UINT8_MAX};
  return c->count++;
}

// The transaction of a segment. Where another one has its slot, it is found from the last one back.
static unsigned find(struct collector *c, uint64_t base) {
  uint16_t *slot = &c->slots[(base >> c->shift) % SLOTS];
  if (*slot && c->t[*slot - 1].address == base) return *slot - 1u;
  for (unsigned i = *slot ? c->count : 0; i-- > 0;)
    if (c->t[i].address == base) return i;
  const unsigned i = add(c, base);
  *slot = (uint16_t)(i + 1);
  return i;
}

// At most 64 bytes; they may lie in both words.
static void mark_bytes(struct use *u, uint64_t from, uint64_t bytes) {
  uint64_t mask = weir_mask((unsigned)bytes), shift = from & 63;
  u->written[from >> 6] |= mask << shift;
  if (shift + bytes > 64) u->written[1] |= mask >> (64 - shift);
}

// Bytes [from, end) of the segment at `base`.
static void use_parts(struct use *u, uint64_t base, uint64_t from, uint64_t end) {
  const uint8_t first = (uint8_t)((from - base) / 32), last = (uint8_t)((end - 1 - base) / 32);
  u->first = first < u->first ? first : u->first;
  u->last = last > u->last ? last : u->last;
}

// Lanes that come one after the other in one segment, and use its bytes from `low` up to `end`.
struct run {
  uint64_t base, low, end;
  uint8_t lanes;
  struct use use; // its marks of bytes
};

static void end_run(struct collector *c, const struct run *r) {
  if (!r->lanes) return;
  const unsigned i = find(c, r->base);
  c->t[i].lanes = (uint8_t)(c->t[i].lanes + r->lanes);
  use_parts(&c->uses[i], r->base, r->low, r->end);
  c->uses[i].written[0] |= r->use.written[0];
  c->uses[i].written[1] |= r->use.written[1];
}

// Bytes [address, end) of one lane, all within one segment.
static inline void take(struct collector *c, struct run *r, uint64_t address, uint64_t end) {
  if ((address ^ r->base) >= c->segment) {
    end_run(c, r);
    *r = (struct run){.base = address & ~(uint64_t)(c->segment - 1), .low = address, .end = end};
  }
  r->low = address < r->low ? address : r->low;
  r->end = end > r->end ? end : r->end;
  r->lanes++;
  if (c->store) mark_bytes(&r->use, address - r->base, end - address);
}

// Shrinks a segment to the half, then the quarter, that alone is used. Segments of loads may be longer than those of stores, whose
// bytes are marked.
static void shrink(struct weir_transaction *t, uint32_t segment, uint32_t first_part, uint32_t last_part) {
  uint32_t size = segment, first = 0;
  for (uint32_t half = size / 64; half; half /= 2) {
    const bool low = first_part < first + half, high = last_part >= first + half;
    if (low && high) break;
    size /= 2;
    first += high ? half : 0;
  }
  t->address += first * 32;
  t->bytes = (uint16_t)size;
}

static uint8_t full_parts(const struct collector *c, unsigned i) {
  const uint32_t first = (uint32_t)(c->t[i].address & (c->segment - 1)) / 32;
  uint8_t full = 0;
  for (uint32_t k = 0; k < c->t[i].bytes / 32u; k++) {
    const uint32_t bit = (first + k) * 32;
    if ((uint32_t)(c->uses[i].written[bit >> 6] >> (bit & 63)) == UINT32_MAX) full |= (uint8_t)(1u << k);
  }
  return full;
}

static uint32_t used_bytes(const struct collector *c, unsigned i) {
  const uint32_t bit = (uint32_t)(c->t[i].address & (c->segment - 1));
  return (uint32_t)(c->uses[i].written[bit >> 6] >> (bit & 63));
}

// Insertion sort, descending; mostly sorted one way already.
static void sort_descending(struct weir_transaction *t, unsigned n) {
  if (n > 1 && t[0].address < t[n - 1].address)
    for (unsigned i = 0; i < n / 2; i++) {
      struct weir_transaction x = t[i];
      t[i] = t[n - 1 - i];
      t[n - 1 - i] = x;
    }
  for (unsigned i = 1; i < n; i++) {
    if (t[i - 1].address >= t[i].address) continue;
    struct weir_transaction x = t[i];
    unsigned j = i;
    for (; j && t[j - 1].address < x.address; j--) t[j] = t[j - 1];
    t[j] = x;
  }
}

static unsigned finish(struct collector *c) {
  for (unsigned i = 0; i < c->count; i++) {
    shrink(&c->t[i], c->segment, c->uses[i].first, c->uses[i].last);
    if (c->store) c->t[i].full = full_parts(c, i);
    if (c->store && c->t[i].bytes == PART) c->t[i].used = used_bytes(c, i);
  }
  sort_descending(c->t, c->count);
  return c->count;
}

static uint32_t segment_of(uint32_t segment, bool by_element, uint32_t element) {
  uint32_t narrow = element == 1 ? 32 : element == 2 ? 64 : segment;
  return by_element && narrow < segment ? narrow : segment;
}

// The bytes that a warp's lanes use lie in [low, end).
struct extent {
  uint64_t low, end;
};

static struct extent extent_of(const struct weir_winstr *w) {
  struct extent x = {w->low, w->high};
  if (w->spread == WEIR_SPREAD_UNKNOWN) {
    x = (struct extent){UINT64_MAX, 0};
    for (uint64_t left = w->active; left; left &= left - 1) {
      const uint64_t address = w->address[weir_lowest(left)];
      x.low = address < x.low ? address : x.low;
      x.end = address > x.end ? address : x.end;
    }
  }
  x.end += w->what->access_bytes;
  return x;
}

// Bytes [from, to) of a segment, all used: no lane need be looked at.
static struct weir_transaction part_of_row(uint64_t base, uint32_t segment, uint64_t from, uint64_t to, bool store) {
  struct weir_transaction t = {.address = base};
  shrink(&t, segment, (uint32_t)(from - base) / 32, (uint32_t)(to - 1 - base) / 32);
  if (store && t.bytes == PART) t.used = (uint32_t)(weir_mask((unsigned)(to - from)) << (from - t.address));
  for (uint32_t k = 0; store && k < t.bytes / 32u; k++)
    if (from <= t.address + 32 * k && t.address + 32 * k + 32 <= to) t.full |= (uint8_t)(1u << k);
  return t;
}

// Lanes side by side: segment after segment, from the highest.
static unsigned coalesce_row(const struct weir_winstr *w, struct extent x, uint32_t segment, bool store,
                             struct weir_transaction *out) {
  const uint64_t bytes = w->what->access_bytes;
  unsigned n = 0;
  for (uint64_t to = x.end, from; to > x.low; to = from) {
    const uint64_t base = (to - 1) & ~(uint64_t)(segment - 1);
    from = base > x.low ? base : x.low;
    out[n] = part_of_row(base, segment, from, to, store);
    out[n++].lanes = (uint8_t)((to - 1 - x.low) / bytes - (from - x.low) / bytes + 1);
  }
  return n;
}

// A load whose lanes are all in one segment: where the lowest and the highest are tells the rest.
static unsigned load_segment(const struct weir_winstr *w, struct extent x, uint32_t segment,
                             struct weir_transaction *out) {
  const uint64_t base = x.low & ~(uint64_t)(segment - 1);
  *out = part_of_row(base, segment, x.low, x.end, false);
  out->lanes = (uint8_t)weir_popcount(w->active);
  return 1;
}

static unsigned coalesce_lanes(const struct weir_winstr *w, uint32_t segment, bool store,
                               struct weir_transaction *out) {
  struct collector c;
  struct run r = {.base = w->address[weir_lowest(w->active)] & ~(uint64_t)(segment - 1), .low = UINT64_MAX};
  begin(&c, out, segment, store);
  memset(c.slots, 0, sizeof c.slots);
  for (uint64_t left = w->active; left; left &= left - 1) {
    uint64_t address = w->address[weir_lowest(left)], end = address + w->what->access_bytes;
    while ((address ^ (end - 1)) >= segment) {
      const uint64_t next = (address & ~(uint64_t)(segment - 1)) + segment;
      take(&c, &r, address, next);
      address = next;
    }
    take(&c, &r, address, end);
  }
  end_run(&c, &r);
  return finish(&c);
}

// Lanes that come one after the other in one 32-byte part of a segment.
static inline void take_part(struct collector *c, uint64_t part, unsigned lanes) {
  const uint64_t base = part * PART & ~(uint64_t)(c->segment - 1);
  const unsigned i = find(c, base);
  const uint8_t at = (uint8_t)(part - base / PART);
  struct use *u = &c->uses[i];
  c->t[i].lanes = (uint8_t)(c->t[i].lanes + lanes);
  u->first = at < u->first ? at : u->first;
  u->last = at > u->last ? at : u->last;
}

// Some lane's bytes lie in two parts, if they are not where their number, a power of two, says.
static bool may_cross(const struct weir_winstr *w) {
  const uint64_t bytes = w->what->access_bytes;
  uint64_t bits = 0;
  if (w->active == UINT32_MAX) {
    for (unsigned l = 0; l < 32; l++) bits |= w->address[l];
  } else {
    for (uint64_t left = w->active; left; left &= left - 1) bits |= w->address[weir_lowest(left)];
  }
  return bytes > PART || !weir_is_pow2(bytes) || bits & (bytes - 1);
}

// Of a load, which parts its lanes use is all that matters.
static unsigned load_parts(const struct weir_winstr *w, uint32_t segment, struct weir_transaction *out) {
  const uint64_t *address = w->address;
  struct collector c;
  begin(&c, out, segment, false);
  memset(c.slots, 0, sizeof c.slots);
  unsigned lanes = 0;
  uint64_t part = address[weir_lowest(w->active)] / PART;
  if (w->active == UINT32_MAX) {
    unsigned from = 0;
    for (unsigned l = 1; l < 32; l++) {
      if (address[l] / PART == part) continue;
      take_part(&c, part, l - from);
      part = address[from = l] / PART;
    }
    lanes = 32 - from;
  } else {
    for (uint64_t left = w->active; left; left &= left - 1) {
      const uint64_t at = address[weir_lowest(left)] / PART;
      if (at != part) {
        take_part(&c, part, lanes);
        part = at;
        lanes = 0;
      }
      lanes++;
    }
  }
  take_part(&c, part, lanes);
  return finish(&c);
}

// ---- runs: lanes that each have their neighbour's address or lie behind it use all bytes from the first to the last ------------

// More of them are not worth it: lanes are looked at one by one.
enum { MOST_RUNS = 8 };

struct lane_run {
  uint64_t low, last; // addresses of its first and its last lane
  unsigned lanes;
};

// Takes the first run off `starts`, the lanes with which one begins; `all`: the warp's lanes.
static inline struct lane_run next_run(const struct weir_winstr *w, uint64_t *starts, unsigned all) {
  const unsigned first = weir_lowest(*starts);
  *starts &= *starts - 1;
  const unsigned end = *starts ? weir_lowest(*starts) : all;
  return (struct lane_run){w->address[first], w->address[end - 1], end - first};
}

static inline unsigned lanes_of(const struct weir_winstr *w) {
  return w->active == UINT32_MAX ? 32 : 64;
}

// The lanes with which runs begin; 0: there are too many, or nothing is known of them.
static uint64_t few_runs(const struct weir_winstr *w) {
  if (w->spread != WEIR_SPREAD_RUNS) return 0;
  const uint64_t starts = w->active & ~w->follows;
  return weir_popcount(starts) <= MOST_RUNS ? starts : 0;
}

static void mark_range(struct use *u, uint64_t from, uint64_t end) {
  for (uint64_t word = 0; word < 2; word++) {
    const uint64_t first = from > 64 * word ? from - 64 * word : 0, last = end > 64 * word ? end - 64 * word : 0;
    if (first < 64 && last > first)
      u->written[word] |= weir_mask((unsigned)(last < 64 ? last : 64)) & ~weir_below((unsigned)first);
  }
}

// Bytes [from, end) of a run, within one segment, which so many lanes use.
static void take_run(struct collector *c, uint64_t from, uint64_t end, unsigned lanes) {
  const uint64_t base = from & ~(uint64_t)(c->segment - 1);
  const unsigned i = find(c, base);
  c->t[i].lanes = (uint8_t)(c->t[i].lanes + lanes);
  use_parts(&c->uses[i], base, from, end);
  if (c->store) mark_range(&c->uses[i], from - base, end - base);
}

// False: lanes cross a border between segments, or it is not known how many are on which side of one.
static bool take_runs(struct collector *c, const struct weir_winstr *w, uint64_t starts) {
  const uint64_t bytes = w->what->access_bytes, all = lanes_of(w);
  const unsigned shift = weir_lowest(bytes);
  if (!weir_is_pow2(bytes) || bytes > c->segment) return false;
  while (starts) {
    const struct lane_run r = next_run(w, &starts, (unsigned)all);
    const uint64_t end = r.last + bytes;
    if (r.low & (bytes - 1)) return false;
    if ((r.low ^ (end - 1)) < c->segment) {
      take_run(c, r.low, end, r.lanes);
      continue;
    }
    if (r.last - r.low != (uint64_t)(r.lanes - 1) << shift) return false;
    for (uint64_t from = r.low, to; from < end; from = to) {
      to = (from & ~(uint64_t)(c->segment - 1)) + c->segment;
      if (to > end) to = end;
      take_run(c, from, to, (unsigned)((to - from) >> shift));
    }
  }
  return true;
}

// Transactions of the runs; 0: they are not told by these.
static unsigned coalesce_runs(const struct weir_winstr *w, uint64_t starts, uint32_t segment, bool store,
                              struct weir_transaction *out) {
  struct collector c;
  begin(&c, out, segment, store);
  memset(c.slots, 0, sizeof c.slots);
  return take_runs(&c, w, starts) ? finish(&c) : 0;
}

unsigned weir_coalesce(const struct weir_winstr *w, uint32_t segment, bool by_element,
                       struct weir_transaction out[WEIR_MAX_TRANSACTIONS]) {
  const bool store = w->what->op_class == WEIR_CLASS_STORE;
  if (!w->active) return 0;
  segment = segment_of(segment, by_element, w->what->element_bytes);
  const struct extent x = extent_of(w);
  if (w->spread == WEIR_SPREAD_ROW) return coalesce_row(w, x, segment, store, out);
  if (!store && !((x.low ^ (x.end - 1)) & ~(uint64_t)(segment - 1))) return load_segment(w, x, segment, out);
  const uint64_t starts = few_runs(w);
  const unsigned n = starts ? coalesce_runs(w, starts, segment, store, out) : 0;
  if (n) return n;
  if (!store && segment >= PART && !may_cross(w)) return load_parts(w, segment, out);
  return coalesce_lanes(w, segment, store, out);
}

void weir_coalesce_mark(const struct weir_winstr *w, struct weir_transaction *t, unsigned count) {
  unsigned i = 0;
  for (uint64_t left = w->active; left; left &= left - 1) {
    const uint64_t first = w->address[weir_lowest(left)], end = first + w->what->access_bytes;
    for (uint64_t at = first, next; at < end; at = next) {
      const uint64_t part = at & ~(uint64_t)(PART - 1);
      next = end < part + PART ? end : part + PART;
      for (unsigned n = 0; n < count && t[i].address != part; n++) i = i + 1 < count ? i + 1 : 0;
      if (t[i].address == part) t[i].used |= (uint32_t)(weir_mask((unsigned)(next - at)) << (at - part));
    }
  }
}

unsigned weir_coalesce_addresses(const struct weir_winstr *w, struct weir_transaction out[WEIR_MAX_TRANSACTIONS]) {
  unsigned n = 0;
  for (uint64_t left = w->active; left; left &= left - 1) {
    const uint64_t address = w->address[weir_lowest(left)];
    unsigned i = 0;
    while (i < n && out[i].address != address) i++;
    if (i == n) out[n++] = (struct weir_transaction){.address = address, .bytes = w->what->access_bytes};
    out[i].lanes++;
  }
  return n;
}

static bool overlaps(const struct use *u, uint64_t from, uint64_t bytes) {
  uint64_t mask = weir_mask((unsigned)bytes) << from;
  return (u->written[0] & mask) != 0;
}

unsigned weir_coalesce_atomic(const struct weir_winstr *w, struct weir_transaction out[WEIR_MAX_TRANSACTIONS]) {
  struct collector c;
  begin(&c, out, 32, true);
  for (uint64_t left = w->active; left; left &= left - 1) {
    uint64_t address = w->address[weir_lowest(left)], base = address & ~UINT64_C(31);
    unsigned i = 0;
    while (i < c.count && (out[i].address != base || overlaps(&c.uses[i], address - base, w->what->access_bytes))) i++;
    if (i == c.count) add(&c, base);
    out[i].lanes++;
    c.uses[i].first = 0;
    mark_bytes(&c.uses[i], address - base, w->what->access_bytes);
  }
  return finish(&c);
}

// ---- shared memory ----------------------------------------------------------------------------------------------------

enum { MAX_BANKS = 128 };

// Words that lanes ask for, `each` side by side of a lane. Banks, and their bytes, are powers of two.
struct request {
  const uint64_t *address;
  uint32_t each, banks;
  unsigned shift; // of an address to its word's number
};

// The bank of a word has no other so far.
static inline bool has_bank(uint64_t used[2], uint64_t *words, uint64_t word, uint32_t bank) {
  if (used[bank >> 6] >> (bank & 63) & 1) return words[bank] == word;
  used[bank >> 6] |= UINT64_C(1) << (bank & 63);
  words[bank] = word;
  return true;
}

// No bank is asked for two different words. Most warps are so; others are told at their first such lane.
static bool is_free_of_conflicts(const struct request *r, uint64_t lanes) {
  uint64_t used[2] = {0, 0}, words[MAX_BANKS];
  const uint32_t mask = r->banks - 1;
  const unsigned shift = r->shift;
  if (lanes == UINT32_MAX && r->each == 1) {
    for (unsigned l = 0; l < 32; l++) {
      const uint64_t x = r->address[l] >> shift;
      if (!has_bank(used, words, x, (uint32_t)x & mask)) return false;
    }
    return true;
  }
  for (; lanes; lanes &= lanes - 1) {
    const uint64_t first = r->address[weir_lowest(lanes)] >> shift;
    for (uint64_t x = first; x < first + r->each; x++)
      if (!has_bank(used, words, x, (uint32_t)x & mask)) return false;
  }
  return true;
}

// The different words met so far, a list for each bank: places count from 1, 0 is the end.
struct words {
  uint64_t word[MAX_BANKS], highest;
  uint8_t next[MAX_BANKS], first[MAX_BANKS], depth[MAX_BANKS];
  unsigned count, deepest;
};

// A word above all others is none of them: then, as in most strides, its bank's list is not searched.
static inline void meet(struct words *m, uint64_t word, uint32_t bank) {
  if (m->count && word == m->highest) return;
  if (m->count && word < m->highest) {
    unsigned i = m->first[bank];
    while (i && m->word[i - 1] != word) i = m->next[i - 1];
    if (i) return;
  } else {
    m->highest = word;
  }
  m->word[m->count] = word;
  m->next[m->count] = m->first[bank];
  m->first[bank] = (uint8_t)++m->count;
  if (++m->depth[bank] > m->deepest) m->deepest = m->depth[bank];
}

// The most different words of a bank.
static unsigned count_conflicts(const struct request *r, uint64_t lanes) {
  struct words met;
  memset(met.first, 0, sizeof met.first);
  memset(met.depth, 0, sizeof met.depth);
  met.highest = 0;
  met.count = met.deepest = 0;
  for (; lanes; lanes &= lanes - 1) {
    const uint64_t first = r->address[weir_lowest(lanes)] >> r->shift;
    for (uint64_t x = first; x < first + r->each; x++) meet(&met, x, (uint32_t)x & (r->banks - 1));
  }
  return met.deepest;
}

// Words of the runs of lanes, each as [first, end), that are no other's.
struct word_runs {
  uint64_t first[MOST_RUNS], end[MOST_RUNS];
  unsigned count;
};

// False: some are a part of another's, or go round the banks more than once.
static bool find_word_runs(const struct weir_winstr *w, const struct request *r, uint64_t starts,
                           struct word_runs *out) {
  const unsigned all = lanes_of(w);
  out->count = 0;
  while (starts) {
    const struct lane_run run = next_run(w, &starts, all);
    const uint64_t first = run.low >> r->shift, end = (run.last >> r->shift) + 1;
    unsigned i = 0;
    while (i < out->count && (end <= out->first[i] || first >= out->end[i])) i++;
    if (end - first > r->banks) return false;
    if (i < out->count && (first != out->first[i] || end != out->end[i])) return false;
    if (i < out->count) continue;
    out->first[out->count] = first;
    out->end[out->count++] = end;
  }
  return true;
}

// The most different words of a bank, from the words that lanes in a row ask for together; 0: they do not tell.
static unsigned pass_of_runs(const struct weir_winstr *w, const struct request *r) {
  const uint64_t starts = few_runs(w);
  struct word_runs words;
  if (!starts || r->banks > 64 || !find_word_runs(w, r, starts, &words)) return 0;
  uint64_t more_than[MOST_RUNS] = {0}; // [n]: banks with more than n words
  unsigned deepest = 0;
  for (unsigned i = 0; i < words.count; i++) {
    const unsigned from = (unsigned)words.first[i] & (r->banks - 1);
    const uint64_t some = weir_mask((unsigned)(words.end[i] - words.first[i]));
    uint64_t banks = (some << from | (from ? some >> (r->banks - from) : 0)) & weir_mask(r->banks);
    for (unsigned n = 0; banks; n++) {
      const uint64_t again = more_than[n] & banks;
      more_than[n] |= banks;
      banks = again;
      if (n >= deepest) deepest = n + 1;
    }
  }
  return deepest;
}

// One pass over the banks; no more words than a warp has lanes, or where lanes ask for several, than there are banks.
static unsigned pass(const struct request *r, uint64_t lanes) {
  return is_free_of_conflicts(r, lanes) ? 1 : count_conflicts(r, lanes);
}

// Every lane in a bank of its own, or all at one word: known without looking at them.
static bool is_one_pass(const struct weir_winstr *w, uint32_t banks, uint32_t bank_bytes) {
  if (w->spread == WEIR_SPREAD_UNKNOWN || w->what->access_bytes > bank_bytes) return false;
  return w->low / bank_bytes == w->high / bank_bytes ||
    (w->spread == WEIR_SPREAD_ROW && (w->high - w->low) / bank_bytes < banks && w->what->access_bytes == bank_bytes);
}

// Lanes that a pass serves, if each has `each` words.
static unsigned lanes_of_pass(uint32_t each, uint32_t banks) {
  return each == 1 ? WEIR_MAX_LANES : banks > each ? banks / each : 1;
}

static uint32_t words_of_lane(const struct weir_winstr *w, uint32_t bank_bytes) {
  uint32_t bytes = w->what->access_bytes;
  return bytes > bank_bytes ? bytes / bank_bytes : 1;
}

unsigned weir_bank_least_cycles(const struct weir_winstr *w, uint32_t banks, uint32_t bank_bytes) {
  unsigned passes = 0, group = lanes_of_pass(words_of_lane(w, bank_bytes), banks);
  if (group == WEIR_MAX_LANES) return 1;
  for (unsigned first = 0; first < WEIR_MAX_LANES; first += group)
    passes += (w->active & weir_mask(group) << first) != 0;
  return passes ? passes : 1;
}

unsigned weir_bank_cycles(const struct weir_winstr *w, uint32_t banks, uint32_t bank_bytes) {
  if (is_one_pass(w, banks, bank_bytes)) return 1;
  const uint32_t each = words_of_lane(w, bank_bytes);
  const struct request r = {w->address, each, banks, weir_log2(bank_bytes)};
  const unsigned passes = each == 1 ? pass_of_runs(w, &r) : 0;
  if (passes) return passes;
  if (each == 1) return pass(&r, w->active);
  unsigned cycles = 0, group = lanes_of_pass(each, banks);
  for (unsigned first = 0; first < WEIR_MAX_LANES; first += group) {
    uint64_t lanes = w->active & weir_mask(group) << first;
    if (lanes) cycles += pass(&r, lanes);
  }
  return cycles ? cycles : 1;
}
