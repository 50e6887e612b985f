// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The keys of CPU cores (cpu/config.h says what they mean).
#include "config/keys_private.h"
#include "cpu/core.h"

#define KIND(title, kind, text)                                                                                        \
  {                                                                                                                    \
    .name = title, .type = WEIR_KEY_UINT, .offset = kind * sizeof(uint32_t), .lowest = 1, .highest = 10000,            \
    .help = text                                                                                                       \
  }
static const struct weir_key latency_keys[] = {
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
static const struct weir_section latency_section = {
  .what = "latencies", .size = sizeof(uint32_t) * WEIR_TRACE_KINDS, .keys = latency_keys, .count = WEIR_TRACE_KINDS};

#define CACHE weir_cpu_cache_config
static const struct weir_key cache_keys[] = {
  POW2(CACHE, size_bytes, 64, 1u << 28, "bytes per core"),
  UINT(CACHE, ways, 1, WEIR_MAX_WAYS, "lines per set"),
  POW2(CACHE, line_bytes, 16, 256, "bytes of a line"),
  UINT(CACHE, mshrs, 1, 65535, "lines that may be on their way to it"),
  UINT(CACHE, latency_cycles, 1, 10000, "look-up to data, CPU cycles"),
};
static const struct weir_section cache_section = SECTION_OF("a CPU core's cache", CACHE, cache_keys);

#define CLUSTER weir_cpu_cluster_config
#define CORE_UINT(m, low, high, text)                                                                                  \
  {                                                                                                                    \
    .name = #m, .type = WEIR_KEY_UINT, .offset = offsetof(struct CLUSTER, core.m), .lowest = low, .highest = high,     \
    .help = text                                                                                                       \
  }
#define CORE_POW2(m, low, high, text)                                                                                  \
  {                                                                                                                    \
    .name = #m, .type = WEIR_KEY_UINT, .offset = offsetof(struct CLUSTER, core.m), .lowest = low, .highest = high,     \
    .power_of_two = true, .help = text                                                                                 \
  }
#define CORE_SECTION(m, of)                                                                                            \
  { .name = #m, .type = WEIR_KEY_SECTION, .offset = offsetof(struct CLUSTER, core.m), .section = &of }
#define CORE_LATENCIES(title)                                                                                          \
  {                                                                                                                    \
    .name = title, .type = WEIR_KEY_SECTION, .offset = offsetof(struct CLUSTER, core.latency_cycles),                  \
    .section = &latency_section                                                                                        \
  }

static const struct weir_key cluster_keys[] = {
  NAME(CLUSTER, name, "what the cores are called in paths"),
  UINT(CLUSTER, count, 1, WEIR_MAX_OWNERS - 1, "CPU cores of this kind"),
  REAL(CLUSTER, mhz, 1, 100000, "clock of the cores and their own caches"),
  CORE_UINT(width, 1, 64, "instructions that enter the reorder buffer per CPU cycle, and as many leave it"),
  CORE_UINT(window, 1, WEIR_CPU_MAX_WINDOW, "entries of the reorder buffer"),
  CORE_UINT(load_ports, 1, 64, "loads that look up the data cache per CPU cycle"),
  CORE_UINT(store_buffer, 2 * WEIR_TRACE_ACCESSES, 65536, "retired stores that may wait for their line"),
  CORE_UINT(redirect_cycles, 1, 1000, "a mispredicted branch's execution to the next instruction, CPU cycles"),
  CORE_UINT(refetch_cycles, 1, 1000, "lost where only the decoder finds a branch's target, CPU cycles"),
  {.name = "fetch_ahead",
   .type = WEIR_KEY_UINT,
   .offset = offsetof(struct CLUSTER, core.fetch_ahead),
   .highest = WEIR_CPU_BATCH,
   .absent = "0",
   .help = "instructions whose lines are fetched before their turn, up to a mispredicted branch"},
  CORE_LATENCIES("latency"),
  CORE_POW2(perceptrons, 1, 1u << 20, "of the direction predictor"),
  CORE_UINT(history_bits, 1, WEIR_CPU_MAX_HISTORY, "branches that it looks back"),
  CORE_POW2(targets, 1, 1u << 20, "entries of the buffers of branch targets"),
  CORE_UINT(returns, 1, 65536, "entries of the stack of return addresses"),
  CORE_SECTION(l1i, cache_section),
  CORE_SECTION(l1d, cache_section),
  CORE_SECTION(l2, cache_section),
};
const struct weir_section weir_cpu_cluster_section = SECTION_OF("CPU cores", CLUSTER, cluster_keys);
