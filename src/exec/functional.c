// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A launch without timing. Programs have races that do no harm on a device, where warps and blocks advance side by side (a
// kernel that reads a shared word after one barrier and resets it without a second; blocks that relax each other's nodes
// until nothing changes). So they do here, in a fixed order. The blocks of a window are there together, as many as have 256
// warps (a small device's worth); each in turn gives each of its warps a turn; and a turn ends with its second access to
// global memory or its eighth to shared memory, and before a store or atomic that others may see, so that what the other warps read on the way there
// is what it was; what a warp does for itself, nobody waits for. A warp that
// spins thus sees what it waits for. The window is all blocks of a cooperative launch, and grows to twice as many blocks
// whenever none of those that are there has been done for long, because software may wait for a later block without saying
// so (grid barriers older than cooperative launches).
#include "base/alloc.h"
#include "exec/machine.h"

#include <string.h>

enum { TURN = 4096, WINDOW_WARPS = 256, PATIENCE = 16384, RESIDENT = 256 };

struct run {
  const struct weir_launch *launch;
  const struct weir_observer *observer; // NULL: nobody looks
  struct weir_block_state **blocks;     // resident
  uint32_t count, capacity;
  uint64_t started, total; // blocks of the grid
  struct weir_fault *fault;
};

static void start(struct run *r, struct weir_block_state *b) {
  const uint32_t *grid = r->launch->grid;
  const uint64_t n = r->started++, plane = (uint64_t)grid[0] * grid[1];
  weir_block_start(b, (uint32_t)(n % grid[0]), (uint32_t)(n % plane / grid[0]), (uint32_t)(n / plane));
}

static void admit(struct run *r) {
  struct weir_block_state *b = weir_block_create(r->launch);
  *weir_push(r->blocks, r->count, r->capacity) = b;
  start(r, b);
}

static bool has_room(const struct run *r) {
  return !r->count || (r->count + 1) * r->blocks[0]->warp_count <= WINDOW_WARPS;
}

static bool stop(struct run *r, const struct weir_fault *fault) {
  *r->fault = *fault;
  return false;
}

// A turn of weir_warp_run's, instruction by instruction, for the launch's listener.
static bool tell_turn(const struct run *r, struct weir_warp *w, uint64_t most) {
  struct weir_winstr what;
  struct weir_fault unheard;
  int room = WEIR_TURN_WEIGHT;
  for (uint64_t n = 0; n < most && room > 0 && !w->waiting && !w->exited; n++) {
    const struct weir_insn *i = w->code ? &w->code[w->pc] : NULL;
    if (n && i && i->publishes) break;
    room -= i ? i->weight : 1;
    if (weir_warp_step(w, &what, &unheard) == WEIR_STEP_FAULT) return false;
    weir_observe(r->observer, &what);
  }
  return true;
}

static bool run_warp(struct run *r, struct weir_warp *w) {
  const struct weir_launch *launch = r->launch;
  const uint64_t left = launch->step_limit ? launch->step_limit - *launch->steps : UINT64_MAX;
  const uint64_t most = left < TURN ? left : TURN;
  if (!(launch->listener ? tell_turn(r, w, most) : weir_warp_run(w, most, r->observer, launch->steps)))
    return stop(r, &w->block->fault);
  if (!launch->step_limit || *launch->steps < launch->step_limit || w->exited) return true;
  weir_raise_runaway(w, r->fault);
  return false;
}

// Every warp that can run has its turn. A barrier is met within a block, so one that nobody can meet is known at once.
static bool run_turn(struct run *r, struct weir_block_state *b) {
  bool progress = false;
  for (unsigned k = 0; k < b->warp_count; k++) {
    struct weir_warp *w = &b->warps[k];
    if (k + 1 < b->warp_count) weir_warp_prefetch(w + 1);
    if (w->exited || w->waiting) continue;
    progress = true;
    if (!run_warp(r, w)) return false;
  }
  if (progress || weir_block_done(b)) return true;
  weir_block_deadlock(b, r->fault);
  return false;
}

// A block that is done makes room for the next; if there is none, those behind it move up, so that turns keep their order.
static void replace(struct run *r, uint32_t k) {
  if (r->started < r->total) {
    start(r, r->blocks[k]);
    return;
  }
  weir_block_free(r->blocks[k]);
  r->count--;
  memmove(&r->blocks[k], &r->blocks[k + 1], (r->count - k) * sizeof *r->blocks);
}

static bool run_blocks(struct run *r) {
  unsigned turns = 0; // since a block was done or came
  while (r->count) {
    turns++;
    for (uint32_t k = 0; k < r->count;) {
      if (k + 1 < r->count) weir_warp_prefetch(r->blocks[k + 1]->warps);
      if (!run_turn(r, r->blocks[k])) return false;
      if (weir_block_done(r->blocks[k])) {
        turns = 0;
        replace(r, k);
      } else {
        k++;
      }
    }
    if (turns < PATIENCE) continue;
    for (uint32_t more = r->count; more && r->started < r->total && r->count < RESIDENT; more--) admit(r);
    turns = 0;
  }
  return true;
}

bool weir_run_observed(const struct weir_launch *launch, const struct weir_observer *observer,
                       struct weir_fault *fault) {
  struct weir_launch counted = *launch;
  uint64_t own = 0;
  struct weir_launch_state *state = weir_launch_begin(launch);
  if (!counted.steps) counted.steps = &own;
  counted.state = state;
  struct run r = {.launch = &counted,
                  .observer = observer,
                  .started = launch->first_block,
                  .fault = fault,
                  .total = weir_launch_blocks(launch)};
  *fault = (struct weir_fault){0};
  while (r.started < r.total && (launch->cooperative || has_room(&r))) admit(&r);
  const bool good = run_blocks(&r);
  for (uint32_t k = 0; k < r.count; k++) weir_block_free(r.blocks[k]);
  weir_free(r.blocks);
  weir_launch_end(state);
  return good;
}

bool weir_run_functional(const struct weir_launch *launch, struct weir_fault *fault) {
  return weir_run_observed(launch, NULL, fault);
}
