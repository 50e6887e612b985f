// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "host/workload.h"

#include "base/rng.h"

#include <inttypes.h>

enum { BLOCKS = 15, BLOCK = 1024, WORDS = 8, RAMP = 5000, READ = 4 }; // WORDS: of a thread; READ: per round

// Three launches, as of the other reads (reads/reads.h).
struct reads_shared {
  uint32_t blocks, block, cycles;
  uint64_t data, rounds, sums; // device addresses
};

static uint64_t threads_of(const struct reads_shared *s) {
  return (uint64_t)s->blocks * s->block;
}

static uint64_t zeroes(struct weir_host *h, const struct reads_shared *s, const char *name) {
  const uint64_t bytes = threads_of(s) * sizeof(uint32_t), address = weir_host_alloc(h, name, bytes);
  weir_host_result(h, name, address, bytes);
  return address;
}

static bool prepare(struct weir_host *h, void *state, enum weir_size size, const char *input, uint64_t seed) {
  (void)input;
  struct reads_shared *s = state;
  struct weir_rng rng = weir_rng_seed(seed, 53);
  const struct weir_shape asked = weir_host_shape(h);
  s->blocks = asked.blocks ? asked.blocks : BLOCKS;
  s->block = asked.block ? asked.block : BLOCK;
  s->cycles = size == WEIR_SIZE_SMALL ? 10000 : 40000;
  const uint64_t words = threads_of(s) * WORDS;
  s->data = weir_host_alloc(h, "data", words * sizeof(uint32_t));
  uint32_t *data = weir_host_bytes(h, s->data, words * sizeof *data);
  for (uint64_t i = 0; i < words; i++) data[i] = (uint32_t)weir_rng_next(&rng);
  weir_host_wrote(h, s->data, words * sizeof *data);
  s->rounds = zeroes(h, s, "rounds");
  s->sums = zeroes(h, s, "sums");
  return true;
}

static bool run(struct weir_host *h, void *state) {
  struct reads_shared *s = state;
  const uint32_t cycles[] = {1, RAMP, RAMP + s->cycles};
  for (unsigned i = 0; i < sizeof cycles / sizeof *cycles; i++)
    if (!weir_launch_args(h, "reads_shared", ((struct weir_dim){s->blocks, 1, 1}), ((struct weir_dim){s->block, 1, 1}),
                          WEIR_ARG(s->data), WEIR_ARG(cycles[i]), WEIR_ARG(s->rounds), WEIR_ARG(s->sums),
                          WEIR_ARG_LOCAL(sizeof(uint32_t[BLOCK][WORDS]))))
      return false;
  return true;
}

// Even rounds read the first four words, odd ones the others.
static uint32_t sum_of(const uint32_t *words, uint32_t rounds) {
  uint32_t sum = 0;
  for (uint32_t word = 0; word < WORDS; word++) sum += words[word] * (rounds / 2 + (word < READ && rounds % 2));
  return sum;
}

static bool check(struct weir_host *h, void *state) {
  struct reads_shared *s = state;
  const uint64_t threads = threads_of(s), bytes = threads * sizeof(uint32_t);
  const uint32_t *data = weir_host_bytes(h, s->data, bytes * WORDS);
  const uint32_t *rounds = weir_host_bytes(h, s->rounds, bytes), *sums = weir_host_bytes(h, s->sums, bytes);
  for (uint64_t i = 0; i < threads; i++) {
    if (rounds[i] < 3)
      return weir_fail_plain(weir_host_sink(h), "thread %" PRIu64 " made %u rounds, not one per launch", i, rounds[i]);
    const uint32_t want = sum_of(data + i * WORDS, rounds[i]);
    if (sums[i] != want) return weir_fail_plain(weir_host_sink(h), "sum %" PRIu64 " is %u, not %u", i, sums[i], want);
  }
  return true;
}

const struct weir_workload weir_workload_reads_shared = {
  .name = "reads-shared",
  .summary = "reads of disjoint words of shared memory",
  .citation = "micro-benchmark; Mokhtari and Stumm, MEMSYS 2015, section 2.3.1",
  .small_text = "32 KiB per block, 15360 threads, for 10000 cycles once under way",
  .paper_text = "32 KiB per block, 15360 threads, for 40000 cycles once under way",
  .takes = WEIR_TAKES_THREADS,
  .state_bytes = sizeof(struct reads_shared),
  .prepare = prepare,
  .run = run,
  .check = check,
};
