// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which intervals of a run stand for all of it (Sherwood et al., "Automatically Characterizing Large Scale Program
// Behavior", ASPLOS 2002; Hamerly et al., "SimPoint 3.0", JILP 2005). Invariant: an interval is known by how many
// instructions each basic block had in it, projected at random to a few dimensions and divided by the interval's
// length, so that intervals that execute the same code lie close to each other.
#ifndef WEIR_TRACE_PHASES_H
#define WEIR_TRACE_PHASES_H

#include <stddef.h>
#include <stdint.h>

enum { WEIR_PHASE_DIMENSIONS = 15, WEIR_PHASE_MOST = 30 }; // SimPoint's

struct weir_phase_interval {
  uint64_t instructions;
  double at[WEIR_PHASE_DIMENSIONS];
};

struct weir_phase_profile {
  uint64_t *blocks, *counts; // a hash table: first PC, instructions in this interval
  size_t capacity, used;
  uint64_t instructions; // of this interval
  struct weir_phase_interval *intervals;
  size_t count, interval_capacity;
};

// A basic block was executed, that many instructions of it.
void weir_phase_executed(struct weir_phase_profile *p, uint64_t first_pc, uint64_t instructions);
void weir_phase_cut(struct weir_phase_profile *p); // ends the interval, if it has instructions
void weir_phase_free(struct weir_phase_profile *p);

struct weir_phase {
  size_t interval; // the one nearest to the middle of its cluster
  double weight;   // its cluster's part of all instructions
};

// The clusters of k-means with the fewest clusters, at most `most`, whose Bayesian information criterion comes within
// 10 % of the range to the best one. A last interval that is shorter than the first is left out. Sorted by interval;
// the weights' sum is 1. Intervals and seed decide everything.
size_t weir_phases_choose(const struct weir_phase_interval *intervals, size_t count, unsigned most, uint64_t seed,
                          struct weir_phase phases[WEIR_PHASE_MOST]);

#endif
