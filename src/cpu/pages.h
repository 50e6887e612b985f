// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Where a CPU program's pages lie in memory. Invariant: two programs share no page; a page gets its frame when it is first
// touched, the next one of its program's range, so that where it lies depends on the program's own accesses alone.
#ifndef WEIR_CPU_PAGES_H
#define WEIR_CPU_PAGES_H

#include "base/map.h"

enum { WEIR_PAGE_BITS = 12, WEIR_PAGE_RECENT = 64 };

struct weir_page {
  uint64_t page, frame; // numbers + 1; 0: none
};

struct weir_pages {
  struct weir_map frames; // by page, of those touched
  uint64_t first_frame;
  struct weir_page recent[WEIR_PAGE_RECENT]; // direct-mapped
};

// Program `requester` (from 1) has the frames of the addresses from requester × 1 TiB on.
void weir_pages_init(struct weir_pages *p, unsigned requester);
void weir_pages_free(struct weir_pages *p);
uint64_t weir_pages_address(struct weir_pages *p, uint64_t address);

#endif
