// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The CPU reference of binomial, in double precision.
#ifndef WEIR_WORKLOADS_BINOMIAL_H
#define WEIR_WORKLOADS_BINOMIAL_H

#include <stdint.h>

struct weir_option {
  double stock, strike, years, riskfree, volatility;
};

// The option that a number in [0, 1) stands for.
struct weir_option weir_option_of(double number);

// What a European call is worth by a tree of that many steps (Cox, Ross and Rubinstein, 1979).
double weir_binomial_reference(const struct weir_option *o, uint32_t steps);

#endif
