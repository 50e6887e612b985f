// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// facts RUNS.json PROGRAM.cu: whether the run object says what the program's source derives by hand, in lines
//   // fact: PATH = NUMBER
// PATH leads from the first run object (after `runs`: from the array of all, one per process): keys, indices, `#` (how
// many there are), `*` (the sum over all of them), and `@NAME` (those elements of an array whose name contains NAME),
// with dots between.
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static double value_at(const json_t *at, const char *path);

static double sum(const json_t *array, const char *wanted, const char *path) {
  double total = 0;
  size_t index;
  json_t *element;
  json_array_foreach(array, index, element) {
    const char *name = json_string_value(json_object_get(element, "name"));
    if (!wanted || (name && strstr(name, wanted))) total += *path == '#' ? 1 : value_at(element, path);
  }
  return total;
}

static double value_at(const json_t *at, const char *path) {
  char step[128];
  const size_t length = strcspn(path, ".");
  const char *rest = path[length] ? path + length + 1 : path + length;
  if (!length) return json_is_true(at) ? 1 : json_number_value(at);
  snprintf(step, sizeof step, "%.*s", (int)length, path);
  if (*step == '#') return (double)json_array_size(at);
  if (*step == '*') return sum(at, NULL, rest);
  if (*step == '@') return sum(at, step + 1, rest);
  const json_t *next = json_is_array(at) ? json_array_get(at, strtoul(step, NULL, 10)) : json_object_get(at, step);
  if (next) return value_at(next, rest);
  printf("the run object has no '%s' on the way of a fact\n", step);
  return -1;
}

static bool holds(const json_t *runs, const char *line) {
  char path[256];
  double expected;
  if (sscanf(line, " // fact: %255s = %lf", path, &expected) != 2) return true;
  const bool of_all = !strncmp(path, "runs.", 5);
  const double found = of_all ? value_at(runs, path + 5) : value_at(json_array_get(runs, 0), path);
  if (found == expected) return true;
  printf("%s is %.17g, not %.17g\n", path, found, expected);
  return false;
}

int main(int argc, char **argv) {
  char line[512];
  json_error_t error;
  json_t *runs = argc == 3 ? json_load_file(argv[1], 0, &error) : NULL;
  FILE *source = argc == 3 ? fopen(argv[2], "r") : NULL;
  if (!runs || !source) return fprintf(stderr, "facts: no run objects or no source: %s\n", error.text), 2;
  bool ok = true;
  while (fgets(line, sizeof line, source)) ok &= holds(runs, line);
  fclose(source);
  json_decref(runs);
  return !ok;
}
