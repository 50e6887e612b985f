// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "chip/clusters.h"

#include "base/alloc.h"
#include "chip/gpcs.h"
#include "chip/machine.h"

// ---- how many there is room for -------------------------------------------------------------------------------------------

uint32_t weir_chip_clusters(const struct weir_chip_config *c, uint32_t core_blocks, uint32_t cluster_blocks) {
  const struct weir_core_config *k = &c->core;
  uint32_t n = 0;
  for (uint32_t g = 0; g < weir_cluster_gpcs(k); g++)
    n += (weir_gpc_first(k, g + 1) - weir_gpc_first(k, g)) * core_blocks / cluster_blocks;
  return n;
}

static uint32_t core_blocks(const struct weir_chip_config *c, const struct weir_launch *l) {
  return weir_occupancy(&c->core, l->kernel, l->registers, weir_block_threads(l), l->dynamic_shared_bytes,
                        l->shared_preference)
    .blocks;
}

bool weir_chip_holds_cluster(const struct weir_chip_config *c, const struct weir_launch *l) {
  const uint32_t blocks = weir_cluster_blocks(l);
  return blocks == 1 || weir_chip_clusters(c, core_blocks(c, l), blocks);
}

static uint32_t largest_gpc(const struct weir_core_config *k) {
  uint32_t most = 0;
  for (uint32_t g = 0; g < k->gpcs; g++) {
    const uint32_t cores = weir_gpc_first(k, g + 1) - weir_gpc_first(k, g);
    if (cores > most) most = cores;
  }
  return most;
}

char *weir_clusters_misfit(const struct weir_chip_config *c, const struct weir_launch *l) {
  const uint32_t blocks = weir_cluster_blocks(l);
  if (!weir_cluster_gpcs(&c->core))
    return weir_text_format("is one of a cluster of %u, and %s has no clusters (core.cluster_latency_cycles)", blocks,
                            c->name);
  return weir_text_format(
    "is one of a cluster of %u, for which no GPC of %s has room: a core holds %u of them, and the "
    "largest GPC has %u cores",
    blocks, c->name, core_blocks(c, l), largest_gpc(&c->core));
}

// ---- where they go --------------------------------------------------------------------------------------------------------

static uint32_t room_in(const struct weir_chip *c, uint32_t from, uint32_t to) {
  uint32_t n = 0;
  for (uint32_t i = from; i < to; i++) n += c->sms[i].block_limit - c->sms[i].resident_blocks;
  return n;
}

static void start_block(struct weir_chip *c, uint32_t core, struct weir_cluster *cluster, weir_cycle now) {
  uint32_t index[3];
  weir_block_index(c->launch, c->next_block++, index);
  weir_foresight_place(&c->foresight, core);
  weir_chip_start_block(c, core, cluster, index, now);
}

// A block to each core that has room, from the one after the last that was given one; and again, until all have a place.
static void start_cluster(struct weir_chip *c, uint32_t gpc, uint32_t blocks, weir_cycle now) {
  const uint32_t from = weir_gpc_first(&c->config->core, gpc), n = weir_gpc_first(&c->config->core, gpc + 1) - from;
  struct weir_cluster *cluster = weir_cluster_create(c->launch);
  uint32_t *last = &c->last_in_gpc[gpc];
  while (blocks) {
    *last = (*last + 1) % n;
    if (!weir_sm_has_room(&c->sms[from + *last])) continue;
    start_block(c, from + *last, cluster, now);
    blocks--;
  }
}

void weir_clusters_dispatch(struct weir_chip *c, weir_cycle now) {
  const struct weir_core_config *k = &c->config->core;
  const uint32_t blocks = weir_cluster_blocks(c->launch), start = c->last_gpc;
  for (uint32_t g = 0; g < k->gpcs && c->next_block < c->blocks; g++) {
    const uint32_t gpc = (start + 1 + g) % k->gpcs;
    if (room_in(c, weir_gpc_first(k, gpc), weir_gpc_first(k, gpc + 1)) < blocks) continue;
    start_cluster(c, gpc, blocks, now);
    c->last_gpc = gpc;
  }
}

void weir_clusters_begin(struct weir_chip *c) {
  const struct weir_core_config *k = &c->config->core;
  c->last_gpc = k->gpcs - 1;
  for (uint32_t g = 0; g < k->gpcs; g++) c->last_in_gpc[g] = weir_gpc_first(k, g + 1) - weir_gpc_first(k, g) - 1;
}

// ---- when they have met ---------------------------------------------------------------------------------------------------

void weir_clusters_see_meetings(struct weir_chip *c, weir_cycle now) {
  for (unsigned k = 0; k < c->members.count; k++) c->members.all[k].meetings = 0;
  for (uint32_t i = 0; i < c->config->core.count; i++) {
    const weir_cycle when = weir_sm_see_meetings(&c->sms[i], now);
    if (when != WEIR_NEVER) weir_clock_wake(&c->clocks.cores, i, when);
  }
}
