// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "sssp/sssp.h"

// Node 0, where most edges begin, is the source.
static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct weir_rng rng = weir_rng_seed(seed, 8);
  bool small = size == WEIR_SIZE_SMALL;
  struct weir_graph *g = small ? weir_sssp_rmat(13, 3 << 13, &rng) : weir_sssp_rmat(17, 8 << 17, &rng);
  bool ok = weir_sssp_set_up(h, state, g, 0, "sssp-rmat");
  weir_graph_free(g);
  return ok;
}

const struct weir_workload weir_workload_sssp_rmat = {
  .name = "sssp-rmat",
  .summary = "sssp on a power-law graph",
  .citation = "LonestarGPU sssp (Burtscher et al., IISWC 2012); Zhao et al., Table I",
  .small_text = "R-MAT graph of 8192 nodes and 24576 edges",
  .paper_text = "R-MAT graph of 131072 nodes and 1048576 edges",
  .state_bytes = sizeof(struct weir_sssp),
  .prepare = prepare,
  .run = weir_sssp_run,
  .check = weir_sssp_check,
  .release = weir_sssp_release,
};
