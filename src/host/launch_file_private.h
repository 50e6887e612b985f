// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the readers of a launch file's parts share. Invariant: everything they keep is in the file's arena, so that a
// file that turns out wrong is dropped whole.
#ifndef WEIR_HOST_LAUNCH_FILE_PRIVATE_H
#define WEIR_HOST_LAUNCH_FILE_PRIVATE_H

#include "host/launch_file.h"
#include "base/param_rows.h"
#include "base/param_yaml.h"
#include "ptx/names.h"

struct weir_launch_reader {
  struct weir_yaml y;
  struct weir_param_reader values; // of y, whose context is this reader
  struct weir_launch_file *file;
  struct weir_names buffers; // a buffer's value is 1 + its index
};

extern const struct weir_param_table weir_launch_step_table;

// Reads a buffer's fill, a row of its table.
bool weir_read_fill(void *reader, const struct weir_param *p, yaml_node_t *node, void *fill);

// Index of the buffer of that name; of that which the scalar names (else false, with a diagnostic).
bool weir_find_buffer(const struct weir_launch_reader *r, const char *name, uint32_t *index);
bool weir_read_buffer_name(struct weir_launch_reader *r, yaml_node_t *node, const char *what, uint32_t *index);

// Writes the fill into a prepared buffer, as the host's copy of it.
bool weir_apply_fill(const struct weir_launch_buffer *b, struct weir_host *h);

#endif
