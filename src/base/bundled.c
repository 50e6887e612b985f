// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "base/bundled.h"

#include "base/alloc.h"
#include "base/file.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

static bool ends_in_yaml(const char *name) {
  size_t length = strlen(name);
  return length > 5 && !strcmp(name + length - 5, ".yaml");
}

char **weir_bundled_names(const char *folder, unsigned *count) {
  char *path = weir_data_path(folder), *pattern = path ? weir_text_format("%s/*.yaml", path) : NULL;
  glob_t found = {0};
  *count = 0;
  if (!pattern) return NULL;
  const bool any = !glob(pattern, 0, NULL, &found);
  char **names = weir_new_array(char *, any ? found.gl_pathc : 1);
  for (size_t i = 0; any && i < found.gl_pathc; i++) {
    const char *name = weir_path_name(found.gl_pathv[i]);
    names[(*count)++] = weir_text_format("%.*s", (int)(strlen(name) - strlen(".yaml")), name);
  }
  globfree(&found);
  weir_free(pattern);
  weir_free(path);
  return names;
}

static void report_unknown(const char *folder, const char *what, const char *name, struct weir_sink *sink) {
  unsigned count;
  char **names = weir_bundled_names(folder, &count);
  const char *nearest = weir_nearest(name, (const char *const *)names, count);
  if (nearest)
    weir_fail_plain(sink, "there is no %s '%s'; did you mean '%s'?", what, name, nearest);
  else
    weir_fail_plain(sink, "there is no %s '%s'; `weir list %s` shows those that there are", what, name, folder);
  for (unsigned i = 0; i < count; i++) weir_free(names[i]);
  weir_free(names);
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
