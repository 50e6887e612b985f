// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One policy on one cache of tags, driven by a random stream of accesses. Private to src/policy/conform. Invariant: what a
// subject does follows from its policy, knobs, geometry and stream alone, so that two alike have the same digest.
#ifndef WEIR_POLICY_CONFORM_SUBJECT_H
#define WEIR_POLICY_CONFORM_SUBJECT_H

#include "policy/conform/core.h"

#include <setjmp.h>

enum {
  WEIR_CONFORM_LINES = 4096, // of a cache, at most
  WEIR_CONFORM_REPLIES = 8,
  WEIR_CONFORM_CORES = 15,
  WEIR_CONFORM_SLICES = 12,
  WEIR_CONFORM_PARTS = 4,
};

// Where the suite is, and what it found. In memory that both processes share.
struct weir_conform_trial {
  jmp_buf out;
  char knob[120], cache[160]; // under trial
  char found[400];            // empty: nothing yet
};

// The policy breaks a rule. Ends the trial.
_Noreturn void weir_conform_fail(struct weir_conform_trial *t, const char *format, ...)
  __attribute__((format(printf, 2, 3)));

// Memory whose end (rounded up to 16 bytes) is the end of the accessible page.
struct weir_conform_memory {
  const char *what; // the descriptor's word
  uint8_t *map, *data;
  size_t map_bytes, bytes;
};

struct weir_conform_line {
  uint64_t line;
  bool valid, reused;
};

struct weir_subject {
  struct weir_conform_trial *trial;
  struct weir_policy_instance i;
  struct weir_geometry g;
  struct weir_policy_choice choice;
  struct weir_conform_memory state, scope_state, set_state, line_state;
  struct weir_policy_scope scope; // of the first of a scope's subjects
  struct weir_cache_view *scope_caches[WEIR_CONFORM_PARTS];
  struct weir_conform_line lines[WEIR_CONFORM_LINES];
  struct weir_access waiting[WEIR_CONFORM_REPLIES]; // bypassed, not answered
  unsigned waits;
  struct weir_conform_core core; // in front of it, of a throttle
  struct weir_reorder reorder;
  uint16_t queued[WEIR_MAX_REORDER_QUEUES];
  struct weir_rng rng; // of the stream, not the policy's
  uint64_t digest, launches;
  weir_cycle now;
};

// first: of the scope's subjects; NULL: this is it.
struct weir_subject *weir_subject_new(struct weir_conform_trial *t, const struct weir_policy_choice *choice,
                                      const struct weir_geometry *g, uint64_t stream, struct weir_subject *first);
// Its memory is intact, its knobs untouched, only declared counters moved. Returns the digest.
uint64_t weir_subject_end(struct weir_subject *s);

// Makes an answer part of the digest.
static inline void weir_subject_note(struct weir_subject *s, uint64_t answer) {
  s->digest = (s->digest ^ answer) * UINT64_C(0x9E3779B97F4A7C15);
  s->digest ^= s->digest >> 29;
}

// One of so many.
static inline uint64_t weir_subject_below(struct weir_subject *s, uint64_t n) {
  return weir_rng_below(&s->rng, n);
}

void weir_subject_step(struct weir_subject *s);                                 // one access, and what comes between
void weir_subject_pass_time(struct weir_subject *s);                            // ends of epochs, launches, warm-ups
void weir_subject_reorder(struct weir_subject *s, const struct weir_access *a); // queues in front of the cache
void weir_subject_throttle(struct weir_subject *s);                             // the core in front of it

#endif
