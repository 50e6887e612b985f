// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "gpu/coalesce.h"

#include "base/bits.h"

struct collector {
  struct weir_transaction *t;
  unsigned count;
  uint32_t segment;
  bool store;
};

// The transaction of a segment; found from the last one back, because neighbouring lanes mostly share it.
static struct weir_transaction *find(struct collector *c, uint64_t base) {
  for (unsigned i = c->count; i-- > 0;)
    if (c->t[i].address == base) return &c->t[i];
  struct weir_transaction *t = &c->t[c->count++];
  *t = (struct weir_transaction){.address = base};
  return t;
}

// At most 64 bytes; they may lie in both words.
static void mark_bytes(struct weir_transaction *t, uint64_t from, uint64_t bytes) {
  uint64_t mask = weir_mask((unsigned)bytes), shift = from & 63;
  t->written[from >> 6] |= mask << shift;
  if (shift + bytes > 64) t->written[1] |= mask >> (64 - shift);
}

// Bytes [address, end) of one lane, all within one segment.
static void take(struct collector *c, uint64_t address, uint64_t end) {
  uint64_t base = address & ~(uint64_t)(c->segment - 1);
  struct weir_transaction *t = find(c, base);
  t->lanes++;
  for (uint64_t chunk = (address - base) / 32; chunk <= (end - 1 - base) / 32; chunk++)
    t->chunks |= (uint8_t)(1u << chunk);
  if (c->store) mark_bytes(t, address - base, end - address);
}

// Shrinks to the half, then the quarter, that alone is used. Segments of loads may be longer than those of stores, whose bytes
// are marked.
static void shrink(struct weir_transaction *t, uint32_t segment, bool store) {
  uint32_t size = segment, chunks = t->chunks, first = 0;
  for (uint32_t half = size / 64; half; half /= 2) {
    uint32_t low = chunks & (uint32_t)weir_mask(half), high = chunks >> half;
    if (low && high) break;
    size /= 2;
    first += high ? half : 0;
    chunks = high ? high : low;
  }
  t->address += first * 32;
  t->bytes = (uint16_t)size;
  for (uint32_t i = 0; store && i < size / 32; i++) {
    uint32_t bit = (first + i) * 32;
    if ((uint32_t)(t->written[bit >> 6] >> (bit & 63)) == UINT32_MAX) t->full |= (uint8_t)(1u << i);
  }
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
  for (unsigned i = 0; i < c->count; i++) shrink(&c->t[i], c->segment, c->store);
  sort_descending(c->t, c->count);
  return c->count;
}

static uint32_t segment_of(uint32_t segment, bool by_element, uint32_t element) {
  uint32_t narrow = element == 1 ? 32 : element == 2 ? 64 : segment;
  return by_element && narrow < segment ? narrow : segment;
}

// All lanes in one segment (the common case): nothing to search.
static bool one_segment(const struct weir_winstr *w, struct collector *c) {
  uint64_t first = w->address[weir_lowest(w->active)], bytes = w->what->access_bytes;
  uint64_t base = first & ~(uint64_t)(c->segment - 1);
  uint32_t chunks = 0;
  for (uint64_t left = w->active; left; left &= left - 1) {
    uint64_t offset = w->address[weir_lowest(left)] - base;
    if (offset > c->segment - bytes) return false; // also of a lane below the first one's segment: offset wraps
    chunks |= UINT32_C(1) << (offset >> 5) | UINT32_C(1) << ((offset + bytes - 1) >> 5);
  }
  *c->t =
    (struct weir_transaction){.address = base, .chunks = (uint8_t)chunks, .lanes = (uint8_t)weir_popcount(w->active)};
  c->count = 1;
  if (c->store)
    for (uint64_t left = w->active; left; left &= left - 1)
      mark_bytes(c->t, w->address[weir_lowest(left)] - base, bytes);
  return true;
}

unsigned weir_coalesce(const struct weir_winstr *w, uint32_t segment, bool by_element,
                       struct weir_transaction out[WEIR_MAX_TRANSACTIONS]) {
  struct collector c = {.t = out,
                        .segment = segment_of(segment, by_element, w->what->element_bytes),
                        .store = w->what->op_class == WEIR_CLASS_STORE};
  if (!w->active) return 0;
  if (one_segment(w, &c)) return finish(&c);
  for (uint64_t left = w->active; left; left &= left - 1) {
    uint64_t address = w->address[weir_lowest(left)], end = address + w->what->access_bytes;
    while (address < end) {
      uint64_t next = (address & ~(uint64_t)(c.segment - 1)) + c.segment;
      take(&c, address, next < end ? next : end);
      address = next;
    }
  }
  return finish(&c);
}

static bool overlaps(const struct weir_transaction *t, uint64_t from, uint64_t bytes) {
  uint64_t mask = weir_mask((unsigned)bytes) << from;
  return (t->written[0] & mask) != 0;
}

unsigned weir_coalesce_atomic(const struct weir_winstr *w, struct weir_transaction out[WEIR_MAX_TRANSACTIONS]) {
  struct collector c = {.t = out, .segment = 32, .store = true};
  for (uint64_t left = w->active; left; left &= left - 1) {
    uint64_t address = w->address[weir_lowest(left)], base = address & ~UINT64_C(31);
    unsigned i = 0;
    while (i < c.count && (out[i].address != base || overlaps(&out[i], address - base, w->what->access_bytes))) i++;
    if (i == c.count) out[c.count++] = (struct weir_transaction){.address = base, .chunks = 1};
    out[i].lanes++;
    mark_bytes(&out[i], address - base, w->what->access_bytes);
  }
  return finish(&c);
}

// ---- shared memory ----------------------------------------------------------------------------------------------------

// Words in no order, some the same: the most different ones of a bank.
static unsigned count_conflicts(const uint64_t *words, unsigned n, uint32_t banks) {
  uint64_t seen[WEIR_MAX_LANES];
  uint8_t in_bank[128] = {0};
  unsigned distinct = 0, most = 1;
  for (unsigned i = 0; i < n; i++) {
    unsigned j = 0;
    while (j < distinct && seen[j] != words[i]) j++;
    if (j < distinct) continue;
    seen[distinct++] = words[i];
    unsigned depth = ++in_bank[words[i] % banks];
    if (depth > most) most = depth;
  }
  return most;
}

// One pass over the banks: the words of these lanes, `each` of a lane; no more words than lanes of a warp.
static unsigned pass(const struct weir_winstr *w, uint64_t lanes, uint32_t each, uint32_t banks, uint32_t bank_bytes) {
  uint64_t words[WEIR_MAX_LANES], used[2] = {0, 0};
  unsigned n = 0;
  bool conflict = false;
  for (; lanes; lanes &= lanes - 1) {
    uint64_t first = w->address[weir_lowest(lanes)] / bank_bytes;
    for (uint64_t x = first; x < first + each; x++) {
      uint32_t bank = (uint32_t)(x % banks);
      conflict |= (used[bank >> 6] >> (bank & 63) & 1) && (n < each || words[n - each] != x);
      used[bank >> 6] |= UINT64_C(1) << (bank & 63);
      words[n++] = x;
    }
  }
  return conflict ? count_conflicts(words, n, banks) : 1;
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
  uint32_t each = words_of_lane(w, bank_bytes);
  if (each == 1) return pass(w, w->active, 1, banks, bank_bytes);
  unsigned cycles = 0, group = lanes_of_pass(each, banks);
  for (unsigned first = 0; first < WEIR_MAX_LANES; first += group) {
    uint64_t lanes = w->active & weir_mask(group) << first;
    if (lanes) cycles += pass(w, lanes, each, banks, bank_bytes);
  }
  return cycles ? cycles : 1;
}
