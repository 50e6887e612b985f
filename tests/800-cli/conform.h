// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// A JSON value against the declared members (stats/json.h): nothing undeclared, every kind right, nothing missing.
#ifndef WEIR_TEST_CONFORM_H
#define WEIR_TEST_CONFORM_H

#include "run/experiment.h"

#include <string.h>

static inline bool is_wildcard(const struct weir_member *m) {
  return m->name[0] == '<';
}

static inline bool is_include(const struct weir_member *m) {
  return !strcmp(m->name, "…");
}

static inline const struct weir_member *find_exact(const struct weir_member *table, const char *name) {
  for (const struct weir_member *m = table; m->name; m++) {
    const struct weir_member *inner = is_include(m) ? find_exact(m->members, name) : NULL;
    if (inner) return inner;
    if (!strcmp(m->name, name)) return m;
  }
  return NULL;
}

static inline const struct weir_member *find_wildcard(const struct weir_member *table) {
  for (const struct weir_member *m = table; m->name; m++) {
    const struct weir_member *inner = is_include(m) ? find_wildcard(m->members) : NULL;
    if (inner) return inner;
    if (is_wildcard(m)) return m;
  }
  return NULL;
}

static inline void conform(const char *path, const json_t *v, const struct weir_member *table, bool whole);

static inline bool kind_fits(const json_t *v, const struct weir_member *m) {
  if (json_is_null(v) && strstr(m->meaning, "null")) return true;
  switch (m->kind) {
  case WEIR_INTEGER: return json_is_integer(v) && json_integer_value(v) >= 0;
  case WEIR_REAL: return json_is_number(v);
  case WEIR_SCALAR: return json_is_number(v) || json_is_boolean(v) || json_is_string(v);
  case WEIR_TEXT: return json_is_string(v) || json_is_null(v);
  case WEIR_BOOLEAN: return json_is_boolean(v);
  case WEIR_OBJECT: return json_is_object(v);
  case WEIR_LIST: return json_is_array(v);
  }
  return false;
}

static inline void conform_member(const char *path, const char *name, const json_t *v, const struct weir_member *m,
                                  bool whole) {
  char inner[256];
  snprintf(inner, sizeof inner, "%s.%s", path, name);
  if (!m) fail_msg("%s is not declared", inner);
  if (!kind_fits(v, m)) fail_msg("%s is not of its declared kind", inner);
  if (json_is_object(v)) conform(inner, v, m->members, whole);
  for (size_t i = 0; m->kind == WEIR_LIST && i < json_array_size(v); i++) {
    const json_t *element = json_array_get(v, i);
    if (json_is_object(element)) conform(inner, element, m->members, whole);
  }
}

static inline bool is_optional(const struct weir_member *m) {
  return strstr(m->meaning, "there only");
}

static inline void nothing_missing(const char *path, const json_t *v, const struct weir_member *table) {
  for (const struct weir_member *m = table; m->name; m++) {
    if (is_include(m))
      nothing_missing(path, v, m->members);
    else if (!is_wildcard(m) && !is_optional(m) && !json_object_get(v, m->name))
      fail_msg("%s.%s is missing", path, m->name);
  }
}

// whole: a run on a chip, which has every declared member; a functional run has some.
static inline void conform(const char *path, const json_t *v, const struct weir_member *table, bool whole) {
  const char *name;
  json_t *member;
  json_object_foreach((json_t *)v, name, member) {
    const struct weir_member *m = find_exact(table, name);
    conform_member(path, name, member, m ? m : find_wildcard(table), whole);
  }
  if (whole) nothing_missing(path, v, table);
}

#endif
