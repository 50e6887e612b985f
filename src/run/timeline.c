// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a process's device did when, in sum.
#include "run/run.h"

// clang-format off
#define TIMELINE_MEMBERS(X)                                                                                          \
  X(all, INTEGER, "ps", "from the device's first use to the end of what it was given last (of an incomplete run: that the host has waited for): device + copies - overlap + idle", \
    NULL, json_integer((json_int_t)p->timeline->host))                                                               \
  X(device, INTEGER, "ps", "while kernels, fills or copies within the device were under way", NULL,                  \
    json_integer((json_int_t)used.device))                                                                           \
  X(copies, INTEGER, "ps", "while copies between host and device were, in one direction or both", NULL,              \
    json_integer((json_int_t)used.copies))                                                                           \
  X(overlap, INTEGER, "ps", "both of these", NULL, json_integer((json_int_t)used.overlap))                           \
  X(idle, INTEGER, "ps", "neither of these", NULL, json_integer((json_int_t)used.idle))
// clang-format on

const struct weir_member weir_timeline_members[] = {TIMELINE_MEMBERS(WEIR_ROW) WEIR_END_ROW};

json_t *weir_timeline_json(const struct weir_run_process *p) {
  if (!p || !p->timeline) return NULL;
  const struct weir_timeline_usage used = p->timeline->usage;
  json_t *o = json_object();
  TIMELINE_MEMBERS(WEIR_WRITE)
  return o;
}
