// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl.h"

#include "../../wc/wc.cl"

void stream_wc(const void *const *arguments);
void stream_wc(const void *const *arguments) {
  wc(POINTER(0), POINTER(1), POINTER(2));
}
