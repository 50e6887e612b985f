// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Writing a weir trace. Invariant: static instructions are shared by all threads that write, each of which has a
// segment writer of its own; a file is whole only after weir_trace_writer_finish.
#ifndef WEIR_TRACE_WRITER_H
#define WEIR_TRACE_WRITER_H

#include "trace/model.h"

struct weir_trace_writer;
struct weir_trace_segment_writer;

struct weir_trace_about {
  char *const *arguments; // the program and its arguments
  unsigned argument_count;
  const char *isa, *recorder;
  uint32_t chunk_instructions; // 0: as usual; tests take less
};

// NULL and a diagnostic if the file cannot be made.
struct weir_trace_writer *weir_trace_writer_open(const char *path, const struct weir_trace_about *about,
                                                 struct weir_sink *sink);

// The static instruction of that content, numbered when it is seen first; where it is stays the same. By any thread.
const struct weir_trace_item *weir_trace_define(struct weir_trace_writer *w, const struct weir_trace_static *what);

// A segment of a thread, beginning with its `first` instruction. To be used by one thread at a time.
struct weir_trace_segment_writer *weir_trace_segment_start(struct weir_trace_writer *w, uint32_t thread, uint64_t first,
                                                           double weight);
void weir_trace_put(struct weir_trace_segment_writer *s, const struct weir_trace_item *item, const uint64_t *addresses);
void weir_trace_segment_end(struct weir_trace_segment_writer *s, uint64_t next_pc);

// Writes the directory and closes the file. All segments must have ended. False and a diagnostic if not all could be
// written.
bool weir_trace_writer_finish(struct weir_trace_writer *w, uint64_t run_instructions, uint64_t dropped_accesses,
                              struct weir_sink *sink);

#endif
