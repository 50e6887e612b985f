// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "trace/phases.h"

#include "base/alloc.h"

#include <string.h>

enum { FIRST_TABLE = 1 << 12 };

static uint64_t mix(uint64_t z) { // SplitMix64's output function
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

// The block's row of the random matrix, in [-1, 1): made from its address when it is wanted.
static double coordinate(uint64_t pc, unsigned dimension) {
  return (double)(mix(pc * WEIR_PHASE_DIMENSIONS + dimension + UINT64_C(0x9E3779B97F4A7C15)) >> 11) * 0x1p-52 - 1;
}

static size_t place_of(const struct weir_phase_profile *p, uint64_t pc) {
  size_t at = mix(pc) & (p->capacity - 1);
  while (p->counts[at] && p->blocks[at] != pc) at = (at + 1) & (p->capacity - 1);
  return at;
}

static void grow(struct weir_phase_profile *p) {
  struct weir_phase_profile before = *p;
  p->capacity = before.capacity ? before.capacity * 2 : FIRST_TABLE;
  p->blocks = weir_new_array(uint64_t, p->capacity);
  p->counts = weir_new_array(uint64_t, p->capacity);
  for (size_t i = 0; i < before.capacity; i++) {
    if (!before.counts[i]) continue;
    const size_t at = place_of(p, before.blocks[i]);
    p->blocks[at] = before.blocks[i];
    p->counts[at] = before.counts[i];
  }
  weir_free(before.blocks);
  weir_free(before.counts);
}

void weir_phase_executed(struct weir_phase_profile *p, uint64_t first_pc, uint64_t instructions) {
  if (!instructions) return;
  if (p->used * 2 >= p->capacity) grow(p);
  const size_t at = place_of(p, first_pc);
  p->used += !p->counts[at];
  p->blocks[at] = first_pc;
  p->counts[at] += instructions;
  p->instructions += instructions;
}

void weir_phase_cut(struct weir_phase_profile *p) {
  if (!p->instructions) return;
  struct weir_phase_interval *to = weir_push(p->intervals, p->count, p->interval_capacity);
  *to = (struct weir_phase_interval){.instructions = p->instructions};
  for (size_t i = 0; i < p->capacity; i++) {
    if (!p->counts[i]) continue;
    const double part = (double)p->counts[i] / (double)p->instructions;
    for (unsigned d = 0; d < WEIR_PHASE_DIMENSIONS; d++) to->at[d] += part * coordinate(p->blocks[i], d);
  }
  memset(p->counts, 0, p->capacity * sizeof *p->counts);
  p->used = 0;
  p->instructions = 0;
}

void weir_phase_free(struct weir_phase_profile *p) {
  weir_free(p->blocks);
  weir_free(p->counts);
  weir_free(p->intervals);
  *p = (struct weir_phase_profile){0};
}
