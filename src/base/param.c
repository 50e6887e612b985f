// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Tables of parameters: walked, looked up, set by name.
#include "base/param.h"

#include "base/alloc.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- lists -------------------------------------------------------------------------------------------------------------

// A list's count follows its pointer. Its bytes are copied: the compiler knows the pointer by another type.
struct list {
  void *items;
  uint32_t count;
};

void *weir_list_items(const void *at, uint32_t *count) {
  struct list l;
  memcpy(&l.items, at, sizeof l.items);
  memcpy(&l.count, (const char *)at + offsetof(struct list, count), sizeof l.count);
  *count = l.count;
  return l.items;
}

void weir_list_put(void *at, void *items, uint32_t count) {
  memcpy(at, &items, sizeof items);
  memcpy((char *)at + offsetof(struct list, count), &count, sizeof count);
}

// ---- one value after the other -----------------------------------------------------------------------------------------

struct walk {
  bool (*each)(void *context, const struct weir_leaf *leaf);
  void *context;
};

static bool walk_table(struct walk *w, const struct weir_param_table *t, char *base, const char *prefix);

// An element without a name (its file is being refused) has no path.
static bool walk_list(struct walk *w, const struct weir_param *p, char *at, const char *prefix) {
  char path[WEIR_MAX_PATH];
  uint32_t count;
  char *items = weir_list_items(at, &count);
  for (uint32_t i = 0; i < count; i++) {
    char *item = items + i * p->table->size, *name = *(char **)(void *)item;
    snprintf(path, sizeof path, "%s%s.", prefix, name ? name : "");
    if (!walk_table(w, p->table, item, path)) return false;
  }
  return true;
}

// A part that is not there has no paths.
static bool is_none(const struct weir_param *p, const char *at) {
  if (!p->optional) return false;
  for (size_t i = 0; i < p->table->size; i++)
    if (at[i]) return false;
  return true;
}

static bool walk_row(struct walk *w, const struct weir_param *p, char *at, const char *prefix) {
  if (p->type == WEIR_PARAM_CUSTOM) return true;
  if (p->type == WEIR_PARAM_LIST) return walk_list(w, p, at, prefix);
  char path[WEIR_MAX_PATH];
  const bool section = p->type == WEIR_PARAM_SECTION;
  snprintf(path, sizeof path, "%s%s%s", prefix, p->name, section ? "." : "");
  if (!section) return w->each(w->context, &(struct weir_leaf){p, at, path});
  return is_none(p, at) || walk_table(w, p->table, at, path);
}

static bool walk_table(struct walk *w, const struct weir_param_table *t, char *base, const char *prefix) {
  for (unsigned i = 0; i < t->count; i++)
    if (!walk_row(w, &t->rows[i], base + t->rows[i].offset, prefix)) return false;
  return true;
}

void weir_param_leaves(const struct weir_param_table *t, void *base,
                       bool (*each)(void *context, const struct weir_leaf *leaf), void *context) {
  walk_table(&(struct walk){each, context}, t, base, "");
}

const struct weir_param *weir_param_row(const struct weir_param_table *t, const char *name) {
  for (unsigned i = 0; i < t->count; i++)
    if (!strcmp(t->rows[i].name, name)) return &t->rows[i];
  return NULL;
}

static bool store_default(void *context, const struct weir_leaf *leaf) {
  (void)context;
  const bool ok = !leaf->param->initial || weir_param_parse(leaf->param, leaf->param->initial, leaf->at);
  assert(ok);
  return ok;
}

void weir_param_defaults(const struct weir_param_table *t, void *base) {
  weir_param_leaves(t, base, store_default, NULL);
}

// ---- by name -----------------------------------------------------------------------------------------------------------

struct search {
  const char *path;
  struct weir_leaf *found;
};

static bool match(void *context, const struct weir_leaf *leaf) {
  struct search *s = context;
  if (leaf->param->type == WEIR_PARAM_NAME || strcmp(leaf->path, s->path)) return true;
  *s->found = *leaf;
  s->found->path = s->path;
  return false;
}

bool weir_param_find(const struct weir_param_table *t, void *base, const char *path, struct weir_leaf *leaf) {
  *leaf = (struct weir_leaf){0};
  weir_param_leaves(t, base, match, &(struct search){path, leaf});
  return leaf->param;
}

struct paths {
  const char **all;
  unsigned count, capacity;
};

static bool collect(void *context, const struct weir_leaf *leaf) {
  struct paths *p = context;
  if (leaf->param->type != WEIR_PARAM_NAME) *weir_push(p->all, p->count, p->capacity) = weir_text_copy(leaf->path);
  return true;
}

void weir_param_unknown(const struct weir_param_table *t, const char *name, const char *const *names, unsigned count,
                        char *message, size_t size) {
  enum { FEW = 20 };
  const char *item = t->item ? t->item : "key", *space = *item ? " " : "";
  if (!count) {
    snprintf(message, size, "%s has no %ss, so none is called '%s'", t->what, item, name);
    return;
  }
  const char *nearest = weir_nearest(name, names, count);
  size_t used = (size_t)snprintf(message, size, "%s has no %s%s'%s'", t->what, item, space, name);
  if (used >= size) return;
  if (nearest)
    snprintf(message + used, size - used, "; did you mean '%s'?", nearest);
  else if (t->hint)
    snprintf(message + used, size - used, "; %s", t->hint);
  else if (count <= FEW)
    for (unsigned i = 0; i < count && used < size; i++)
      used += (size_t)snprintf(message + used, size - used, "%s %s", i ? "," : "; it has", names[i]);
}

static void refuse_path(const struct weir_param_table *t, void *base, const char *path, char *message, size_t size) {
  struct paths paths = {0};
  weir_param_leaves(t, base, collect, &paths);
  weir_param_unknown(t, path, paths.all, paths.count, message, size);
  for (unsigned i = 0; i < paths.count; i++) weir_free((char *)paths.all[i]);
  weir_free(paths.all);
}

const char *weir_param_assign(const struct weir_param_table *t, void *base, const char *path, const char *text,
                              char *message, size_t size) {
  struct weir_leaf leaf;
  if (!weir_param_find(t, base, path, &leaf))
    refuse_path(t, base, path, message, size);
  else if (!weir_param_parse(leaf.param, text, leaf.at))
    weir_param_refuse(t, leaf.param, path, text, message, size);
  else
    return NULL;
  return message;
}

// `length` characters of a list.
static bool set_one(const struct weir_param_table *t, void *base, const char *assignment, size_t length,
                    struct weir_place where, struct weir_sink *sink) {
  char message[600], *path = weir_text_format("%.*s", (int)length, assignment), *equals = strchr(path, '=');
  bool ok = equals && equals > path;
  if (ok) {
    *equals = '\0';
    ok =
      !weir_param_assign(t, base, path, equals + 1, message, sizeof message) || weir_fail(sink, where, "%s", message);
  } else {
    weir_fail(sink, where, "'%s' is not of the form %s=value", path, t->item ? t->item : "key");
  }
  weir_free(path);
  return ok;
}

bool weir_param_set(const struct weir_param_table *t, void *base, const char *assignment, struct weir_place where,
                    struct weir_sink *sink) {
  return set_one(t, base, assignment, strlen(assignment), where, sink);
}

bool weir_param_set_list(const struct weir_param_table *t, void *base, const char *list, struct weir_place where,
                         struct weir_sink *sink) {
  bool ok = true;
  if (!*list) return true;
  for (size_t length;; list += length + 1) {
    length = strcspn(list, ",");
    ok &= set_one(t, base, list, length, where, sink);
    if (!list[length]) return ok;
  }
}

static bool put_change(void *context, const struct weir_leaf *leaf) {
  char value[80];
  weir_param_show(leaf->param, leaf->at, value, sizeof value);
  if (leaf->param->initial && strcmp(value, leaf->param->initial))
    fprintf(context, "%s%s=%s", ftell(context) ? "," : "", leaf->path, value);
  return true;
}

char *weir_param_changes(const struct weir_param_table *t, const void *base) {
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (!to) abort();
  weir_param_leaves(t, (void *)base, put_change, to);
  fclose(to);
  char *copy = weir_text_copy(text);
  free(text);
  return copy;
}
