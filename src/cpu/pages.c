// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cpu/pages.h"

enum { REQUESTER_SHIFT = 40 };

void weir_pages_init(struct weir_pages *p, unsigned requester) {
  *p = (struct weir_pages){.first_frame = (uint64_t)requester << (REQUESTER_SHIFT - WEIR_PAGE_BITS)};
}

void weir_pages_free(struct weir_pages *p) {
  weir_map_free(&p->frames);
}

uint64_t weir_pages_address(struct weir_pages *p, uint64_t address) {
  const uint64_t page = (address >> WEIR_PAGE_BITS) + 1;
  struct weir_page *recent = &p->recent[page % WEIR_PAGE_RECENT];
  if (recent->page != page) {
    uint64_t *frame = weir_map_add(&p->frames, page, NULL);
    if (!*frame) *frame = p->first_frame + p->frames.count;
    *recent = (struct weir_page){page, *frame};
  }
  return (recent->frame - 1) << WEIR_PAGE_BITS | (address & ((1 << WEIR_PAGE_BITS) - 1));
}
