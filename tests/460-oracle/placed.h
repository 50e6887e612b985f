// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A ChampSim trace whose addresses have been placed: each page of 4 KiB has the frame that weir's core would give it,
// in the order in which pages are touched first. Invariant: placing it again changes no address but its program's base,
// and a simulator with pages of 2 MiB or more keeps the bits that index its caches; so whoever runs the file has each
// line in the same set.
#ifndef WEIR_TESTS_ORACLE_PLACED_H
#define WEIR_TESTS_ORACLE_PLACED_H

#include "base/alloc.h"
#include "cpu/pages.h"
#include "trace/champsim.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct placed {
  struct weir_pages pages;
  gzFile file;
};

static inline void placed_open(struct placed *p, const char *path) {
  weir_pages_init(&p->pages, 1);
  p->file = gzopen(path, "wb1");
  assert_non_null(p->file);
}

static inline void placed_close(struct placed *p) {
  weir_pages_free(&p->pages);
  assert_int_equal(gzclose(p->file), Z_OK);
}

// In the order in which the core asks for pages: the instruction's own, then its accesses'.
static inline void placed_put(struct placed *p, const struct weir_trace_inst *i) {
  struct weir_trace_static what = *i->what;
  uint64_t addresses[WEIR_TRACE_ACCESSES];
  uint8_t record[WEIR_CHAMPSIM_BYTES];
  what.pc = weir_pages_address(&p->pages, what.pc);
  for (unsigned k = 0; k < what.access_count; k++) addresses[k] = weir_pages_address(&p->pages, i->addresses[k]);
  weir_champsim_put(&(struct weir_trace_inst){.what = &what, .addresses = addresses}, record);
  assert_int_equal(gzwrite(p->file, record, sizeof record), sizeof record);
}

// The instructions of the first thread from `first` on. Returns how many: fewer where the trace ends.
static inline uint64_t placed_copy(const char *trace, const char *path, uint64_t first, uint64_t instructions) {
  struct weir_sink sink = {0};
  struct weir_trace_reader *r = weir_trace_open(trace, &sink);
  struct weir_trace_inst batch[256];
  struct placed p;
  uint64_t done = 0;
  assert_non_null(r);
  assert_true(!first || weir_trace_seek(r, first));
  placed_open(&p, path);
  for (size_t n; done < instructions && (n = weir_trace_read(r, batch, 256));)
    for (size_t i = 0; i < n && done < instructions; i++, done++) placed_put(&p, &batch[i]);
  placed_close(&p);
  weir_trace_close(r);
  return done;
}

#endif
