// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The kernels of backprop; there are more inputs.
#include "../backprop/backprop.cl"
