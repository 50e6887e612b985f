// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a warp's last outstanding result sets free: the warp after its exit, its block, and the warp at a fence, or that waits for copies. And what a
// cluster's barrier does.
#include "gpu/scoreboard.h"

#include <string.h>

void weir_sm_note_manned(struct weir_sm *m) {
  m->manned = 0;
  for (uint32_t s = 0; s < m->shared->config->schedulers; s++) m->manned += (m->resident & m->schedulers[s].warps) != 0;
}

void weir_sm_note_ages(struct weir_sm *m) {
  const uint8_t *ages = m->by_age;
  uint32_t turns = 0; // from a place to a lower one
  for (uint32_t i = 1; i < m->resident_blocks; i++) turns += ages[i] < ages[i - 1];
  m->ages_in_turn = !turns || (turns == 1 && ages[m->resident_blocks - 1] < ages[0]);
  m->oldest_warp = m->resident_blocks ? m->blocks[ages[0]].first_warp : 0;
}

void weir_sm_retire(struct weir_sm *m, uint32_t warp) {
  const struct weir_warp_slot *w = &m->warps[warp];
  uint64_t bit = UINT64_C(1) << warp;
  if (!(m->resident & bit) || w->events || w->loads) return;
  if (w->stores && !m->shared->config->exit_before_stores) return;
  m->resident &= ~bit;
  weir_sm_note_manned(m);
  struct weir_block_slot *b = &m->blocks[w->block];
  if (--b->live) return;
  b->resident = false;
  uint8_t *at = memchr(m->by_age, w->block, m->resident_blocks);
  memmove(at, at + 1, (size_t)(m->by_age + --m->resident_blocks - at));
  weir_sm_note_ages(m);
  m->shared->stats->blocks++;
}

void weir_sm_leave_barrier(struct weir_sm *m, uint32_t warp) {
  const uint64_t bit = UINT64_C(1) << warp;
  m->at_cluster &= ~bit;
  m->leaving &= ~bit;
  m->view.waiting &= ~bit;
  weir_sm_look_ahead(m, warp);
}

void weir_sm_let_go(struct weir_sm *m, uint32_t warp) {
  const uint64_t bit = UINT64_C(1) << warp;
  m->fences &= ~bit;
  if (weir_warp_waiting(m->warps[warp].warp) || m->leaving & bit) return; // for other warps, too
  m->view.waiting &= ~bit;
  weir_sm_look_ahead(m, warp);
}

// A fence does not wait for copies that run beside the warp: nothing but their groups and barriers orders these (PTX ISA, "Asynchronous copy").
void weir_sm_pass_fence(struct weir_sm *m, uint32_t warp) {
  const struct weir_warp_slot *w = &m->warps[warp];
  if (w->loads == w->copies && !w->stores && !(m->copies.awaited >> warp & 1)) weir_sm_let_go(m, warp);
}
