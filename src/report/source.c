// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "report/source.h"

#include "base/alloc.h"
#include "base/file.h"

#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 16 << 20 };

static char *readable(char *path) { // takes it
  if (path && !access(path, R_OK)) return path;
  weir_free(path);
  return NULL;
}

char *weir_source_path(const char *file, const char *program) {
  char *path = readable(weir_text_copy(file));
  if (!path) path = readable(weir_path_beside(program, weir_path_name(file)));
  if (path) return path;
  char *relative = weir_text_format("workloads/%s/%s", program, weir_path_name(file));
  path = weir_data_path(relative);
  weir_free(relative);
  return path;
}

static char *line_of(const char *text, unsigned line) {
  for (; line > 1 && text; line--) {
    text = strchr(text, '\n');
    if (text) text++;
  }
  if (!text) return NULL;
  text += strspn(text, " \t");
  size_t length = strcspn(text, "\r\n");
  while (length && strchr(" \t", text[length - 1])) length--;
  return length ? weir_text_format("%.*s", (int)length, text) : NULL;
}

char *weir_source_line(const char *file, unsigned line, const char *program) {
  if (!*file || !line) return NULL;
  struct weir_sink unheard = {0};
  size_t bytes;
  char *path = weir_source_path(file, program),
       *text = path ? weir_file_read(path, MOST_BYTES, &bytes, &unheard) : NULL;
  char *is = text ? line_of(text, line) : NULL;
  weir_sink_free(&unheard);
  weir_free(text);
  weir_free(path);
  return is;
}
