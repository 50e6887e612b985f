// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "exec/cluster.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "exec/machine.h"

#include <inttypes.h>
#include <stdio.h>

// ---- a launch's clusters ----------------------------------------------------------------------------------------------

// Those of the launch, or those that the kernel requires (PTX ISA, "Cluster Dimension Directives").
void weir_cluster_dims(const struct weir_launch *l, uint32_t dims[3]) {
  const uint32_t *of = l->cluster[0] || !l->kernel ? l->cluster : l->kernel->reqnctapercluster;
  for (unsigned k = 0; k < 3; k++) dims[k] = of[k] ? of[k] : 1;
}

uint32_t weir_cluster_blocks(const struct weir_launch *l) {
  uint32_t dims[3];
  weir_cluster_dims(l, dims);
  return dims[0] * dims[1] * dims[2];
}

bool weir_cluster_is_explicit(const struct weir_launch *l) {
  return l->cluster[0] || l->kernel->reqnctapercluster[0];
}

void weir_block_index(const struct weir_launch *l, uint64_t number, uint32_t index[3]) {
  uint32_t dims[3];
  weir_cluster_dims(l, dims);
  uint64_t rank = number % (dims[0] * dims[1] * dims[2]), cluster = number / (dims[0] * dims[1] * dims[2]);
  for (unsigned k = 0; k < 3; k++) {
    const uint32_t clusters = l->grid[k] / dims[k];
    index[k] = (uint32_t)(cluster % clusters * dims[k] + rank % dims[k]);
    cluster /= clusters;
    rank /= dims[k];
  }
}

// More than there may be, if it is more than 64 bits say.
static uint64_t count_of(const uint32_t dims[3]) {
  const uint64_t plane = (uint64_t)dims[0] * dims[1];
  return plane > UINT32_MAX ? plane : plane * dims[2];
}

char *weir_cluster_flaw(const struct weir_launch *l) {
  const struct weir_kernel *k = l->kernel;
  const uint32_t *required = k->reqnctapercluster;
  uint32_t dims[3];
  weir_cluster_dims(l, dims);
  const uint64_t blocks = count_of(dims);
  if (k->explicitcluster && !weir_cluster_is_explicit(l))
    return weir_text_format("kernel '%s' is to be launched in clusters (.explicitcluster)", k->name);
  if (required[0] && (required[0] != dims[0] || required[1] != dims[1] || required[2] != dims[2]))
    return weir_text_format("kernel '%s' requires clusters of %" PRIu32 " × %" PRIu32 " × %" PRIu32
                            " blocks (.reqnctapercluster)",
                            k->name, required[0], required[1], required[2]);
  if (k->maxclusterrank && blocks > k->maxclusterrank)
    return weir_text_format("kernel '%s' allows at most %" PRIu32
                            " blocks in a cluster (.maxclusterrank), not %" PRIu64,
                            k->name, k->maxclusterrank, blocks);
  if (blocks > WEIR_MAX_CLUSTER)
    return weir_text_format("a cluster of %" PRIu32 " × %" PRIu32 " × %" PRIu32
                            " blocks is too large: at most %d in all",
                            dims[0], dims[1], dims[2], WEIR_MAX_CLUSTER);
  for (unsigned d = 0; d < 3; d++)
    if (l->grid[d] % dims[d])
      return weir_text_format("a grid of %" PRIu32 " × %" PRIu32 " × %" PRIu32
                              " blocks cannot be divided into clusters of %" PRIu32 " × %" PRIu32 " × %" PRIu32,
                              l->grid[0], l->grid[1], l->grid[2], dims[0], dims[1], dims[2]);
  return NULL;
}

bool weir_cluster_check(const struct weir_launch *l, struct weir_fault *fault) {
  char *flaw = weir_cluster_flaw(l);
  if (!flaw) return true;
  *fault = (struct weir_fault){.raised = true, .pc = l->kernel->entry};
  snprintf(fault->message, sizeof fault->message, "%s", flaw);
  weir_free(flaw);
  return false;
}

// ---- who is in one ----------------------------------------------------------------------------------------------------

struct weir_cluster *weir_cluster_create(const struct weir_launch *l) {
  struct weir_cluster *c = weir_new(struct weir_cluster);
  c->size = weir_cluster_blocks(l);
  return c;
}

void weir_cluster_leave(struct weir_block_state *b) {
  struct weir_cluster *c = b->cluster;
  b->cluster = NULL;
  if (c && c != &b->alone && !--c->members) weir_free(c);
}

static uint32_t rank_of(const uint32_t index[3], const uint32_t dims[3]) {
  return (index[2] % dims[2] * dims[1] + index[1] % dims[1]) * dims[0] + index[0] % dims[0];
}

// Most are what they were in the block before this one.
static void set(struct weir_block_state *b, unsigned slot, uint32_t value) {
  const void *was = b->bank + weir_slot_offset(b->program, slot);
  if (*(const uint32_t *)was != value) weir_broadcast(b->program, b->bank, slot, value);
}

static void set_registers(struct weir_block_state *b, const uint32_t dims[3]) {
  const uint64_t window = WEIR_SHARED_BASE + ((uint64_t)(b->rank + 1) << WEIR_CLUSTER_SHIFT);
  uint64_t *to = (uint64_t *)(void *)(b->bank + weir_slot_offset(b->program, WEIR_SLOT_OWN_WINDOW));
  for (unsigned l = 0; l < b->lanes && *to != window; l++) to[b->lanes - 1 - l] = window; // the first comes last
  for (unsigned k = 0; k < 3; k++) {
    set(b, WEIR_SLOT_CLUSTERID_X + k, b->index[k] / dims[k]);
    set(b, WEIR_SLOT_CLUSTER_CTAID_X + k, b->index[k] % dims[k]);
  }
  set(b, WEIR_SLOT_CLUSTER_CTARANK, b->rank);
}

void weir_cluster_join(struct weir_block_state *b, struct weir_cluster *c) {
  uint32_t dims[3] = {1, 1, 1};
  if (c) weir_cluster_dims(b->launch, dims);
  if (!c) {
    c = &b->alone;
    *c = (struct weir_cluster){.size = 1};
  }
  b->cluster = c;
  b->rank = rank_of(b->index, dims);
  c->members++;
  c->blocks[b->rank] = b;
  c->live += (uint32_t)weir_block_threads(b->launch);
  set_registers(b, dims);
}

// ---- the barrier ------------------------------------------------------------------------------------------------------

static void release(struct weir_warp *w) {
  w->passed |= w->arrived;
  w->arrived = 0;
  if (!w->waiting || w->barrier != WEIR_CLUSTER_BARRIER) return;
  w->waiting = false;
  w->passed &= ~w->awaiting;
}

static void settle(struct weir_cluster *c, const struct weir_launch *l) {
  if (!c->arrived || c->arrived != c->live) return;
  c->arrived = 0;
  c->met = l->clock ? *l->clock : 0;
  if (l->meetings) ++*l->meetings;
  for (uint32_t r = 0; r < c->size; r++)
    for (unsigned k = 0; c->blocks[r] && k < c->blocks[r]->warp_count; k++) release(&c->blocks[r]->warps[k]);
}

static void count(struct weir_warp *w, uint64_t lanes) {
  w->arrived |= lanes;
  w->block->cluster->arrived += weir_popcount(lanes);
  settle(w->block->cluster, w->launch);
}

// Threads arrive one by one, for barrier.cluster need not be .aligned.
static bool arrive(struct weir_warp *w, uint64_t mask) {
  const uint64_t fresh = mask & ~w->excused, again = fresh & (w->arrived | w->passed);
  w->excused &= ~mask;
  if (again)
    return weir_raise(w, weir_lowest(again),
                      "barrier.cluster.arrive by a thread that has not waited since it last arrived");
  if (fresh) count(w, fresh);
  return true;
}

// A warp of which some thread waits goes on when that may. Until then those of it that are on another path cannot arrive, or exit (where
// paths meet at the kernel's end, those that have come there first stand): they are counted as if they had, and need not once they do.
static bool await(struct weir_warp *w, uint64_t mask) {
  const uint64_t early = mask & ~(w->arrived | w->passed);
  if (early) return weir_raise(w, weir_lowest(early), "barrier.cluster.wait by a thread that has not arrived");
  if (!(mask & ~w->passed)) {
    w->passed &= ~mask;
    return true;
  }
  const uint64_t absent = w->live & ~w->arrived;
  w->waiting = true;
  w->awaiting = mask;
  w->barrier = WEIR_CLUSTER_BARRIER;
  w->barrier_pc = w->pc;
  w->excused |= absent;
  if (absent) count(w, absent);
  return true;
}

bool weir_cluster_barrier(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out) {
  const bool arrives = i->sub == WEIR_SUB_ARRIVE;
  if (out) out->arrives = arrives;
  return arrives ? arrive(w, mask) : await(w, mask);
}

void weir_cluster_left(struct weir_warp *w, uint64_t lanes) {
  struct weir_cluster *c = w->block->cluster;
  c->live -= weir_popcount(lanes);
  w->passed &= ~lanes;
  if (!c->arrived) return; // as in most programs
  c->arrived -= weir_popcount(lanes & w->arrived);
  w->arrived &= ~lanes;
  w->excused &= ~lanes;
  settle(c, w->launch);
}

void weir_cluster_exited(struct weir_block_state *b) {
  b->cluster->blocks[b->rank] = NULL;
}

uint64_t weir_warp_met(const struct weir_warp *w) {
  return w->block->cluster->met;
}

bool weir_block_awaits_cluster(const struct weir_block_state *b) {
  for (unsigned k = 0; k < b->warp_count; k++)
    if (b->warps[k].waiting && b->warps[k].barrier == WEIR_CLUSTER_BARRIER) return true;
  return false;
}

// ---- shared memory ------------------------------------------------------------------------------------------------------

uint64_t weir_cluster_own(const struct weir_block_state *b, uint64_t address) {
  const uint64_t own = (uint64_t)(b->rank + 1) << WEIR_CLUSTER_SHIFT;
  return address >> WEIR_CLUSTER_SHIFT == own >> WEIR_CLUSTER_SHIFT ? address - own : address;
}

void *weir_cluster_at(const struct weir_block_state *b, uint64_t address, uint32_t bytes) {
  const uint64_t part = address >> WEIR_CLUSTER_SHIFT, offset = address & ((1u << WEIR_CLUSTER_SHIFT) - 1);
  if (part > b->cluster->size) return NULL;
  const struct weir_block_state *of = part ? b->cluster->blocks[part - 1] : b;
  return of && offset <= of->shared_bytes && of->shared_bytes - offset >= bytes ? of->shared + offset : NULL;
}

void weir_cluster_explain(const struct weir_block_state *b, uint64_t address, char *text, size_t size) {
  const struct weir_cluster *c = b->cluster;
  const uint64_t part = address >> WEIR_CLUSTER_SHIFT;
  text[0] = 0;
  if (!part) return;
  if (part > c->size)
    snprintf(text, size, ": of no block of the cluster, which has %" PRIu32, c->size);
  else if (!c->blocks[part - 1])
    snprintf(text, size, ": block %" PRIu64 " of the cluster has exited, and its shared memory with it", part - 1);
  else
    snprintf(text, size, ": block %" PRIu64 " of the cluster has %" PRIu32 " bytes", part - 1, b->shared_bytes);
}
