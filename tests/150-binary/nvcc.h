// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Programs compiled by nvcc, where there is one, in a folder of their own. Header of tests only.
#ifndef WEIR_TESTS_150_NVCC_H
#define WEIR_TESTS_150_NVCC_H

#include "container.h"

#include <unistd.h>

static char nvcc_folder[] = "/tmp/weir_nvcc_XXXXXX";

// False: there is no nvcc here.
static inline bool nvcc_open(void) {
  if (system("nvcc --version > /dev/null 2>&1")) return false;
  assert_non_null(mkdtemp(nvcc_folder));
  return true;
}

// A file's path, until the next call.
static inline const char *nvcc_file(const char *name) {
  static char path[200];
  snprintf(path, sizeof path, "%s/%s", nvcc_folder, name);
  return path;
}

static inline void nvcc_source(const char *name, const char *text) {
  FILE *f = fopen(nvcc_file(name), "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static inline void nvcc_shell(const char *command) {
  if (system(command)) fail_msg("failed: %s", command);
}

// nvcc with flags, sources to the program p, in the folder.
static inline void nvcc_run(const char *flags, const char *sources) {
  char command[600];
  snprintf(command, sizeof command, "cd %s && nvcc %s %s -o p > log 2>&1", nvcc_folder, flags, sources);
  nvcc_shell(command);
}

static inline void nvcc_close(void) {
  char command[200];
  snprintf(command, sizeof command, "rm -r %s", nvcc_folder);
  nvcc_shell(command);
}

#endif
