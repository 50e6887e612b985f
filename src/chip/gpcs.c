// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "chip/gpcs.h"

// TPCs of two cores are dealt to the GPCs, or groups, one to each in turn (NVIDIA's GH100: two SMs in a TPC, up to nine TPCs in a GPC, of which
// boards have some disabled); one core that is left over is the last one's.
static uint32_t first_of(uint32_t cores, uint32_t groups, uint32_t group) {
  const uint32_t pairs = cores / 2, each = pairs / groups, more = pairs % groups;
  return group == groups ? cores : 2 * (group * each + (group < more ? group : more));
}

uint32_t weir_gpc_first(const struct weir_core_config *k, uint32_t gpc) {
  return first_of(k->count, k->gpcs, gpc);
}

static uint32_t group_first(const struct weir_core_config *k, uint32_t group) {
  return first_of(k->count, k->groups, group);
}

void weir_groups_of_cores(const struct weir_core_config *k, uint8_t *groups) {
  _Static_assert(WEIR_MAX_GPCS <= UINT8_MAX, "a group's number is a byte");
  for (uint32_t g = 0; g < k->groups; g++)
    for (uint32_t i = group_first(k, g); i < group_first(k, g + 1); i++) groups[i] = (uint8_t)g;
}

// The group with the most cores left, of several the one that comes first after `last`.
static uint32_t next_group(const struct weir_core_config *k, const uint32_t *left, uint32_t last) {
  uint32_t best = (last + 1) % k->groups;
  for (uint32_t n = 2; n <= k->groups; n++) {
    const uint32_t g = (last + n) % k->groups;
    if (left[g] > left[best]) best = g;
  }
  return best;
}

void weir_block_turns(const struct weir_core_config *k, uint32_t *cores) {
  uint32_t left[WEIR_MAX_GPCS], group = k->groups - 1;
  for (uint32_t g = 0; g < k->groups; g++) left[g] = group_first(k, g + 1) - group_first(k, g);
  for (uint32_t i = 0; i < k->count; i++) {
    cores[i] = i;
    if (!k->groups) continue;
    group = next_group(k, left, group);
    cores[i] = group_first(k, group + 1) - left[group]--;
  }
}
