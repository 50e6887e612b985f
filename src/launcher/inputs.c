// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What a program's processes have read (device/library/opens.c), as the run object tells it.
#include "base/alloc.h"
#include "base/file.h"
#include "batch/inputs.h"
#include "launcher/command_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct seen {
  char **paths;
  unsigned count, capacity;
};

// The first that is heard of a path decides: what the program made itself is none of its inputs.
static bool is_new(struct seen *s, const char *path) {
  for (unsigned i = 0; i < s->count; i++)
    if (!strcmp(s->paths[i], path)) return false;
  *weir_push(s->paths, s->count, s->capacity) = weir_text_copy(path);
  return true;
}

// Compiled kernels, which weir keeps itself.
static bool is_weirs_own(const char *path) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  char *own =
    cache && *cache ? weir_text_format("%s/weir/", cache) : weir_text_format("%s/.cache/weir/", home ? home : ".");
  const bool is = !strncmp(path, own, strlen(own));
  weir_free(own);
  return is;
}

static bool is_before(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

// Is it what the process found? What has changed since the start may have changed before or after it was read.
static bool is_as_read(const struct weir_command *c, char kind, const char *path) {
  struct stat st;
  if (stat(path, &st)) return kind == 'a';
  return kind == 'r' && (S_ISDIR(st.st_mode) || is_before(&st.st_ctim, &c->started));
}

static json_t *input_json(const char *path) {
  char hash[WEIR_HASH_TEXT];
  weir_input_hash(path, hash);
  return json_pack("{s:s, s:s}", "path", path, "hash", hash);
}

// Takes "KIND PATH". False if that is no input to rely on.
static bool take(json_t *list, const struct weir_command *c, const char *entry) {
  const char *path = entry + 2;
  if (*entry == 'w' || is_weirs_own(path)) return true;
  json_t *input = is_as_read(c, *entry, path) ? input_json(path) : NULL; // NULL also of a name that is no UTF-8
  return input && !json_array_append_new(list, input);
}

static int by_path(const void *a, const void *b) {
  return strcmp(*(const char *const *)a + 2, *(const char *const *)b + 2);
}

// The entries in the order of their paths, each path once.
static char **entries_of(char *text, size_t size, struct seen *s, unsigned *count) {
  char **entries = NULL;
  unsigned capacity = 0;
  for (char *entry = text; entry < text + size; entry += strlen(entry) + 1)
    if (strlen(entry) > 2 && is_new(s, entry + 2)) *weir_push(entries, *count, capacity) = entry;
  if (*count) qsort(entries, *count, sizeof *entries, by_path);
  return entries;
}

void weir_command_take_inputs(struct weir_command_result *r, const struct weir_command *c, const char *path) {
  struct weir_sink unheard = {0};
  struct seen s = {0};
  size_t size = 0;
  unsigned count = 0;
  char *text = weir_file_read(path, 0, &size, &unheard), **entries = text ? entries_of(text, size, &s, &count) : NULL;
  r->inputs = json_array();
  for (unsigned i = 0; i < count && !r->changed; i++)
    if (!take(r->inputs, c, entries[i])) r->changed = weir_text_copy(entries[i] + 2);
  for (unsigned i = 0; i < s.count; i++) weir_free(s.paths[i]);
  weir_free(s.paths);
  weir_free(entries);
  weir_free(text);
  weir_sink_free(&unheard);
}
