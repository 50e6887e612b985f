// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// NVIDIA's own header of these two calls.
#include "cuda_runtime.h"
