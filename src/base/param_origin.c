// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Where the values of a struct come from; and sections that are like another until something is given of them.
#include "base/alloc.h"
#include "base/param.h"

#include <stdio.h>
#include <string.h>

static uint32_t source_of(struct weir_origins *o, const char *name) {
  for (uint32_t i = 0; i < o->sources_count; i++)
    if (!strcmp(o->sources[i], name)) return i;
  *weir_push(o->sources, o->sources_count, o->sources_capacity) = weir_text_copy(name);
  return o->sources_count - 1;
}

static struct weir_origin *find(const struct weir_origins *o, const char *path) {
  for (uint32_t i = 0; i < o->count; i++)
    if (!strcmp(o->of[i].path, path)) return &o->of[i];
  return NULL;
}

void weir_origins_note(struct weir_origins *o, const char *path, struct weir_place where) {
  struct weir_origin *origin = find(o, path);
  if (!origin) {
    origin = weir_push(o->of, o->count, o->capacity);
    origin->path = weir_text_copy(path);
  }
  origin->source = source_of(o, where.file ? where.file : where.text ? where.text : "");
  origin->line = where.file ? where.line : 0;
}

struct weir_place weir_origins_place(const struct weir_origins *o, const char *path) {
  const struct weir_origin *origin = find(o, path);
  if (!origin) return (struct weir_place){0};
  const char *source = o->sources[origin->source];
  return origin->line ? (struct weir_place){.file = source, .line = origin->line} : weir_option_place(source);
}

struct weir_origins weir_origins_copy(const struct weir_origins *o) {
  struct weir_origins copy = {0};
  for (uint32_t i = 0; i < o->count; i++) {
    *weir_push(copy.of, copy.count, copy.capacity) = o->of[i];
    copy.of[i].path = weir_text_copy(o->of[i].path);
  }
  for (uint32_t i = 0; i < o->sources_count; i++)
    *weir_push(copy.sources, copy.sources_count, copy.sources_capacity) = weir_text_copy(o->sources[i]);
  return copy;
}

void weir_origins_free(struct weir_origins *o) {
  for (uint32_t i = 0; i < o->count; i++) weir_free(o->of[i].path);
  for (uint32_t i = 0; i < o->sources_count; i++) weir_free(o->sources[i]);
  weir_free(o->of);
  weir_free(o->sources);
  *o = (struct weir_origins){0};
}

// ---- sections like another ---------------------------------------------------------------------------------------------

// Whether anything whose path begins so is given.
static bool is_given(const struct weir_origins *o, const char *prefix) {
  const size_t length = strlen(prefix);
  for (uint32_t i = 0; i < o->count; i++)
    if (!strncmp(o->of[i].path, prefix, length)) return true;
  return false;
}

static void settle(const struct weir_param_table *t, char *base, const struct weir_origins *o, const char *prefix) {
  char path[WEIR_MAX_PATH];
  for (unsigned i = 0; i < t->count; i++) {
    const struct weir_param *p = &t->rows[i];
    if (p->type != WEIR_PARAM_SECTION) continue;
    snprintf(path, sizeof path, "%s%s.", prefix, p->name);
    const struct weir_param *other = p->like && !is_given(o, path) ? weir_param_row(t, p->like) : NULL;
    if (other) memcpy(base + p->offset, base + other->offset, p->table->size);
    settle(p->table, base + p->offset, o, path);
  }
}

void weir_param_settle(const struct weir_param_table *t, void *base, const struct weir_origins *o) {
  settle(t, base, o, "");
}
