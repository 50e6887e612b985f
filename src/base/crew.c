// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/crew.h"

#include "base/alloc.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// A helper that finds nothing to do looks so many times (some 50 us) before it sleeps; the caller, so many times before it lets
// the host run somebody else. A helper that sleeps is woken for every so many pieces: waking costs as much as a piece is long.
enum { LOOKS_BEFORE_SLEEP = 1 << 11, LOOKS_BEFORE_YIELD = 1 << 10, PIECES_BETWEEN_CALLS = 16, LINE = 128 };

struct member {
  _Alignas(LINE) _Atomic uint64_t taken; // the last piece whose share somebody has taken
  _Alignas(LINE) _Atomic uint64_t done;  // … and done
  _Atomic bool asleep;
  bool hired;      // there is a thread
  uint64_t called; // the piece for which it was woken last
  pthread_t thread;
  struct weir_crew *crew;
  unsigned number;
};

struct weir_crew {
  _Alignas(LINE) _Atomic uint64_t piece; // pieces begun
  void (*work)(void *context, unsigned member);
  void *context;
  unsigned count;
  bool ends;
  pthread_mutex_t lock; // of `ends`, and of going to sleep
  pthread_cond_t called;
  struct member members[WEIR_MAX_CREW];
};

static inline void pause_a_little(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

// Whoever takes the share of a piece does it. The caller has not gone on to the next piece, for this share was not done.
static bool take(struct weir_crew *c, struct member *m, uint64_t piece) {
  uint64_t before = piece - 1;
  if (!atomic_compare_exchange_strong(&m->taken, &before, piece)) return false;
  c->work(c->context, m->number);
  atomic_store_explicit(&m->done, piece, memory_order_release);
  return true;
}

// False: the crew ends.
static bool sleep_until_called(struct weir_crew *c, struct member *m, uint64_t seen) {
  pthread_mutex_lock(&c->lock);
  atomic_store(&m->asleep, true);
  while (!c->ends && atomic_load(&c->piece) == seen) pthread_cond_wait(&c->called, &c->lock);
  atomic_store(&m->asleep, false);
  const bool goes_on = !c->ends;
  pthread_mutex_unlock(&c->lock);
  return goes_on;
}

static void *help(void *context) {
  struct member *m = context;
  struct weir_crew *c = m->crew;
  uint64_t seen = 0;
  for (;;) {
    uint64_t piece = seen;
    for (unsigned looks = 0; looks < LOOKS_BEFORE_SLEEP && piece == seen; looks++) {
      piece = atomic_load_explicit(&c->piece, memory_order_acquire);
      if (piece == seen) pause_a_little();
    }
    if (piece == seen) {
      if (!sleep_until_called(c, m, seen)) return NULL;
      continue;
    }
    take(c, m, piece);
    seen = piece;
  }
}

// Signals are the caller's.
static bool hire(struct member *m) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool hired = !pthread_create(&m->thread, NULL, help, m);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return hired;
}

struct weir_crew *weir_crew_create(unsigned members) {
  assert(members >= 1 && members <= WEIR_MAX_CREW);
  struct weir_crew *c = weir_alloc_aligned(LINE, sizeof *c);
  c->count = members;
  pthread_mutex_init(&c->lock, NULL);
  pthread_cond_init(&c->called, NULL);
  for (unsigned k = 1; k < members; k++) {
    struct member *m = &c->members[k];
    m->crew = c;
    m->number = k;
    m->hired = hire(m);
  }
  return c;
}

static void call_all(struct weir_crew *c, bool ends) {
  pthread_mutex_lock(&c->lock);
  c->ends = ends;
  pthread_cond_broadcast(&c->called);
  pthread_mutex_unlock(&c->lock);
}

void weir_crew_free(struct weir_crew *c) {
  if (!c) return;
  call_all(c, true);
  for (unsigned k = 1; k < c->count; k++)
    if (c->members[k].hired) pthread_join(c->members[k].thread, NULL);
  pthread_cond_destroy(&c->called);
  pthread_mutex_destroy(&c->lock);
  weir_free(c);
}

unsigned weir_crew_members(const struct weir_crew *c) {
  return c->count;
}

static void wake_sleepers(struct weir_crew *c, uint64_t piece, unsigned between) {
  bool some = false;
  for (unsigned k = 1; k < c->count; k++) {
    struct member *m = &c->members[k];
    if (!atomic_load(&m->asleep) || piece - m->called < between) continue;
    m->called = piece;
    some = true;
  }
  if (some) call_all(c, false);
}

static void await(const struct member *m, uint64_t piece) {
  for (unsigned looks = 0; atomic_load_explicit(&m->done, memory_order_acquire) != piece; looks++) {
    if (looks % LOOKS_BEFORE_YIELD == LOOKS_BEFORE_YIELD - 1)
      sched_yield();
    else
      pause_a_little();
  }
}

static void run(struct weir_crew *c, void (*work)(void *context, unsigned member), void *context, unsigned between) {
  c->work = work;
  c->context = context;
  const uint64_t piece = atomic_fetch_add(&c->piece, 1) + 1;
  wake_sleepers(c, piece, between);
  work(context, 0);
  for (unsigned k = 1; k < c->count; k++) take(c, &c->members[k], piece);
  for (unsigned k = 1; k < c->count; k++) await(&c->members[k], piece);
}

void weir_crew_run(struct weir_crew *c, void (*work)(void *context, unsigned member), void *context) {
  run(c, work, context, PIECES_BETWEEN_CALLS);
}

void weir_crew_run_long(struct weir_crew *c, void (*work)(void *context, unsigned member), void *context) {
  run(c, work, context, 1);
}
