// SPDX-License-Identifier: Apache-2.0
// Copyright the weir authors

// What the tests of the host side share. Invariant: files are written in a folder of the test's own, removed at its
// end.
#ifndef WEIR_TESTS_HOST_TEST_H
#define WEIR_TESTS_HOST_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/file.h"

// The only error of a sink is that text's; a failing test shows what was said instead.
static inline void assert_message(const struct weir_sink *sink, size_t index, const char *part) {
  if (index >= sink->count || !strstr(sink->diags[index].message, part)) {
    fprintf(stderr, "expected as message %zu: %s\n", index, part);
    weir_sink_print(sink, stderr);
  }
  assert_true(index < sink->count && strstr(sink->diags[index].message, part));
}

static inline void assert_clean(const struct weir_sink *sink) {
  weir_sink_print(sink, stderr);
  assert_int_equal(sink->errors, 0);
}

// A folder that is made for the test program; `name` inside it. Freed by weir_free.
static char test_folder[] = "weir-host-XXXXXX";

static inline int make_folder(void **state) {
  (void)state;
  return mkdtemp(test_folder) ? 0 : -1;
}

static inline int remove_folder(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", test_folder);
  return system(command);
}

static inline char *test_path(const char *name) {
  size_t size = strlen(test_folder) + strlen(name) + 2;
  char *path = weir_alloc(size);
  snprintf(path, size, "%s/%s", test_folder, name);
  return path;
}

static inline char *write_test_file(const char *name, const char *text) {
  struct weir_sink sink = {0};
  char *path = test_path(name);
  assert_true(weir_file_write(path, text, strlen(text), &sink));
  return path;
}

#endif
