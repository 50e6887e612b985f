// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Parameters read from YAML: mappings into structs, by their tables. Invariant: unknown, doubled and missing keys and values
// of a wrong type or out of range are reported with file, line and caret, all of a file.
#ifndef WEIR_BASE_PARAM_YAML_H
#define WEIR_BASE_PARAM_YAML_H

#include "base/arena.h"
#include "base/param.h"
#include "base/yaml.h"

struct weir_param_reader {
  struct weir_yaml *yaml;
  void *context;                // of CUSTOM rows
  struct weir_arena *arena;     // that texts and lists go to; NULL: their struct owns them
  struct weir_origins *origins; // learns where each value stands; NULL: nobody asks
  char path[WEIR_MAX_PATH];     // of the struct that is read: "core.latency."
};

// Reads a mapping into the struct at `base`. `inherits`: the struct holds the values of what the file builds on, and the
// mapping gives what differs, and names (NAME, "name"); a list's elements are then those there, found by name, and new ones.
bool weir_param_read(struct weir_param_reader *r, yaml_node_t *node, const struct weir_param_table *t, void *base,
                     bool inherits);

// Reads what one row takes into the member at `at`.
bool weir_param_read_value(struct weir_param_reader *r, yaml_node_t *node, const struct weir_param_table *t,
                           const struct weir_param *p, void *at);

// For a CUSTOM row whose member is a yaml_node_t *: stores the node, to be read later.
bool weir_param_keep(void *context, const struct weir_param *p, yaml_node_t *node, void *at);

#endif
