// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What copies over the link leave of the device's DRAM. Invariant: without a copy under way, everything goes on as fast as alone.
//
// A copy moves its bytes evenly over its time, and has what it needs of the DRAM. A kernel, a fill or a copy within the device has the rest: while
// the bytes that its blocks move in their time, evenly, are more than that, its blocks take so much longer. So a kernel that is beside copies all
// along takes the longer of its time alone, and its bytes and the copies' at the DRAM's rate.
#ifndef WEIR_TIMELINE_SHARE_H
#define WEIR_TIMELINE_SHARE_H

#include "timeline/item.h"

enum { WEIR_FULL_SPEED = 1 << 30 };

// After something has begun or ended: what is under way goes on at the speed that it has now.
void weir_share_dram(struct weir_timeline *t);

#endif
