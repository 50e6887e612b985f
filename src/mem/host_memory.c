// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "mem/host_memory.h"

#include "base/alloc.h"
#include "base/bits.h"

#include <string.h>

// Of a page, beside its advice. Neither HERE nor MOVING: the host's alone.
enum { HERE = 1 << 3, BOTH = 1 << 4, MOVING = 1 << 5 }; // BOTH: the host has a copy of what is here

// ---- ranges ---------------------------------------------------------------------------------------------------------------

// The number of ranges that begin at or before the address.
static unsigned upto(const struct weir_host_memory *m, uint64_t address) {
  unsigned low = 0, high = m->count;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (m->ranges[middle].base <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static struct weir_host_range *range_of(const struct weir_host_memory *m, uint64_t address) {
  const unsigned n = upto(m, address);
  struct weir_host_range *r = n ? &m->ranges[n - 1] : NULL;
  return r && address - r->base < r->bytes ? r : NULL;
}

static uint64_t pages_of(const struct weir_host_memory *m, const struct weir_host_range *r) {
  return weir_div_up(r->bytes, m->page_bytes);
}

static struct weir_host_block *block_of(const struct weir_host_memory *m, const struct weir_host_range *r,
                                        uint64_t page) {
  return &r->blocks[page * m->page_bytes / WEIR_HOST_BLOCK_BYTES];
}

// The last may be cut short.
static uint64_t bytes_of(const struct weir_host_memory *m, const struct weir_host_range *r, uint64_t page) {
  const uint64_t rest = r->bytes - page * m->page_bytes;
  return rest < m->page_bytes ? rest : m->page_bytes;
}

void weir_host_memory_add(struct weir_host_memory *m, uint64_t base, uint64_t bytes, bool managed) {
  const unsigned at = upto(m, base);
  (void)weir_push(m->ranges, m->count, m->capacity);
  memmove(m->ranges + at + 1, m->ranges + at, (m->count - 1 - at) * sizeof *m->ranges);
  struct weir_host_range *r = &m->ranges[at];
  *r = (struct weir_host_range){.base = base, .bytes = bytes};
  if (!managed) return;
  r->pages = weir_new_array(uint8_t, pages_of(m, r));
  r->blocks = weir_new_array(struct weir_host_block, weir_div_up(bytes, WEIR_HOST_BLOCK_BYTES));
}

static void discard(struct weir_host_range *r) {
  weir_free(r->pages);
  weir_free(r->blocks);
}

void weir_host_memory_remove(struct weir_host_memory *m, uint64_t base) {
  struct weir_host_range *r = range_of(m, base);
  if (!r || r->base != base) return;
  for (uint64_t page = 0; r->pages && page < pages_of(m, r); page++)
    if (r->pages[page] & HERE) m->resident -= bytes_of(m, r, page);
  discard(r);
  const unsigned at = (unsigned)(r - m->ranges);
  memmove(r, r + 1, (m->count - 1 - at) * sizeof *r);
  m->count--;
}

void weir_host_memory_free(struct weir_host_memory *m) {
  for (unsigned i = 0; i < m->count; i++) discard(&m->ranges[i]);
  weir_free(m->ranges);
  weir_free(m->moving);
  *m = (struct weir_host_memory){0};
}

// ---- where a page is --------------------------------------------------------------------------------------------------------

// What is mostly read is copied to whoever reads it, whatever else was advised (cudaMemAdvise).
enum weir_host_access weir_host_memory_access(const struct weir_host_memory *m, uint64_t address, bool write) {
  const struct weir_host_range *r = range_of(m, address);
  if (!r) return WEIR_ACCESS_DEVICE;
  if (!r->pages) return WEIR_ACCESS_REMOTE;
  const uint8_t page = r->pages[(address - r->base) / m->page_bytes];
  if (page & MOVING) return WEIR_ACCESS_MOVING;
  if (page & HERE) return write && page & BOTH ? WEIR_ACCESS_FAULT : WEIR_ACCESS_DEVICE;
  const bool stays = page & (WEIR_ADVICE_AT_HOST | WEIR_ADVICE_MAPPED) && !(page & WEIR_ADVICE_READ_MOSTLY);
  return stays ? WEIR_ACCESS_REMOTE : WEIR_ACCESS_FAULT;
}

// What the host has as well need not go back.
static uint64_t leave(struct weir_host_memory *m, struct weir_host_range *r, uint64_t page) {
  const uint64_t bytes = bytes_of(m, r, page);
  const bool copied = r->pages[page] & BOTH;
  r->pages[page] &= (uint8_t) ~(HERE | BOTH);
  block_of(m, r, page)->here--;
  m->resident -= bytes;
  return copied ? 0 : bytes;
}

static uint64_t evict(struct weir_host_memory *m, struct weir_host_range *r, uint64_t block) {
  const uint64_t per = WEIR_HOST_BLOCK_BYTES / m->page_bytes, all = pages_of(m, r), end = (block + 1) * per;
  uint64_t out = 0;
  for (uint64_t page = block * per; page < end && page < all; page++)
    if ((r->pages[page] & (HERE | MOVING)) == HERE) out += leave(m, r, page);
  const uint64_t from = block * WEIR_HOST_BLOCK_BYTES, rest = r->bytes - from;
  if (m->evicted) m->evicted(m->context, r->base + from, rest < WEIR_HOST_BLOCK_BYTES ? rest : WEIR_HOST_BLOCK_BYTES);
  return out;
}

// Of blocks from which something can go, the one that something came to the longest time ago, but for `kept`. False: there is none.
static bool find_oldest(const struct weir_host_memory *m, const struct weir_host_block *kept, unsigned *range,
                        uint64_t *block) {
  uint64_t oldest = UINT64_MAX;
  for (unsigned i = 0; i < m->count; i++) {
    const struct weir_host_range *r = &m->ranges[i];
    for (uint64_t b = 0; r->blocks && b < weir_div_up(r->bytes, WEIR_HOST_BLOCK_BYTES); b++) {
      const struct weir_host_block *of = &r->blocks[b];
      if (of == kept || of->here == of->moving || of->moved >= oldest) continue;
      oldest = of->moved;
      *range = i;
      *block = b;
    }
  }
  return oldest != UINT64_MAX;
}

static uint64_t make_room(struct weir_host_memory *m, uint64_t bytes, const struct weir_host_block *kept) {
  uint64_t out = 0, block;
  unsigned range;
  while (m->resident + bytes > m->room && find_oldest(m, kept, &range, &block))
    out += evict(m, &m->ranges[range], block);
  return out;
}

// A page that is not here begins to move.
static uint64_t begin(struct weir_host_memory *m, struct weir_host_range *r, uint64_t page, bool write) {
  struct weir_host_block *b = block_of(m, r, page);
  const bool copies = r->pages[page] & WEIR_ADVICE_READ_MOSTLY && !write;
  r->pages[page] |= (uint8_t)(HERE | MOVING | (copies ? BOTH : 0));
  b->here++;
  b->moving++;
  m->resident += bytes_of(m, r, page);
  *weir_push(m->moving, m->moving_count, m->moving_capacity) = r->base + page * m->page_bytes;
  return bytes_of(m, r, page);
}

void weir_host_memory_arrive(struct weir_host_memory *m) {
  for (unsigned i = 0; i < m->moving_count; i++) {
    struct weir_host_range *r = range_of(m, m->moving[i]);
    const uint64_t page = r ? (m->moving[i] - r->base) / m->page_bytes : 0;
    if (!r || !r->pages || !(r->pages[page] & MOVING)) continue;
    r->pages[page] &= (uint8_t)~MOVING;
    block_of(m, r, page)->moving--;
  }
  m->moving_count = 0;
}

// ---- faults -----------------------------------------------------------------------------------------------------------------

static bool at_device(uint8_t page) {
  return page & HERE;
}

static bool at_host(uint8_t page) {
  return !(page & HERE) || page & BOTH;
}

// The pages that a fault brings: [*from, *end).
static void choose(const struct weir_host_memory *m, const struct weir_host_range *r, uint64_t page,
                   bool (*is_there)(uint8_t page), uint64_t *from, uint64_t *end) {
  const uint64_t per = WEIR_HOST_BLOCK_BYTES / m->page_bytes, all = pages_of(m, r);
  *from = page;
  *end = page + 1;
  for (uint64_t size = 2; size <= per; size *= 2) {
    const uint64_t first = page / size * size, last = first + size < all ? first + size : all;
    uint64_t dense = *end - *from;
    for (uint64_t p = first; p < last; p++) dense += (p < *from || p >= *end) && is_there(r->pages[p]);
    if (dense * 100 <= (last - first) * m->density_percent) continue;
    *from = first;
    *end = last;
  }
}

struct weir_host_moved weir_host_memory_fault(struct weir_host_memory *m, uint64_t address, bool write) {
  struct weir_host_range *r = range_of(m, address);
  const uint64_t page = (address - r->base) / m->page_bytes;
  struct weir_host_moved moved = {0};
  if (r->pages[page] & HERE) {
    r->pages[page] &= (uint8_t)~BOTH;
    m->moves++;
    return moved;
  }
  uint64_t from, end, wanted = 0;
  choose(m, r, page, at_device, &from, &end);
  for (uint64_t p = from; p < end; p++)
    if (!(r->pages[p] & HERE)) wanted += bytes_of(m, r, p);
  struct weir_host_block *b = block_of(m, r, page);
  b->moved = ++m->moves;
  moved.out = make_room(m, wanted, b);
  for (uint64_t p = from; p < end; p++)
    if (!(r->pages[p] & HERE)) moved.in += begin(m, r, p, write && p == page);
  return moved;
}

// ---- the host's accesses ----------------------------------------------------------------------------------------------------

// With all that the shared caches have of it.
static uint64_t leave_wholly(struct weir_host_memory *m, struct weir_host_range *r, uint64_t page) {
  if (m->evicted) m->evicted(m->context, r->base + page * m->page_bytes, bytes_of(m, r, page));
  return leave(m, r, page);
}

uint64_t weir_host_memory_recall(struct weir_host_memory *m, uint64_t address) {
  struct weir_host_range *r = range_of(m, address);
  const uint64_t page = r ? (address - r->base) / m->page_bytes : 0;
  if (!r || !r->pages || at_host(r->pages[page])) return 0;
  uint64_t from, end, bytes = 0;
  choose(m, r, page, at_host, &from, &end);
  for (uint64_t p = from; p < end; p++) {
    if (at_host(r->pages[p])) continue;
    if (r->pages[p] & WEIR_ADVICE_READ_MOSTLY) {
      r->pages[p] |= BOTH;
      bytes += bytes_of(m, r, p);
    } else {
      bytes += leave_wholly(m, r, p);
    }
  }
  return bytes;
}

bool weir_host_memory_away(const struct weir_host_memory *m, uint64_t *address, uint64_t *bytes) {
  for (unsigned i = upto(m, *address) ? upto(m, *address) - 1 : 0; i < m->count; i++) {
    const struct weir_host_range *r = &m->ranges[i];
    if (!r->pages) continue;
    const uint64_t all = pages_of(m, r);
    uint64_t page = *address > r->base ? weir_div_up(*address - r->base, m->page_bytes) : 0, end;
    while (page < all && at_host(r->pages[page])) page++;
    for (end = page; end < all && !at_host(r->pages[end]); end++) continue;
    if (page >= all) continue;
    *address = r->base + page * m->page_bytes;
    *bytes = (end - page - 1) * m->page_bytes + bytes_of(m, r, end - 1);
    return true;
  }
  return false;
}

// ---- what the program asks for --------------------------------------------------------------------------------------------

static bool covers(const struct weir_host_memory *m, uint64_t address, uint64_t bytes, struct weir_host_range **r,
                   uint64_t *first, uint64_t *end) {
  *r = range_of(m, address);
  if (!*r || !(*r)->pages || !bytes) return false;
  const uint64_t from = address - (*r)->base, rest = (*r)->bytes - from;
  *first = from / m->page_bytes;
  *end = (from + (bytes < rest ? bytes : rest) - 1) / m->page_bytes + 1;
  return true;
}

struct weir_host_moved weir_host_memory_prefetch(struct weir_host_memory *m, uint64_t address, uint64_t bytes,
                                                 bool to_device) {
  struct weir_host_moved moved = {0};
  struct weir_host_range *r;
  uint64_t first, end;
  if (!covers(m, address, bytes, &r, &first, &end)) return moved;
  for (uint64_t page = first; page < end; page++) {
    const bool here = r->pages[page] & HERE;
    if (!to_device && here) moved.out += leave_wholly(m, r, page);
    if (!to_device || here) continue;
    struct weir_host_block *b = block_of(m, r, page);
    b->moved = ++m->moves;
    moved.out += make_room(m, bytes_of(m, r, page), b);
    if (m->resident + bytes_of(m, r, page) > m->room) break;
    moved.in += begin(m, r, page, false);
  }
  weir_host_memory_arrive(m);
  return moved;
}

void weir_host_memory_advise(struct weir_host_memory *m, uint64_t address, uint64_t bytes, enum weir_host_advice advice,
                             bool given) {
  struct weir_host_range *r;
  uint64_t first, end;
  if (!covers(m, address, bytes, &r, &first, &end)) return;
  const bool ends_copies = !given && advice == WEIR_ADVICE_READ_MOSTLY;
  m->moves += ends_copies;
  for (uint64_t page = first; page < end; page++) {
    if (given)
      r->pages[page] |= (uint8_t)advice;
    else
      r->pages[page] &= (uint8_t) ~(unsigned)advice;
    if (ends_copies) r->pages[page] &= (uint8_t)~BOTH;
  }
}
