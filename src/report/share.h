// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Invariant: a share of nothing is NaN, which tables leave empty.
#ifndef WEIR_REPORT_SHARE_H
#define WEIR_REPORT_SHARE_H

#include <math.h>

static inline double weir_share(double part, double whole) {
  return whole > 0 ? part / whole : NAN;
}

#endif
