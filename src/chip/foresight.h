// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Runs of a chip whose policies foresee (policy.h): the first is recorded, cache by cache, and the second is told what comes.
#ifndef WEIR_CHIP_FORESIGHT_H
#define WEIR_CHIP_FORESIGHT_H

#include "chip/chip.h"
#include "mem/optimum.h"

// The accesses of all caches of the levels whose policies foresee.
struct weir_records;

// Does any policy of the scheme foresee?
bool weir_chip_foresees(const struct weir_chip_config *config, const struct weir_scheme *scheme);

// Before the first launch: this run is recorded; or it is foretold by the records of another, which stay the caller's.
void weir_chip_log_accesses(struct weir_chip *c);
void weir_chip_foretell(struct weir_chip *c, const struct weir_records *records);

// What a recorded run has left, from one process to another of the same build. False or NULL: it is not whole.
bool weir_chip_write_records(const struct weir_chip *c, FILE *to);
struct weir_records *weir_records_read(FILE *from);
void weir_records_free(struct weir_records *r); // may be NULL

// Whether they have the level, and, if so, the fewest misses on them (mem/optimum.h): of all its caches together, and by instruction
// where that is below pc_count.
bool weir_records_bound(const struct weir_records *r, unsigned level, struct weir_bound_counts *total,
                        struct weir_bound_counts *pcs, uint32_t pc_count);

// ---- inside the chip ------------------------------------------------------------------------------------------------------

// What the chip keeps of it: an oracle for each cache of a level, or none.
//
// Blocks go to the same cores in both runs, each core's in the same order: a first-level cache has the accesses of its core.
struct weir_foresight {
  bool records;                    // this run is recorded
  const struct weir_records *told; // … or foretold
  struct weir_records *own;        // what is recorded
  struct weir_oracle **oracles[WEIR_MAX_LEVELS];
  uint64_t launch;     // launches begun
  uint64_t blocks;     // … and how many blocks these have in the record
  bool placed;         // this launch's blocks have the cores of the record
  uint64_t *first;     // by core: 1 + the next block that it takes; 0: none
  uint64_t *following; // by block of this launch: 1 + the next one of the same core
};

void weir_chip_build_foresight(struct weir_chip *c);
void weir_chip_free_foresight(struct weir_chip *c);

// A launch of so many blocks begins; the core takes the launch's next block in a run that is recorded.
void weir_foresight_launch(struct weir_foresight *f, uint32_t cores, uint64_t blocks);
void weir_foresight_place(struct weir_foresight *f, uint32_t core);
// The core's next block where blocks are placed, and it is taken. False: it has none left.
bool weir_foresight_next(struct weir_foresight *f, uint32_t core, uint64_t *block);

#endif
