// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A core as its throttles see it (struct weir_core_view), without anything that runs: the test says which warps start, end,
// wait and issue.
#ifndef WEIR_TESTS_POLICY_CORE_RIG_H
#define WEIR_TESTS_POLICY_CORE_RIG_H

#include "rig.h"

enum { CORE_RIG_WARPS = 64 };

struct core_rig {
  struct weir_core_view view;
  uint8_t by_age[CORE_RIG_WARPS];
  uint64_t issued[CORE_RIG_WARPS];
};

// Must not move afterwards.
static inline void core_rig_init(struct core_rig *core, uint32_t warps, uint32_t schedulers) {
  core->view =
    (struct weir_core_view){.warps = warps, .schedulers = schedulers, .by_age = core->by_age, .issued = core->issued};
}

static inline void core_rig_start(struct core_rig *core, struct weir_policy_instance *throttle, uint32_t warp) {
  core->by_age[core->view.count++] = (uint8_t)warp;
  core->issued[warp] = 0;
  core->view.resident |= UINT64_C(1) << warp;
  weir_hook(throttle, start, warp);
}

static inline void core_rig_end(struct core_rig *core, struct weir_policy_instance *throttle, uint32_t warp) {
  uint32_t at = 0;
  while (core->by_age[at] != warp) at++;
  memmove(core->by_age + at, core->by_age + at + 1, --core->view.count - at);
  core->view.resident &= ~(UINT64_C(1) << warp);
  core->view.waiting &= ~(UINT64_C(1) << warp);
  weir_hook(throttle, end, warp);
}

static inline void core_rig_issue(struct core_rig *core, struct weir_policy_instance *throttle, uint32_t warp,
                                  weir_cycle now) {
  struct weir_issue i = {.pc = 8, .warp = (uint16_t)warp, .lanes = 32, .now = now};
  core->issued[warp]++;
  weir_hook(throttle, issued, &i);
}

// A throttle of such a core, on a cache of whose lines the test tells it.
struct throttle_rig {
  struct core_rig core;
  struct weir_policy_instance i;
};

static inline struct throttle_rig *throttle_rig_new(const char *name, const char *knobs, uint32_t schedulers) {
  struct throttle_rig *rig = calloc(1, sizeof *rig);
  core_rig_init(&rig->core, 48, schedulers);
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
