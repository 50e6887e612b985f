// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cpu/pages.h"

#include "base/alloc.h"

enum { FIRST_CAPACITY = 1024, OWNER_SHIFT = 40 };

void weir_pages_init(struct weir_pages *p, unsigned owner) {
  *p =
    (struct weir_pages){.capacity = FIRST_CAPACITY, .first_frame = (uint64_t)owner << (OWNER_SHIFT - WEIR_PAGE_BITS)};
  p->table = weir_new_array(struct weir_page, p->capacity);
}

void weir_pages_free(struct weir_pages *p) {
  weir_free(p->table);
}

// The page's entry, or the free one where it belongs.
static struct weir_page *find(const struct weir_pages *p, uint64_t page) {
  uint64_t at = (page * UINT64_C(0x9e3779b97f4a7c15)) >> 20;
  while (p->table[at & (p->capacity - 1)].page && p->table[at & (p->capacity - 1)].page != page) at++;
  return &p->table[at & (p->capacity - 1)];
}

static void grow(struct weir_pages *p) {
  struct weir_page *old = p->table;
  const uint64_t count = p->capacity;
  p->capacity *= 2;
  p->table = weir_new_array(struct weir_page, p->capacity);
  for (uint64_t i = 0; i < count; i++)
    if (old[i].page) *find(p, old[i].page) = old[i];
  weir_free(old);
}

uint64_t weir_pages_address(struct weir_pages *p, uint64_t address) {
  const uint64_t page = (address >> WEIR_PAGE_BITS) + 1;
  struct weir_page *recent = &p->recent[page % WEIR_PAGE_RECENT];
  if (recent->page != page) {
    if (2 * p->count >= p->capacity) grow(p);
    struct weir_page *e = find(p, page);
    if (!e->page) *e = (struct weir_page){page, p->first_frame + ++p->count};
    *recent = *e;
  }
  return (recent->frame - 1) << WEIR_PAGE_BITS | (address & ((1 << WEIR_PAGE_BITS) - 1));
}
