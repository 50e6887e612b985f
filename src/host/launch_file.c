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

static bool read_module(void *reader, const struct weir_param *p, yaml_node_t *node, void *at) {
  struct weir_launch_reader *r = reader;
  const char *name = weir_yaml_text(&r->y, node, p->name);
  if (!name) return false;
  char *path = weir_path_beside(r->file->path, name);
  *(const char **)at = keep(r->file, path);
  weir_free(path);
  return true;
}

#define BUFFER weir_launch_buffer
static const struct weir_param buffer_rows[] = {
  UINT(BUFFER, bytes, 0, (uint64_t)MAX_DEVICE_GIB << 30, "of device memory", .place = offsetof(struct BUFFER, place)),
  CUSTOM(BUFFER, fill, weir_read_fill, .place = offsetof(struct BUFFER, fill.place)),
};
static const struct weir_param_table buffer_table = TABLE_OF("a buffer", BUFFER, buffer_rows);

static bool fill_fits(struct weir_launch_reader *r, const struct weir_launch_buffer *b) {
  const bool words = b->fill.kind != WEIR_FILL_ZERO && b->fill.kind != WEIR_FILL_FILE;
  return !words || b->bytes % 4 == 0 ||
    weir_fail(r->y.sink, b->fill.place,
              "this fill makes 32-bit words, but %" PRIu64 " bytes are no whole number of them", b->bytes);
}

static bool read_buffer(struct weir_launch_reader *r, yaml_node_t *key, yaml_node_t *node) {
  uint32_t doubled;
  struct weir_launch_buffer b = {.name = weir_yaml_text(&r->y, key, "a buffer's name")};
  if (!b.name) return false;
  bool ok = !weir_find_buffer(r, b.name, &doubled) ||
    weir_fail(r->y.sink, weir_yaml_place(&r->y, key), "the buffer '%s' is given twice", b.name);
  b.name = keep(r->file, b.name);
  ok &= weir_param_read(&r->values, node, &buffer_table, &b, false) && fill_fits(r, &b);
  weir_names_add(&r->buffers, b.name, strlen(b.name), 0, (void *)(uintptr_t)(r->file->buffer_count + 1));
  r->file->buffers[r->file->buffer_count++] = b; // a wrong one too, so that its name is known below
  return ok;
}

static bool read_buffers(void *reader, const struct weir_param *p, yaml_node_t *node, void *at) {
  (void)p, (void)at;
  struct weir_launch_reader *r = reader;
  if (node->type != YAML_MAPPING_NODE)
    return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "buffers must be a mapping: name → bytes and fill");
  yaml_node_pair_t *start = node->data.mapping.pairs.start, *top = node->data.mapping.pairs.top;
  r->file->buffers = weir_arena_array(&r->file->arena, struct weir_launch_buffer, top - start);
  bool ok = true;
  uint64_t total = 0;
  for (yaml_node_pair_t *i = start; i < top; i++)
    ok &= read_buffer(r, weir_yaml_node(&r->y, i->key), weir_yaml_node(&r->y, i->value));
  for (unsigned i = 0; ok && i < r->file->buffer_count; i++) {
    total += r->file->buffers[i].bytes;
    if (total > (uint64_t)MAX_DEVICE_GIB << 30)
      ok =
        weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "the buffers have more than %d GiB in all", MAX_DEVICE_GIB);
  }
  return ok;
}

static bool read_list(void *reader, const struct weir_param *p, yaml_node_t *node, void *at) {
  struct weir_launch_reader *r = reader;
  struct weir_buffer_list *list = at;
  if (node->type != YAML_SEQUENCE_NODE)
    return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "%s must be a list of buffers", p->name);
  yaml_node_item_t *start = node->data.sequence.items.start, *top = node->data.sequence.items.top;
  list->buffer = weir_arena_array(&r->file->arena, uint32_t, top - start);
  bool ok = true;
  for (yaml_node_item_t *i = start; i < top; i++)
    ok &= weir_read_buffer_name(r, weir_yaml_node(&r->y, *i), p->name, &list->buffer[list->count++]);
  return ok;
}

// In the order in which they are read: launches name buffers.
#define FILE_OF weir_launch_file
static const struct weir_param file_rows[] = {
  CUSTOM(FILE_OF, module, read_module, .place = offsetof(struct FILE_OF, module_place)),
  CUSTOM(FILE_OF, buffers, read_buffers),
  LIST(FILE_OF, launches, weir_launch_step_table, 1, 1 << 20),
  CUSTOM(FILE_OF, checksum, read_list, .optional = true),
  CUSTOM(FILE_OF, dump, read_list, .optional = true),
  BOOL_AT(FILE_OF, restrict_pointers, "restrict", "no two pointers of a kernel point to the same bytes",
          .initial = "false"),
};
LIST_MEMBERS(FILE_OF, launches, launch_count);
static const struct weir_param_table file_table = TABLE_OF("a launch file", FILE_OF, file_rows);

struct weir_launch_file *weir_launch_file_parse(const char *path, const char *text, size_t size,
                                                struct weir_sink *sink) {
  struct weir_launch_file *f = weir_new(struct weir_launch_file);
  f->path = keep(f, path);
  f->text = weir_arena_text(&f->arena, text, size);
  struct weir_launch_reader r = {.file = f};
  bool ok = weir_yaml_load(&r.y, f->path, f->text, size, sink);
  if (ok) {
    r.values = (struct weir_param_reader){.yaml = &r.y, .context = &r, .arena = &f->arena};
    ok = weir_param_read(&r.values, yaml_document_get_root_node(&r.y.document), &file_table, f, false);
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
