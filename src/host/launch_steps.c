// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "host/launch_file_private.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_STEPS = 1 << 20 };
enum { MOST_TEXELS = 1 << 27 }; // CUDA C Programming Guide: of a 1D texture bound to linear memory

// The types an argument can be written in. Little-endian, as the device is.
static const struct arg_type {
  const char *name;
  char kind; // 'u', 's', 'f', 'l' (bytes of local memory), 't' (a texture)
  uint8_t bytes;
} types[] = {
  {"u8", 'u', 1},  {"u16", 'u', 2}, {"u32", 'u', 4}, {"u64", 'u', 8}, {"s8", 's', 1},          {"s16", 's', 2},
  {"s32", 's', 4}, {"s64", 's', 8}, {"f32", 'f', 4}, {"f64", 'f', 8}, {"local_bytes", 'l', 0}, {"texture", 't', 8},
};

enum { TYPES = sizeof types / sizeof types[0] };

static const struct arg_type *find_type(struct weir_launch_reader *r, yaml_node_t *node, const char *name) {
  const char *names[TYPES];
  for (unsigned i = 0; i < TYPES; i++) {
    if (!strcmp(types[i].name, name)) return &types[i];
    names[i] = types[i].name;
  }
  const char *nearest = weir_nearest(name, names, TYPES);
  weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "an argument has no type '%s'%s%s%s", name,
            nearest ? "; did you mean '" : " (u8 … u64, s8 … s64, f32, f64, local_bytes, texture)",
            nearest ? nearest : "", nearest ? "'?" : "");
  return NULL;
}

static bool read_unsigned(struct weir_launch_reader *r, yaml_node_t *node, const struct arg_type *t,
                          struct weir_launch_value *v) {
  uint64_t n;
  if (!weir_yaml_u64(&r->y, node, t->name, 0, UINT64_MAX >> (64 - 8 * t->bytes), &n)) return false;
  memcpy(v->bytes, &n, t->bytes);
  return true;
}

static bool read_signed(struct weir_launch_reader *r, yaml_node_t *node, const struct arg_type *t,
                        struct weir_launch_value *v) {
  int64_t n, high = INT64_MAX >> (64 - 8 * t->bytes);
  if (!weir_yaml_s64(&r->y, node, t->name, -high - 1, high, &n)) return false;
  memcpy(v->bytes, &n, t->bytes);
  return true;
}

static bool read_float(struct weir_launch_reader *r, yaml_node_t *node, const struct arg_type *t,
                       struct weir_launch_value *v) {
  float single;
  double exact;
  if (t->bytes == 4 ? !weir_yaml_f32(&r->y, node, t->name, &single) : !weir_yaml_f64(&r->y, node, t->name, &exact))
    return false;
  memcpy(v->bytes, t->bytes == 4 ? (void *)&single : (void *)&exact, t->bytes);
  return true;
}

static bool read_local(struct weir_launch_reader *r, yaml_node_t *node, struct weir_launch_value *v) {
  uint64_t n;
  v->local = true;
  if (!weir_yaml_u64(&r->y, node, "local_bytes", 0, 1 << 20, &n)) return false;
  v->size = (uint32_t)n;
  return true;
}

// The words of a buffer, as one row of texels.
static bool read_texture(struct weir_launch_reader *r, yaml_node_t *node, struct weir_launch_value *v) {
  uint32_t index;
  v->texture = true;
  if (!weir_read_buffer_name(r, node, "a texture", &index)) return false;
  v->buffer = (int32_t)index;
  const struct weir_launch_buffer *b = &r->file->buffers[index];
  if (b->bytes >= 4 && b->bytes / 4 <= MOST_TEXELS) return true;
  return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "a texture has 1 to %u words, not %" PRIu64 " bytes",
                   MOST_TEXELS, b->bytes);
}

static bool read_arg(struct weir_launch_reader *r, yaml_node_t *node, struct weir_launch_value *v) {
  const char *name;
  yaml_node_t *value;
  uint32_t index;
  *v = (struct weir_launch_value){.buffer = -1};
  if (node->type == YAML_SCALAR_NODE) {
    v->size = sizeof(uint64_t);
    if (!weir_read_buffer_name(r, node, "an argument", &index)) return false;
    v->buffer = (int32_t)index;
    return true;
  }
  if (!weir_yaml_pair(&r->y, node, "an argument (a buffer's name, or a typed value such as {s32: 8})", &name, &value))
    return false;
  const struct arg_type *t = find_type(r, node, name);
  if (!t) return false;
  v->size = t->bytes;
  return t->kind == 'u' ? read_unsigned(r, value, t, v)
    : t->kind == 's'    ? read_signed(r, value, t, v)
    : t->kind == 'f'    ? read_float(r, value, t, v)
    : t->kind == 't'    ? read_texture(r, value, v)
                        : read_local(r, value, v);
}

static bool read_args(struct weir_launch_reader *r, yaml_node_t *node, struct weir_launch_step *s) {
  s->places.args = weir_yaml_place(&r->y, node);
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

static bool read_dim(struct weir_launch_reader *r, yaml_node_t *node, const char *what, struct weir_dim *d,
                     struct weir_place *place) {
  *place = weir_yaml_place(&r->y, node);
  yaml_node_item_t *item = node->data.sequence.items.start;
  long n = node->type == YAML_SEQUENCE_NODE ? node->data.sequence.items.top - item : 0;
  if (n < 1 || n > 3) return weir_fail(r->y.sink, *place, "%s must be a list of one to three sizes", what);
  uint64_t size[3] = {1, 1, 1};
  bool ok = true;
  for (long i = 0; i < n; i++)
    ok &= weir_yaml_u64(&r->y, weir_yaml_node(&r->y, item[i]), what, 1, UINT32_MAX, &size[i]);
  *d = (struct weir_dim){(uint32_t)size[0], (uint32_t)size[1], (uint32_t)size[2]};
  return ok;
}

static bool read_kernel(struct weir_launch_reader *r, yaml_node_t *node, struct weir_launch_step *s) {
  s->places.kernel = weir_yaml_place(&r->y, node);
  const char *name = weir_yaml_text(&r->y, node, "kernel");
  if (name) s->kernel = weir_arena_text(&r->file->arena, name, strlen(name));
  return name;
}

static bool read_shared(struct weir_launch_reader *r, yaml_node_t *node, struct weir_launch_step *s) {
  uint64_t bytes;
  s->places.shared = weir_yaml_place(&r->y, node);
  if (!weir_yaml_u64(&r->y, node, "shared_bytes", 0, 1 << 20, &bytes)) return false;
  s->shared_bytes = (uint32_t)bytes;
  return true;
}

static bool read_registers(struct weir_launch_reader *r, yaml_node_t *node, struct weir_launch_step *s) {
  uint64_t n;
  if (!weir_yaml_u64(&r->y, node, "registers", 1, UINT16_MAX, &n)) return false;
  s->registers = (uint32_t)n;
  return true;
}

static bool read_step(struct weir_launch_reader *r, yaml_node_t *node, struct weir_launch_step *s) {
  enum { KERNEL, GRID, BLOCK, SHARED, REGISTERS, ARGS, KEYS };
  static const struct weir_yaml_key keys[KEYS] = {{"kernel", true},        {"grid", true},       {"block", true},
                                                  {"shared_bytes", false}, {"registers", false}, {"args", true}};
  yaml_node_t *v[KEYS];
  s->places.shared = weir_yaml_place(&r->y, node);
  bool ok = weir_yaml_map(&r->y, node, "a launch", keys, KEYS, v);
  ok &= v[KERNEL] && read_kernel(r, v[KERNEL], s);
  ok &= v[GRID] && read_dim(r, v[GRID], "grid", &s->grid, &s->places.grid);
  ok &= v[BLOCK] && read_dim(r, v[BLOCK], "block", &s->block, &s->places.block);
  ok &= !v[SHARED] || read_shared(r, v[SHARED], s);
  ok &= !v[REGISTERS] || read_registers(r, v[REGISTERS], s);
  ok &= v[ARGS] && read_args(r, v[ARGS], s);
  return ok;
}

bool weir_read_launches(struct weir_launch_reader *r, yaml_node_t *node) {
  yaml_node_item_t *start = node->data.sequence.items.start, *top = node->data.sequence.items.top;
  if (node->type != YAML_SEQUENCE_NODE || top == start || top - start > MOST_STEPS)
    return weir_fail(r->y.sink, weir_yaml_place(&r->y, node), "launches must be a list of at least one launch");
  r->file->launches = weir_arena_array(&r->file->arena, struct weir_launch_step, top - start);
  bool ok = true;
  for (yaml_node_item_t *i = start; i < top; i++)
    ok &= read_step(r, weir_yaml_node(&r->y, *i), &r->file->launches[r->file->launch_count++]);
  return ok;
}
