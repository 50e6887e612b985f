// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A reader's two halves: weir's own traces, chunk by chunk, and ChampSim's, record by record. Invariant: one of them is
// in use, as `info.champsim` says; after a diagnostic nothing more is read.
#ifndef WEIR_TRACE_READER_PRIVATE_H
#define WEIR_TRACE_READER_PRIVATE_H

#include "trace/decode.h"
#include "trace/items.h"
#include "trace/stream.h"

enum { WEIR_TRACE_BATCH = 1024 }; // instructions read at a time at most: their addresses stay in the first-level cache

struct weir_trace_reader {
  char *path;
  struct weir_sink *sink;
  bool failed;
  uint64_t *addresses; // of the batch
  unsigned segment;    // of what was read last

  // weir's own
  FILE *file;
  struct weir_trace_directory directory; // of ChampSim's only `info`
  uint32_t *selected;                    // chunks, in order
  uint32_t selected_count, next_chunk;
  uint8_t *unpacked;
  size_t unpacked_capacity;
  struct weir_trace_decoder decoder;

  // ChampSim's
  struct weir_stream *stream;
  struct weir_trace_items items;
  bool has_pending;
  uint8_t pending[64]; // the record that was read to know what follows the last one given
};

bool weir_trace_reader_fail(struct weir_trace_reader *r, const char *message);

bool weir_trace_own_open(struct weir_trace_reader *r);
bool weir_trace_own_select(struct weir_trace_reader *r, bool by_segment, uint32_t which);
size_t weir_trace_own_read(struct weir_trace_reader *r, struct weir_trace_inst *out, size_t most);
bool weir_trace_own_skip(struct weir_trace_reader *r, uint64_t *instructions); // whole chunks; what is left
void weir_trace_own_close(struct weir_trace_reader *r);

bool weir_trace_champsim_open(struct weir_trace_reader *r); // also to begin again
size_t weir_trace_champsim_read(struct weir_trace_reader *r, struct weir_trace_inst *out, size_t most);

#endif
