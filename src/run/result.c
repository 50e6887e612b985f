// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "run/experiment.h"

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

double weir_run_sum(const json_t *run, const char *path) {
  json_t *v = weir_run_member(run, path), *part;
  if (!json_is_object(v)) return NAN;
  double sum = 0;
  const char *name;
  json_object_foreach(v, name, part) sum += json_number_value(part);
  return sum;
}

double weir_run_mean_ipc(const json_t *run) {
  const json_t *applications = weir_run_member(run, "mix.applications"), *a;
  size_t i, count = json_array_size(applications);
  double sum = 0;
  json_array_foreach((json_t *)applications, i, a) sum += log(weir_run_number(a, "ipc"));
  return count ? exp(sum / (double)count) : NAN;
}

const json_t *weir_run_application(const json_t *run, int owner) {
  const json_t *applications = weir_run_member(run, "mix.applications"), *a;
  size_t i;
  json_array_foreach((json_t *)applications, i, a) if (weir_run_number(a, "owner") == owner) return a;
  return NULL;
}

const json_t *weir_run_last_shared(const json_t *application) {
  const json_t *level = NULL;
  const char *name;
  json_t *next;
  json_object_foreach((json_t *)weir_run_member(application, "shared"), name, next) level = next;
  return level;
}

const char *weir_run_text(const json_t *run, const char *path) {
  const char *text = json_string_value(weir_run_member(run, path));
  return text ? text : "";
}
