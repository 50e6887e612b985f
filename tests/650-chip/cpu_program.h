// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs of CPU cores that functions make, for tests.
#ifndef WEIR_TESTS_CHIP_CPU_PROGRAM_H
#define WEIR_TESTS_CHIP_CPU_PROGRAM_H

#include "base/alloc.h"
#include "chip/mix.h"
#include "trace/trace.h"

enum { KEPT = 4096, CODE = 0x400000, DATA = 0x10000000, LINE = 64 };

struct program {
  uint64_t lines, limit, next; // 0 lines: nothing but registers; limit: ends there, 0: never
  struct weir_trace_static statics[KEPT];
  uint64_t addresses[KEPT][WEIR_TRACE_ACCESSES];
};

// Lines in an order in which each is visited once per round and no neighbour follows: lines is a power of two.
static inline uint64_t scattered(const struct program *p) {
  return p->next * 2654435761u % p->lines;
}

// One instruction after the other in one line of code; each loads through what the one before it has loaded.
static inline size_t read_program(void *context, struct weir_trace_inst *out, size_t most) {
  struct program *p = context;
  size_t n = 0;
  for (; n < most && (!p->limit || p->next < p->limit); n++, p->next++) {
    struct weir_trace_static *s = &p->statics[p->next % KEPT];
    *s = (struct weir_trace_static){.pc = CODE + p->next % 16 * 4, .kind = WEIR_TRACE_INTEGER, .length = 4};
    if (p->lines) {
      s->access_count = s->source_count = s->destination_count = 1;
      s->accesses[0].bytes = 8;
      s->sources[0] = s->destinations[0] = 1;
      p->addresses[p->next % KEPT][0] = DATA + scattered(p) * LINE;
    }
    out[n] = (struct weir_trace_inst){s, p->addresses[p->next % KEPT], CODE + (p->next + 1) % 16 * 4};
  }
  return n;
}

static inline struct program *new_program(uint64_t lines) {
  struct program *p = weir_new(struct program);
  p->lines = lines;
  return p;
}

// Those of one chip, which must outlive it.
struct programs {
  struct program *all[4];
  unsigned count;
};

static inline void add_program(struct programs *p, struct weir_chip *chip, uint64_t lines, uint64_t warmup,
                               uint64_t instructions) {
  struct program *added = p->all[p->count++] = new_program(lines);
  const struct weir_chip_cpu_program c = {
    .name = "p", .feed = {read_program, added}, .warmup = warmup, .instructions = instructions};
  weir_chip_add_cpu(chip, &c);
}

static inline void free_programs(struct programs *p) {
  for (unsigned i = 0; i < p->count; i++) weir_free(p->all[i]);
}

#endif
