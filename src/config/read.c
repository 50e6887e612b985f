// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Chip files: read, alone or on top of the file that their `base` names.
#include "config/config.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/bundled.h"
#include "config/chip_file.h"
#include "config/keys.h"
#include "config/set.h"
#include "base/yaml.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MAX_KEYS = 64, MAX_FILE_BYTES = 1 << 20, MAX_BASES = 8 };

// A value that the file gives.
struct given {
  const void *at;
  struct weir_origin origin;
};

struct reader {
  struct weir_yaml yaml;
  uint32_t file; // its number among the chip's
  struct given *given;
  uint32_t count, capacity;
};

// `inherits`: the struct holds a base's values, and the file gives what differs.
static bool read_section(struct reader *r, yaml_node_t *node, const struct weir_section *section, char *base,
                         bool inherits);

// ---- values ----------------------------------------------------------------------------------------------------------

static void note(struct reader *r, const void *at, uint32_t line) {
  *weir_push(r->given, r->count, r->capacity) = (struct given){at, {.file = r->file, .line = line}};
}

static bool read_value(struct reader *r, yaml_node_t *node, const struct weir_key *key, char *at) {
  struct weir_place place = weir_yaml_place(&r->yaml, node);
  note(r, at, place.line);
  const char *text = weir_yaml_text(&r->yaml, node, key->name);
  if (!text) return false;
  char expected[200];
  bool is_text = key->type == WEIR_KEY_TEXT || key->type == WEIR_KEY_NAME;
  if (!is_text && node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) {
    weir_key_describe(key, expected, sizeof expected);
    return weir_fail(r->yaml.sink, place, "%s must be %s, without quotes", key->name, expected);
  }
  return !weir_key_parse(key, text, at, expected, sizeof expected) ||
    weir_fail(r->yaml.sink, place, "%s must be %s, not '%s'", key->name, expected, text);
}

// What a file means that leaves the key out.
static bool read_absent(struct reader *r, const struct weir_key *key, char *at) {
  char expected[200];
  if (key->type == WEIR_KEY_LIST || key->type == WEIR_KEY_SECTION) return true; // none, or filled in when all is read
  note(r, at, 0);
  bool ok = !weir_key_parse(key, key->absent, at, expected, sizeof expected);
  assert(ok);
  return ok;
}

// ---- lists -----------------------------------------------------------------------------------------------------------

// The value of a mapping's key, if that is a scalar; else NULL.
static yaml_node_t *scalar_at(struct reader *r, const yaml_node_t *node, const char *name) {
  if (node->type != YAML_MAPPING_NODE) return NULL;
  for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++) {
    yaml_node_t *key = weir_yaml_node(&r->yaml, p->key), *value = weir_yaml_node(&r->yaml, p->value);
    if (key->type == YAML_SCALAR_NODE && value->type == YAML_SCALAR_NODE &&
        !strcmp((const char *)key->data.scalar.value, name))
      return value;
  }
  return NULL;
}

static const char *name_of(struct reader *r, yaml_node_item_t item) {
  const yaml_node_t *name = scalar_at(r, weir_yaml_node(&r->yaml, item), "name");
  return name ? (const char *)name->data.scalar.value : NULL;
}

// An element's first key is its name.
static uint32_t find_element(const struct weir_section *section, const char *items, uint32_t count, const char *name) {
  for (uint32_t i = 0; name && i < count; i++) {
    const char *other = *(char *const *)(const void *)(items + i * section->size);
    if (other && !strcmp(other, name)) return i;
  }
  return count;
}

// The elements that the base has, then those that are new, zeroed.
static char *grow_list(struct reader *r, yaml_node_t *node, const struct weir_key *key, char *at, uint32_t *had) {
  const yaml_node_item_t *items = node->data.sequence.items.start, *top = node->data.sequence.items.top;
  char *old = weir_list_items(at, had);
  uint32_t count = *had;
  for (const yaml_node_item_t *i = items; i < top; i++)
    count += find_element(key->section, old, *had, name_of(r, *i)) == *had;
  if ((double)count < key->lowest || (double)count > key->highest) {
    weir_fail(r->yaml.sink, weir_yaml_place(&r->yaml, node), "%s must have %.0f to %.0f elements, not %u", key->name,
              key->lowest, key->highest, count);
    return NULL;
  }
  char *grown = weir_alloc(count * key->section->size);
  if (*had) memcpy(grown, old, *had * key->section->size);
  weir_free(old);
  weir_list_put(at, grown, count);
  return grown;
}

static bool given_before(struct reader *r, const yaml_node_item_t *first, const yaml_node_item_t *item,
                         const char *name) {
  for (; name && first < item; first++) {
    const char *other = name_of(r, *first);
    if (other && !strcmp(other, name)) return true;
  }
  return false;
}

static bool read_list(struct reader *r, yaml_node_t *node, const struct weir_key *key, char *at) {
  if (node->type != YAML_SEQUENCE_NODE)
    return weir_fail(r->yaml.sink, weir_yaml_place(&r->yaml, node), "%s must be a list", key->name);
  const yaml_node_item_t *items = node->data.sequence.items.start, *top = node->data.sequence.items.top;
  uint32_t had, fresh;
  char *elements = grow_list(r, node, key, at, &had);
  if (!elements) return false;
  const size_t size = key->section->size;
  bool ok = true;
  fresh = had;
  for (const yaml_node_item_t *i = items; i < top; i++) {
    yaml_node_t *item = weir_yaml_node(&r->yaml, *i);
    const char *name = name_of(r, *i);
    const uint32_t k = find_element(key->section, elements, had, name);
    if (k < had && given_before(r, items, i, name))
      ok = weir_fail(r->yaml.sink, weir_yaml_place(&r->yaml, item), "'%s' is given twice", name);
    else
      ok &= read_section(r, item, key->section, elements + (k < had ? k : fresh++) * size, k < had);
  }
  return ok;
}

// ---- sections --------------------------------------------------------------------------------------------------------

static bool read_key(struct reader *r, yaml_node_t *node, const struct weir_key *key, char *at, bool inherits) {
  if (key->type == WEIR_KEY_LIST) return read_list(r, node, key, at);
  if (key->type == WEIR_KEY_SECTION) return read_section(r, node, key->section, at, inherits);
  return read_value(r, node, key, at);
}

// Every chip and every element of a list is called something, whatever it inherits.
static bool is_required(const struct weir_key *key, bool inherits) {
  return inherits ? key->type == WEIR_KEY_NAME && !strcmp(key->name, "name") : !key->absent;
}

static bool read_section(struct reader *r, yaml_node_t *node, const struct weir_section *section, char *base,
                         bool inherits) {
  assert(section->count < MAX_KEYS);
  struct weir_yaml_key keys[MAX_KEYS];
  yaml_node_t *values[MAX_KEYS] = {0};
  unsigned count = section->count;
  for (unsigned i = 0; i < count; i++)
    keys[i] = (struct weir_yaml_key){section->keys[i].name, is_required(&section->keys[i], inherits)};
  if (section == &weir_chip_section) keys[count++] = (struct weir_yaml_key){"base", false}; // read beforehand
  bool ok = weir_yaml_map(&r->yaml, node, section->what, keys, count, values);
  for (unsigned i = 0; i < section->count; i++) {
    const struct weir_key *key = &section->keys[i];
    if (values[i])
      ok &= read_key(r, values[i], key, base + key->offset, inherits);
    else if (!inherits && key->absent)
      ok &= read_absent(r, key, base + key->offset);
  }
  return ok;
}

// ---- where values come from --------------------------------------------------------------------------------------------

// By path, since elements that a list gains move what is behind them.
struct origins {
  const struct reader *reader;
  char **paths;
  struct weir_origin *before, *after;
  uint32_t before_count, before_capacity, after_count, after_capacity;
};

static bool keep_path(void *context, const struct weir_leaf *leaf) {
  struct origins *o = context;
  *weir_push(o->paths, o->before_count, o->before_capacity) = weir_text_copy(leaf->path);
  return true;
}

static bool place(void *context, const struct weir_leaf *leaf) {
  struct origins *o = context;
  struct weir_origin *to = weir_push(o->after, o->after_count, o->after_capacity);
  *to = (struct weir_origin){0};
  for (uint32_t i = 0; i < o->reader->count; i++)
    if (o->reader->given[i].at == leaf->at) {
      *to = o->reader->given[i].origin;
      return true;
    }
  for (uint32_t i = 0; i < o->before_count; i++)
    if (!strcmp(o->paths[i], leaf->path)) {
      *to = o->before[i];
      return true;
    }
  return true;
}

// ---- files -------------------------------------------------------------------------------------------------------------

static struct weir_chip_config *read_file(char *path, unsigned depth, struct weir_sink *sink);

// Of a document that names a base: that, to be changed. NULL: it cannot be had.
static struct weir_chip_config *read_base(struct reader *r, const yaml_node_t *base, const char *path, unsigned depth) {
  const char *name = (const char *)base->data.scalar.value;
  const struct weir_place at = weir_yaml_place(&r->yaml, base);
  if (depth == MAX_BASES) {
    weir_fail(r->yaml.sink, at, "more than %d files build on one another: is one its own base?", MAX_BASES);
    return NULL;
  }
  char *found = weir_bundled_path("chips", "chip", name, r->yaml.sink);
  if (found && weir_is_own_path(name)) { // from the folder of this file
    weir_free(found);
    found = weir_path_beside(path, name);
  }
  struct weir_chip_config *c = found ? read_file(found, depth + 1, r->yaml.sink) : NULL;
  if (!c) weir_fail(r->yaml.sink, at, "the base '%s' cannot be used", name);
  return c;
}

static bool read_document(struct weir_chip_config *c, struct reader *r, bool inherits, struct weir_sink *sink) {
  struct origins o = {.reader = r, .before = c->origins};
  if (inherits) weir_chip_leaves(c, keep_path, &o);
  const bool ok =
    read_section(r, yaml_document_get_root_node(&r->yaml.document), &weir_chip_section, (char *)c, inherits);
  for (uint32_t i = 0; i < r->count; i++) weir_chip_own_latency(c, r->given[i].at);
  weir_chip_fill_latencies(c);
  weir_chip_leaves(c, place, &o);
  for (uint32_t i = 0; i < o.before_count; i++) weir_free(o.paths[i]);
  weir_free(o.paths);
  weir_free(o.before);
  weir_free(r->given);
  c->origins = o.after;
  c->origins_count = o.after_count;
  return ok && weir_chip_validate(c, sink);
}

// Takes `path`.
static struct weir_chip_config *read_text(char *path, const char *text, size_t size, unsigned depth,
                                          struct weir_sink *sink) {
  struct reader r = {0};
  struct weir_chip_config *c = NULL;
  bool ok = weir_yaml_load(&r.yaml, path, text, size, sink);
  if (ok) {
    const yaml_node_t *base = scalar_at(&r, yaml_document_get_root_node(&r.yaml.document), "base");
    c = base ? read_base(&r, base, path, depth) : weir_new(struct weir_chip_config);
    if (c) {
      r.file = c->files_count;
      c->files = weir_realloc(c->files, (c->files_count + 1) * sizeof *c->files);
      c->files[c->files_count++] = weir_text_copy(path);
      ok = read_document(c, &r, base, sink);
    }
    weir_yaml_free(&r.yaml);
  }
  weir_free(path);
  if (c && ok) return c;
  weir_chip_config_free(c);
  return NULL;
}

static struct weir_chip_config *read_file(char *path, unsigned depth, struct weir_sink *sink) {
  size_t size;
  char *text = weir_file_read(path, MAX_FILE_BYTES, &size, sink);
  struct weir_chip_config *c = NULL;
  if (text)
    c = read_text(path, text, size, depth, sink);
  else
    weir_free(path);
  weir_free(text);
  return c;
}

struct weir_chip_config *weir_chip_read(const char *name, struct weir_sink *sink) {
  char *path = weir_bundled_path("chips", "chip", name, sink);
  return path ? read_file(path, 0, sink) : NULL;
}
