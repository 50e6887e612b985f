// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// OPTgen (Jain and Lin, Back to the future: Leveraging Belady's algorithm for improved cache replacement, ISCA 2016, section
// 3.1 and 3.2): what Belady's algorithm, free to bypass, would have kept in a set. Time is counted in accesses to the set. For
// each quantum of it the occupancy tells how many lines OPT holds then; a line that is used again would have been kept if
// there was room in every quantum from its last use up to, but without, this one, and then takes its place in them.
//
// Invariants: occupancies reach back `slots` quanta, in a ring; an entry is the last access to its line, if that is one of the
// `entries` lines of its set that were used last.
#ifndef WEIR_POLICY_OPTGEN_H
#define WEIR_POLICY_OPTGEN_H

#include "policy/policy.h"

#include <string.h>

struct weir_optgen_entry {
  uint64_t line; // byte address + 1; 0: none
  uint32_t time, pc;
};

struct weir_optgen {
  uint32_t sampled, stride;          // sets: every stride-th
  uint32_t slots, quantum, capacity; // of the occupancy
  uint32_t entries;                  // of a set's history
  uint32_t *now;                     // [set]: accesses so far
  struct weir_optgen_entry *history; // [set × entries + place], the most recent first
  uint8_t *occupancy;                // [set × slots + quantum mod slots]
};

enum weir_optgen_verdict { WEIR_OPTGEN_FIRST, WEIR_OPTGEN_HIT, WEIR_OPTGEN_MISS };

static inline size_t weir_optgen_bytes(const struct weir_optgen *o) {
  return o->sampled * (sizeof(struct weir_optgen_entry) * o->entries + sizeof(uint32_t) + o->slots);
}

// The geometry is filled in; `memory`: weir_optgen_bytes of it, zeroed, aligned to 8.
static inline void weir_optgen_start(struct weir_optgen *o, void *memory) {
  o->history = memory;
  o->now = (uint32_t *)(void *)(o->history + (size_t)o->sampled * o->entries);
  o->occupancy = (uint8_t *)(o->now + o->sampled);
}

// The sampled set's number, or WEIR_NO_WAY.
static inline uint32_t weir_optgen_set(const struct weir_optgen *o, uint32_t set) {
  return set % o->stride || set / o->stride >= o->sampled ? WEIR_NO_WAY : set / o->stride;
}

// The place of the line in the set's history; `entries`: it is not there.
static inline uint32_t weir_optgen_find(const struct weir_optgen *o, uint32_t number, uint64_t line) {
  const struct weir_optgen_entry *history = o->history + (size_t)number * o->entries;
  uint32_t place = 0;
  while (place < o->entries && history[place].line != line + 1) place++;
  return place;
}

// Quanta from..to-1 have room: they are taken. A use further back than the window counts as a miss (section 3.1: 8 times the
// set).
static inline bool weir_optgen_fits(const struct weir_optgen *o, uint8_t *occupancy, uint32_t from, uint32_t to) {
  if (to - from >= o->slots) return false;
  for (uint32_t q = from; q != to; q++)
    if (occupancy[q % o->slots] >= o->capacity) return false;
  for (uint32_t q = from; q != to; q++) occupancy[q % o->slots]++;
  return true;
}

// An access by `pc` to a sampled set. *last_pc: who used the line before, unless this is the first use that is known.
static inline enum weir_optgen_verdict weir_optgen_access(struct weir_optgen *o, uint32_t number, uint64_t line,
                                                          uint32_t pc, uint32_t *last_pc) {
  struct weir_optgen_entry *history = o->history + (size_t)number * o->entries;
  uint8_t *occupancy = o->occupancy + (size_t)number * o->slots;
  uint32_t time = o->now[number]++, place = weir_optgen_find(o, number, line);
  if (time % o->quantum == 0) occupancy[time / o->quantum % o->slots] = 0;
  enum weir_optgen_verdict verdict = WEIR_OPTGEN_FIRST;
  if (place < o->entries) {
    *last_pc = history[place].pc;
    bool fits = weir_optgen_fits(o, occupancy, history[place].time / o->quantum, time / o->quantum);
    verdict = fits ? WEIR_OPTGEN_HIT : WEIR_OPTGEN_MISS;
  } else {
    place--;
  }
  memmove(history + 1, history, place * sizeof *history);
  history[0] = (struct weir_optgen_entry){line + 1, time, pc};
  return verdict;
}

#endif
