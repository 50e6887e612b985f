// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What one warp does, as bytes: one record after the other, each told from the one before (docs/STREAMS.md). Invariant: what was put comes
// out again, up to what timing does not ask for; a reader takes no record that an execution could not have left.
#ifndef WEIR_WARPTRACE_CODEC_H
#define WEIR_WARPTRACE_CODEC_H

#include "exec/winstr.h"
#include "trace/bytes.h"

enum { WEIR_WARPTRACE_SPACES = WEIR_MEM_CALL + 1 };

// What the next record is told from.
struct weir_warptrace_last {
  uint32_t index;                          // instruction that would follow in sequence
  uint64_t active;                         // lanes
  uint64_t address[WEIR_WARPTRACE_SPACES]; // of the first lane
  // Reading: what the last bulk copy's segments lie in.
  struct weir_segment *segments;
  uint32_t segment_capacity;
};
void weir_warptrace_last_free(struct weir_warptrace_last *last); // frees what reading has allocated

void weir_warptrace_put(struct weir_bytes *to, struct weir_warptrace_last *last, uint32_t index,
                        const struct weir_winstr *what);

// The first part of a record: which instruction. False: there is none, or c->failed.
bool weir_warptrace_next(struct weir_cursor *c, struct weir_warptrace_last *last, uint32_t *index, unsigned lanes,
                         uint64_t *active);
// The rest; all of `out` but `what` and `pc`. False: it is none.
bool weir_warptrace_get(struct weir_cursor *c, struct weir_warptrace_last *last, const struct weir_static *s,
                        unsigned lanes, uint64_t active, struct weir_winstr *out);

#endif
