// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A chunk, unpacked, as instructions. Invariant: nothing outside the chunk and the static instructions is read,
// whatever the chunk holds.
#ifndef WEIR_TRACE_DECODE_H
#define WEIR_TRACE_DECODE_H

#include "trace/container.h"

struct weir_trace_decoder {
  const struct weir_trace_item *items;
  uint32_t item_count;
  struct weir_model model;
  struct weir_cursor parts[WEIR_PARTS];
  uint64_t flow_gap, access_gap; // until the next surprise; UINT64_MAX: none follows
  uint64_t last_next_pc;
  uint32_t next, left; // instruction to give next; how many
};

// False if the chunk is damaged or does not hold `instructions`.
bool weir_trace_decode_start(struct weir_trace_decoder *d, const struct weir_trace_directory *from, const void *data,
                             size_t bytes, uint32_t instructions);

// At most `most` instructions, their addresses in `addresses`, which has WEIR_TRACE_ACCESSES for each. 0: the end, or
// damaged (then `left` is not 0).
size_t weir_trace_decode(struct weir_trace_decoder *d, struct weir_trace_inst *out, uint64_t *addresses, size_t most);
void weir_trace_decode_free(struct weir_trace_decoder *d);

#endif
