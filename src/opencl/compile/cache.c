// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // memmem

#include "opencl/compile/cache.h"

#include "base/alloc.h"
#include "base/file.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Creates the folder and those above it.
static bool make_folder(char *path) {
  for (char *at = path + 1; *at; at++)
    if (*at == '/') {
      *at = 0;
      mkdir(path, 0700);
      *at = '/';
    }
  return !mkdir(path, 0700) || errno == EEXIST;
}

char *weir_cl_cache_folder(void) {
  const char *named = getenv("WEIR_CL_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  char *folder = NULL;
  if (named && *named)
    folder = strcmp(named, "none") ? weir_text_copy(named) : NULL;
  else if (xdg && xdg[0] == '/')
    folder = weir_text_format("%s/weir/opencl", xdg);
  else if (home && home[0] == '/')
    folder = weir_text_format("%s/.cache/weir/opencl", home);
  if (folder && make_folder(folder)) return folder;
  weir_free(folder);
  return NULL;
}

static char *entry_path(const char *cache, weir_hash key) {
  char name[WEIR_HASH_TEXT];
  weir_hash_print(key, name);
  return weir_text_format("%s/%s", cache, name);
}

static bool file_hash(const char *path, char name[static WEIR_HASH_TEXT]) {
  weir_hash h = weir_hash_start();
  if (!weir_hash_file(&h, path)) return false;
  weir_hash_print(h, name);
  return true;
}

// ---- entries
// ------------------------------------------------------------------------------------------------------------ One line
// "weir-opencl FILES LOG OUTPUT": how many files were included, bytes of log, bytes of output; a line "HASH PATH" per
// file; the log; the output.

static bool is_current(const char *line, size_t length) {
  char now[WEIR_HASH_TEXT];
  if (length < WEIR_HASH_TEXT) return false;
  char *path = strndup(line + WEIR_HASH_TEXT, length - WEIR_HASH_TEXT);
  const bool same = path && file_hash(path, now) && !strncmp(now, line, WEIR_HASH_TEXT - 1);
  weir_free(path);
  return same;
}

static char *piece(const char *bytes, size_t size) {
  char *copy = weir_alloc(size + 1);
  memcpy(copy, bytes, size);
  return copy;
}

static bool take_entry(const char *text, size_t size, struct weir_cl_result *r) {
  size_t files, log, output;
  if (sscanf(text, "weir-opencl %zu %zu %zu", &files, &log, &output) != 3) return false;
  const char *end = text + size, *at = memchr(text, '\n', size);
  for (; at && files; files--) {
    const char *line = at + 1;
    at = memchr(line, '\n', (size_t)(end - line));
    if (!at || !is_current(line, (size_t)(at - line))) return false;
  }
  if (!at) return false;
  at++;
  const size_t rest = (size_t)(end - at);
  if (log > rest || output != rest - log) return false;
  *r = (struct weir_cl_result){WEIR_CL_BUILT, piece(at + log, output), output, piece(at, log)};
  return true;
}

bool weir_cl_cache_load(const char *cache, weir_hash key, struct weir_cl_result *r) {
  if (!cache) return false;
  struct weir_sink sink = {0};
  size_t size = 0;
  char *path = entry_path(cache, key);
  char *text = access(path, R_OK) ? NULL : weir_file_read(path, 0, &size, &sink);
  const bool found = text && take_entry(text, size, r);
  weir_sink_free(&sink);
  weir_free(text);
  weir_free(path);
  return found;
}

void weir_cl_cache_store(const char *cache, weir_hash key, const struct weir_cl_result *r,
                         const struct weir_cl_arguments *included) {
  if (!cache) return;
  struct weir_cl_text t = {0};
  const size_t log = strlen(r->log);
  weir_cl_text_print(&t, "weir-opencl %zu %zu %zu\n", included->count, log, r->output_bytes);
  for (size_t i = 0; i < included->count; i++) {
    char name[WEIR_HASH_TEXT];
    if (!file_hash(included->items[i], name)) goto end; // it is gone already
    weir_cl_text_print(&t, "%s %s\n", name, included->items[i]);
  }
  weir_cl_text_add(&t, r->log, log);
  weir_cl_text_add(&t, r->output, r->output_bytes);
  struct weir_sink sink = {0};
  char *path = entry_path(cache, key);
  weir_file_write(path, t.bytes, t.count, &sink);
  weir_sink_free(&sink);
  weir_free(path);
end:
  weir_free(t.bytes);
}

// The first kernel's name, so that people know the program again: what follows "void" after "kernel". Its length, or 0.
static int first_kernel(const char *text, size_t bytes, const char **name) {
  const char *end = text + bytes, *at = memmem(text, bytes, "kernel", 6);
  at = at ? memmem(at, (size_t)(end - at), "void", 4) : NULL;
  if (!at) return 0;
  for (at += 4; at < end && isspace((unsigned char)*at);) at++;
  int length = 0;
  while (at + length < end && length < 40 && (isalnum((unsigned char)at[length]) || at[length] == '_')) length++;
  *name = at;
  return length;
}

char *weir_cl_cache_source(const char *cache, const char *text, size_t bytes) {
  if (!cache) return NULL;
  char hash[WEIR_HASH_TEXT];
  const char *name = "";
  const int length = first_kernel(text, bytes, &name);
  weir_hash_print(weir_hash_bytes(weir_hash_start(), text, bytes), hash);
  char *folder = weir_text_format("%s/source", cache);
  char *path = weir_text_format("%s/%.*s%s%.16s.cl", folder, length, name, length ? "-" : "", hash);
  struct weir_sink sink = {0};
  const bool ok = make_folder(folder) && (!access(path, R_OK) || weir_file_write(path, text, bytes, &sink));
  weir_sink_free(&sink);
  weir_free(folder);
  if (ok) return path;
  weir_free(path);
  return NULL;
}
