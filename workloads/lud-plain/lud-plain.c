// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "lud/lud.h"

const struct weir_workload weir_workload_lud_plain = {
  .name = "lud-plain",
  .summary = "LU decomposition without local memory: every element from global memory",
  .citation = "after the case study of Tian et al., GPGPU-8 2015, §5.3.1, which is of nw: Rodinia lud, read plainly",
  .small_text = "320 × 320 matrix",
  .paper_text = "1024 × 1024 matrix",
  .state_bytes = sizeof(struct weir_lud),
  .prepare = weir_lud_prepare,
  .run = weir_lud_run,
  .check = weir_lud_check,
  .release = weir_lud_release,
};
