// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#define _GNU_SOURCE // memmem

#include "opencl/compile/ptx.h"

#include "opencl/compile/compile.h"

#include <string.h>

// A line's length with its newline.
static size_t line_length(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? (size_t)(end - line) + 1 : strlen(line);
}

static const char *after_blanks(const char *at) {
  return at + strspn(at, " \t");
}

// `.file N "folder" "name"`: PTX knows one text, so the folder goes before the name. False: the line is none.
static bool clean_file(struct weir_cl_text *to, const char *line, size_t length) {
  const char *folder = memchr(line, '"', length), *stop = line + length;
  const char *end = folder ? memchr(folder + 1, '"', (size_t)(stop - folder - 1)) : NULL;
  const char *name = end ? memchr(end + 1, '"', (size_t)(stop - end - 1)) : NULL;
  if (!name) return false;
  const bool absolute = name[1] == '/';
  weir_cl_text_print(to, "%.*s\"%.*s%s%.*s", (int)(folder - line), line, absolute ? 0 : (int)(end - folder - 1),
                     folder + 1, absolute ? "" : "/", (int)(stop - name - 1), name + 1);
  return true;
}

// The host's variable is declared by our builtins and defined here, once per module, so that the compiler takes no
// value of it for granted.
static bool clean_variable(struct weir_cl_text *to, const char *line, size_t length) {
  static const char mark[] = ".extern .const";
  if (strncmp(line, mark, sizeof mark - 1) || !memmem(line, length, WEIR_CL_NDRANGE, strlen(WEIR_CL_NDRANGE)))
    return false;
  const size_t skipped = strlen(".extern ");
  weir_cl_text_add(to, line + skipped, length - skipped);
  return true;
}

// With line tables, clang writes labels for its DWARF sections, some in the midst of a call; nothing else refers to
// them.
static bool is_debug_label(const char *line) {
  return !strncmp(line, "$L__tmp", 7);
}

void weir_cl_ptx_clean(struct weir_cl_text *to, const char *ptx) {
  bool in_section = false;
  for (const char *line = ptx; *line; line += line_length(line)) {
    const size_t length = line_length(line);
    const char *word = after_blanks(line);
    if (!strncmp(word, ".section", 8) && !strncmp(after_blanks(word + 8), ".debug_", 7)) in_section = true;
    if (in_section)
      in_section = !memchr(line, '}', length);
    else if (!is_debug_label(line) && !(!strncmp(word, ".file", 5) && clean_file(to, line, length)) &&
             !clean_variable(to, line, length))
      weir_cl_text_add(to, line, length);
  }
}

static bool is_platform(const char *name, size_t length) {
  return (length > 5 && !strncmp(name, "llvm.", 5)) || (length == 6 && !strncmp(name, "printf", 6));
}

bool weir_cl_ptx_is_whole(const char *ir, struct weir_cl_text *log) {
  bool whole = true;
  for (const char *line = ir; *line; line += line_length(line)) {
    const char *name = strncmp(line, "declare ", 8) ? NULL : memchr(line, '@', line_length(line));
    const size_t length = name ? strcspn(++name, "(") : 0;
    if (!name || is_platform(name, length)) continue;
    weir_cl_text_print(log, "weir: error: function '%.*s' is called and has no body\n", (int)length, name);
    whole = false;
  }
  return whole;
}
