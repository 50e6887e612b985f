// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The keys of CPU cores (cpu/config.h says what they mean).
#include "base/param_rows.h"
#include "config/keys.h"
#include "cpu/core.h"

#define KIND(title, kind, text)                                                                                        \
  {                                                                                                                    \
    .name = title, .type = WEIR_PARAM_UINT, .bytes = sizeof(uint32_t), .offset = kind * sizeof(uint32_t), .low = 1,    \
    .high = 10000, .unit = "cycles", .help = text                                                                      \
  }
static const struct weir_param latency_keys[] = {
  KIND("unknown", WEIR_TRACE_UNKNOWN, "CPU cycles of an instruction whose trace does not say what it is"),
  KIND("integer", WEIR_TRACE_INTEGER, "CPU cycles of integer arithmetic, moves, branches"),
  KIND("multiply", WEIR_TRACE_MULTIPLY, "CPU cycles of an integer multiplication"),
  KIND("divide", WEIR_TRACE_DIVIDE, "CPU cycles of an integer division"),
  KIND("float_add", WEIR_TRACE_FLOAT_ADD, "CPU cycles of floating-point addition, conversion, comparison"),
  KIND("float_multiply", WEIR_TRACE_FLOAT_MULTIPLY,
       "CPU cycles of floating-point multiplication, also fused with an addition"),
  KIND("float_divide", WEIR_TRACE_FLOAT_DIVIDE, "CPU cycles of floating-point division and square root"),
  KIND("vector", WEIR_TRACE_VECTOR, "CPU cycles of integer arithmetic of vector registers"),
  KIND("system", WEIR_TRACE_SYSTEM, "CPU cycles of a system call or fence, which nothing overlaps"),
};
_Static_assert(sizeof latency_keys / sizeof *latency_keys == WEIR_TRACE_KINDS, "every kind has a latency");
static const struct weir_param_table latency_table = {
  .what = "latencies", .size = sizeof(uint32_t) * WEIR_TRACE_KINDS, .rows = latency_keys, .count = WEIR_TRACE_KINDS};

#define CACHE weir_cpu_cache_config
static const struct weir_param cache_keys[] = {
  POW2(CACHE, size_bytes, 64, 1u << 28, "bytes per core"),
  UINT(CACHE, ways, 1, WEIR_MAX_WAYS, "lines per set"),
  POW2(CACHE, line_bytes, 16, 256, "bytes of a line"),
  UINT(CACHE, mshrs, 1, 65535, "lines that may be on their way to it"),
  UINT(CACHE, latency_cycles, 1, 10000, "look-up to data, CPU cycles"),
};
static const struct weir_param_table cache_table = TABLE_OF("a CPU core's cache", CACHE, cache_keys);

#define CLUSTER weir_cpu_cluster_config
static const struct weir_param cluster_keys[] = {
  NAME(CLUSTER, name, "what the cores are called in paths"),
  UINT(CLUSTER, count, 1, WEIR_MAX_REQUESTERS - 1, "CPU cores of this kind"),
  REAL(CLUSTER, mhz, 1, 100000, "clock of the cores and their own caches"),
  UINT_AT(CLUSTER, core.width, "width", 1, 64,
          "instructions that enter the reorder buffer per CPU cycle, and as many leave it"),
  UINT_AT(CLUSTER, core.window, "window", 1, WEIR_CPU_MAX_WINDOW, "entries of the reorder buffer"),
  UINT_AT(CLUSTER, core.load_ports, "load_ports", 1, 64, "loads that look up the data cache per CPU cycle"),
  UINT_AT(CLUSTER, core.store_buffer, "store_buffer", 2 * WEIR_TRACE_ACCESSES, 65536,
          "retired stores that may wait for their line"),
  UINT_AT(CLUSTER, core.redirect_cycles, "redirect_cycles", 1, 1000,
          "a mispredicted branch's execution to the next instruction, CPU cycles"),
  UINT_AT(CLUSTER, core.refetch_cycles, "refetch_cycles", 1, 1000,
          "lost where only the decoder finds a branch's target, CPU cycles"),
  UINT_AT(CLUSTER, core.fetch_ahead, "fetch_ahead", 0, WEIR_CPU_BATCH,
          "instructions whose lines are fetched before their turn, up to a mispredicted branch", .initial = "0"),
  SECTION_AT(CLUSTER, core.latency_cycles, "latency", latency_table),
  UINT_AT(CLUSTER, core.perceptrons, "perceptrons", 1, 1u << 20, "of the direction predictor", .power_of_two = true),
  UINT_AT(CLUSTER, core.history_bits, "history_bits", 1, WEIR_CPU_MAX_HISTORY, "branches that it looks back"),
  UINT_AT(CLUSTER, core.targets, "targets", 1, 1u << 20, "entries of the buffers of branch targets",
          .power_of_two = true),
  UINT_AT(CLUSTER, core.returns, "returns", 1, 65536, "entries of the stack of return addresses"),
  SECTION_AT(CLUSTER, core.l1i, "l1i", cache_table),
  SECTION_AT(CLUSTER, core.l1d, "l1d", cache_table),
  SECTION_AT(CLUSTER, core.l2, "l2", cache_table),
};
const struct weir_param_table weir_cpu_cluster_table = TABLE_OF("CPU cores", CLUSTER, cluster_keys);
