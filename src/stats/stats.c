// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "stats/stats.h"

enum { WORDS = sizeof(struct weir_run_stats) / sizeof(uint64_t) };
_Static_assert(sizeof(struct weir_run_stats) % sizeof(uint64_t) == 0, "counters only");

void weir_run_stats_subtract(struct weir_run_stats *after, const struct weir_run_stats *before) {
  uint64_t *a = (uint64_t *)after;
  const uint64_t *b = (const uint64_t *)before;
  for (int i = 0; i < WORDS; i++) a[i] -= b[i];
}

void weir_run_stats_add(struct weir_run_stats *sum, const struct weir_run_stats *add) {
  uint64_t *a = (uint64_t *)sum;
  const uint64_t *b = (const uint64_t *)add;
  for (int i = 0; i < WORDS; i++) a[i] += b[i];
}
