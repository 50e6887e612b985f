// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "stats/stats.h"
#include "stats/requester.h"

#include <stddef.h>
#include <string.h>

const uint8_t weir_transaction_groups[WEIR_TRANSACTIONS_COUNTED + 1] = {
#define X(low, high, name) [low... high] = WEIR_TRANSACTIONS_FROM_##low,
  WEIR_TRANSACTION_GROUPS(X)
#undef X
};

// A struct of counters is a row of words.
#define WORDS(s) (sizeof(s) / sizeof(uint64_t))
_Static_assert(sizeof(struct weir_run_stats) % sizeof(uint64_t) == 0, "counters only");
_Static_assert(sizeof(struct weir_pc_stats) % sizeof(uint64_t) == 0, "counters only");
_Static_assert(sizeof(struct weir_requester_counts) % sizeof(uint64_t) == 0, "counters only");
_Static_assert(sizeof(struct weir_traffic_counts) % sizeof(uint64_t) == 0, "counters only");

static void add(void *sum, const void *more, size_t words) {
  uint64_t *a = sum;
  const uint64_t *b = more;
  for (size_t i = 0; i < words; i++) a[i] += b[i];
}

static void subtract(void *from, const void *less, size_t words) {
  uint64_t *a = from;
  const uint64_t *b = less;
  for (size_t i = 0; i < words; i++) a[i] -= b[i];
}

void weir_run_stats_subtract(struct weir_run_stats *after, const struct weir_run_stats *before) {
  subtract(after, before, WORDS(*after));
}

void weir_run_stats_add(struct weir_run_stats *sum, const struct weir_run_stats *more) {
  add(sum, more, WORDS(*sum));
}

void weir_run_stats_add_times(struct weir_run_stats *sum, const struct weir_run_stats *more, double by) {
  uint64_t *a = (uint64_t *)(void *)sum;
  const uint64_t *b = (const uint64_t *)(const void *)more;
  for (size_t i = 0; i < WORDS(*sum); i++) a[i] += (uint64_t)((double)b[i] * by + 0.5);
}

void weir_requester_counts_add(struct weir_requester_counts *sum, const struct weir_requester_counts *more) {
  add(sum, more, WORDS(*sum));
}

void weir_traffic_counts_add(struct weir_traffic_counts *sum, const struct weir_traffic_counts *more) {
  add(sum, more, WORDS(*sum));
}

static void copy_occupancy(struct weir_kernel_stats *to, const struct weir_kernel_stats *from) {
  to->registers = from->registers;
  to->spilled_registers = from->spilled_registers;
  to->core_blocks = from->core_blocks;
  to->carveout_kib = from->carveout_kib;
  to->limited_by = from->limited_by;
  to->registers_by = from->registers_by;
  to->carveout_by = from->carveout_by;
}

unsigned weir_kernel_stats_fold(struct weir_kernel_stats *kernels, unsigned count) {
  unsigned left = 0;
  for (unsigned i = 0; i < count; i++) {
    unsigned k = 0;
    while (k < left && strcmp(kernels[k].name, kernels[i].name)) k++;
    if (k == left) {
      kernels[left++] = kernels[i];
      continue;
    }
    kernels[k].launches += kernels[i].launches;
    if (kernels[k].online_threads < kernels[i].online_threads) kernels[k].online_threads = kernels[i].online_threads;
    if (kernels[i].core_blocks < kernels[k].core_blocks) copy_occupancy(&kernels[k], &kernels[i]);
    weir_run_stats_add(&kernels[k].counts, &kernels[i].counts);
  }
  return left;
}

void weir_pc_stats_add(struct weir_pc_stats *sum, const struct weir_pc_stats *more) {
  add(sum, more, offsetof(struct weir_pc_stats, low) / sizeof(uint64_t));
  if (more->high) weir_pc_extend(sum, more->low, more->high);
}

void weir_bank_counts_add(struct weir_bank_counts *sum, const struct weir_bank_counts *more) {
  const uint64_t worst = sum->worst_passes > more->worst_passes ? sum->worst_passes : more->worst_passes;
  add(sum, more, WORDS(*sum));
  sum->worst_passes = worst;
}

struct weir_pc_counts weir_pc_total(const struct weir_pc_stats *s) {
  struct weir_pc_counts total = {0};
  for (int i = 0; i < WEIR_TRANSACTION_GROUP_COUNT; i++) add(&total, &s->groups[i], WORDS(total));
  return total;
}

void weir_sample_subtract(struct weir_sample *after, const struct weir_sample *before) {
  subtract(after, before, WORDS(*after));
}
