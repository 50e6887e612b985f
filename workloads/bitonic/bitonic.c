// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/bits.h"
#include "host/workload.h"
#include "sort/sort.h"

enum { GROUP = 256 };

struct bitonic {
  uint32_t count; // a power of two
  uint64_t keys;  // device address
  uint32_t *want;
};

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct bitonic *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  s->count = size == WEIR_SIZE_SMALL ? 32768 : 131072;
  s->keys = weir_sort_keys(h, s->count, 32, &rng, &s->want);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct bitonic *s = state;
  const uint32_t ascending = 1, stages = weir_log2(s->count);
  for (uint32_t stage = 0; stage < stages; stage++)
    for (uint32_t pass = 0; pass <= stage; pass++)
      if (!weir_launch_args(h, "bitonic_pass", ((struct weir_dim){s->count / 2 / GROUP, 1, 1}),
                            ((struct weir_dim){GROUP, 1, 1}), WEIR_ARG(s->keys), WEIR_ARG(stage), WEIR_ARG(pass),
                            WEIR_ARG(ascending)))
        return false;
  return true;
}

static bool check(struct weir_host *h, void *state) {
  struct bitonic *s = state;
  return weir_check_u32(h, "keys", weir_host_bytes(h, s->keys, s->count * sizeof(uint32_t)), s->want, s->count);
}

static void release(void *state) {
  weir_free(((struct bitonic *)state)->want);
}

const struct weir_workload weir_workload_bitonic = {
  .name = "bitonic",
  .summary = "bitonic sort, one launch per pass, in global memory",
  .citation = "AMD APP SDK BitonicSort; Tian et al., GPGPU-8 2015, Table 2",
  .small_text = "32768 keys of 32 bits",
  .paper_text = "131072 keys of 32 bits",
  .state_bytes = sizeof(struct bitonic),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
