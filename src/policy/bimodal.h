// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The rare case of bimodal policies, one in `period` (1/epsilon) events: a counter that wraps, as DIP section 6.4's
// BIPCTR, so that nothing is left to chance. Invariant: *counter < period between calls.
#ifndef WEIR_POLICY_BIMODAL_H
#define WEIR_POLICY_BIMODAL_H

#include "policy/policy.h"

// True at every period-th call. Counted up before the test, so the first of a cold cache is a common case (inferred).
static inline bool weir_bimodal_rare(uint32_t *counter, uint32_t period) {
  *counter = *counter + 1 >= period ? 0 : *counter + 1;
  return *counter == 0;
}

static inline uint64_t weir_bimodal_bits(uint32_t period) {
  return period > 1 ? weir_log2(period - 1) + 1 : 0;
}

#endif
