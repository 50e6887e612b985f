// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a writer and a reader both expect next, so that only surprises are written: which instruction follows, and which
// address each access has (value prediction as a compressor: Burtscher et al., "The VPC trace-compression algorithms",
// IEEE Transactions on Computers 54(11), 2005). Invariant: both make the same calls in the same order, so that their
// tables are always alike. A model starts empty with each chunk.
#ifndef WEIR_TRACE_MODEL_H
#define WEIR_TRACE_MODEL_H

#include "base/alloc.h"
#include "trace/trace.h"

#include <string.h>

// A static instruction and its place in the tables: its number, and that of its first access among all of the trace.
struct weir_trace_item {
  struct weir_trace_static what;
  uint32_t id, slot;
};

enum { WEIR_MODEL_NONE = UINT32_MAX, WEIR_MODEL_CONTEXT_BITS = 16, WEIR_MODEL_AGAIN_BITS = 19 }; // sizes of tables

// Ways to guess an address. Each instruction's access is tried first with the one that was right last.
enum {
  WEIR_GUESS_STRIDE,  // its last address and the stride seen twice
  WEIR_GUESS_BASE,    // the last address from the same base register, and the difference of last time
  WEIR_GUESS_AGAIN,   // where it was after the same access, of any instruction, last time: pointers followed again
  WEIR_GUESS_STRIDES, // what followed the same two strides: rows of matrices
  WEIR_GUESSES
};

struct weir_model_flow {
  uint32_t last, other; // successors; other than the last one
  uint64_t varies;      // more than one was seen
};

struct weir_model_slot {
  uint64_t last, stride, candidate, before, from_base; // candidate: last stride; before: that before it
  uint64_t best;
};

struct weir_model {
  struct weir_model_flow *flow; // by id
  uint32_t flow_capacity;
  struct weir_model_slot *slots;
  uint32_t slot_capacity;
  uint32_t *contexts; // successor after an instruction and the way that led to it, plus 1; 0: not seen
  uint64_t *again, *strides;
  uint64_t previous;   // address, of any access
  uint64_t bases[256]; // last address from each register
  uint64_t history;
};

static inline uint32_t weir_model_hash_to(unsigned bits, uint64_t a, uint64_t b) {
  return (uint32_t)(((a ^ b * UINT64_C(0x9E3779B97F4A7C15)) * UINT64_C(0xD1342543DE82EF95)) >> (64 - bits));
}

static inline uint32_t weir_model_hash(uint64_t a, uint64_t b) {
  return weir_model_hash_to(WEIR_MODEL_CONTEXT_BITS, a, b);
}

// Forgets everything; room for that many instructions and accesses.
void weir_model_start(struct weir_model *m, uint32_t ids, uint32_t slots);
void weir_model_grow(struct weir_model *m, uint32_t ids, uint32_t slots); // keeps what it knows
void weir_model_free(struct weir_model *m);

// ---- which instruction follows --------------------------------------------------------------------------------------

static inline uint32_t weir_model_next(const struct weir_model *m, uint32_t id) {
  const struct weir_model_flow *f = &m->flow[id];
  if (__builtin_expect(!f->varies, 1)) return f->last == WEIR_MODEL_NONE ? id + 1 : f->last;
  const uint32_t next = m->contexts[weir_model_hash(id, m->history)];
  return next ? next - 1 : f->last;
}

// Tells what followed id.
static inline void weir_model_followed(struct weir_model *m, uint32_t id, uint32_t next) {
  struct weir_model_flow *f = &m->flow[id];
  if (__builtin_expect(!f->varies, 1)) {
    if (f->last == next) return;
    f->varies = f->last != WEIR_MODEL_NONE;
    f->other = f->last;
    f->last = next;
    if (!f->varies) return;
  } else if (f->last != next) {
    f->other = f->last;
    f->last = next;
  }
  m->contexts[weir_model_hash(id, m->history)] = next + 1;
  m->history = m->history << 5 ^ next * UINT64_C(0x9E3779B1);
}

// ---- which address it has -------------------------------------------------------------------------------------------

static inline uint64_t weir_model_guess(const struct weir_model *m, uint32_t slot, uint8_t base, unsigned way) {
  const struct weir_model_slot *s = &m->slots[slot];
  switch (way) {
  case WEIR_GUESS_STRIDE: return s->last + s->stride;
  case WEIR_GUESS_BASE: return m->bases[base] + s->from_base;
  case WEIR_GUESS_AGAIN: return m->again[weir_model_hash_to(WEIR_MODEL_AGAIN_BITS, slot, m->previous)];
  default: return s->last + m->strides[weir_model_hash(slot ^ s->before << 20, s->candidate)];
  }
}

static inline void weir_model_accessed(struct weir_model *m, uint32_t slot, uint8_t base, uint64_t address) {
  struct weir_model_slot *s = &m->slots[slot];
  const uint64_t stride = address - s->last;
  // The large table is kept for what nothing simpler tells.
  const bool simple = address == s->last + s->stride || address - m->bases[base] == s->from_base;
  if (!simple) m->again[weir_model_hash_to(WEIR_MODEL_AGAIN_BITS, slot, m->previous)] = address;
  m->strides[weir_model_hash(slot ^ s->before << 20, s->candidate)] = stride;
  if (stride == s->candidate) s->stride = stride;
  s->before = s->candidate;
  s->candidate = stride;
  s->from_base = address - m->bases[base];
  m->bases[base] = address;
  m->previous = address;
  s->last = address;
}

#endif
