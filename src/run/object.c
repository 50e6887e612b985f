// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "run/object.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

json_t *weir_run_member(const json_t *run, const char *path) {
  json_t *at = (json_t *)run; // jansson's lookups take what they only read as const, but return it without
  while (at && *path) {
    json_t *whole = json_object_get(at, path); // a name may have dots itself: "sweep.best.l1.size_kib"
    if (whole) return whole;
    char name[64];
    size_t length = strcspn(path, ".");
    if (length >= sizeof name) return NULL;
    memcpy(name, path, length);
    name[length] = 0;
    at = json_object_get(at, name);
    path += length + (path[length] == '.');
  }
  return at;
}

double weir_run_number(const json_t *run, const char *path) {
  json_t *v = weir_run_member(run, path);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

const char *weir_run_text(const json_t *run, const char *path) {
  const char *text = json_string_value(weir_run_member(run, path));
  return text ? text : "";
}

char *weir_run_label(const json_t *run) {
  const json_t *command = weir_run_member(run, "process.command");
  return command ? weir_run_joined(command, " ") : weir_text_copy(weir_run_text(run, "program"));
}

const char *weir_run_array(const json_t *row) {
  const char *array = weir_run_text(row, "array");
  return *array ? array : weir_run_text(row, "allocation");
}

char *weir_run_joined(const json_t *texts, const char *between) {
  char *all = weir_text_copy("");
  size_t i;
  json_t *text;
  json_array_foreach((json_t *)texts, i, text) {
    char *longer = weir_text_format("%s%s%s", all, i ? between : "", json_string_value(text));
    weir_free(all);
    all = longer;
  }
  return all;
}
