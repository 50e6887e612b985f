// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "batch/inputs.h"

#include "base/alloc.h"
#include "base/file.h"
#include "run/object.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Files that were hashed, most of which are libraries that every program has.
static struct known {
  char *path;
  struct stat st;
  char hash[WEIR_HASH_TEXT];
} * known;
static unsigned known_count, known_capacity;

static struct known *find(const char *path) {
  for (unsigned i = 0; i < known_count; i++)
    if (!strcmp(known[i].path, path)) return &known[i];
  struct known *k = weir_push(known, known_count, known_capacity);
  *k = (struct known){.path = weir_text_copy(path)};
  return k;
}

static void hash_file(const char *path, const struct stat *st, char text[static WEIR_HASH_TEXT]) {
  struct known *k = find(path);
  weir_hash h = weir_hash_start();
  if (!*k->hash || !weir_file_same(&k->st, st)) {
    k->st = *st;
    snprintf(k->hash, sizeof k->hash, "unreadable");
    if (weir_hash_file(&h, path)) weir_hash_print(h, k->hash);
  }
  memcpy(text, k->hash, WEIR_HASH_TEXT);
}

static void hash_names(const char *path, char text[static WEIR_HASH_TEXT]) {
  struct dirent **files;
  const int count = scandir(path, &files, NULL, alphasort);
  weir_hash h = weir_hash_start();
  for (int i = 0; i < count; i++) {
    h = weir_hash_text(h, files[i]->d_name);
    free(files[i]);
  }
  if (count >= 0) free(files);
  weir_hash_print(h, text);
}

void weir_input_hash(const char *path, char text[static WEIR_HASH_TEXT]) {
  struct stat st;
  if (stat(path, &st))
    snprintf(text, WEIR_HASH_TEXT, "absent");
  else if (S_ISDIR(st.st_mode))
    hash_names(path, text);
  else
    hash_file(path, &st, text);
}

bool weir_inputs_same(const json_t *run) {
  const json_t *inputs = weir_run_member(run, "process.inputs");
  size_t i;
  json_t *input;
  json_array_foreach((json_t *)inputs, i, input) {
    char now[WEIR_HASH_TEXT];
    weir_input_hash(weir_run_text(input, "path"), now);
    if (strcmp(now, weir_run_text(input, "hash")) != 0) return false;
  }
  return json_is_array(inputs);
}
