// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/file.h"
#include "host/launch_file_private.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_DEVICE_GIB = 64 };

static const char *keep(struct weir_launch_file *f, const char *text) {
  return weir_arena_text(&f->arena, text, strlen(text));
}

static bool find_buffer(const struct weir_launch_reader *r, const char *name, uint32_t *index) {
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
  if (find_buffer(r, name, index)) return true;
  const char *nearest = nearest_buffer(r, name);
  if (nearest)
    return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "no buffer is named '%s'; did you mean '%s'?", name,
                     nearest);
  return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "no buffer is named '%s'", name);
}

static bool read_module(struct weir_launch_reader *r, yaml_node_t *node) {
  const char *name = weir_yaml_text(&r->y, node, "module");
  if (!name) return false;
  char *path = weir_path_beside(r->file->path, name);
  r->file->module = keep(r->file, path);
  r->file->module_place = weir_yaml_place(&r->y, node);
  weir_free(path);
  return true;
}

static bool read_buffer(struct weir_launch_reader *r, yaml_node_t *key, yaml_node_t *node) {
  enum { BYTES, FILL, KEYS };
  static const struct weir_yaml_key keys[KEYS] = {{"bytes", true}, {"fill", true}};
  yaml_node_t *v[KEYS];
  uint32_t doubled;
  struct weir_launch_buffer b = {.name = weir_yaml_text(&r->y, key, "a buffer's name")};
  if (!b.name) return false;
  bool ok = !find_buffer(r, b.name, &doubled) ||
    weir_fail(r->y.sink, weir_yaml_place(&r->y, key), "the buffer '%s' is given twice", b.name);
  b.name = keep(r->file, b.name);
  ok &= weir_yaml_map(&r->y, node, "a buffer", keys, KEYS, v);
  ok &= v[BYTES] && weir_yaml_u64(&r->y, v[BYTES], "bytes", 0, (uint64_t)MAX_DEVICE_GIB << 30, &b.bytes);
  if (v[BYTES]) b.place = weir_yaml_place(&r->y, v[BYTES]);
  ok &= v[FILL] && weir_read_fill(r, v[FILL], b.bytes, &b.fill);
  weir_names_add(&r->buffers, b.name, strlen(b.name), 0, (void *)(uintptr_t)(r->file->buffer_count + 1));
  r->file->buffers[r->file->buffer_count++] = b; // a wrong one too, so that its name is known below
  return ok;
}

static bool read_buffers(struct weir_launch_reader *r, yaml_node_t *node) {
  if (node->type != YAML_MAPPING_NODE)
    return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "buffers must be a mapping: name → bytes and fill");
  yaml_node_pair_t *start = node->data.mapping.pairs.start, *top = node->data.mapping.pairs.top;
  r->file->buffers = weir_arena_array(&r->file->arena, struct weir_launch_buffer, top - start);
  bool ok = true;
  uint64_t total = 0;
  for (yaml_node_pair_t *p = start; p < top; p++)
    ok &= read_buffer(r, weir_yaml_node(&r->y, p->key), weir_yaml_node(&r->y, p->value));
  for (unsigned i = 0; ok && i < r->file->buffer_count; i++) {
    total += r->file->buffers[i].bytes;
    if (total > (uint64_t)MAX_DEVICE_GIB << 30)
      ok =
        weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "the buffers have more than %d GiB in all", MAX_DEVICE_GIB);
  }
  return ok;
}

static bool read_list(struct weir_launch_reader *r, yaml_node_t *node, const char *what,
                      struct weir_buffer_list *list) {
  if (!node) return true;
  if (node->type != YAML_SEQUENCE_NODE)
    return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "%s must be a list of buffers", what);
  yaml_node_item_t *start = node->data.sequence.items.start, *top = node->data.sequence.items.top;
  list->buffer = weir_arena_array(&r->file->arena, uint32_t, top - start);
  bool ok = true;
  for (yaml_node_item_t *i = start; i < top; i++)
    ok &= weir_read_buffer_name(r, weir_yaml_node(&r->y, *i), what, &list->buffer[list->count++]);
  return ok;
}

static bool read_restrict(struct weir_launch_reader *r, yaml_node_t *node) {
  if (!node) return true;
  const char *text = weir_yaml_text(&r->y, node, "restrict");
  if (!text) return false;
  r->file->restrict_pointers = !strcmp(text, "true");
  return r->file->restrict_pointers || !strcmp(text, "false") ||
    weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "restrict is true or false, not '%s'", text);
}

static bool read_root(struct weir_launch_reader *r, yaml_node_t *root) {
  enum { MODULE, BUFFERS, LAUNCHES, CHECKSUM, DUMP, RESTRICT, KEYS };
  static const struct weir_yaml_key keys[KEYS] = {{"module", true},    {"buffers", true}, {"launches", true},
                                                  {"checksum", false}, {"dump", false},   {"restrict", false}};
  yaml_node_t *v[KEYS];
  bool ok = weir_yaml_map(&r->y, root, "a launch file", keys, KEYS, v);
  ok &= v[MODULE] && read_module(r, v[MODULE]);
  ok &= v[BUFFERS] && read_buffers(r, v[BUFFERS]);
  ok &= v[LAUNCHES] && weir_read_launches(r, v[LAUNCHES]);
  ok &= read_list(r, v[CHECKSUM], "checksum", &r->file->checksum);
  ok &= read_list(r, v[DUMP], "dump", &r->file->dump);
  return ok & read_restrict(r, v[RESTRICT]);
}

struct weir_launch_file *weir_launch_file_parse(const char *path, const char *text, size_t size,
                                                struct weir_sink *sink) {
  struct weir_launch_file *f = weir_new(struct weir_launch_file);
  f->path = keep(f, path);
  f->text = weir_arena_text(&f->arena, text, size);
  struct weir_launch_reader r = {.file = f};
  bool ok = weir_yaml_load(&r.y, f->path, f->text, size, sink);
  if (ok) {
    ok = read_root(&r, yaml_document_get_root_node(&r.y.document));
    weir_yaml_free(&r.y);
    weir_names_free(&r.buffers);
  }
  if (ok) return f;
  weir_launch_file_free(f);
  return NULL;
}

void weir_launch_file_free(struct weir_launch_file *f) {
  if (!f) return;
  struct weir_arena arena = f->arena;
  weir_arena_free(&arena);
  weir_free(f);
}
