// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One step of PageRank: each vertex pulls what its in-neighbours give, a thread per vertex at a time. The lists of neighbours lie
// across one another, so that a warp reads them line by line.
__global__ void pagerank(const int *source, const float *gives, float *rank, int vertices, int degree) {
  for (int v = threadIdx.x; v < vertices; v += blockDim.x) {
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < degree; k++) sum += gives[source[k * vertices + v]];
    rank[v] = 0.15f / vertices + 0.85f * sum;
  }
}
