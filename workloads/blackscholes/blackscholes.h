// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The CPU reference of blackscholes, in double precision and by the error function.
#ifndef WEIR_WORKLOADS_BLACKSCHOLES_H
#define WEIR_WORKLOADS_BLACKSCHOLES_H

struct weir_option {
  double price, strike, years, rate, volatility; // rate and volatility per year
};

// What the right to buy at the strike price is worth, and the right to sell.
void weir_blackscholes_reference(const struct weir_option *o, double *call, double *put);

#endif
