// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A program that begins again when it ends, for cores that must be kept busy until the others are done. Invariant: what is
// read are all segments of the selected thread in order, then the same again; a round that would give nothing ends the loop.
#ifndef WEIR_TRACE_LOOP_H
#define WEIR_TRACE_LOOP_H

#include "trace/trace.h"

struct weir_trace_loop {
  struct weir_trace_reader *reader;
  uint32_t thread;
  uint64_t instructions; // read so far, in all rounds
  uint64_t round;        // of which so many in this one
  uint64_t restarts;     // how often an instruction was read as the first one again
};

// Opens a trace at that thread's first instruction. False and a diagnostic if it cannot be read; then nothing is left to
// close. The sink is used until it is closed.
bool weir_trace_loop_open(struct weir_trace_loop *l, const char *path, uint32_t thread, struct weir_sink *sink);
void weir_trace_loop_close(struct weir_trace_loop *l);

// The next instructions, at most `most` and at least one, valid until the next call. 0: a diagnostic was given (now or
// before). `loop` is a struct weir_trace_loop: a core's feed takes this function and that pointer as they are.
size_t weir_trace_loop_read(void *loop, struct weir_trace_inst *out, size_t most);

#endif
