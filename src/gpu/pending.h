// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Loads and atomics whose data is on its way, in a table by number.
#ifndef WEIR_GPU_PENDING_H
#define WEIR_GPU_PENDING_H

#include "gpu/sm.h"

// A place of m->pending, to be written as a whole.
uint32_t weir_take_pending(struct weir_sm *m);

// A memory instruction of the warp is done.
static inline void weir_finish_instruction(struct weir_sm *m, uint32_t warp) {
  m->warps[warp].loads--;
  weir_sm_settle_fence(m, warp);
  weir_sm_try_retire(m, warp);
}

// One more piece of a load's data is in its registers.
void weir_complete_pending(struct weir_sm *m, uint32_t load, weir_cycle now);

#endif
