// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a recording of instructions says of its program and of what the host did, as JSON (docs/STREAMS.md). Invariant: what is read back can be
// run: every number is one that a program could have.
#ifndef WEIR_WARPTRACE_ABOUT_H
#define WEIR_WARPTRACE_ABOUT_H

#include "base/diag.h"
#include "exec/streamed.h"
#include "exec/warp.h"

#include <jansson.h>

// What the host did, one after the other.
struct weir_warptrace_call {
  bool is_copy;
  uint64_t address, bytes; // copied to the device
  // A launch. The frames of its blocks are [first, first + blocks) of the recording, in any order.
  uint32_t kernel; // index
  uint32_t grid[3], block[3], dynamic_shared_bytes, registers;
  uint8_t shared_preference;
  bool cooperative;
  struct weir_access_window window;
  uint64_t first, blocks, instructions; // instructions: of all warps
};

struct weir_warptrace_calls {
  struct weir_warptrace_call *all;
  size_t count, capacity;
};

json_t *weir_warptrace_ends(const struct weir_streamed_program *p, const struct weir_warptrace_calls *calls);

// Fills the program, whose texts are borrowed from `ends` and whose arrays weir_warptrace_forget frees, and the calls. False: they cannot be.
bool weir_warptrace_remember(const json_t *ends, unsigned lanes, struct weir_streamed_program *p,
                             struct weir_warptrace_calls *calls);
void weir_warptrace_forget(struct weir_streamed_program *p, struct weir_warptrace_calls *calls);

#endif
