// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Latency by pointer chase: one thread follows a random ring through its footprint, in which pointers lie `launch.stride` pointers apart
// (16: one in a line of 128 bytes). The first of three launches goes ROUNDS times round the ring (of a footprint beyond every cache, through
// MOST_WARM bytes of it, where an L2 has 96 MiB); each of the others goes on where the one before it ended, once round the ring or as far
// as fills any first-level cache, and the third STEPS further: by so many loads in steady state it differs from the second.
#include "host/workload.h"

#include "base/alloc.h"
#include "base/rng.h"

#include <inttypes.h>

enum { POINTER = 8, STRIDE = 16, UNROLLED = 16, STEPS = 16384, ROUNDS = 2, FILL = 2 << 20, MOST_WARM = 256 << 20 };

struct chase {
  uint64_t ring, end;
  uint32_t distance;           // bytes from a pointer to the next in memory
  uint32_t pointers, steps[3]; // of each launch
  uint32_t *order;             // the pointer of each step
};

static uint64_t address_of(const struct chase *s, uint64_t step) {
  return s->ring + (uint64_t)s->order[step % s->pointers] * s->distance;
}

// So many steps or a few more: the kernel's loop is unrolled.
static uint32_t whole(uint32_t steps) {
  return steps + UNROLLED - steps % UNROLLED;
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct chase *s = state;
  const struct weir_shape asked = weir_host_shape(h);
  const uint32_t kib = asked.footprint_kib ? asked.footprint_kib : size == WEIR_SIZE_SMALL ? 64 : 4096;
  struct weir_rng rng = weir_rng_seed(seed, 53);
  s->distance = (asked.stride ? asked.stride : STRIDE) * POINTER;
  s->pointers = (uint32_t)((uint64_t)kib * 1024 / s->distance);
  if (!s->pointers)
    return weir_fail_plain(weir_host_sink(h), "chase: pointers %u bytes apart do not fit into a footprint of %u KiB",
                           s->distance, kib);
  const uint32_t most = MOST_WARM / s->distance, fill = FILL / s->distance;
  s->steps[0] = whole(s->pointers < most / ROUNDS ? ROUNDS * s->pointers : most);
  s->steps[1] = whole(s->pointers < fill ? s->pointers : fill);
  s->steps[2] = s->steps[1] + STEPS;
  s->order = weir_new_array(uint32_t, s->pointers);
  for (uint32_t i = 0; i < s->pointers; i++) {
    const uint32_t k = (uint32_t)weir_rng_below(&rng, i + 1);
    s->order[i] = s->order[k];
    s->order[k] = i;
  }
  s->ring = weir_host_alloc(h, "ring", (uint64_t)s->pointers * s->distance);
  s->end = weir_host_alloc(h, "end", sizeof(uint64_t));
  weir_host_result(h, "end", s->end, sizeof(uint64_t));
  if (weir_host_is_over(h)) return true;
  char *bytes = weir_host_bytes(h, s->ring, (uint64_t)s->pointers * s->distance);
  for (uint32_t i = 0; i < s->pointers; i++)
    *(uint64_t *)(bytes + (size_t)s->order[i] * s->distance) = address_of(s, i + 1);
  weir_host_wrote(h, s->ring, (uint64_t)s->pointers * s->distance);
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct chase *s = state;
  uint64_t from = 0;
  for (unsigned i = 0; i < 3; i++) {
    const uint64_t start = address_of(s, from);
    if (!weir_launch_args(h, "chase", ((struct weir_dim){1, 1, 1}), ((struct weir_dim){1, 1, 1}), WEIR_ARG(start),
                          WEIR_ARG(s->steps[i]), WEIR_ARG(s->end)))
      return false;
    from += s->steps[i];
  }
  return true;
}

static bool check(struct weir_host *h, void *state) {
  struct chase *s = state;
  uint64_t end;
  weir_host_read(h, &end, s->end, sizeof end);
  const uint64_t want = address_of(s, (uint64_t)s->steps[0] + s->steps[1] + s->steps[2]);
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
  .small_text = "64 KiB, a pointer per line of 128 bytes, twice round, then once more and 16384 steps on",
  .paper_text = "4 MiB, a pointer per line of 128 bytes, twice round, then once more and 16384 steps on",
  .takes = WEIR_TAKES_FOOTPRINT | WEIR_TAKES_STRIDE,
  .state_bytes = sizeof(struct chase),
  .prepare = prepare,
  .run = run,
  .check = check,
  .release = release,
};
