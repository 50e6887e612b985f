// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// x86-64 instructions by their bytes. Invariant: what the bytes tell is told; accesses and outcomes are left empty,
// which only an execution can tell.
#ifndef WEIR_TRACE_RECORDER_DECODE_X86_H
#define WEIR_TRACE_RECORDER_DECODE_X86_H

#include "trace/trace.h"

struct weir_x86 {
  struct weir_trace_static what;
  uint8_t load_base, store_base; // registers that its addresses come from; 0: none
  bool loads_and_stores;         // the same memory, as `add [rax], 1` does
};

// What cannot be decoded is a one-cycle instruction without registers.
void weir_x86_decode(struct weir_x86 *to, uint64_t pc, const void *bytes, size_t size);

#endif
