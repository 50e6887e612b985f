// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// From run objects to counters by path, and back.
#include "report/results.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 256 };

struct walk {
  json_t *counters;
  char path[LONGEST];
};

static void take(struct walk *w, const json_t *value, const char *pattern);

static void take_child(struct walk *w, const char *name, const json_t *value, const char *rest) {
  const size_t length = strlen(w->path);
  snprintf(w->path + length, LONGEST - length, "%s%s", length ? "." : "", name);
  take(w, value, rest);
  w->path[length] = '\0';
}

static void take_children(struct walk *w, const json_t *value, const char *rest) {
  const char *name;
  json_t *child;
  json_object_foreach((json_t *)value, name, child) take_child(w, name, child, rest);
  for (size_t i = 0; i < json_array_size(value); i++) {
    char number[24];
    snprintf(number, sizeof number, "[%zu]", i);
    take_child(w, number, json_array_get(value, i), rest);
  }
}

static const json_t *child_of(const json_t *value, const char *name) {
  return *name == '[' ? json_array_get(value, strtoul(name + 1, NULL, 10)) : json_object_get(value, name);
}

static void take(struct walk *w, const json_t *value, const char *pattern) {
  if (!strcmp(pattern, "**")) {
    if (json_is_object(value) || json_is_array(value))
      take_children(w, value, pattern);
    else
      take(w, value, "");
  } else if (!*pattern) {
    if (value && !json_is_object(value) && !json_is_array(value))
      json_object_set(w->counters, w->path, (json_t *)value);
  } else {
    char name[LONGEST];
    const size_t length = strcspn(pattern, ".");
    const char *rest = pattern + length + (pattern[length] == '.');
    snprintf(name, sizeof name, "%.*s", (int)length, pattern);
    const json_t *child = child_of(value, name);
    if (!strcmp(name, "*"))
      take_children(w, value, rest);
    else if (child)
      take_child(w, name, child, rest);
  }
}

json_t *weir_results_counters(const json_t *run, const char *const *patterns) {
  struct walk w = {.counters = json_object()};
  for (; *patterns; patterns++) take(&w, run, *patterns);
  return w.counters;
}

// The child that a name means, made if it is not there: a list if what follows is an element.
static json_t *make_child(json_t *parent, const char *name, const char *rest) {
  json_t *child = (json_t *)child_of(parent, name);
  if (child) return child;
  child = *rest == '[' ? json_array() : json_object();
  if (*name != '[') {
    json_object_set_new(parent, name, child);
    return child;
  }
  const size_t index = strtoul(name + 1, NULL, 10);
  while (json_array_size(parent) < index) json_array_append_new(parent, json_object());
  json_array_append_new(parent, child);
  return child;
}

static void put(json_t *at, const char *path, json_t *value) {
  for (;;) {
    char name[LONGEST];
    const size_t length = strcspn(path, ".");
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    path += length + (path[length] == '.');
    if (*path) {
      at = make_child(at, name, path);
      continue;
    }
    const size_t index = *name == '[' ? strtoul(name + 1, NULL, 10) : 0;
    while (*name == '[' && json_array_size(at) < index) json_array_append_new(at, json_null());
    if (*name == '[')
      json_array_append(at, value);
    else
      json_object_set(at, name, value);
    return;
  }
}

json_t *weir_results_run(const json_t *counters) {
  json_t *run = json_object();
  const char *path;
  json_t *value;
  json_object_foreach((json_t *)counters, path, value) put(run, path, value);
  return run;
}
