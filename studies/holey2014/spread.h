// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// How far a mean depends on the mixes that were drawn: its median, what it would be without one of them, and a bootstrap
// interval. Invariant: a function of the values and their order alone; random numbers have a seed of their own.
#ifndef WEIR_STUDY_HOLEY2014_SPREAD_H
#define WEIR_STUDY_HOLEY2014_SPREAD_H

// A mix's ratios: the sum of their logarithms, and how many there are (of CPU programs: one each).
struct holey_sample {
  double logs;
  unsigned count;
};

// All geometric. NaN of no samples; without one mix: NaN of fewer than two. A sample of no ratios takes no part.
struct holey_spread {
  unsigned mixes;
  double mean, median;                  // of the ratios, of the mixes' own means
  double without_low, without_high;     // the lowest and the highest mean of all mixes but one
  double bootstrap_low, bootstrap_high; // 95 %: percentiles of the means of as many mixes, drawn with replacement
};

enum { HOLEY_RESAMPLES = 2000 };
struct holey_spread holey_spread_of(const struct holey_sample *samples, unsigned count);

#endif
