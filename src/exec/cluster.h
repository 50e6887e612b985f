// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Clusters of thread blocks (PTX ISA, "Cluster of Cooperative Thread Arrays"): blocks that reach each other's shared memory and meet at
// a barrier of their own. Invariant: all blocks of a cluster have been started before a warp of one steps, and one thread of the host
// steps all of them, unless there is but one. A launch without clusters has clusters of one block.
//
// Addresses of the window .shared::cluster: below 1 << WEIR_CLUSTER_SHIFT they are offsets in the block's own shared memory; mapa gives
// those of the block of rank r from (r + 1) << WEIR_CLUSTER_SHIFT on, so that they mean the same in all blocks of the cluster.
#ifndef WEIR_EXEC_CLUSTER_H
#define WEIR_EXEC_CLUSTER_H

#include "exec/warp.h"

struct weir_insn;

enum { WEIR_CLUSTER_BARRIER = 16 }; // for weir_warp::barrier, behind the numbers of a block's own

struct weir_cluster {
  uint32_t size;                                     // blocks, by the launch
  uint32_t members;                                  // block states that refer to it: the last one frees it
  struct weir_block_state *blocks[WEIR_MAX_CLUSTER]; // by rank; NULL: it has exited
  uint32_t live, arrived;                            // threads that have not exited; of these, at the barrier
  uint64_t met;                                      // launch->clock when they last met there
};

void weir_cluster_join(struct weir_block_state *b, struct weir_cluster *c); // NULL: one of its own
void weir_cluster_leave(struct weir_block_state *b);                        // to be started again, or freed

// barrier.cluster.arrive, and .wait. False: the fault is raised.
bool weir_cluster_barrier(struct weir_warp *w, const struct weir_insn *i, uint64_t mask, struct weir_winstr *out);
void weir_cluster_left(struct weir_warp *w, uint64_t lanes); // these exit: the others may have met without them
void weir_cluster_exited(struct weir_block_state *b);        // all of the block's threads have

// An address of the window; if it is the block's own by mapa, as an offset in its shared memory.
uint64_t weir_cluster_own(const struct weir_block_state *b, uint64_t address);
// Host pointer to bytes at such an address, or NULL.
void *weir_cluster_at(const struct weir_block_state *b, uint64_t address, uint32_t bytes);
// Why that is NULL, for a diagnostic: "", if the address is none of another block's.
void weir_cluster_explain(const struct weir_block_state *b, uint64_t address, char *text, size_t size);

#endif
