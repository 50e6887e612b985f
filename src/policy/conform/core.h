// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A core as its throttles see it (struct weir_core_view), without anything that runs: whoever drives it says which warps start,
// end, wait and issue.
#ifndef WEIR_POLICY_CONFORM_CORE_H
#define WEIR_POLICY_CONFORM_CORE_H

#include "policy/host.h"

#include <string.h>

enum { WEIR_CONFORM_WARPS = 64 };

struct weir_conform_core {
  struct weir_core_view view;
  uint8_t by_age[WEIR_CONFORM_WARPS];
  uint64_t issued[WEIR_CONFORM_WARPS];
};

// Must not move afterwards.
static inline void weir_conform_core_init(struct weir_conform_core *core, uint32_t warps, uint32_t schedulers) {
  core->view =
    (struct weir_core_view){.warps = warps, .schedulers = schedulers, .by_age = core->by_age, .issued = core->issued};
}

static inline void weir_conform_core_start(struct weir_conform_core *core, struct weir_policy_instance *throttle,
                                           uint32_t warp) {
  core->by_age[core->view.count++] = (uint8_t)warp;
  core->issued[warp] = 0;
  core->view.resident |= UINT64_C(1) << warp;
  weir_hook(throttle, start, warp);
}

static inline void weir_conform_core_end(struct weir_conform_core *core, struct weir_policy_instance *throttle,
                                         uint32_t warp) {
  uint32_t at = 0;
  while (core->by_age[at] != warp) at++;
  memmove(core->by_age + at, core->by_age + at + 1, --core->view.count - at);
  core->view.resident &= ~(UINT64_C(1) << warp);
  core->view.waiting &= ~(UINT64_C(1) << warp);
  weir_hook(throttle, end, warp);
}

static inline void weir_conform_core_issue(struct weir_conform_core *core, struct weir_policy_instance *throttle,
                                           uint32_t warp, weir_cycle now) {
  struct weir_issue i = {.pc = 8, .warp = (uint16_t)warp, .lanes = 32, .now = now};
  core->issued[warp]++;
  weir_hook(throttle, issued, &i);
}

#endif
