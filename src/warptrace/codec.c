// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "warptrace/codec.h"

#include "base/alloc.h"
#include "base/bits.h"

enum {
  SPACE_BITS = 7, // of the byte before addresses: where they are,
  LISTED = 8,     // and whether they follow one by one, or as a distance from lane to lane
  ARRIVES = 16    // of a barrier's byte, beside its number
};

// An execution can name no byte from here on: of global memory, constants and parameters; of a block's or thread's own.
#define MOST_DEVICE (UINT64_C(1) << 40)
#define MOST_OWN (UINT64_C(1) << 26)

static uint64_t most_of(uint8_t space) {
  return space == WEIR_MEM_GLOBAL || space == WEIR_MEM_CONST || space == WEIR_MEM_PARAM ? MOST_DEVICE : MOST_OWN;
}

// ---- writing ------------------------------------------------------------------------------------------------------------

// Lane after lane as far apart, those between that are not active included?
static bool is_row(const struct weir_winstr *what, uint64_t *stride) {
  const uint64_t rest = what->active & (what->active - 1);
  const unsigned first = weir_lowest(what->active);
  const uint64_t base = what->address[first];
  *stride = 0;
  if (!rest) return true;
  const unsigned second = weir_lowest(rest);
  const int64_t apart = (int64_t)(what->address[second] - base), lanes = (int64_t)(second - first);
  if (apart % lanes) return false;
  *stride = (uint64_t)(apart / lanes);
  for (uint64_t left = rest; left; left &= left - 1) {
    const unsigned lane = weir_lowest(left);
    if (what->address[lane] != base + (lane - first) * *stride) return false;
  }
  return true;
}

static void put_addresses(struct weir_bytes *to, struct weir_warptrace_last *last, const struct weir_winstr *what) {
  const unsigned first = weir_lowest(what->active);
  uint64_t stride, before = what->address[first];
  const bool row = is_row(what, &stride);
  weir_bytes_byte(to, (uint8_t)(what->space | (row ? 0 : LISTED)));
  weir_bytes_varint(to, weir_zigzag(before - last->address[what->space]));
  last->address[what->space] = before;
  if (row) {
    weir_bytes_varint(to, weir_zigzag(stride));
    return;
  }
  for (uint64_t left = what->active & (what->active - 1); left; left &= left - 1) {
    const uint64_t address = what->address[weir_lowest(left)];
    weir_bytes_varint(to, weir_zigzag(address - before));
    before = address;
  }
}

// Where it arrives: 0 in its group, 1 nowhere, or the barrier's offset + 2; what its requests ask the L2 for; and each segment, told from the end of the one before.
static void put_bulk(struct weir_bytes *to, const struct weir_winstr *what) {
  uint64_t end = what->address[weir_lowest(what->active)];
  uint32_t lane = 0;
  weir_bytes_varint(to, (uint32_t)(what->arrives_at - WEIR_ARRIVES_IN_GROUP));
  weir_bytes_byte(to, what->fetches);
  weir_bytes_varint(to, what->segment_count);
  for (uint32_t s = 0; s < what->segment_count; s++) {
    const struct weir_segment *at = &what->segments[s];
    weir_bytes_varint(to, at->lane - lane);
    weir_bytes_varint(to, weir_zigzag(at->address - end));
    weir_bytes_varint(to, at->bytes);
    lane = at->lane;
    end = at->address + at->bytes;
  }
}

void weir_warptrace_put(struct weir_bytes *to, struct weir_warptrace_last *last, uint32_t index,
                        const struct weir_winstr *what) {
  const struct weir_static *s = what->what;
  const bool other = what->active != last->active;
  const uint64_t jump = weir_zigzag((uint64_t)(int64_t)(int32_t)(index - last->index));
  weir_bytes_varint(to, jump << 1 | other);
  if (other) weir_bytes_varint(to, what->active);
  last->index = index + 1;
  last->active = what->active;
  if (!what->active) return;
  if (s->space != WEIR_MEM_NONE) put_addresses(to, last, what);
  if (s->space != WEIR_MEM_NONE && s->is_bulk) put_bulk(to, what);
  if (s->has_policy) weir_bytes_low(to, what->policy, 8);
  if (!s->is_barrier || s->of_products) return;
  weir_bytes_byte(to, (uint8_t)(what->barrier | (what->arrives ? ARRIVES : 0)));
  weir_bytes_varint(to, what->barrier_threads);
}

// ---- reading ------------------------------------------------------------------------------------------------------------

bool weir_warptrace_next(struct weir_cursor *c, struct weir_warptrace_last *last, uint32_t *index, unsigned lanes,
                         uint64_t *active) {
  if (c->at == c->end) return false;
  const uint64_t head = weir_cursor_varint(c);
  *index = last->index + (uint32_t)weir_unzigzag(head >> 1);
  *active = head & 1 ? weir_cursor_varint(c) : last->active;
  c->failed |= (*active & ~weir_mask(lanes)) != 0;
  last->index = *index + 1;
  last->active = *active;
  return !c->failed;
}

static bool can_be(const struct weir_static *s, uint8_t space) {
  if (space == s->space) return true;
  return s->space == WEIR_MEM_GLOBAL && space != WEIR_MEM_NONE && space < WEIR_MEM_CALL; // a generic access
}

// A row whose lanes all run, side by side, is told as such: see exec/winstr.h.
static bool get_row(struct weir_cursor *c, unsigned lanes, uint64_t most, struct weir_winstr *out) {
  const unsigned first = weir_lowest(out->active), end = 64 - (unsigned)__builtin_clzll(out->active);
  const uint64_t stride = weir_unzigzag(weir_cursor_varint(c)), base = out->address[first];
  for (unsigned lane = first; lane < end; lane++) {
    out->address[lane] = base + (lane - first) * stride;
    if (out->active >> lane & 1 && out->address[lane] >= most) return false;
  }
  if (out->active != weir_mask(lanes) || stride != out->what->access_bytes) return true;
  out->spread = WEIR_SPREAD_ROW;
  out->low = base;
  out->high = base + (lanes - 1) * stride;
  return true;
}

static bool get_list(struct weir_cursor *c, uint64_t most, struct weir_winstr *out) {
  uint64_t address = out->address[weir_lowest(out->active)];
  for (uint64_t left = out->active & (out->active - 1); left; left &= left - 1) {
    address += weir_unzigzag(weir_cursor_varint(c));
    if (address >= most) return false;
    out->address[weir_lowest(left)] = address;
  }
  return true;
}

static bool get_addresses(struct weir_cursor *c, struct weir_warptrace_last *last, const struct weir_static *s,
                          unsigned lanes, struct weir_winstr *out) {
  const uint8_t how = weir_cursor_byte(c), space = how & SPACE_BITS;
  if (how > (SPACE_BITS | LISTED) || space >= WEIR_WARPTRACE_SPACES || !can_be(s, space)) return false;
  const uint64_t base = last->address[space] += weir_unzigzag(weir_cursor_varint(c));
  out->space = space;
  out->address[weir_lowest(out->active)] = base;
  if (base >= most_of(space)) return false;
  return how & LISTED ? get_list(c, most_of(space), out) : get_row(c, lanes, most_of(space), out);
}

static bool get_barrier(struct weir_cursor *c, struct weir_winstr *out) {
  const uint8_t byte = weir_cursor_byte(c);
  const uint64_t threads = weir_cursor_varint(c);
  out->barrier = byte & (ARRIVES - 1);
  out->arrives = byte & ARRIVES;
  out->barrier_threads = (uint16_t)threads;
  return byte < 2 * ARRIVES && threads <= UINT16_MAX;
}

static struct weir_segment *segments_for(struct weir_warptrace_last *last, uint32_t count) {
  if (count > last->segment_capacity) {
    last->segment_capacity = count;
    last->segments = weir_realloc(last->segments, count * sizeof *last->segments);
  }
  return last->segments;
}

void weir_warptrace_last_free(struct weir_warptrace_last *last) {
  weir_free(last->segments);
}

static bool get_bulk(struct weir_cursor *c, struct weir_warptrace_last *last, unsigned lanes, struct weir_winstr *out) {
  enum { MOST_SEGMENTS = 1 << 20 };
  const uint64_t barrier = weir_cursor_varint(c);
  out->fetches = weir_cursor_byte(c);
  const uint64_t count = weir_cursor_varint(c);
  if (out->space != WEIR_MEM_GLOBAL || barrier > MOST_OWN || out->fetches >= WEIR_PREFETCH_SIZES ||
      count > MOST_SEGMENTS)
    return false;
  struct weir_segment *segments = segments_for(last, (uint32_t)count);
  uint64_t end = out->address[weir_lowest(out->active)], lane = 0;
  for (uint32_t s = 0; s < count && !c->failed; s++) {
    lane += weir_cursor_varint(c);
    const uint64_t address = end + weir_unzigzag(weir_cursor_varint(c)), bytes = weir_cursor_varint(c);
    end = address + bytes;
    if (lane >= lanes || !bytes || bytes > MOST_OWN || address >= MOST_DEVICE) return false;
    segments[s] = (struct weir_segment){address, (uint32_t)bytes, (uint32_t)lane};
  }
  out->arrives_at = (uint32_t)barrier + WEIR_ARRIVES_IN_GROUP;
  out->segments = segments;
  out->segment_count = (uint32_t)count;
  return !c->failed;
}

bool weir_warptrace_get(struct weir_cursor *c, struct weir_warptrace_last *last, const struct weir_static *s,
                        unsigned lanes, uint64_t active, struct weir_winstr *out) {
  out->what = s;
  out->space = s->space;
  out->spread = WEIR_SPREAD_UNKNOWN;
  out->active = active;
  if (!active) return true;
  if (s->space != WEIR_MEM_NONE && !get_addresses(c, last, s, lanes, out)) return false;
  if (s->space != WEIR_MEM_NONE && s->is_bulk && !get_bulk(c, last, lanes, out)) return false;
  if (s->has_policy) out->policy = weir_cursor_low(c, 8);
  return (!s->is_barrier || s->of_products || get_barrier(c, out)) && !c->failed;
}
