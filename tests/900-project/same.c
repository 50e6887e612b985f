// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// same [--but MEMBER] A.json B.json: 0 if two results of `weir run --json` or `weir compare --json` are equal but for the member
// `host`, which describes the machine, and for those called MEMBER, wherever they are; else names the first member that differs
// and returns 1.
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *load(const char *path) {
  json_error_t error;
  json_t *root = json_load_file(path, 0, &error);
  if (!root) fprintf(stderr, "%s:%d: %s\n", path, error.line, error.text), exit(2);
  return root;
}

static void drop_host(json_t *result) {
  size_t i;
  json_t *each;
  if (json_is_object(result)) json_object_del(result, "host");
  json_array_foreach(result, i, each) json_object_del(each, "host");
}

static void drop(json_t *from, const char *member) {
  size_t i;
  const char *key;
  json_t *each;
  if (json_is_object(from)) json_object_del(from, member);
  json_object_foreach(from, key, each) drop(each, member);
  json_array_foreach(from, i, each) drop(each, member);
}

static bool differ(const char *name, json_t *a, json_t *b) {
  char *texts[] = {json_dumps(a, JSON_ENCODE_ANY | JSON_COMPACT), json_dumps(b, JSON_ENCODE_ANY | JSON_COMPACT)};
  printf(" %s: %.200s instead of %.200s\n", name, texts[1] ? texts[1] : "nothing", texts[0] ? texts[0] : "nothing");
  free(texts[0]);
  free(texts[1]);
  return true;
}

static bool find_difference(const char *name, json_t *a, json_t *b);

static bool find_in_object(json_t *a, json_t *b) {
  const char *key;
  json_t *value;
  json_object_foreach(a, key, value) if (find_difference(key, value, json_object_get(b, key))) return true;
  json_object_foreach(b, key, value) if (!json_object_get(a, key)) return differ(key, NULL, value);
  return false;
}

static bool find_in_array(json_t *a, json_t *b) {
  size_t i;
  json_t *value;
  json_array_foreach(a, i, value) {
    char name[32];
    snprintf(name, sizeof name, "[%zu]", i);
    if (find_difference(name, value, json_array_get(b, i))) return true;
  }
  return false;
}

// Prints the path to the first difference, innermost first.
static bool find_difference(const char *name, json_t *a, json_t *b) {
  if (json_equal(a, b)) return false;
  bool inner = false;
  if (json_is_object(a) && json_is_object(b)) inner = find_in_object(a, b);
  if (json_is_array(a) && json_array_size(a) == json_array_size(b)) inner = find_in_array(a, b);
  if (!inner) return differ(name, a, b);
  printf("  in %s\n", name);
  return true;
}

int main(int count, char **paths) {
  const char *but = NULL;
  if (count == 5 && !strcmp(paths[1], "--but")) but = paths[2], paths += 2, count -= 2;
  if (count != 3) return 2;
  json_t *a = load(paths[1]), *b = load(paths[2]);
  drop_host(a);
  drop_host(b);
  if (but) drop(a, but), drop(b, but);
  bool found = find_difference("the result", a, b);
  json_decref(a);
  json_decref(b);
  return found;
}
