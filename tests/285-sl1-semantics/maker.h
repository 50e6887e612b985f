// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the parts of the generator share: the kernel being written, and its place in it. Invariant: registers are numbered
// as they come and declared when the body is there; %v0 to %v5 are the values that a thread computes and puts out at its
// end, so that every byte it loads shows.
#ifndef WEIR_TESTS_285_MAKER_H
#define WEIR_TESTS_285_MAKER_H

#include "base/rng.h"
#include "kernel.h"

#include <stdio.h>

enum { VALUES = 6, MOST_LOOPS = 4, MOST_WALKERS = 2, LOCAL_BYTES = 64, SHARED_WORDS = 4, NONE = UINT32_MAX };

// How a pointer gets from its parameter to its accesses: what a compiler does, and what one rather does not.
enum trick { PLAIN, RELOADED, COPIED, SPLIT, ALIGNED, MIXED, SHIFTED, SPILLED, TRICKS, FAR };

// How a loop goes through what it may access, if nothing else is drawn: a structure that is walked through in order, or
// stayed at, has hits; most have a habit, so that monitoring finds some worth a line.
enum style { RANDOM, COMMON, CHUNKS, AGAIN, STYLES };

// Somewhere that a thread may access: [%rd + offset, + granule).
struct place {
  uint32_t rd;
  int64_t offset;
  uint32_t granule;
  bool writable, constant; // constant: nobody writes it
  bool atomics, strong;
};

struct walker { // a pointer that a loop advances
  struct place at;
  uint32_t first, end; // %rd: where it begins anew
  uint32_t step;
  bool wraps;
};

struct loop {
  uint32_t counter;    // %r
  uint32_t again, out; // labels
  uint32_t trips;      // at most
  bool uniform;        // all threads of the block go the same way: nothing leaves it early
  struct walker walkers[MOST_WALKERS];
  uint32_t walker_count;
};

struct maker {
  struct sl1_kernel *k;
  struct weir_rng rng;
  FILE *to;
  uint32_t registers[6]; // so far: r, rd, rs, f, fd, p
  uint32_t labels;
  uint32_t base[SL1_MOST_POINTERS]; // %rd, set at entry
  enum trick tricks[SL1_MOST_POINTERS];
  enum style styles[SL1_MOST_BUFFERS];
  struct loop loops[MOST_LOOPS];
  uint32_t loop_count;
  bool divergent; // inside what not all threads do
  bool returns, fences, calls, generic, own_shared, local, hints, shuffles, lines, dispatches;
  uint32_t source_line;
};

enum { R, RD, RS, F, FD, P };

static inline uint32_t fresh(struct maker *m, unsigned class) {
  return m->registers[class]++;
}

static inline uint32_t below(struct maker *m, uint32_t n) {
  return (uint32_t)weir_rng_below(&m->rng, n);
}

static inline bool chance(struct maker *m, uint32_t percent) {
  return below(m, 100) < percent;
}

#define pick(m, ...)                                                                                                   \
  ((const char *const[]){__VA_ARGS__})[below(m, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))]

void say(struct maker *m, const char *format, ...) __attribute__((format(printf, 2, 3))); // one line
static inline uint32_t label(struct maker *m) {
  return m->labels++;
}
void put_label(struct maker *m, uint32_t l);

// ---- places (place.c)
void load_pointers(struct maker *m);                                  // into base[]
uint32_t an_index(struct maker *m, uint32_t count, enum style style); // %r, below count (a power of two)
bool a_place(struct maker *m, bool write, struct place *p);           // false: there is none to write
bool a_place_of(struct maker *m, uint32_t buffer, uint32_t thread, uint32_t index, struct place *p); // %r, %r
bool start_walker(struct maker *m, struct walker *w, uint32_t trips);
void advance(struct maker *m, const struct walker *w);

// ---- accesses (access.c)
uint32_t a_value(struct maker *m);     // %r with a copy of one
void mix(struct maker *m, uint32_t r); // %r into one
void load(struct maker *m, const struct place *p);
void store(struct maker *m, const struct place *p);
void atomic(struct maker *m, const struct place *p);
void count_up(struct maker *m);
void access_something(struct maker *m);

// ---- everything else (flow.c)
uint32_t a_condition(struct maker *m, bool uniform); // %p
void statements(struct maker *m, uint32_t count, uint32_t budget);

// ---- what is neither (other.c)
void other_statement(struct maker *m); // own shared and local memory, calls, fences, pointers in memory
void shuffle(struct maker *m);         // between the lanes of a warp
void exchange(struct maker *m);        // write, barrier, read, barrier
void write_functions(struct maker *m); // of the module

#endif
