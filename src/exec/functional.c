// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A launch without timing. Programs have races that do no harm on a device, where warps and blocks advance side by side (a
// kernel that reads a shared word after one barrier and resets it without a second; blocks that relax each other's nodes
// until nothing changes). So they do here, in a fixed order. The blocks of a window are there together, as many as have 256
// warps (a small device's worth). They go in rounds. First those warps whose next instruction shows something to other blocks, a store
// or an atomic, execute it, one after the other. Then each warp of each block has a turn, which ends with its second access to
// global memory, that of the round's beginning included, or its eighth to shared memory, before a store or atomic that its block may see
// unless the turn begins with it, and before one that other blocks may see; so what the other warps read on the way there
// is what it was; what a warp does for itself, nobody waits for. A warp that
// spins thus sees what it waits for. No turn of one block touches what another's does, so members of a crew can take blocks in any
// order, with the same results; unless blocks form clusters, which one thread has: a cluster is there as a whole, side by side, until the
// last of its blocks is done. The window is all blocks of a cooperative launch, and grows to twice as many blocks
// whenever none of those that are there has been done for long, because software may wait for a later block without saying
// so (grid barriers older than cooperative launches).
#include "base/alloc.h"
#include "base/crew.h"
#include "exec/machine.h"

#include <stdatomic.h>
#include <string.h>

enum { TURN = 4096, WINDOW_WARPS = 256, PATIENCE = 16384, RESIDENT = 256 };
enum { TAKEN_WARPS = 8 }; // of whose blocks a member of the crew has at a time

// A block that is there, and what came of its last turns. Whoever has the turns writes it.
struct place {
  struct weir_block_state *block;
  uint64_t number; // of weir_block_index
  uint64_t steps;  // of the round
  bool starts;     // it has had no turn yet
  bool publishes;  // a warp's next instruction shows something to other blocks
  bool done, strays, faulted;
  bool stuck; // no warp can run before the block's cluster meets
};

// Places that a member of the crew begins with, round after round, so that its host's cache has them. Who is done with its own takes others'.
struct share {
  _Alignas(128) _Atomic uint32_t next;
  uint32_t end;
};

struct run {
  const struct weir_launch *launch;
  const struct weir_observer *observer; // NULL: nobody looks
  struct weir_crew *crew;               // NULL: one thread has all turns
  struct place *places;
  uint32_t count, capacity;
  uint64_t started, total; // blocks of the grid
  uint32_t together;       // blocks of a cluster, in places side by side
  bool stuck;              // some block was, in the last turns
  struct weir_fault *fault;
  uint32_t taken_at_once;
  struct share *shares; // [member of the crew]
};

static void start(const struct run *r, struct place *p, struct weir_cluster *c) {
  uint32_t index[3];
  weir_block_index(r->launch, p->number, index);
  weir_block_start_in(p->block, c, index);
  p->starts = false;
}

// The next blocks come, of one cluster: where it is more than one, before any has a turn.
static void settle_in(struct run *r, struct place *first) {
  for (uint32_t k = 0; k < r->together; k++)
    first[k] = (struct place){.block = first[k].block, .number = r->started++, .starts = true};
  if (r->together == 1) return;
  struct weir_cluster *c = weir_cluster_create(r->launch);
  for (uint32_t k = 0; k < r->together; k++) start(r, &first[k], c);
}

static void admit(struct run *r) {
  const uint32_t first = r->count;
  for (uint32_t k = 0; k < r->together; k++) {
    struct place *p = weir_push(r->places, r->count, r->capacity);
    p->block = weir_block_create(r->launch);
    p->block->notes_strays = true;
  }
  settle_in(r, &r->places[first]);
}

static bool has_room(const struct run *r) {
  return !r->count || (r->count + r->together) * r->places[0].block->warp_count <= WINDOW_WARPS;
}

static void tell_strays(const struct run *r, struct weir_block_state *b) {
  const struct weir_services *s = r->launch->services;
  for (uint32_t k = 0; k < b->stray_count; k++) s->strayed(s->context, r->launch, &b->strays[k]);
  b->stray_count = 0;
}

// ---- a round's beginning: what other blocks may see -------------------------------------------------------------------

// Of the launch's listener, who hears of every instruction.
static bool step_aloud(const struct run *r, struct weir_warp *w) {
  struct weir_winstr what;
  struct weir_fault unheard;
  if (weir_warp_step(w, &what, &unheard) == WEIR_STEP_FAULT) return false;
  weir_observe(r->observer, &what);
  return true;
}

static bool publish_aloud(const struct run *r, struct weir_warp *w) {
  w->spent = w->code[w->pc].weight;
  return step_aloud(r, w);
}

// False: the launch has executed as many instructions as it may, and the warp would go on.
static bool may_go_on(const struct run *r, struct weir_warp *w) {
  const struct weir_launch *l = r->launch;
  if (!l->step_limit || *l->steps < l->step_limit || w->exited) return true;
  weir_raise_runaway(w, r->fault);
  return false;
}

static bool publish(const struct run *r, struct weir_block_state *b) {
  const struct weir_launch *launch = r->launch;
  for (unsigned k = 0; k < b->warp_count; k++) {
    struct weir_warp *w = &b->warps[k];
    if (k + 1 < b->warp_count) weir_warp_prefetch(w + 1);
    if (!weir_warp_publishes(w)) continue;
    if (!(launch->listener ? publish_aloud(r, w) : weir_warp_publish(w, r->observer, launch->steps))) return false;
    if (!may_go_on(r, w)) return false;
  }
  return true;
}

// ---- turns -----------------------------------------------------------------------------------------------------------

static bool step_turn(const struct run *r, struct weir_warp *w, uint64_t most) {
  int room = WEIR_TURN_WEIGHT - w->spent;
  w->spent = 0;
  for (uint64_t n = 0; n < most && room > 0 && !w->waiting && !w->exited; n++) {
    const struct weir_insn *i = w->code ? &w->code[w->pc] : NULL;
    if (i && weir_ends_turn(i, !n)) break;
    room -= i ? i->weight : 1;
    if (!step_aloud(r, w)) return false;
  }
  return true;
}

static bool run_warp(const struct run *r, struct weir_warp *w, uint64_t *steps) {
  const struct weir_launch *launch = r->launch;
  const uint64_t left = launch->step_limit ? launch->step_limit - *launch->steps : UINT64_MAX;
  const uint64_t most = left < TURN ? left : TURN;
  return (launch->listener ? step_turn(r, w, most) : weir_warp_run(w, most, r->observer, steps)) && may_go_on(r, w);
}

// Every warp that can run has its turn. A barrier is met within a block, so one that nobody can meet is known at once; but for that of a
// cluster (check_clusters).
static bool run_turns(const struct run *r, struct place *p, uint64_t *steps) {
  struct weir_block_state *b = p->block;
  bool progress = false;
  p->publishes = false;
  for (unsigned k = 0; k < b->warp_count; k++) {
    struct weir_warp *w = &b->warps[k];
    if (k + 1 < b->warp_count) weir_warp_prefetch(w + 1);
    if (w->exited || w->waiting) continue;
    progress = true;
    if (!run_warp(r, w, steps)) return false;
    p->publishes |= weir_warp_publishes(w);
  }
  p->done = weir_block_done(b);
  p->stuck = !progress && !p->done && weir_block_awaits_cluster(b);
  if (progress || p->done || p->stuck) return true;
  weir_block_deadlock(b, &b->fault);
  return false;
}

static void serve(const struct run *r, struct place *p, uint64_t *steps) {
  if (p->starts) start(r, p, NULL);
  p->faulted = !run_turns(r, p, steps);
  p->strays = p->block->stray_count;
}

static void prefetch(const struct run *r, uint32_t k) {
  if (k < r->count) weir_warp_prefetch(r->places[k].block->warps);
}

static void serve_share(struct run *r, struct share *s) {
  for (;;) {
    uint32_t k = atomic_fetch_add_explicit(&s->next, r->taken_at_once, memory_order_relaxed);
    if (k >= s->end) return;
    for (const uint32_t end = k + r->taken_at_once; k < end && k < s->end; k++) {
      prefetch(r, k + 1);
      r->places[k].steps = 0;
      serve(r, &r->places[k], &r->places[k].steps);
    }
  }
}

static void serve_some(void *context, unsigned member) {
  struct run *r = context;
  const unsigned members = weir_crew_members(r->crew);
  for (unsigned k = 0; k < members; k++) serve_share(r, &r->shares[(member + k) % members]);
}

static void serve_together(struct run *r) {
  const unsigned members = weir_crew_members(r->crew);
  for (unsigned k = 0; k < members; k++) {
    atomic_store_explicit(&r->shares[k].next, r->count * k / members, memory_order_relaxed);
    r->shares[k].end = r->count * (k + 1) / members;
  }
  weir_crew_run_long(r->crew, serve_some, r);
}

static bool stop(const struct run *r, const struct weir_block_state *b) {
  *r->fault = b->fault;
  return false;
}

// A cluster that is done makes room for the next; if there is none, those behind it move up, so that turns keep their order.
static void replace(struct run *r, uint32_t k) {
  struct place *p = &r->places[k];
  if (r->started < r->total) {
    settle_in(r, p);
    return;
  }
  for (uint32_t b = 0; b < r->together; b++) weir_block_free(p[b].block);
  r->count -= r->together;
  memmove(p, p + r->together, (r->count - k) * sizeof *p);
}

static bool is_done(const struct run *r, uint32_t first) {
  for (uint32_t k = first; k < first + r->together; k++)
    if (!r->places[k].done) return false;
  return true;
}

// The cluster's blocks that are not done wait for it to meet, all of them in one round: nobody is left who could arrive.
static bool check_cluster(const struct run *r, uint32_t first) {
  struct weir_block_state *waits = NULL;
  for (uint32_t k = first; k < first + r->together; k++) {
    const struct place *p = &r->places[k];
    if (!p->done && !p->stuck) return true;
    if (p->stuck && !waits) waits = p->block;
  }
  if (!waits) return true;
  weir_block_deadlock(waits, &waits->fault);
  return stop(r, waits);
}

static bool begin_round(const struct run *r) {
  for (uint32_t k = 0; k < r->count; k++) {
    struct place *p = &r->places[k];
    if (!p->publishes) continue;
    const bool good = publish(r, p->block);
    tell_strays(r, p->block);
    if (!good) return stop(r, p->block);
  }
  return true;
}

// What the members of the crew did counts in the order of the blocks, as if nothing had come after a fault.
static bool serve_all(struct run *r) {
  if (r->crew) serve_together(r);
  r->stuck = false;
  for (uint32_t k = 0; k < r->count; k++) {
    struct place *p = &r->places[k];
    if (r->crew) {
      *r->launch->steps += p->steps;
    } else {
      prefetch(r, k + 1);
      serve(r, p, r->launch->steps);
    }
    r->stuck |= p->stuck;
    if (p->strays) tell_strays(r, p->block);
    if (p->faulted) return stop(r, p->block);
  }
  return true;
}

static bool run_blocks(struct run *r) {
  unsigned rounds = 0; // since a block was done or came
  while (r->count) {
    if (!begin_round(r) || !serve_all(r)) return false;
    rounds++;
    for (uint32_t k = 0; k < r->count;) {
      if (r->stuck && !check_cluster(r, k)) return false;
      if (is_done(r, k)) {
        rounds = 0;
        replace(r, k);
      } else {
        k += r->together;
      }
    }
    if (rounds < PATIENCE) continue;
    for (uint32_t more = r->count / r->together; more && r->started < r->total && r->count < RESIDENT; more--) admit(r);
    rounds = 0;
  }
  return true;
}

const char *weir_functional_alone(const struct weir_launch *l) {
  if (l->streams) return "they are recorded instructions";
  if (l->listener) return "their instructions are recorded in order";
  if (l->kernel->served) return "they may call printf, malloc, free or assert";
  if (weir_cluster_blocks(l) > 1) return "blocks of a cluster reach each other's shared memory";
  if (l->kernel->clocked) return "without a chip, clocks count the instructions of all warps";
  return l->step_limit ? "--step-limit counts the instructions of all warps" : NULL;
}

bool weir_run_observed(const struct weir_launch *launch, const struct weir_observer *observer,
                       struct weir_fault *fault) {
  if (!weir_cluster_check(launch, fault)) return false;
  struct weir_launch counted = *launch;
  uint64_t own = 0;
  struct weir_launch_state *state = weir_launch_begin(launch);
  if (!counted.steps) counted.steps = &own;
  counted.state = state;
  struct run r = {.launch = &counted,
                  .observer = observer,
                  .crew = observer || weir_functional_alone(launch) ? NULL : launch->crew,
                  .started = launch->first_block,
                  .together = weir_cluster_blocks(launch),
                  .fault = fault,
                  .total = weir_launch_blocks(launch)};
  *fault = (struct weir_fault){0};
  while (r.started < r.total && (launch->cooperative || has_room(&r))) admit(&r);
  r.taken_at_once = r.count ? TAKEN_WARPS / r.places[0].block->warp_count : 0;
  if (!r.taken_at_once) r.taken_at_once = 1;
  if (r.crew) r.shares = weir_alloc_aligned(_Alignof(struct share), weir_crew_members(r.crew) * sizeof *r.shares);
  const bool good = run_blocks(&r);
  for (uint32_t k = 0; k < r.count; k++) weir_block_free(r.places[k].block);
  weir_free(r.places);
  weir_free(r.shares);
  weir_launch_end(state);
  return good;
}

bool weir_run_functional(const struct weir_launch *launch, struct weir_fault *fault) {
  return weir_run_observed(launch, NULL, fault);
}
