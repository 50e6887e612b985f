// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Chip files: read, copied, freed.
#include "chip/config.h"

#include "base/alloc.h"
#include "base/file.h"
#include "chip/bundled.h"
#include "chip/chip.h"
#include "chip/keys.h"
#include "host/yaml.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MAX_KEYS = 32, MAX_FILE_BYTES = 1 << 20 };

struct reader {
  struct weir_yaml yaml;
  uint32_t *lines; // of the values so far
  uint32_t lines_count, lines_capacity;
};

static bool read_section(struct reader *r, yaml_node_t *node, const struct weir_section *section, char *base);

static bool read_list(struct reader *r, yaml_node_t *node, const struct weir_key *key, char *at) {
  struct weir_place place = weir_yaml_place(&r->yaml, node);
  if (node->type != YAML_SEQUENCE_NODE) return weir_fail(r->yaml.sink, place, "%s must be a list", key->name);
  const yaml_node_item_t *items = node->data.sequence.items.start;
  size_t count = (size_t)(node->data.sequence.items.top - items);
  if ((double)count < key->lowest || (double)count > key->highest)
    return weir_fail(r->yaml.sink, place, "%s must have %.0f to %.0f elements, not %zu", key->name, key->lowest,
                     key->highest, count);
  size_t size = key->section->size;
  char *elements = weir_alloc(count * size);
  weir_list_put(at, elements, (uint32_t)count);
  bool ok = true;
  for (size_t i = 0; i < count; i++)
    ok &= read_section(r, weir_yaml_node(&r->yaml, items[i]), key->section, elements + i * size);
  return ok;
}

static bool read_value(struct reader *r, yaml_node_t *node, const struct weir_key *key, char *at) {
  struct weir_place place = weir_yaml_place(&r->yaml, node);
  *weir_push(r->lines, r->lines_count, r->lines_capacity) = place.line;
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

static bool read_key(struct reader *r, yaml_node_t *node, const struct weir_key *key, char *at) {
  if (key->type == WEIR_KEY_LIST) return read_list(r, node, key, at);
  if (key->type == WEIR_KEY_SECTION) return read_section(r, node, key->section, at);
  return read_value(r, node, key, at);
}

// What a file means that leaves the key out.
static bool read_absent(struct reader *r, const struct weir_key *key, char *at) {
  char expected[200];
  if (key->type == WEIR_KEY_LIST) return true;
  *weir_push(r->lines, r->lines_count, r->lines_capacity) = 0;
  bool ok = !weir_key_parse(key, key->absent, at, expected, sizeof expected);
  assert(ok);
  return ok;
}

static bool read_section(struct reader *r, yaml_node_t *node, const struct weir_section *section, char *base) {
  assert(section->count <= MAX_KEYS);
  struct weir_yaml_key keys[MAX_KEYS];
  yaml_node_t *values[MAX_KEYS] = {0};
  for (unsigned i = 0; i < section->count; i++) keys[i] = (struct weir_yaml_key){section->keys[i].name, !section->keys[i].absent};
  bool ok = weir_yaml_map(&r->yaml, node, section->what, keys, section->count, values);
  for (unsigned i = 0; i < section->count; i++)
    if (values[i]) ok &= read_key(r, values[i], &section->keys[i], base + section->keys[i].offset);
    else if (section->keys[i].absent) ok &= read_absent(r, &section->keys[i], base + section->keys[i].offset);
  return ok;
}

static bool read_text(struct weir_chip_config *c, const char *text, size_t size, struct weir_sink *sink) {
  struct reader r = {0};
  if (!weir_yaml_load(&r.yaml, c->file, text, size, sink)) return false;
  bool ok = read_section(&r, yaml_document_get_root_node(&r.yaml.document), &weir_chip_section, (char *)c);
  weir_yaml_free(&r.yaml);
  c->lines = r.lines;
  c->lines_count = r.lines_count;
  return ok && weir_chip_validate(c, sink);
}

// Takes `path`.
static struct weir_chip_config *read_file(char *path, struct weir_sink *sink) {
  size_t size;
  char *text = weir_file_read(path, MAX_FILE_BYTES, &size, sink);
  struct weir_chip_config *c = weir_new(struct weir_chip_config);
  c->file = path;
  if (!text || !read_text(c, text, size, sink)) {
    weir_chip_config_free(c);
    c = NULL;
  }
  weir_free(text);
  return c;
}

struct weir_chip_config *weir_chip_read(const char *name, struct weir_sink *sink) {
  char *path = weir_bundled_path("chips", "chip", name, sink);
  return path ? read_file(path, sink) : NULL;
}

// ---- copies ----------------------------------------------------------------------------------------------------------

static void *copy_bytes(const void *bytes, size_t size) {
  return size ? memcpy(weir_alloc(size), bytes, size) : NULL;
}

static bool copy_text(void *context, const struct weir_leaf *leaf) {
  (void)context;
  if (leaf->key->type == WEIR_KEY_TEXT || leaf->key->type == WEIR_KEY_NAME)
    *(char **)leaf->at = weir_text_copy(*(char **)leaf->at);
  return true;
}

struct weir_chip_config *weir_chip_copy(const struct weir_chip_config *c) {
  struct weir_chip_config *copy = copy_bytes(c, sizeof *c);
  copy->caches = copy_bytes(c->caches, c->caches_count * sizeof *c->caches);
  copy->energy.levels = copy_bytes(c->energy.levels, c->energy.levels_count * sizeof *c->energy.levels);
  copy->energy.cpus = copy_bytes(c->energy.cpus, c->energy.cpus_count * sizeof *c->energy.cpus);
  copy->cpus = copy_bytes(c->cpus, c->cpus_count * sizeof *c->cpus);
  copy->lines = copy_bytes(c->lines, c->lines_count * sizeof *c->lines);
  copy->file = weir_text_copy(c->file);
  weir_chip_leaves(copy, copy_text, NULL);
  return copy;
}

static bool free_text(void *context, const struct weir_leaf *leaf) {
  (void)context;
  if (leaf->key->type == WEIR_KEY_TEXT || leaf->key->type == WEIR_KEY_NAME) weir_free(*(char **)leaf->at);
  return true;
}

void weir_chip_config_free(struct weir_chip_config *c) {
  if (!c) return;
  weir_chip_leaves(c, free_text, NULL);
  weir_free(c->caches);
  weir_free(c->energy.levels);
  weir_free(c->energy.cpus);
  weir_free(c->cpus);
  weir_free(c->lines);
  weir_free(c->file);
  weir_free(c);
}

// ---- what it says ----------------------------------------------------------------------------------------------------

const char *weir_chip_name(const struct weir_chip_config *c) {
  return c->name;
}

const char *weir_chip_summary(const struct weir_chip_config *c) {
  return c->summary;
}

uint64_t weir_chip_memory_bytes(const struct weir_chip_config *c) {
  return (uint64_t)c->device.memory_mib << 20;
}

unsigned weir_chip_lanes(const struct weir_chip_config *c) {
  return c->core.warp_lanes;
}

unsigned weir_chip_levels(const struct weir_chip_config *c) {
  return c->caches_count;
}

const char *weir_chip_level_name(const struct weir_chip_config *c, unsigned level) {
  return c->caches[level].name;
}

unsigned weir_chip_cpu_cores(const struct weir_chip_config *c) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < c->cpus_count; i++) count += c->cpus[i].count;
  return count;
}
