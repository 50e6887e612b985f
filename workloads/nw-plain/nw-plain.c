// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "nw/nw.h"

const struct weir_workload weir_workload_nw_plain = {
  .name = "nw-plain",
  .summary =
    "Needleman-Wunsch sequence alignment without local memory or registers: every neighbour from global memory",
  .citation = "the case study of Tian et al., GPGPU-8 2015, §5.3.1, on Rodinia nw, read plainly",
  .small_text = "384 × 384 residues",
  .paper_text = "512 × 512 residues",
  .state_bytes = sizeof(struct weir_nw),
  .prepare = weir_nw_prepare,
  .run = weir_nw_run,
  .check = weir_nw_check,
  .release = weir_nw_release,
};
