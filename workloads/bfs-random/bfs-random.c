// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "bfs/bfs.h"

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  return weir_bfs_set_up_random(h, state, size == WEIR_SIZE_SMALL ? 32768 : WEIR_BFS_PAPER_NODES, seed);
}

const struct weir_workload weir_workload_bfs_random = {
  .name = "bfs-random",
  .summary = "bfs on a random graph",
  .citation = "Rodinia bfs (Che et al., IISWC 2009); Zhao et al., Table I",
  .small_text = "random graph of 32768 nodes and about 6 edges each, as Rodinia generates it",
  .paper_text = "random graph of 1000000 nodes and about 6 edges each, as Rodinia generates it",
  .state_bytes = sizeof(struct weir_bfs),
  .prepare = prepare,
  .run = weir_bfs_run,
  .check = weir_bfs_check,
  .release = weir_bfs_release,
};
