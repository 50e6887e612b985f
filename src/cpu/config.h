// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a CPU core is made of. Latencies are in cycles of its own clock; all counts are at least 1.
#ifndef WEIR_CPU_CONFIG_H
#define WEIR_CPU_CONFIG_H

#include "trace/trace.h"

struct weir_cpu_cache_config {
  uint32_t size_bytes, ways, line_bytes; // powers of two but for ways
  uint32_t mshrs;                        // lines that may be on their way to it
  uint32_t latency_cycles;               // from the look-up to the data
};

struct weir_cpu_config {
  uint32_t width;           // instructions dispatched per cycle, and retired
  uint32_t window;          // entries of the reorder buffer, at most WEIR_CPU_MAX_WINDOW
  uint32_t load_ports;      // loads that look up the data cache per cycle
  uint32_t store_buffer;    // retired stores that wait for their line
  uint32_t redirect_cycles; // from the execution of a mispredicted branch until the instruction behind it is dispatched
  uint32_t refetch_cycles;  // lost where only the decoder finds a taken branch's target
  uint32_t fetch_ahead; // instructions whose lines are fetched before their turn, up to a mispredicted branch; 0: none
  uint32_t latency_cycles[WEIR_TRACE_KINDS];
  uint32_t perceptrons, history_bits; // of the direction predictor; history at most WEIR_CPU_MAX_HISTORY
  uint32_t targets; // entries of the target buffers, of direct and of indirect branches: a power of two each
  uint32_t returns; // entries of the stack of return addresses
  struct weir_cpu_cache_config l1i, l1d, l2;
};

enum { WEIR_CPU_MAX_WINDOW = 1024, WEIR_CPU_MAX_HISTORY = 63 };

#endif
