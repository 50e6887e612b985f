// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "fastwalsh/fastwalsh.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "host/workload.h"

enum { GROUP = 64, PARTS = 4, SHORTEST = 2 * GROUP, LONGEST = 1 << 20 };

// Arrays one after the other, transformed side by side, pass by pass; one, if not told otherwise.
struct fastwalsh {
  uint32_t length, arrays;
  uint64_t elements; // device address
  float *want;
};

static uint64_t count_of(const struct fastwalsh *s) {
  return (uint64_t)s->length * s->arrays;
}

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

// As many arrays as fit in the footprint, of a length that makes them four to seven (more of the longest and the shortest).
static void fit(struct fastwalsh *s, uint32_t kib) {
  const uint64_t elements = (uint64_t)kib * (1024 / sizeof(float));
  for (s->length = SHORTEST; s->length < LONGEST && 2 * PARTS * (uint64_t)s->length <= elements;) s->length *= 2;
  s->arrays = (uint32_t)(elements / s->length);
}

// Whole numbers from -8 to 7: sums of 2²⁰ of them are below 2²⁴, so that single precision is exact.
static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct fastwalsh *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  *s = (struct fastwalsh){.length = size == WEIR_SIZE_SMALL ? LONGEST / 2 : LONGEST, .arrays = 1};
  const uint32_t kib = weir_host_shape(h).footprint_kib;
  if (kib) fit(s, kib);
  const uint64_t count = count_of(s), bytes = count * sizeof(float);
  int32_t *whole = weir_new_array(int32_t, count);
  s->elements = weir_host_alloc(h, "elements", bytes);
  weir_host_result(h, "elements", s->elements, bytes);
  float *elements = weir_host_bytes(h, s->elements, bytes);
  for (uint64_t i = 0; i < count; i++) {
    whole[i] = (int32_t)weir_rng_below(&rng, 16) - 8;
    elements[i] = (float)whole[i];
  }
  weir_host_wrote(h, s->elements, bytes);

  for (uint32_t i = 0; i < s->arrays; i++) weir_fastwalsh_reference(whole + (uint64_t)i * s->length, s->length);
  s->want = weir_new_array(float, count);
  for (uint64_t i = 0; i < count; i++) s->want[i] = (float)whole[i];
  weir_free(whole);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct fastwalsh *s = state;
  for (uint64_t step = 1; step < s->length; step *= 2)
    if (!weir_launch_args(h, "fastwalsh", ((struct weir_dim){(uint32_t)(count_of(s) / 2 / GROUP), 1, 1}),
                          ((struct weir_dim){GROUP, 1, 1}), WEIR_ARG(s->elements), WEIR_ARG(step)))
      return false;
  return true;
}

static bool check(struct weir_host *h, void *state) {
  struct fastwalsh *s = state;
  return weir_check_f32(h, "elements", weir_host_bytes(h, s->elements, count_of(s) * sizeof(float)), s->want,
                        count_of(s), 0, 0);
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
  .takes = WEIR_TAKES_FOOTPRINT,
  .state_bytes = sizeof(struct fastwalsh),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
