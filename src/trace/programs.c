// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors
#include "trace/programs.h"

#include "base/alloc.h"
#include "base/file.h"
#include "trace/container.h"
#include "trace/convert.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define WEIR_CPU_PROGRAM(NAME, SPEC, PAPER, MEASURED, PACKAGE, COMMAND, SUMMARY)                                       \
  {#NAME, SPEC, WEIR_TRACE_##PAPER, WEIR_TRACE_##MEASURED, SUMMARY},
static const struct weir_cpu_program programs[] = {
#include "trace/programs.def"
};

const struct weir_cpu_program *weir_cpu_programs(unsigned *count) {
  *count = sizeof programs / sizeof *programs;
  return programs;
}

const struct weir_cpu_program *weir_cpu_program_find(const char *name) {
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
    if (!strcmp(programs[i].name, name)) return &programs[i];
  return NULL;
}

static bool is_trace(const char *path) {
  char start[WEIR_TRACE_MAGIC_BYTES] = "";
  struct stat st;
  FILE *f = !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "rbe") : NULL;
  if (!f) return false;
  const size_t n = fread(start, 1, sizeof start, f);
  fclose(f);
  return weir_trace_names_champsim(path) || (n == sizeof start && !memcmp(start, WEIR_TRACE_MAGIC, n));
}

static char *in_folder(const char *folder, const char *name) {
  const size_t size = strlen(folder) + strlen(name) + sizeof "/.wtrace";
  char *path = weir_alloc(size);
  snprintf(path, size, "%s/%s.wtrace", folder, name);
  return path;
}

char *weir_cpu_program_path(const char *name) {
  const char *folder = getenv("WEIR_CPU_TRACES");
  if (*name && !strchr(name, '/')) { // a name is no path through the folders' own
    char *path = folder && *folder ? in_folder(folder, name) : NULL;
    if (path && is_trace(path)) return path;
    weir_free(path);
    char *relative = in_folder("workloads/cpu/traces", name);
    path = weir_data_path(relative);
    weir_free(relative);
    if (path) return path;
  }
  return is_trace(name) ? weir_text_copy(name) : NULL;
}
