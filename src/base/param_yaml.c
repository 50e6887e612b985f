// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/param_yaml.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ROWS = 96 };

static bool fail(struct weir_param_reader *r, const yaml_node_t *node, const char *message) {
  return weir_fail(r->yaml->sink, weir_yaml_place(r->yaml, node), "%s", message);
}

// ---- values ------------------------------------------------------------------------------------------------------------

static bool is_text(const struct weir_param *p) {
  return p->type == WEIR_PARAM_TEXT || p->type == WEIR_PARAM_NAME;
}

bool weir_param_read_value(struct weir_param_reader *r, yaml_node_t *node, const struct weir_param_table *t,
                           const struct weir_param *p, void *at) {
  const char *text = weir_yaml_text(r->yaml, node, p->name);
  if (!text) return false;
  if (r->arena && is_text(p) && *text) {
    *(const char **)at = weir_arena_text(r->arena, text, strlen(text));
    return true;
  }
  if (weir_param_parse(p, text, at)) return true;
  char message[400];
  weir_param_refuse(t, p, p->name, text, message, sizeof message);
  return fail(r, node, message);
}

bool weir_param_keep(void *context, const struct weir_param *p, yaml_node_t *node, void *at) {
  (void)context, (void)p;
  memcpy(at, &node, sizeof node);
  return true;
}

// ---- lists -------------------------------------------------------------------------------------------------------------

static bool is_named(const struct weir_param_table *t) {
  return t->rows[0].type == WEIR_PARAM_NAME;
}

static const char *name_of(struct weir_param_reader *r, yaml_node_item_t item) {
  const yaml_node_t *name = weir_yaml_member(r->yaml, weir_yaml_node(r->yaml, item), "name");
  return name ? (const char *)name->data.scalar.value : NULL;
}

static uint32_t find_element(const struct weir_param_table *t, const char *items, uint32_t count, const char *name) {
  for (uint32_t i = 0; name && is_named(t) && i < count; i++) {
    const char *other = *(char *const *)(const void *)(items + i * t->size);
    if (other && !strcmp(other, name)) return i;
  }
  return count;
}

// The elements that are there, then those that are new, zeroed.
static char *grow_list(struct weir_param_reader *r, yaml_node_t *node, const struct weir_param *p, char *at,
                       uint32_t *had) {
  const yaml_node_item_t *items = node->data.sequence.items.start, *top = node->data.sequence.items.top;
  char *old = weir_list_items(at, had);
  uint64_t count = *had;
  for (const yaml_node_item_t *i = items; i < top; i++)
    count += find_element(p->table, old, *had, *had ? name_of(r, *i) : NULL) == *had;
  if (count < (uint64_t)p->low || count > p->high) {
    weir_fail(r->yaml->sink, weir_yaml_place(r->yaml, node),
              "%s must have %" PRId64 " to %" PRIu64 " elements, not %" PRIu64, p->name, p->low, p->high, count);
    return NULL;
  }
  const size_t size = count * p->table->size;
  char *grown = r->arena ? weir_arena_alloc(r->arena, size) : weir_alloc(size);
  if (*had) memcpy(grown, old, *had * p->table->size);
  if (!r->arena) weir_free(old);
  weir_list_put(at, grown, (uint32_t)count);
  return grown;
}

static bool given_before(struct weir_param_reader *r, const yaml_node_item_t *first, const yaml_node_item_t *item,
                         const char *name) {
  for (; name && first < item; first++) {
    const char *other = name_of(r, *first);
    if (other && !strcmp(other, name)) return true;
  }
  return false;
}

// A part of the struct, under its name. What is too deep or too long for a path has its end cut, and nobody sets it.
static bool read_part(struct weir_param_reader *r, yaml_node_t *node, const struct weir_param_table *t,
                      const char *name, void *base, bool inherits) {
  const size_t length = strlen(r->path);
  snprintf(r->path + length, sizeof r->path - length, "%s.", name ? name : "");
  const bool ok = weir_param_read(r, node, t, base, inherits);
  r->path[length] = '\0';
  return ok;
}

static bool read_list(struct weir_param_reader *r, yaml_node_t *node, const struct weir_param *p, char *at) {
  if (node->type != YAML_SEQUENCE_NODE)
    return weir_fail(r->yaml->sink, weir_yaml_place(r->yaml, node), "%s must be a list", p->name);
  const yaml_node_item_t *items = node->data.sequence.items.start, *top = node->data.sequence.items.top;
  uint32_t had, fresh;
  char *elements = grow_list(r, node, p, at, &had);
  if (!elements) return false;
  bool ok = true;
  fresh = had;
  for (const yaml_node_item_t *i = items; i < top; i++) {
    yaml_node_t *item = weir_yaml_node(r->yaml, *i);
    const char *name = is_named(p->table) ? name_of(r, *i) : NULL;
    const uint32_t k = find_element(p->table, elements, had, name);
    if (given_before(r, items, i, name))
      ok = weir_fail(r->yaml->sink, weir_yaml_place(r->yaml, item), "'%s' is given twice", name);
    else
      ok &= read_part(r, item, p->table, name, elements + (k < had ? k : fresh++) * p->table->size, k < had);
  }
  return ok;
}

// ---- mappings ----------------------------------------------------------------------------------------------------------

static void note(struct weir_param_reader *r, const struct weir_param *p, yaml_node_t *node, char *base) {
  const struct weir_place place = weir_yaml_place(r->yaml, node);
  char path[2 * WEIR_MAX_PATH];
  if (p->place) memcpy(base + p->place, &place, sizeof place);
  if (!r->origins) return;
  snprintf(path, sizeof path, "%s%s", r->path, p->name);
  weir_origins_note(r->origins, path, place);
}

static bool read_row(struct weir_param_reader *r, yaml_node_t *node, const struct weir_param_table *t,
                     const struct weir_param *p, char *base, bool inherits) {
  char *at = base + p->offset;
  if (p->type == WEIR_PARAM_LIST) return read_list(r, node, p, at);
  if (p->type == WEIR_PARAM_SECTION) return read_part(r, node, p->table, p->name, at, inherits);
  note(r, p, node, base);
  return p->type == WEIR_PARAM_CUSTOM ? p->read(r->context, p, node, at) : weir_param_read_value(r, node, t, p, at);
}

static bool refuse_key(struct weir_param_reader *r, const yaml_node_t *key, const struct weir_param_table *t) {
  const char *names[MAX_ROWS];
  char message[600];
  if (key->type != YAML_SCALAR_NODE)
    return weir_fail(r->yaml->sink, weir_yaml_place(r->yaml, key), "a key of %s is %s", t->what, weir_yaml_kind(key));
  for (unsigned i = 0; i < t->count; i++) names[i] = t->rows[i].name;
  weir_param_unknown(t, (const char *)key->data.scalar.value, names, t->count, message, sizeof message);
  return fail(r, key, message);
}

static unsigned find_row(const yaml_node_t *key, const struct weir_param_table *t) {
  for (unsigned i = 0; key->type == YAML_SCALAR_NODE && i < t->count; i++)
    if (!strcmp((const char *)key->data.scalar.value, t->rows[i].name)) return i;
  return t->count;
}

// The value of each row that is given.
static bool match_rows(struct weir_param_reader *r, yaml_node_t *node, const struct weir_param_table *t,
                       yaml_node_t **values) {
  if (node->type != YAML_MAPPING_NODE)
    return weir_fail(r->yaml->sink, weir_yaml_place(r->yaml, node), "%s must be a mapping, not %s", t->what,
                     weir_yaml_kind(node));
  bool ok = true;
  for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++) {
    const yaml_node_t *key = weir_yaml_node(r->yaml, p->key);
    const unsigned i = find_row(key, t);
    if (i == t->count)
      ok = refuse_key(r, key, t);
    else if (values[i])
      ok = weir_yaml_fail_twice(r->yaml, key, t->rows[i].name);
    else
      values[i] = weir_yaml_node(r->yaml, p->value);
  }
  return ok;
}

// Whatever a struct inherits, it is called something of its own.
static bool is_required(const struct weir_param *p, bool inherits) {
  return inherits ? p->type == WEIR_PARAM_NAME && !strcmp(p->name, "name") : !p->initial && !p->optional && !p->like;
}

static void store_initial(const struct weir_param *p, char *at) {
  if (p->type == WEIR_PARAM_SECTION)
    weir_param_defaults(p->table, at);
  else
    weir_param_parse(p, p->initial, at);
}

bool weir_param_read(struct weir_param_reader *r, yaml_node_t *node, const struct weir_param_table *t, void *base,
                     bool inherits) {
  yaml_node_t *values[MAX_ROWS] = {0};
  bool ok = match_rows(r, node, t, values);
  const struct weir_place here = weir_yaml_place(r->yaml, node);
  if (t->place) memcpy((char *)base + t->place, &here, sizeof here);
  if (node->type != YAML_MAPPING_NODE) return false;
  for (unsigned i = 0; i < t->count; i++)
    if (is_required(&t->rows[i], inherits) && !values[i])
      ok = weir_fail(r->yaml->sink, here, "%s lacks the key '%s'", t->what, t->rows[i].name);
  for (unsigned i = 0; i < t->count; i++) {
    const struct weir_param *p = &t->rows[i];
    if (values[i])
      ok &= read_row(r, values[i], t, p, base, inherits);
    else if (!inherits && p->initial)
      store_initial(p, (char *)base + p->offset);
  }
  return ok;
}
