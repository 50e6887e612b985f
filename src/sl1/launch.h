// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How a launch of a transformed kernel gets room for its lines. The kernel's lines lie in dynamic shared memory, behind
// what the kernel itself uses of it, slot by slot: slot s of thread t (its linear index in the block) begins at
// own + (s × threads + t) × line bytes. How many slots there are the kernel finds out by itself:
//   CLN = min(structures, (%dynamic_smem_size - own) / (threads × line bytes))
// so that whoever launches a kernel that uses no dynamic shared memory of its own has but to ask for more of it; given
// none, nothing is cached.
//
// The module says what it needs in one variable per kernel, .visible .const .u32 KERNEL__sl1[4]:
//   [0] bytes of a line   [1] structures: the most lines of a thread (option most_lines, too)   [2] own: bytes of dynamic shared memory that the
//   kernel itself uses, a multiple of 16, which the host writes before a launch; it starts as 0 if the kernel declares
//   none, else as 0xffffffff, with which nothing is cached   [3] lines of a thread in the last launch: a host's note for
//   whoever reports, which the kernel does not read
// It is the same for launches on the modelled chip, of unmodified programs, and on a real device.
// With the option counters, .visible .global .u64 KERNEL__sl1_counts[8 × candidates] counts per structure, in the report's
// order of candidates: threads that decided, threads that cache it, monitored accesses, monitored hits, accesses of the
// computation slice that it served, of these hits, fills, bytes written back.
#ifndef WEIR_SL1_LAUNCH_H
#define WEIR_SL1_LAUNCH_H

#include "exec/program.h"
#include "exec/warp.h"

enum { WEIR_SL1_OWN_UNKNOWN = -1 };
enum weir_sl1_counter {
  WEIR_SL1_THREADS,
  WEIR_SL1_CACHING,
  WEIR_SL1_MONITORED,
  WEIR_SL1_MONITORED_HITS,
  WEIR_SL1_ACCESSES,
  WEIR_SL1_HITS,
  WEIR_SL1_FILLS,
  WEIR_SL1_WRITTEN_BYTES,
  WEIR_SL1_COUNTERS
};

struct weir_sl1_need {
  uint32_t line_bytes, structures;
  uint64_t variable; // device address of KERNEL__sl1
};

// What a kernel of the program needs; false: it is not one that the pass transformed.
bool weir_sl1_need(const struct weir_program *p, const char *kernel, struct weir_memory *m, struct weir_sl1_need *need);

// The lines of a thread, by the paper's rule (section 3.1): what the resident blocks leave of a core's shared memory, by
// its resident threads and the size of a line, rounded down, and no more than there are structures.
// `block_shared_bytes`: static and dynamic shared memory that a block uses without S-L1.
uint32_t weir_sl1_lines(const struct weir_sl1_need *need, uint64_t core_shared_bytes, uint32_t resident_blocks,
                        uint32_t block_threads, uint64_t block_shared_bytes);

// Gives a launch that many lines per thread: writes the kernel's variable and returns the dynamic shared bytes that the
// launch is to have. `lines` 0: the launch's own, and nothing is cached.
uint32_t weir_sl1_extend(const struct weir_sl1_need *need, struct weir_memory *m, uint32_t block_threads,
                         uint32_t dynamic_shared_bytes, uint32_t lines);

// All of that for a launch on a core of so much shared memory that holds so many of its blocks; a launch of another kernel
// stays as it is. With `resident_blocks` 0 nothing is cached.
void weir_sl1_give(struct weir_launch *launch, uint64_t core_shared_bytes, uint32_t resident_blocks);

// The lines per thread that the kernel's last launch was given.
uint32_t weir_sl1_given(const struct weir_sl1_need *need, const struct weir_memory *m);

// The kernel's counters as they stand, WEIR_SL1_COUNTERS for each of so many structures; NULL: it has none.
const uint64_t *weir_sl1_counts(const struct weir_program *p, const char *kernel, struct weir_memory *m,
                                uint32_t *structures);

#endif
