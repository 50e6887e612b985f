// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A throttle of a core without anything that runs: the test says which warps start, end, wait and issue.
#ifndef WEIR_TESTS_POLICY_CORE_RIG_H
#define WEIR_TESTS_POLICY_CORE_RIG_H

#include "policy/conform/core.h"
#include "rig.h"

// A throttle of such a core, on a cache of whose lines the test tells it.
struct throttle_rig {
  struct weir_conform_core core;
  struct weir_policy_instance i;
};

static inline struct throttle_rig *throttle_rig_new(const char *name, const char *knobs, uint32_t schedulers) {
  struct throttle_rig *rig = calloc(1, sizeof *rig);
  weir_conform_core_init(&rig->core, 48, schedulers);
  struct weir_policy_choice choice = rig_choose(WEIR_POLICY_THROTTLE, name, knobs);
  struct weir_geometry g = {.sets = 4, .ways = 4, .line_bytes = RIG_LINE_BYTES, .warps = 48, .core = &rig->core.view};
  weir_policy_start(&rig->i, NULL, &choice, &g, 1, 0);
  return rig;
}

static inline void throttle_rig_free(struct throttle_rig *rig) {
  weir_policy_stop(&rig->i);
  free(rig);
}

static inline struct weir_allowance throttle_rig_ask(struct throttle_rig *rig, weir_cycle now) {
  struct weir_allowance out = {.until = WEIR_NEVER};
  rig->i.policy->allowed(&rig->i.view, now, &out);
  return out;
}

// A set of warps as text: "5 2 7".
static inline uint64_t warps_in(const char *text) {
  uint64_t warps = 0;
  for (char *end; *text; text = end) {
    warps |= UINT64_C(1) << strtoul(text, &end, 10);
    while (*end == ' ') end++;
  }
  return warps;
}

#endif
