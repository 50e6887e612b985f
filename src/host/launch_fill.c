// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/alloc.h"
#include "base/file.h"
#include "base/rng.h"
#include "host/launch_file_private.h"

#include <inttypes.h>
#include <string.h>

static bool read_word(struct weir_launch_reader *r, yaml_node_t *node, const char *what, uint32_t *out) {
  uint64_t n;
  if (!weir_yaml_u64(&r->y, node, what, 0, UINT32_MAX, &n)) return false;
  *out = (uint32_t)n;
  return true;
}

// An integer is a 32-bit word; a number with a point or an exponent is an f32.
static bool read_constant(struct weir_launch_reader *r, yaml_node_t *node, struct weir_fill *fill) {
  const char *text = weir_yaml_text(&r->y, node, "constant");
  if (!text) return false;
  fill->kind = WEIR_FILL_CONSTANT;
  bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (!hex && text[strcspn(text, ".eE")]) {
    float f;
    if (!weir_yaml_f32(&r->y, node, "constant", &f)) return false;
    memcpy(&fill->value, &f, sizeof f);
    return true;
  }
  int64_t n;
  if (!weir_yaml_s64(&r->y, node, "constant", INT32_MIN, UINT32_MAX, &n)) return false;
  fill->value = (uint32_t)n;
  return true;
}

static bool read_ring(struct weir_launch_reader *r, yaml_node_t *node, struct weir_fill *fill) {
  fill->kind = WEIR_FILL_RING;
  return read_word(r, node, "ring", &fill->value);
}

static bool read_lcg(struct weir_launch_reader *r, yaml_node_t *node, struct weir_fill *fill) {
  enum { SEED, SHIFT, MASK, KEYS };
  static const struct weir_yaml_key keys[KEYS] = {{"seed", true}, {"shift", true}, {"mask", true}};
  yaml_node_t *v[KEYS];
  uint64_t shift = 0;
  fill->kind = WEIR_FILL_LCG;
  bool ok = weir_yaml_map(&r->y, node, "lcg", keys, KEYS, v);
  ok &= v[SEED] && weir_yaml_u64(&r->y, v[SEED], "seed", 0, UINT32_MAX, &fill->seed);
  ok &= v[SHIFT] && weir_yaml_u64(&r->y, v[SHIFT], "shift", 0, 31, &shift);
  ok &= v[MASK] && read_word(r, v[MASK], "mask", &fill->mask);
  fill->shift = (uint32_t)shift;
  return ok;
}

static bool read_uniform(struct weir_launch_reader *r, yaml_node_t *node, struct weir_fill *fill) {
  enum { SEED, LOW, HIGH, KEYS };
  static const struct weir_yaml_key keys[KEYS] = {{"seed", true}, {"low", true}, {"high", true}};
  yaml_node_t *v[KEYS];
  fill->kind = WEIR_FILL_UNIFORM;
  bool ok = weir_yaml_map(&r->y, node, "uniform", keys, KEYS, v);
  ok &= v[SEED] && weir_yaml_u64(&r->y, v[SEED], "seed", 0, UINT64_MAX, &fill->seed);
  ok &= v[LOW] && weir_yaml_f32(&r->y, v[LOW], "low", &fill->low);
  ok &= v[HIGH] && weir_yaml_f32(&r->y, v[HIGH], "high", &fill->high);
  if (ok && !(fill->low <= fill->high)) return weir_fail(r->y.sink, fill->place, "uniform has its low above its high");
  return ok;
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

static bool read_kind(struct weir_launch_reader *r, yaml_node_t *node, struct weir_fill *fill) {
  const char *name;
  yaml_node_t *value;
  if (node->type == YAML_SCALAR_NODE) {
    name = weir_yaml_text(&r->y, node, "fill");
    if (!name) return false;
    fill->kind = strcmp(name, "iota") ? WEIR_FILL_ZERO : WEIR_FILL_IOTA;
    return !strcmp(name, "iota") || !strcmp(name, "zero") ||
      weir_fail(r->y.sink, fill->place, "'%s' is no fill: %s", name, fills_help);
  }
  if (!weir_yaml_pair(&r->y, node, "fill", &name, &value)) return false;
  for (size_t i = 0; i < sizeof fills / sizeof fills[0]; i++)
    if (!strcmp(fills[i].name, name)) return fills[i].read(r, value, fill);
  return weir_fail(r->y.sink, fill->place, "'%s' is no fill: %s", name, fills_help);
}

bool weir_read_fill(struct weir_launch_reader *r, yaml_node_t *node, uint64_t bytes, struct weir_fill *fill) {
  fill->place = weir_yaml_place(&r->y, node);
  if (!read_kind(r, node, fill)) return false;
  bool words = fill->kind != WEIR_FILL_ZERO && fill->kind != WEIR_FILL_FILE;
  return !words || bytes % 4 == 0 ||
    weir_fail(r->y.sink, fill->place, "this fill makes 32-bit words, but %" PRIu64 " bytes are no whole number of them",
              bytes);
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
