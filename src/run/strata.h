// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Launches of a program, sorted into strata of launches that are alike, and what those that were timed say of those that were not
// (docs/SAMPLING.md). Invariant: every launch is in one stratum, timed or not; estimates are ratios to warp instructions, of which
// every launch's are known.
#ifndef WEIR_RUN_STRATA_H
#define WEIR_RUN_STRATA_H

#include "exec/warp.h"
#include "stats/stats.h"

// What is estimated with a bound of its error.
enum weir_estimate { WEIR_ESTIMATE_CYCLES, WEIR_ESTIMATE_MISSES /* of loads in the first level */, WEIR_ESTIMATES };

// What the counted launches of a stratum, and each of them and the next, say of y for x warp instructions.
struct weir_moments {
  double y, dyy, dxy; // sums of y, of squares of differences, and of products with those of x
};

struct weir_stratum {
  char *kernel;
  uint32_t block[3], shared_bytes; // threads; dynamic shared memory
  uint8_t shared_preference;
  uint32_t cluster_blocks;
  unsigned blocks_bin, instructions_bin; // of blocks, of warp instructions per block
  bool seen;                             // the kernel was launched before, in other strata
  uint64_t launches, timed, counted;     // counted: those timed launches that estimates are made of
  uint64_t unseen;                       // launches since the last that was timed
  double x, dxx;
  struct weir_moments of[WEIR_ESTIMATES];
  struct weir_run_stats timed_stats, last; // last: of the launch that was counted last, or else timed
  struct weir_run_stats estimated;         // of the untimed launches before it
  uint64_t untimed_instructions, behind;   // of all untimed launches, of those behind the last that was counted
  double within[WEIR_ESTIMATES];           // half-widths of the timed launches' own counts, summed
  struct weir_run_stats repeated;          // of the launches that count as another one
  double of_repeats[WEIR_ESTIMATES];       // half-widths of these, summed
  double weight, squares; // the last one's, in instructions that it stands for; those before, squared and summed
};

struct weir_strata {
  struct weir_stratum *all;
  unsigned count, capacity;
};

void weir_strata_free(struct weir_strata *s);

// Student's t of a confidence of 95 %.
double weir_student(uint64_t freedom);

// The stratum of a launch such as `l` of so many blocks and warp instructions; NULL: no launch was in it, and it is not made.
struct weir_stratum *weir_strata_find(const struct weir_strata *s, const struct weir_launch *l, uint64_t blocks,
                                      uint64_t instructions);
// That of the launch itself, made if there is none. Pointers to strata before it may move.
struct weir_stratum *weir_strata_have(struct weir_strata *s, const struct weir_launch *l, uint64_t instructions);

// Is the stratum's next launch one to be timed? whole: of all launches so far, as estimated.
bool weir_stratum_is_open(const struct weir_stratum *s, const double whole[static WEIR_ESTIMATES]);

// within: half of the width of the interval of what it counted itself, where not all of it was timed; else 0.
void weir_stratum_add_timed(struct weir_stratum *s, const struct weir_run_stats *counts,
                            const double within[static WEIR_ESTIMATES]);
void weir_stratum_add_untimed(struct weir_stratum *s, uint64_t instructions);
// One that did not run, since it would have done what another did: it counts as that, give or take `error`.
void weir_stratum_add_repeat(struct weir_stratum *s, const struct weir_run_stats *counts,
                             const double error[static WEIR_ESTIMATES]);

double weir_estimated_counter(const struct weir_run_stats *s, enum weir_estimate what);

// What an untimed launch's so many instructions would count, or simulated picoseconds, as far as is known by now.
double weir_stratum_estimate(const struct weir_stratum *s, enum weir_estimate what, uint64_t instructions);
double weir_stratum_ps(const struct weir_stratum *s, uint64_t instructions);

// Half of the width of the interval that has, with a confidence of 95 %, what the untimed launches and the repeats would have counted;
// 0: there are none. INFINITY: one launch tells nothing of its spread.
double weir_stratum_error(const struct weir_stratum *s, enum weir_estimate what);

// All its launches; those of all strata: those that were timed, and the estimates of those that were not.
void weir_stratum_total(const struct weir_stratum *s, struct weir_run_stats *total);
void weir_strata_total(const struct weir_strata *s, struct weir_run_stats *total);

// Half of the width of the whole run's interval. Nothing is taken to be independent: launches that were timed in part are stopped by
// the same rule, and strata share the caches. The deviation of a sum is then at most the sum of deviations.
double weir_strata_error(const struct weir_strata *s, enum weir_estimate what);

#endif
