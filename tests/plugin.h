// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// Policies in shared objects, built as docs/WRITING-A-POLICY.md says, in a folder of the test's own.
#ifndef WEIR_TESTS_PLUGIN_H
#define WEIR_TESTS_PLUGIN_H

#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char plugin_folder[] = WEIR_BINARY_DIR "/plugin-XXXXXX";

// Compiles a C file into a shared object in plugin_folder. Returns its path (static).
static inline const char *plugin_build(const char *source, const char *name) {
  static char object[512];
  snprintf(object, sizeof object, "%s/%s", plugin_folder, name);
  pid_t child = fork();
  assert_true(child >= 0);
  if (!child) {
    execlp(WEIR_CC, WEIR_CC, "-Wall", "-Wextra", "-Werror", "-std=gnu17", "-shared", "-fPIC", "-O2", "-I",
           WEIR_SOURCE_DIR "/src", source, "-o", object, (char *)NULL);
    _exit(127);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return object;
}

static inline const char *plugin_of(const char *text, const char *name) {
  char source[512];
  snprintf(source, sizeof source, "%s/%s.c", plugin_folder, name);
  assert_true(weir_file_write(source, text, strlen(text), NULL));
  return plugin_build(source, name);
}

static inline int plugin_make_folder(void **state) {
  (void)state;
  return mkdtemp(plugin_folder) ? 0 : -1;
}

static inline int plugin_remove_folder(void **state) {
  (void)state;
  char command[512];
  snprintf(command, sizeof command, "rm -r %s", plugin_folder);
  return system(command);
}

#endif
