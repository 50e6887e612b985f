// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Inputs by footprint: programs over square matrices that a scheme may tell how much memory to go over
// (launch.footprint_kib). Invariant: the matrices fit in it, and matrices of the next larger side would not.
#ifndef WEIR_WORKLOADS_FOOTPRINT_H
#define WEIR_WORKLOADS_FOOTPRINT_H

#include "host/workload.h"

// The side of `matrices` squares of 32-bit elements, a multiple of `step`; 0 and a diagnostic if not even `step` fits.
static inline uint32_t weir_square_side(struct weir_host *h, const char *name, uint32_t kib, uint32_t matrices,
                                        uint32_t step) {
  const uint64_t elements = (uint64_t)kib * (1024 / sizeof(uint32_t)) / matrices;
  uint64_t side = 0;
  while ((side + step) * (side + step) <= elements) side += step;
  if (!side)
    weir_fail_plain(weir_host_sink(h), "%s needs a footprint of %u KiB at least", name,
                    (unsigned)((uint64_t)matrices * step * step * sizeof(uint32_t) + 1023) / 1024);
  return (uint32_t)side;
}

#endif
