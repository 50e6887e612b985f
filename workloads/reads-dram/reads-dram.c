// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "reads/reads.h"

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  weir_reads_prepare(h, state, WEIR_READS_DRAM_BYTES, 2, size, seed);
  return true;
}

const struct weir_workload weir_workload_reads_dram = {
  .name = "reads-dram",
  .summary = "4-way coalesced reads of disjoint words that no cache has",
  .citation = "micro-benchmark; Mokhtari and Stumm, MEMSYS 2015, section 2.3.1",
  .small_text = "32 MiB, 15360 threads, for 10000 cycles once under way",
  .paper_text = "32 MiB, 15360 threads, for 40000 cycles once under way",
  .takes = WEIR_TAKES_THREADS,
  .state_bytes = sizeof(struct weir_reads),
  .prepare = prepare,
  .run = weir_reads_run,
  .check = weir_reads_check,
};
