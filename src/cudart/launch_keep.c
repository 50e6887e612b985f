// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "cudart/launch.h"

#include "base/alloc.h"

#include <string.h>

// Behind the pointers to the arguments and their values.
struct rest {
  struct cudaAccessPolicyWindow window;
  int priority;
};

static size_t padded(size_t bytes) {
  return (bytes + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
}

struct weir_cuda_launch weir_cuda_launch_keep(const struct weir_cuda_launch *l, const struct weir_kernel *k) {
  const size_t values = padded(k->param_count * sizeof(void *)), all = padded(values + k->param_bytes);
  struct weir_cuda_launch kept = *l;
  char *piece = weir_alloc(all + sizeof(struct rest));
  struct rest *rest = (struct rest *)(void *)(piece + all);
  kept.kernel = k;
  kept.args = (void **)(void *)piece;
  for (uint32_t n = 0; n < k->param_count; n++) {
    kept.args[n] = piece + values + k->params[n].offset;
    memcpy(kept.args[n], l->args[n], k->params[n].bytes);
  }
  if (l->window) {
    rest->window = *l->window;
    kept.window = &rest->window;
  }
  if (l->priority) {
    rest->priority = *l->priority;
    kept.priority = &rest->priority;
  }
  return kept;
}
