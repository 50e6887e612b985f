// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "reads/reads.h"

#include "base/rng.h"

#include <inttypes.h>

enum { BLOCKS = 15, BLOCK = 1024, LINE = 128, SECTOR = 32, WORDS = 3, RAMP = 5000 }; // WORDS: of a thread per round

static uint64_t thread_count(const struct weir_reads *s) {
  return (uint64_t)s->blocks * s->block;
}

static uint64_t zeroes(struct weir_host *h, const struct weir_reads *s, const char *name) {
  uint64_t address = weir_host_alloc(h, name, thread_count(s) * sizeof(uint32_t));
  weir_host_result(h, name, address, thread_count(s) * sizeof(uint32_t));
  return address;
}

void weir_reads_prepare(struct weir_host *h, struct weir_reads *s, uint32_t bytes, uint32_t degree, enum weir_size size,
                        uint64_t seed) {
  struct weir_rng rng = weir_rng_seed(seed, 47);
  struct weir_shape asked = weir_host_shape(h);
  s->blocks = asked.blocks ? asked.blocks : BLOCKS;
  s->block = asked.block ? asked.block : BLOCK;
  s->mask = bytes - 1, s->degree = degree, s->cycles = size == WEIR_SIZE_SMALL ? 10000 : 40000;
  s->data = weir_host_alloc(h, "data", bytes);
  uint32_t *data = weir_host_bytes(h, s->data, bytes);
  for (uint32_t i = 0; i < bytes / sizeof *data; i++) data[i] = (uint32_t)weir_rng_next(&rng);
  s->rounds = zeroes(h, s, "rounds");
  s->sums = zeroes(h, s, "sums");
  weir_host_wrote(h, s->data, bytes); // last: the L2 has what was copied last
}

bool weir_reads_run(struct weir_host *h, void *state) {
  struct weir_reads *s = state;
  const uint32_t cycles[] = {1, RAMP, RAMP + s->cycles};
  for (unsigned i = 0; i < sizeof cycles / sizeof *cycles; i++)
    if (!weir_launch_args(h, "reads", ((struct weir_dim){s->blocks, 1, 1}), ((struct weir_dim){s->block, 1, 1}),
                          WEIR_ARG(s->data), WEIR_ARG(s->mask), WEIR_ARG(s->degree), WEIR_ARG(cycles[i]),
                          WEIR_ARG(s->rounds), WEIR_ARG(s->sums)))
      return false;
  return true;
}

// The sum of the words of a thread's first rounds.
static uint32_t sum_of(const struct weir_reads *s, const uint32_t *data, uint64_t thread, uint32_t rounds) {
  uint64_t lines = thread_count(s) >> s->degree, line = thread >> s->degree, all = ((uint64_t)s->mask + 1) / LINE;
  uint64_t word = thread % (1u << s->degree);
  uint32_t sum = 0;
  for (uint32_t round = 0; round < rounds; round++, line += lines)
    for (uint32_t i = 0; i < WORDS; i++) sum += data[(line % all * LINE + i * SECTOR) / sizeof *data + word];
  return sum;
}

// A launch goes on for at least one round, and no round takes less than one cycle.
bool weir_reads_check(struct weir_host *h, void *state) {
  struct weir_reads *s = state;
  uint64_t threads = thread_count(s), bytes = threads * sizeof(uint32_t);
  const uint32_t *data = weir_host_bytes(h, s->data, (uint64_t)s->mask + 1);
  const uint32_t *rounds = weir_host_bytes(h, s->rounds, bytes), *sums = weir_host_bytes(h, s->sums, bytes);
  const uint32_t most = 3 + RAMP + RAMP + s->cycles;
  for (uint64_t i = 0; i < threads; i++) {
    if (rounds[i] < 3 || rounds[i] > most)
      return weir_fail_plain(weir_host_sink(h), "thread %" PRIu64 " made %u rounds, not 3 to %u", i, rounds[i], most);
    uint32_t want = sum_of(s, data, i, rounds[i]);
    if (sums[i] != want) return weir_fail_plain(weir_host_sink(h), "sum %" PRIu64 " is %u, not %u", i, sums[i], want);
  }
  return true;
}
