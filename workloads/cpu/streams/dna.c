// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "opencl.h"

#include "../../dna/dna.cl"

void stream_dna_enter(const void *const *arguments);
void stream_dna_merge(const void *const *arguments);
void stream_dna_enter(const void *const *arguments) {
  dna_enter(POINTER(0), POINTER(1), UINT(2), POINTER(3), POINTER(4), UINT(5));
}
void stream_dna_merge(const void *const *arguments) {
  dna_merge(POINTER(0), POINTER(1), UINT(2), POINTER(3), POINTER(4), UINT(5), POINTER(6));
}
