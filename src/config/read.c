// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Chip files: read, alone or on top of the file that their `base` names.
#include "config/config.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/bundled.h"
#include "base/param_yaml.h"
#include "config/chip_file.h"
#include "config/keys.h"

enum { MAX_FILE_BYTES = 1 << 20, MAX_BASES = 8 };

static struct weir_chip_config *read_file(char *path, unsigned depth, struct weir_sink *sink);

// Of a document that names a base: that, to be changed. NULL: it cannot be had.
static struct weir_chip_config *read_base(struct weir_yaml *y, const yaml_node_t *base, unsigned depth) {
  const char *name = (const char *)base->data.scalar.value;
  const struct weir_place at = weir_yaml_place(y, base);
  if (depth == MAX_BASES) {
    weir_fail(y->sink, at, "more than %d files build on one another: is one its own base?", MAX_BASES);
    return NULL;
  }
  char *found = weir_bundled_path("chips", "chip", name, y->sink);
  if (found && weir_is_own_path(name)) { // from the folder of this file
    weir_free(found);
    found = weir_path_beside(y->path, name);
  }
  struct weir_chip_config *c = found ? read_file(found, depth + 1, y->sink) : NULL;
  if (!c) weir_fail(y->sink, at, "the base '%s' cannot be used", name);
  return c;
}

static bool read_document(struct weir_chip_config *c, struct weir_yaml *y, bool inherits, struct weir_sink *sink) {
  struct weir_param_reader r = {.yaml = y, .origins = &c->origins};
  const bool ok = weir_param_read(&r, yaml_document_get_root_node(&y->document), &weir_chip_table, c, inherits);
  weir_param_settle(&weir_chip_table, c, &c->origins);
  return ok && weir_chip_validate(c, sink);
}

static struct weir_chip_config *read_text(const char *path, const char *text, size_t size, unsigned depth,
                                          struct weir_sink *sink) {
  struct weir_yaml y = {0};
  if (!weir_yaml_load(&y, path, text, size, sink)) return NULL;
  const yaml_node_t *base = weir_yaml_member(&y, yaml_document_get_root_node(&y.document), "base");
  struct weir_chip_config *c = base ? read_base(&y, base, depth) : weir_new(struct weir_chip_config);
  const bool ok = c && read_document(c, &y, base, sink);
  weir_yaml_free(&y);
  if (ok) return c;
  weir_chip_config_free(c);
  return NULL;
}

// Takes `path`.
static struct weir_chip_config *read_file(char *path, unsigned depth, struct weir_sink *sink) {
  size_t size;
  char *text = weir_file_read(path, MAX_FILE_BYTES, &size, sink);
  struct weir_chip_config *c = text ? read_text(path, text, size, depth, sink) : NULL;
  weir_free(text);
  weir_free(path);
  return c;
}

struct weir_chip_config *weir_chip_read(const char *name, struct weir_sink *sink) {
  char *path = weir_bundled_path("chips", "chip", name, sink);
  return path ? read_file(path, 0, sink) : NULL;
}
