// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// The buffers that a launch file has, by their names.
#include "base/alloc.h"
#include "host/launch_file_private.h"

#include <string.h>

bool weir_find_buffer(const struct weir_launch_reader *r, const char *name, uint32_t *index) {
  const struct weir_name *e = weir_names_find(&r->buffers, name, strlen(name), 0);
  if (e) *index = (uint32_t)((uintptr_t)e->value - 1);
  return e;
}

// Of the first few that are wrong: to look for near names takes its time.
static const char *nearest_buffer(const struct weir_launch_reader *r, const char *name) {
  enum { SUGGESTING_ERRORS = 20 };
  const struct weir_launch_file *f = r->file;
  if (r->y.sink->errors >= SUGGESTING_ERRORS) return NULL;
  const char **names = weir_new_array(const char *, f->buffer_count);
  for (unsigned i = 0; i < f->buffer_count; i++) names[i] = f->buffers[i].name;
  const char *nearest = weir_nearest(name, names, f->buffer_count);
  weir_free(names);
  return nearest;
}

bool weir_read_buffer_name(struct weir_launch_reader *r, yaml_node_t *node, const char *what, uint32_t *index) {
  const char *name = weir_yaml_text(&r->y, node, what);
  if (!name) return false;
  if (weir_find_buffer(r, name, index)) return true;
  const char *nearest = nearest_buffer(r, name);
  if (nearest)
    return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "no buffer is named '%s'; did you mean '%s'?", name,
                     nearest);
  return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "no buffer is named '%s'", name);
}
