// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The SIMT stack (Fung et al., MICRO 2007). The top entry is held in the warp itself: lanes `active` run at `pc` until
// `rpc`, where they wait for the entry below. An entry is never made for lanes that already stand at their
// reconvergence point, so a loop does not grow the stack.
#include "base/alloc.h"
#include "exec/machine.h"

static void push(struct weir_warp *w, struct weir_simt_entry e) {
  *weir_push(w->stack, w->depth, w->stack_capacity) = e;
}

void weir_simt_diverge(struct weir_warp *w, uint32_t target, uint64_t taken, uint32_t fall, uint32_t reconvergence) {
  const uint64_t other = w->active & ~taken;
  if (reconvergence != w->rpc) push(w, (struct weir_simt_entry){reconvergence, w->rpc, w->active});
  w->rpc = reconvergence;
  if (target != reconvergence && fall != reconvergence) push(w, (struct weir_simt_entry){fall, reconvergence, other});
  const bool waits = target == reconvergence;
  w->pc = waits ? fall : target;
  w->active = waits ? other : taken;
}

// Lanes that have returned from the frame or left the kernel are dropped when their entry comes up.
void weir_simt_settle(struct weir_warp *w) {
  while (w->pc == w->rpc || !w->active) {
    struct weir_frame *f = &w->frames[w->frame_count - 1];
    if (w->depth > f->base) {
      const struct weir_simt_entry e = w->stack[--w->depth];
      w->pc = e.pc;
      w->rpc = e.rpc;
      w->active = e.mask & f->alive & w->live;
    } else if (w->frame_count > 1) {
      weir_call_finish(w);
    } else {
      w->active = 0;
      w->exited = true;
      return;
    }
  }
}

static void exit_lanes(struct weir_warp *w, uint64_t mask) {
  weir_cluster_left(w, mask & w->live);
  w->live &= ~mask;
}

void weir_simt_return(struct weir_warp *w, uint64_t mask) {
  if (w->frame_count == 1) exit_lanes(w, mask);
  w->frames[w->frame_count - 1].alive &= ~mask;
  w->active &= ~mask;
}

void weir_simt_exit(struct weir_warp *w, uint64_t mask) {
  exit_lanes(w, mask);
  w->active &= ~mask;
}
