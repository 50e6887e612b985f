// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "host/launch_file_private.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_TEXELS = 1 << 27 }; // CUDA C Programming Guide: of a 1D texture bound to linear memory

// The words of a buffer, as one row of texels.
static bool read_texture(void *reader, const struct weir_param *p, yaml_node_t *node, void *at) {
  (void)p;
  struct weir_launch_reader *r = reader;
  struct weir_launch_value *v = at;
  uint32_t index;
  v->size = sizeof(uint64_t);
  v->texture = true;
  if (!weir_read_buffer_name(r, node, "a texture", &index)) return false;
  v->buffer = (int32_t)index;
  const struct weir_launch_buffer *b = &r->file->buffers[index];
  if (b->bytes >= 4 && b->bytes / 4 <= MOST_TEXELS) return true;
  return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "a texture has 1 to %u words, not %" PRIu64 " bytes",
                   MOST_TEXELS, b->bytes);
}

// The types an argument can be written in. Little-endian, as the device is.
#define VALUE weir_launch_value
#define TYPED(called, kind, width, ...)                                                                                \
  { .name = called, .type = WEIR_PARAM_##kind, .bytes = width, .offset = offsetof(struct VALUE, bytes), __VA_ARGS__ }
static const struct weir_param value_rows[] = {
  TYPED("u8", UINT, 1, .high = UINT8_MAX),
  TYPED("u16", UINT, 2, .high = UINT16_MAX),
  TYPED("u32", UINT, 4, .high = UINT32_MAX),
  TYPED("u64", UINT, 8, .high = UINT64_MAX),
  TYPED("s8", INT, 1, .low = INT8_MIN, .high = INT8_MAX),
  TYPED("s16", INT, 2, .low = INT16_MIN, .high = INT16_MAX),
  TYPED("s32", INT, 4, .low = INT32_MIN, .high = INT32_MAX),
  TYPED("s64", INT, 8, .low = INT64_MIN, .high = INT64_MAX),
  TYPED("f32", REAL, 4, .lowest = -INFINITY, .highest = INFINITY),
  TYPED("f64", REAL, 8, .lowest = -INFINITY, .highest = INFINITY),
  UINT_AT(VALUE, size, "local_bytes", 0, 1 << 20, "of shared memory"),
  CUSTOM_OF_ALL("texture", read_texture),
};
static const struct weir_param_table value_table = TABLE_OF("an argument", VALUE, value_rows, .item = "type");
// A value of a type is called by that alone.
static const struct weir_param_table typed_table = {.what = "an argument"};

static bool read_typed(struct weir_launch_reader *r, yaml_node_t *node, struct weir_launch_value *v) {
  const char *name, *names[sizeof value_rows / sizeof *value_rows];
  char message[300];
  yaml_node_t *value;
  if (!weir_yaml_pair(&r->y, node, "an argument (a buffer's name, or a typed value such as {s32: 8})", &name, &value))
    return false;
  const struct weir_param *p = weir_param_row(&value_table, name);
  if (!p) {
    for (unsigned i = 0; i < value_table.count; i++) names[i] = value_rows[i].name;
    weir_param_unknown(&value_table, name, names, value_table.count, message, sizeof message);
    return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "%s", message);
  }
  if (p->read) return p->read(r, p, value, v);
  v->local = p->offset != offsetof(struct VALUE, bytes);
  if (!v->local) v->size = p->bytes;
  return weir_param_read_value(&r->values, value, &typed_table, p, (char *)v + p->offset);
}

static bool read_arg(struct weir_launch_reader *r, yaml_node_t *node, struct weir_launch_value *v) {
  uint32_t index;
  *v = (struct weir_launch_value){.buffer = -1};
  if (node->type != YAML_SCALAR_NODE) return read_typed(r, node, v);
  v->size = sizeof(uint64_t);
  if (!weir_read_buffer_name(r, node, "an argument", &index)) return false;
  v->buffer = (int32_t)index;
  return true;
}

static bool read_args(void *reader, const struct weir_param *p, yaml_node_t *node, void *at) {
  (void)p;
  struct weir_launch_reader *r = reader;
  struct weir_launch_step *s = at;
  if (node->type != YAML_SEQUENCE_NODE) return weir_fail(r->y.sink, s->places.args, "args must be a list");
  yaml_node_item_t *start = node->data.sequence.items.start, *top = node->data.sequence.items.top;
  struct weir_place *places = weir_arena_array(&r->file->arena, struct weir_place, top - start);
  s->args = weir_arena_array(&r->file->arena, struct weir_launch_value, top - start);
  s->places.arg = places;
  bool ok = true;
  for (yaml_node_item_t *i = start; i < top; i++, s->arg_count++) {
    yaml_node_t *item = weir_yaml_node(&r->y, *i);
    places[s->arg_count] = weir_yaml_place(&r->y, item);
    ok &= read_arg(r, item, &s->args[s->arg_count]);
  }
  return ok;
}

static bool read_dim(void *reader, const struct weir_param *p, yaml_node_t *node, void *at) {
  struct weir_launch_reader *r = reader;
  const struct weir_param one = UINT_AT(weir_dim, x, p->name, 1, UINT32_MAX, NULL);
  yaml_node_item_t *item = node->data.sequence.items.start;
  long n = node->type == YAML_SEQUENCE_NODE ? node->data.sequence.items.top - item : 0;
  if (n < 1 || n > 3)
    return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "%s must be a list of one to three sizes", p->name);
  uint32_t size[3] = {1, 1, 1};
  bool ok = true;
  for (long i = 0; i < n; i++)
    ok &= weir_param_read_value(&r->values, weir_yaml_node(&r->y, item[i]), &weir_launch_step_table, &one, &size[i]);
  *(struct weir_dim *)at = (struct weir_dim){size[0], size[1], size[2]};
  return ok;
}

#define STEP weir_launch_step
#define PLACE(m) .place = offsetof(struct STEP, places.m)
static const struct weir_param step_rows[] = {
  TEXT(STEP, kernel, "one of the module's", PLACE(kernel)),
  CUSTOM(STEP, grid, read_dim, PLACE(grid)),
  CUSTOM(STEP, block, read_dim, PLACE(block)),
  CUSTOM(STEP, cluster, read_dim, .optional = true, PLACE(cluster)),
#define X(name, ...) UINT(STEP, name, __VA_ARGS__),
  WEIR_LAUNCH_INTEGERS(X)
#undef X
    CUSTOM_OF_ALL("args", read_args, PLACE(args)),
};
const struct weir_param_table weir_launch_step_table = TABLE_OF("a launch", STEP, step_rows, PLACE(shared));
