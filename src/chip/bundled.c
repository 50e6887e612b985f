// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "chip/bundled.h"

#include "base/alloc.h"
#include "base/file.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

static bool ends_in_yaml(const char *name) {
  size_t length = strlen(name);
  return length > 5 && !strcmp(name + length - 5, ".yaml");
}

// Turns the paths that glob found into bare names, in place.
static void keep_names(glob_t *found) {
  for (size_t i = 0; i < found->gl_pathc; i++) {
    char *name = strrchr(found->gl_pathv[i], '/') + 1;
    memmove(found->gl_pathv[i], name, strlen(name) + 1);
    *strrchr(found->gl_pathv[i], '.') = '\0';
  }
}

static void report_unknown(const char *folder, const char *what, const char *name, struct weir_sink *sink) {
  char *path = weir_data_path(folder), pattern[4096];
  snprintf(pattern, sizeof pattern, "%s/*.yaml", path ? path : "");
  weir_free(path);
  glob_t found = {0};
  const char *nearest = NULL;
  if (!glob(pattern, 0, NULL, &found)) {
    keep_names(&found);
    nearest = weir_nearest(name, (const char *const *)found.gl_pathv, found.gl_pathc);
  }
  if (nearest)
    weir_fail_plain(sink, "there is no %s '%s'; did you mean '%s'?", what, name, nearest);
  else
    weir_fail_plain(sink, "there is no %s '%s'; `weir list %s` shows those that there are", what, name, folder);
  globfree(&found);
}

bool weir_is_own_path(const char *name) {
  return strchr(name, '/') || ends_in_yaml(name);
}

char *weir_bundled_path(const char *folder, const char *what, const char *name, struct weir_sink *sink) {
  if (weir_is_own_path(name)) return weir_text_copy(name);
  char relative[256];
  int length = snprintf(relative, sizeof relative, "%s/%s.yaml", folder, name);
  char *path = length < (int)sizeof relative && *name ? weir_data_path(relative) : NULL;
  if (!path) report_unknown(folder, what, name, sink);
  return path;
}
