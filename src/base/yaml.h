// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// One YAML document, and readers of its nodes that report what is wrong with file, line, column and caret. Invariant:
// every reader reports at most one error per node and goes on, so that a caller collects all errors of a file. What a table
// of parameters says of a mapping is read by base/param_yaml.h.
#ifndef WEIR_BASE_YAML_H
#define WEIR_BASE_YAML_H

#include "base/diag.h"

#include <yaml.h>

struct weir_yaml {
  yaml_document_t document;
  const char *path, *text; // of the caller
  struct weir_sink *sink;
};

// Parses a text that must outlive the document. False and a diagnostic if it is not exactly one YAML document.
bool weir_yaml_load(struct weir_yaml *y, const char *path, const char *text, size_t size, struct weir_sink *sink);
void weir_yaml_free(struct weir_yaml *y); // only after a load that succeeded

struct weir_place weir_yaml_place(const struct weir_yaml *y, const yaml_node_t *node);
yaml_node_t *weir_yaml_node(struct weir_yaml *y, int index);

// The value of a mapping's key, if that is a scalar; else NULL.
yaml_node_t *weir_yaml_member(struct weir_yaml *y, const yaml_node_t *node, const char *name);

const char *weir_yaml_kind(const yaml_node_t *node); // "a list"

// What is said of a key that a mapping has a second time; returns false.
bool weir_yaml_fail_twice(struct weir_yaml *y, const yaml_node_t *key, const char *name);

// Calls `each` for every pair of a mapping whose keys are names of the caller's; doubled keys are reported. False if the
// node is no mapping or `each` was false.
bool weir_yaml_each(struct weir_yaml *y, yaml_node_t *node, const char *what,
                    bool (*each)(void *context, const char *name, yaml_node_t *key, yaml_node_t *value), void *context);

// The only pair of a mapping such as {s32: 8}; false and a diagnostic if the node is not that.
bool weir_yaml_pair(struct weir_yaml *y, yaml_node_t *node, const char *what, const char **key, yaml_node_t **value);

// The text of a scalar; NULL and a diagnostic for anything else.
const char *weir_yaml_text(struct weir_yaml *y, yaml_node_t *node, const char *what);

#endif
