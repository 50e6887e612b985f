// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The kernel of kmn; its points have more features.
#include "../kmn/kmn.cl"
