// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Compiled once for each of the three libraries.
#include "cudart/runtime.h"

const int weir_cuda_version = WEIR_CUDA_VERSION;
