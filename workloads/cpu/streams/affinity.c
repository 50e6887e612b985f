// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl.h"

#include "../../affinity/affinity.cl"

void stream_affinity_customers(const void *const *arguments);
void stream_affinity_visits(const void *const *arguments);
void stream_affinity_customers(const void *const *arguments) {
  affinity_customers(POINTER(0), POINTER(1), POINTER(2), UINT(3), UINT(4), UINT(5), ULONG(6));
}
void stream_affinity_visits(const void *const *arguments) {
  affinity_visits(POINTER(0), POINTER(1), POINTER(2), UINT(3), POINTER(4), UINT(5), POINTER(6), POINTER(7), UINT(8),
                  UINT(9));
}
