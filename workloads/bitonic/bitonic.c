// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/bits.h"
#include "base/rng.h"
#include "host/workload.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = 256 };

struct bitonic {
  uint32_t count; // a power of two
  uint64_t keys;  // device address
  uint32_t *want;
};

static int by_value(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct bitonic *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  s->count = size == WEIR_SIZE_SMALL ? 32768 : 131072;
  uint64_t bytes = s->count * sizeof(uint32_t);
  s->keys = weir_host_alloc(h, "keys", bytes);
  uint32_t *keys = weir_host_bytes(h, s->keys, bytes);
  for (uint32_t i = 0; i < s->count; i++) keys[i] = (uint32_t)weir_rng_next(&rng);
  weir_host_wrote(h, s->keys, bytes);
  weir_host_result(h, "keys", s->keys, bytes);

  s->want = weir_new_array(uint32_t, s->count);
  memcpy(s->want, keys, bytes);
  qsort(s->want, s->count, sizeof *s->want, by_value);
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
