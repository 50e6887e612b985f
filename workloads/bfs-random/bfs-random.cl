// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The kernels of bfs; the graph is another.
#include "../bfs/bfs.cl"
