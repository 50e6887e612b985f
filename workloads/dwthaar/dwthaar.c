// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "dwthaar/dwthaar.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/rng.h"
#include "host/workload.h"

#include <math.h>

enum { GROUP = 256, GROUP_LEVELS = 9, RANGE = 10 }; // 512 samples per work-group; samples below RANGE

struct haar {
  uint32_t count;                       // of samples; a power of two
  uint64_t signal, details, average[2]; // device addresses
  float *want;
};

void weir_haar_reference(float *out, const float *signal, uint32_t count) {
  double *part = weir_new_array(double, count);
  for (uint32_t i = 0; i < count; i++) part[i] = (double)signal[i] / sqrt(count);
  for (uint32_t half = count / 2; half; half /= 2)
    for (uint32_t i = 0; i < half; i++) {
      double even = part[2 * i], odd = part[2 * i + 1];
      part[i] = (even + odd) / sqrt(2);
      out[half + i] = (float)((even - odd) / sqrt(2));
    }
  out[0] = (float)part[0];
  weir_free(part);
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct haar *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 1);
  s->count = size == WEIR_SIZE_SMALL ? 1 << 19 : 1 << 21;
  uint64_t bytes = s->count * sizeof(float), averages = bytes >> GROUP_LEVELS;
  s->signal = weir_host_alloc(h, "signal", bytes);
  s->details = weir_host_alloc(h, "details", bytes);
  s->average[0] = weir_host_alloc(h, "averages", averages);
  s->average[1] = weir_host_alloc(h, "averages_of_averages", averages);
  float *signal = weir_host_bytes(h, s->signal, bytes);
  for (uint32_t i = 0; i < s->count; i++) signal[i] = (float)(RANGE * weir_rng_unit(&rng));
  weir_host_wrote(h, s->signal, bytes);
  weir_host_result(h, "details", s->details, bytes);
  s->want = weir_new_array(float, s->count);
  weir_haar_reference(s->want, signal, s->count);
  return true;
}

// As many levels as a work-group can do, of 2^left samples that are in `in`.
static bool some_levels(struct weir_host *h, const struct haar *s, uint64_t in, uint64_t averages, uint32_t left,
                        uint32_t levels) {
  const uint32_t done = weir_log2(s->count) - left, items = 1u << (levels - 1);
  return weir_launch_args(h, "haar", ((struct weir_dim){1u << (left - levels), 1, 1}), ((struct weir_dim){items, 1, 1}),
                          WEIR_ARG(in), WEIR_ARG(s->details), WEIR_ARG(averages),
                          WEIR_ARG_LOCAL(2 * items * sizeof(float)), WEIR_ARG(levels), WEIR_ARG(s->count),
                          WEIR_ARG(done));
}

static bool run(struct weir_host *h, void *state) {
  struct haar *s = state;
  uint64_t in = s->signal;
  unsigned which = 0;
  for (uint32_t left = weir_log2(s->count), levels; left; left -= levels, which ^= 1) {
    levels = left < GROUP_LEVELS ? left : GROUP_LEVELS;
    if (!some_levels(h, s, in, s->average[which], left, levels)) return false;
    in = s->average[which];
  }
  float average;
  weir_host_read(h, &average, in, sizeof average);
  weir_host_write(h, s->details, &average, sizeof average);
  return true;
}

// After l levels a value is at most RANGE × √(2^l / count). It was rounded twice per level, by a √½ that is rounded
// too, and once when scaled, by a scale that is off by at most 2⁻²² (PTX ISA, rsqrt.approx): 2⁻²⁴ × (3 l + 5) of that,
// and one rounding of the reference. The finest level is the last half, and 0 is the average of all.
static bool check(struct weir_host *h, void *state) {
  struct haar *s = state;
  const float *got = weir_host_bytes(h, s->details, s->count * sizeof(float));
  const unsigned all = weir_log2(s->count);
  for (unsigned l = 1; l <= all; l++) {
    uint32_t from = s->count >> l, before = l == all ? 0 : from, end = 2 * from;
    double most = RANGE * sqrt(ldexp(1, (int)l) / s->count);
    if (!weir_check_f32(h, "details", got + before, s->want + before, end - before, 0x1p-24,
                        (3 * l + 5) * 0x1p-24 * most))
      return false;
  }
  return true;
}

static void release(void *state) {
  weir_free(((struct haar *)state)->want);
}

const struct weir_workload weir_workload_dwthaar = {
  .name = "dwthaar",
  .summary = "one-dimensional Haar wavelet transform, nine levels per launch in local memory",
  .citation = "AMD APP SDK DwtHaar1D; Holey et al., Table III",
  .small_text = "524288 samples",
  .paper_text = "2097152 samples",
  .state_bytes = sizeof(struct haar),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
