// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the files that read a sweep file share.
#ifndef WEIR_BATCH_PLAN_PRIVATE_H
#define WEIR_BATCH_PLAN_PRIVATE_H

#include "base/yaml.h"
#include "batch/plan.h"

// Says that a mapping has no such key, and which one is near; returns false.
bool weir_plan_fail_key(struct weir_yaml *y, const yaml_node_t *key, const char *name, const char *what,
                        const char *const *names, size_t count);

bool weir_plan_is_command(const yaml_node_t *node); // "-- ./program …", or a mapping
// Adds it to the plan's commands; what to call it. NULL and a diagnostic if it is wrong.
const char *weir_plan_read_command(struct weir_plan *p, struct weir_yaml *y, yaml_node_t *node);

#endif
