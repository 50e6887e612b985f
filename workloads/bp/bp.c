// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "backprop/backprop.h"

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  weir_backprop_set_up(h, state, size == WEIR_SIZE_SMALL ? 24576 : 65536, seed);
  return true;
}

const struct weir_workload weir_workload_bp = {
  .name = "bp",
  .summary = "backprop with more inputs, at size paper Rodinia's default",
  .citation = "Rodinia backprop (Che et al., IISWC 2009); Zhao et al., Table I",
  .small_text = "24576 inputs, 16 hidden units",
  .paper_text = "65536 inputs, 16 hidden units",
  .state_bytes = sizeof(struct weir_backprop),
  .prepare = prepare,
  .run = weir_backprop_run,
  .check = weir_backprop_check,
  .release = weir_backprop_release,
};
