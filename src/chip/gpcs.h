// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Which cores are a GPC's, which are a group's, and the order in which cores are given blocks. Private to src/chip.
#ifndef WEIR_CHIP_GPCS_H
#define WEIR_CHIP_GPCS_H

#include "gpu/core.h"

// GPCs have cores side by side: those of GPC g are [first(g), first(g + 1)). There are GPCs (core.gpcs).
uint32_t weir_gpc_first(const struct weir_core_config *k, uint32_t gpc);

// Groups (core.groups) likewise: the group of each core.
void weir_groups_of_cores(const struct weir_core_config *k, uint8_t *groups /* [k->count] */);

// The core that comes next for a block after each: by number, or, where there are groups, one of the group that has the most cores which have
// not come yet; where several have as many, of these groups in turn. (Inferred: which SMs of an H200 read a tile together,
// docs/differences/h200-workloads.md.)
void weir_block_turns(const struct weir_core_config *k, uint32_t *cores /* [k->count] */);

#endif
