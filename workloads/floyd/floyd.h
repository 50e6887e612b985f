// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The CPU reference of floyd.
#ifndef WEIR_WORKLOADS_FLOYD_H
#define WEIR_WORKLOADS_FLOYD_H

#include <stdint.h>

// Lengths of the shortest ways by way of the first `passes` nodes only: distance[from × nodes + to], 0 from a node to
// itself. through[] becomes the last node whose pass made that way shorter, where there is one.
void weir_floyd_reference(uint32_t *distance, uint32_t *through, uint32_t nodes, uint32_t passes);

#endif
