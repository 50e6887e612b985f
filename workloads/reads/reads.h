// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The micro-benchmark of Mokhtari and Stumm, section 2.3.1: threads read disjoint words as quickly as they can, from
// data that the L2 has, or that it does not have. Invariant: three launches, of which the first brings the instructions
// into their caches, and the third takes `cycles` longer than the second: what it reads more is throughput without the
// way up. How much that is depends on the chip; each thread counts its rounds, and the check goes by them.
#ifndef WEIR_READS_READS_H
#define WEIR_READS_READS_H

#include "host/workload.h"

enum { WEIR_READS_L2_BYTES = 1 << 20, WEIR_READS_DRAM_BYTES = 1 << 25 }; // the L2 has 1.5 MiB

struct weir_reads {
  uint32_t blocks, block, mask, degree, cycles; // 2^degree: neighbours that read neighbouring words
  uint64_t data, rounds, sums;                  // device addresses
};

// `bytes`: of the data, a power of two.
void weir_reads_prepare(struct weir_host *h, struct weir_reads *s, uint32_t bytes, uint32_t degree, enum weir_size size,
                        uint64_t seed);
bool weir_reads_run(struct weir_host *h, void *state);
bool weir_reads_check(struct weir_host *h, void *state);

#endif
