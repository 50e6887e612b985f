// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The order in which a scheduler offers its warps an issue slot.
#ifndef WEIR_GPU_SCHEDULER_H
#define WEIR_GPU_SCHEDULER_H

enum weir_scheduler_order {
  WEIR_SCHEDULE_LRR,    // loose round robin: from the warp after the last that issued
  WEIR_SCHEDULE_GTO,    // greedy then oldest: the last that issued, then by age
  WEIR_SCHEDULE_OLDEST, // by age
};

#endif
