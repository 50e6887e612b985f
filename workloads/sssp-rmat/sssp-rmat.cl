// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The kernel of sssp; the graph is another.
#include "../sssp/sssp.cl"
