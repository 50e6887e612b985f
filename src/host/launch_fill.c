// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/file.h"
#include "base/rng.h"
#include "host/launch_file_private.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define FILL weir_fill
static const struct weir_param word_rows[] = {
  {WEIR_ROW_AT(FILL, value, "constant", INT), .low = INT32_MIN, .high = UINT32_MAX},
  {.name = "constant", .type = WEIR_PARAM_REAL, .bytes = sizeof(float), .lowest = -INFINITY, .highest = INFINITY},
  UINT_AT(FILL, value, "ring", 0, UINT32_MAX, "a word is its index plus this, within the buffer"),
};
static const struct weir_param lcg_rows[] = {
  UINT(FILL, seed, 0, UINT32_MAX, "of the generator"),
  UINT(FILL, shift, 0, 31, "of its state to the right"),
  UINT(FILL, mask, 0, UINT32_MAX, "of what is left"),
};
static const struct weir_param uniform_rows[] = {
  UINT(FILL, seed, 0, UINT64_MAX, "of the generator"),
  REAL(FILL, low, -INFINITY, INFINITY, "the least value"),
  REAL(FILL, high, -INFINITY, INFINITY, "above all of them"),
};
static const struct weir_param_table fill_table = TABLE_OF("fill", FILL, word_rows),
                                     lcg_table = TABLE_OF("lcg", FILL, lcg_rows),
                                     uniform_table = TABLE_OF("uniform", FILL, uniform_rows);

// An integer is a 32-bit word; a number with a point or an exponent is an f32.
static bool read_constant(struct weir_launch_reader *r, yaml_node_t *node, struct weir_fill *fill) {
  const char *text = weir_yaml_text(&r->y, node, "constant");
  if (!text) return false;
  const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const bool real = !hex && text[strcspn(text, ".eE")];
  fill->kind = WEIR_FILL_CONSTANT;
  return weir_param_read_value(&r->values, node, &fill_table, &word_rows[real], &fill->value);
}

static bool read_ring(struct weir_launch_reader *r, yaml_node_t *node, struct weir_fill *fill) {
  fill->kind = WEIR_FILL_RING;
  return weir_param_read_value(&r->values, node, &fill_table, &word_rows[2], &fill->value);
}

static bool read_lcg(struct weir_launch_reader *r, yaml_node_t *node, struct weir_fill *fill) {
  fill->kind = WEIR_FILL_LCG;
  return weir_param_read(&r->values, node, &lcg_table, fill, false);
}

static bool read_uniform(struct weir_launch_reader *r, yaml_node_t *node, struct weir_fill *fill) {
  fill->kind = WEIR_FILL_UNIFORM;
  return weir_param_read(&r->values, node, &uniform_table, fill, false) &&
    (fill->low <= fill->high || weir_fail(r->y.sink, fill->place, "uniform has its low above its high"));
}

static bool read_file(struct weir_launch_reader *r, yaml_node_t *node, struct weir_fill *fill) {
  const char *name = weir_yaml_text(&r->y, node, "file");
  if (!name) return false;
  char *path = weir_path_beside(r->file->path, name);
  fill->kind = WEIR_FILL_FILE;
  fill->file = weir_arena_text(&r->file->arena, path, strlen(path));
  weir_free(path);
  return true;
}

static const struct {
  const char *name;
  bool (*read)(struct weir_launch_reader *r, yaml_node_t *node, struct weir_fill *fill);
} fills[] = {
  {"constant", read_constant}, {"ring", read_ring}, {"lcg", read_lcg}, {"uniform", read_uniform}, {"file", read_file}};

static const char fills_help[] = "a fill is zero, iota, {constant: v}, {ring: k}, {lcg: {seed, shift, mask}}, "
                                 "{uniform: {seed, low, high}} or {file: path}";

static bool fail_unknown(struct weir_launch_reader *r, const struct weir_fill *fill, const char *name) {
  const char *names[2 + sizeof fills / sizeof *fills] = {"zero", "iota"};
  for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) names[2 + i] = fills[i].name;
  const char *nearest = weir_nearest(name, names, sizeof names / sizeof *names);
  if (nearest) return weir_fail(r->y.sink, fill->place, "'%s' is no fill; did you mean '%s'?", name, nearest);
  return weir_fail(r->y.sink, fill->place, "'%s' is no fill: %s", name, fills_help);
}

bool weir_read_fill(void *reader, const struct weir_param *p, yaml_node_t *node, void *at) {
  struct weir_launch_reader *r = reader;
  struct weir_fill *fill = at;
  const char *name;
  yaml_node_t *value;
  if (node->type == YAML_SCALAR_NODE) {
    name = weir_yaml_text(&r->y, node, p->name);
    if (!name) return false;
    fill->kind = strcmp(name, "iota") ? WEIR_FILL_ZERO : WEIR_FILL_IOTA;
    return !strcmp(name, "iota") || !strcmp(name, "zero") || fail_unknown(r, fill, name);
  }
  if (!weir_yaml_pair(&r->y, node, p->name, &name, &value)) return false;
  for (size_t i = 0; i < sizeof fills / sizeof fills[0]; i++)
    if (!strcmp(fills[i].name, name)) return fills[i].read(r, value, fill);
  return fail_unknown(r, fill, name);
}

static void fill_words(const struct weir_fill *fill, uint32_t *words, uint64_t n) {
  uint32_t s = (uint32_t)fill->seed;
  for (uint64_t i = 0; i < n; i++) {
    switch (fill->kind) {
    case WEIR_FILL_CONSTANT: words[i] = fill->value; break;
    case WEIR_FILL_RING: words[i] = (uint32_t)((i + fill->value) % n); break;
    case WEIR_FILL_LCG:
      s = s * UINT32_C(1664525) + UINT32_C(1013904223);
      words[i] = (s >> fill->shift) & fill->mask;
      break;
    default: words[i] = (uint32_t)i; break;
    }
  }
}

static void fill_uniform(const struct weir_fill *fill, float *values, uint64_t n) {
  struct weir_rng rng = weir_rng_seed(fill->seed, 0);
  double low = (double)fill->low, width = (double)fill->high - low;
  for (uint64_t i = 0; i < n; i++) values[i] = (float)(low + width * weir_rng_unit(&rng));
}

static bool fill_file(const struct weir_launch_buffer *b, void *bytes, struct weir_sink *sink) {
  size_t size;
  char *content = weir_file_read(b->fill.file, (size_t)b->bytes + 1, &size, sink);
  if (!content) return false;
  bool ok = size == b->bytes ||
    weir_fail(sink, b->fill.place, "%s has %zu bytes, but the buffer '%s' has %" PRIu64, b->fill.file, size, b->name,
              b->bytes);
  if (ok && size) memcpy(bytes, content, size);
  weir_free(content);
  return ok;
}

bool weir_apply_fill(const struct weir_launch_buffer *b, struct weir_host *h) {
  if (b->fill.kind == WEIR_FILL_ZERO) return true; // memory begins as zero, and was not copied from the host
  void *bytes = weir_host_bytes(h, b->address, b->bytes);
  if (b->fill.kind == WEIR_FILL_FILE) {
    if (!fill_file(b, bytes, weir_host_sink(h))) return false;
  } else if (b->fill.kind == WEIR_FILL_UNIFORM) {
    fill_uniform(&b->fill, bytes, b->bytes / 4);
  } else {
    fill_words(&b->fill, bytes, b->bytes / 4);
  }
  weir_host_wrote(h, b->address, b->bytes);
  return true;
}
