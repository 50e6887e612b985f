// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "fastwalsh/fastwalsh.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "host/workload.h"

enum { GROUP = 64 };

struct fastwalsh {
  uint32_t length;
  uint64_t elements; // device address
  float *want;
};

// Half by half: the transform of (a, b) is that of a + b, then that of a - b.
void weir_fastwalsh_reference(int32_t *elements, uint32_t length) {
  if (length == 1) return;
  const uint32_t half = length / 2;
  for (uint32_t i = 0; i < half; i++) {
    const int32_t a = elements[i], b = elements[half + i];
    elements[i] = a + b;
    elements[half + i] = a - b;
  }
  weir_fastwalsh_reference(elements, half);
  weir_fastwalsh_reference(elements + half, half);
}

// Whole numbers from -8 to 7: sums of 2²⁰ of them are below 2²⁴, so that single precision is exact.
static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct fastwalsh *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  s->length = size == WEIR_SIZE_SMALL ? 1u << 19 : 1u << 20;
  uint64_t bytes = s->length * sizeof(float);
  int32_t *whole = weir_new_array(int32_t, s->length);
  s->elements = weir_host_alloc(h, "elements", bytes);
  weir_host_result(h, "elements", s->elements, bytes);
  float *elements = weir_host_bytes(h, s->elements, bytes);
  for (uint32_t i = 0; i < s->length; i++) {
    whole[i] = (int32_t)weir_rng_below(&rng, 16) - 8;
    elements[i] = (float)whole[i];
  }
  weir_host_wrote(h, s->elements, bytes);

  weir_fastwalsh_reference(whole, s->length);
  s->want = weir_new_array(float, s->length);
  for (uint32_t i = 0; i < s->length; i++) s->want[i] = (float)whole[i];
  weir_free(whole);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct fastwalsh *s = state;
  for (uint64_t step = 1; step < s->length; step *= 2)
    if (!weir_launch_args(h, "fastwalsh", ((struct weir_dim){s->length / 2 / GROUP, 1, 1}),
                          ((struct weir_dim){GROUP, 1, 1}), WEIR_ARG(s->elements), WEIR_ARG(step)))
      return false;
  return true;
}

static bool check(struct weir_host *h, void *state) {
  struct fastwalsh *s = state;
  return weir_check_f32(h, "elements", weir_host_bytes(h, s->elements, s->length * sizeof(float)), s->want, s->length,
                        0, 0);
}

static void release(void *state) {
  weir_free(((struct fastwalsh *)state)->want);
}

const struct weir_workload weir_workload_fastwalsh = {
  .name = "fastwalsh",
  .summary = "fast Walsh-Hadamard transform in place, one pass over all elements per power of two",
  .citation = "AMD APP SDK FastWalshTransform; Holey et al., TACO 2014, Table III",
  .small_text = "2^19 elements",
  .paper_text = "2^20 elements",
  .state_bytes = sizeof(struct fastwalsh),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
