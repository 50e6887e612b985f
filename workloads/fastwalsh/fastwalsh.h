// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The CPU reference of fastwalsh, in integers.
#ifndef WEIR_WORKLOADS_FASTWALSH_H
#define WEIR_WORKLOADS_FASTWALSH_H

#include <stdint.h>

// elements[i] = sum over j of (-1)^(number of ones in i AND j) × elements[j]; length is a power of two.
void weir_fastwalsh_reference(int32_t *elements, uint32_t length);

#endif
