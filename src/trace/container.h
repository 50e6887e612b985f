// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A weir trace as a file (docs/TRACES.md has it byte by byte): the magic, chunks, the directory, the trailer.
// Invariant: chunks and directory are one zstd frame each, with its size and checksum; the directory holds the static
// instructions and says where the chunks are, so that each chunk can be read by itself.
#ifndef WEIR_TRACE_CONTAINER_H
#define WEIR_TRACE_CONTAINER_H

#include "trace/bytes.h"
#include "trace/model.h"
#include "trace/trace.h"

#define WEIR_TRACE_MAGIC "WEIRTRC1"
#define WEIR_TRACE_END_MAGIC "WEIRTEND"
enum {
  WEIR_TRACE_MAGIC_BYTES = 8,
  WEIR_TRACE_TRAILER_BYTES = 24, // where the directory begins, its size, the end's magic
  WEIR_TRACE_CHUNK_INSTRUCTIONS = 16 << 20,
  WEIR_TRACE_CHUNK_LIMIT = 256 << 20,     // bytes of one chunk, unpacked
  WEIR_TRACE_DIRECTORY_LIMIT = 512 << 20, // bytes of the directory, unpacked
};

struct weir_trace_chunk {
  uint64_t offset, bytes; // in the file
  uint32_t segment, instructions;
};

struct weir_trace_directory {
  struct weir_trace_info info;
  struct weir_trace_chunk *chunks; // in the order written
  uint32_t chunk_count, chunk_capacity, segment_capacity;
  struct weir_trace_item *items; // all static instructions, by number
  uint64_t *executions;          // of each
  uint32_t slot_count;
};

void weir_trace_directory_put(const struct weir_trace_directory *d, struct weir_bytes *to);

// False and a diagnostic if it is damaged. What it holds is freed in either case by weir_trace_directory_free.
bool weir_trace_directory_parse(struct weir_trace_directory *d, const void *data, size_t bytes, struct weir_place place,
                                struct weir_sink *sink);
void weir_trace_directory_free(struct weir_trace_directory *d);

// The surprises of one chunk, in the order of the model's calls. The parts are: the instructions between two surprises
// of flow, what followed instead; the accesses between two surprises of address, how each is told, and by which
// difference.
enum { WEIR_PART_FLOW_GAP, WEIR_PART_FLOW, WEIR_PART_ACCESS_GAP, WEIR_PART_ACCESS, WEIR_PART_DIFFERENCE, WEIR_PARTS };

// How a surprise of flow is told: by the successor before the last one, by the last one, or by its number.
enum { WEIR_FLOW_OTHER, WEIR_FLOW_LAST, WEIR_FLOW_NUMBER };

// How a surprise of address is told: by another guess, or (from WEIR_GUESSES on) by a difference of n bytes, n - 1 in
// the higher bits, from the last address or, with the lowest bit, from the base's last address.
enum { WEIR_ACCESS_FROM_BASE = 1 };

#endif
