// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What is foretold of a program's next launches from those before: how long one will be, and whether one that will be timed is near, so
// that shared caches should be warm for it (docs/SAMPLING.md). Invariant: it depends on launches and their counts alone.
#ifndef WEIR_RUN_FORETELL_H
#define WEIR_RUN_FORETELL_H

#include "run/strata.h"

struct weir_foretold { // launches of a kernel with the same blocks
  const struct weir_kernel *kernel;
  uint32_t grid[3], block[3], shared_bytes;
  uint64_t blocks, instructions; // of its last launch
  uint64_t number, distance;     // that one's; by how much it is greater than that of the one before, 0: of none
  int64_t growth[2];             // by which blocks and instructions are greater than those of the one before
  unsigned same;                 // so many launches one after the other had this grid and as many instructions
  bool due;                      // one of its next launches will be timed
};

struct weir_foretelling {
  const struct weir_strata *strata;
  const double *whole; // of all launches so far, as estimated
  struct weir_foretold *groups;
  unsigned group_count, group_capacity;
};

void weir_foretelling_free(struct weir_foretelling *f);

// The launch's group, made if there is none. Pointers to groups before it may move.
struct weir_foretold *weir_foretell(struct weir_foretelling *f, const struct weir_launch *l);

// Warp instructions of the launch: as many per block as in the launch before.
uint64_t weir_foretold_instructions(const struct weir_foretold *g, const struct weir_launch *l);
// Is the launch one of those that are not expected to have others?
bool weir_foretold_is_steady(const struct weir_foretold *g, const struct weir_launch *l);

// The launch of that number, counted from 1, has run.
void weir_foretell_learn(const struct weir_foretelling *f, struct weir_foretold *g, const struct weir_launch *l,
                         uint64_t number, uint64_t instructions);

// Should the launch of that number, if it runs without time, leave in the shared caches what it accesses? `timed`: it is timed itself, and
// this is of the rest of its blocks; NULL: it is not.
bool weir_foretell_warms(const struct weir_foretelling *f, uint64_t number, const struct weir_foretold *timed,
                         const struct weir_launch *l);

#endif
