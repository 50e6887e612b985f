// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs that include NVIDIA's C header get the one header that there is.
#include "cuda_runtime.h"
