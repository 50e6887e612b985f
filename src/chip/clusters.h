// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Launches in clusters of several thread blocks: where they go, and when they have met. Private to src/chip. Invariant: all blocks of a cluster
// are on cores of one GPC, and start in one cycle.
#ifndef WEIR_CHIP_CLUSTERS_H
#define WEIR_CHIP_CLUSTERS_H

#include "base/time.h"
#include "config/config.h"
#include "exec/warp.h"

struct weir_chip;

// Why the chip does not hold one of the launch's clusters, though a core holds its block (weir_chip_misfit).
char *weir_clusters_misfit(const struct weir_chip_config *c, const struct weir_launch *l);

void weir_clusters_begin(struct weir_chip *c); // of a launch
// In core cycle `now` each GPC takes a cluster, if it has room for one, the GPCs in turn.
void weir_clusters_dispatch(struct weir_chip *c, weir_cycle now);
// Cores whose warps wait for what was met in that cycle are told.
void weir_clusters_see_meetings(struct weir_chip *c, weir_cycle now);

#endif
