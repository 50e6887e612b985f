// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Latency by pointer chase: one thread follows a random ring through the lines of its footprint. Three launches go once round
// the ring (of a footprint beyond every cache, MOST_WARM steps: 128 MiB, more than an L2 of 96), the third of them STEPS
// further. The first leaves the caches as a round leaves them, so that the third differs from the second by STEPS loads in
// steady state.
#include "host/workload.h"

#include "base/alloc.h"
#include "base/rng.h"

#include <inttypes.h>

enum { LINE = 128, UNROLLED = 16, STEPS = 4096, MOST_WARM = 1 << 20 };

struct chase {
  uint64_t ring, end;
  uint32_t lines, warm;
  uint32_t *order; // the line of each step
};

static uint64_t address_of(const struct chase *s, uint64_t step) {
  return s->ring + (uint64_t)s->order[step % s->lines] * LINE;
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct chase *s = state;
  const uint32_t asked = weir_host_shape(h).footprint_kib, kib = asked ? asked : size == WEIR_SIZE_SMALL ? 64 : 4096;
  struct weir_rng rng = weir_rng_seed(seed, 53);
  s->lines = kib * (1024 / LINE);
  s->warm = (s->lines < MOST_WARM ? s->lines : MOST_WARM) + UNROLLED;
  s->warm -= s->warm % UNROLLED;
  s->order = weir_new_array(uint32_t, s->lines);
  for (uint32_t i = 0; i < s->lines; i++) {
    const uint32_t k = (uint32_t)weir_rng_below(&rng, i + 1);
    s->order[i] = s->order[k];
    s->order[k] = i;
  }
  s->ring = weir_host_alloc(h, "ring", (uint64_t)s->lines * LINE);
  s->end = weir_host_alloc(h, "end", sizeof(uint64_t));
  weir_host_result(h, "end", s->end, sizeof(uint64_t));
  if (weir_host_is_over(h)) return true;
  char *bytes = weir_host_bytes(h, s->ring, (uint64_t)s->lines * LINE);
  for (uint32_t i = 0; i < s->lines; i++) *(uint64_t *)(bytes + (size_t)s->order[i] * LINE) = address_of(s, i + 1);
  weir_host_wrote(h, s->ring, (uint64_t)s->lines * LINE);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct chase *s = state;
  const uint64_t start = address_of(s, 0);
  const uint32_t steps[] = {s->warm, s->warm, s->warm + STEPS};
  for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
    if (!weir_launch_args(h, "chase", ((struct weir_dim){1, 1, 1}), ((struct weir_dim){1, 1, 1}), WEIR_ARG(start),
                          WEIR_ARG(steps[i]), WEIR_ARG(s->end)))
      return false;
  return true;
}

static bool check(struct weir_host *h, void *state) {
  struct chase *s = state;
  uint64_t end;
  weir_host_read(h, &end, s->end, sizeof end);
  const uint64_t want = address_of(s, (uint64_t)s->warm + STEPS);
  return end == want ||
    weir_fail_plain(weir_host_sink(h), "the chase ends at 0x%" PRIx64 ", not at 0x%" PRIx64, end, want);
}

static void release(void *state) {
  weir_free(((struct chase *)state)->order);
}

const struct weir_workload weir_workload_chase = {
  .name = "chase",
  .summary = "one thread follows pointers through its footprint: latency",
  .citation = "micro-benchmark of latency",
  .small_text = "64 KiB, a pointer per line of 128 bytes, once round and 4096 steps on",
  .paper_text = "4 MiB, a pointer per line of 128 bytes, once round and 4096 steps on",
  .takes = WEIR_TAKES_FOOTPRINT,
  .state_bytes = sizeof(struct chase),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
