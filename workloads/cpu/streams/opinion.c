// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl.h"

#include "../../opinion/opinion.cl"

void stream_opinion(const void *const *arguments);
void stream_opinion(const void *const *arguments) {
  opinion(POINTER(0), POINTER(1), POINTER(2), POINTER(3), POINTER(4), POINTER(5), UINT(6), ULONG(7), POINTER(8),
          POINTER(9));
}
